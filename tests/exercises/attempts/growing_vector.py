"""Attempts at the exercises of "A vector that grows"."""
from . import change, right, wrong

HEAD = "from course_lib import reservation\nfrom course_lib.core.errors import ask\nfrom cuda.bindings import driver as cu\n"
INIT = """
class Vector:
    def __init__(self, most):
        self.reserved = reservation.round_up(most)
        self.address = int(ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0))
        self.nbytes = 0
"""
FILL = "import numpy as np\nimport pycuda.driver as cuda\nfrom cuda.bindings import driver as cu\ndef fill(address, data, buffers, streams, work):\n"
WHOSE = "from cuda.bindings import driver as cu\nHOST_POINTER = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER\ndef whose(vector, address):\n"
SAFE_GROW = """
    def grow(self, nbytes):
        missing = nbytes - self.nbytes
        if missing <= 0:
            return
        if nbytes > self.reserved:
            raise ValueError("too much")
        where, access = reservation.on_the_device()
        size, end = reservation.round_up(missing), self.address + self.nbytes
"""

ATTEMPTS = {
    "vector-grow": (
        wrong("it doubles", "", change("reservation.round_up(nbytes - self.nbytes)",
                                       "min(max(reservation.round_up(nbytes - self.nbytes), self.nbytes), self.reserved - self.nbytes)")),
        right("must, as in lesson 05", HEAD + """
def must(result):
    error, *values = result
    if error != cu.CUresult.CUDA_SUCCESS:
        raise RuntimeError(error.name)
    return values[0] if values else None
""" + INIT + """
    def grow(self, nbytes):
        if nbytes > self.reserved:
            raise ValueError(f"at most {self.reserved}")
        where, access = reservation.on_the_device()
        size = reservation.granularity()
        while self.nbytes < nbytes:         # granule by granule
            handle = must(cu.cuMemCreate(size, where, 0))
            must(cu.cuMemMap(self.address + self.nbytes, size, 0, handle, 0))
            must(cu.cuMemSetAccess(self.address + self.nbytes, size, [access], 1))
            must(cu.cuMemRelease(handle))
            self.nbytes += size
"""),
        right("by course_lib.reservation", HEAD + """
class Vector:
    def __init__(self, most):
        self.range = reservation.reserve(reservation.round_up(most))
        self.address, self.reserved, self.nbytes = self.range.start, self.range.nbytes, 0
    def grow(self, nbytes):
        if nbytes > self.range.nbytes:
            raise ValueError("it does not fit")
        if nbytes > self.nbytes:
            memory = reservation.create(reservation.round_up(nbytes - self.nbytes))
            self.range.map(memory, self.nbytes).set_access("readwrite")
            self.nbytes += memory.nbytes
"""),
        right("properties", HEAD + """
class Vector:
    def __init__(self, most):
        self.reserved = reservation.round_up(most)
        self.start = ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0)
        self.parts = []
    @property
    def address(self):
        return int(self.start)
    @property
    def nbytes(self):
        return sum(self.parts)
    def grow(self, nbytes):
        if nbytes > self.reserved:
            raise ValueError(f"{nbytes} > {self.reserved}")
        if nbytes > self.nbytes:
            where, access = reservation.on_the_device()
            part, end = reservation.round_up(nbytes) - self.nbytes, self.address + self.nbytes
            handle = ask(cu.cuMemCreate, part, where, 0)
            ask(cu.cuMemMap, end, part, 0, handle, 0)
            ask(cu.cuMemSetAccess, end, part, [access], 1)
            self.parts.append(part)
"""),
        right("the handle is kept", change("        ask(cu.cuMemRelease, handle)\n", "        self.last = handle\n")),
        right("released before access",
              change("        ask(cu.cuMemSetAccess, end, more, [access], 1)\n        ask(cu.cuMemRelease, handle)\n",
                                               "        ask(cu.cuMemRelease, handle)\n        ask(cu.cuMemSetAccess, end, more, [access], 1)\n")),
        right("access over all of it", change("ask(cu.cuMemSetAccess, end, more, [access], 1)",
                                              "ask(cu.cuMemSetAccess, self.address, self.nbytes + more, [access], 1)")),
        wrong("access for the first part only", "Mapped is not yet accessible",
              change("        ask(cu.cuMemSetAccess, end, more, [access], 1)\n",
                     "        if end == self.address:\n            ask(cu.cuMemSetAccess, end, more, [access], 1)\n")),
        wrong("access may be read only",
              "may not be used", change("[access], 1)\n", "[reader(access)], 1)\n", "class Vector:", """
def reader(access):
    access.flags = cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READ
    return access

class Vector:""")),
        wrong("rounded by 4096", "round up what is missing", change("reservation.round_up(nbytes - self.nbytes)",
                                                                   "-(-(nbytes - self.nbytes) // 4096) * 4096")),
        wrong("nbytes are added", "`nbytes` is the room in all", HEAD + INIT + """
    def grow(self, nbytes):
        where, access = reservation.on_the_device()
        size, end = reservation.round_up(nbytes), self.address + self.nbytes
        if size + self.nbytes > self.reserved:
            raise ValueError("too much")
        handle = ask(cu.cuMemCreate, size, where, 0)
        ask(cu.cuMemMap, end, size, 0, handle, 0)
        ask(cu.cuMemSetAccess, end, size, [access], 1)
        ask(cu.cuMemRelease, handle)
        self.nbytes += size
"""),
        wrong("a limit that says nothing", "Do not ignore a request", change(
            'raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")', "return None")),
        wrong("prints", "Do not ignore a request", change(
            'raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")', 'return print("too much")')),
        wrong("an assertion", "AssertionError", change(
            'raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")', "assert nbytes <= self.reserved")),
        wrong("as much as there is", "", change(
            'raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")', "nbytes = self.reserved")),
        wrong("too late", "too late", HEAD + INIT + """
    def grow(self, nbytes):
        if nbytes <= self.nbytes:
            return
        where, access = reservation.on_the_device()
        size, end = reservation.round_up(nbytes - self.nbytes), self.address + self.nbytes
        handle = ask(cu.cuMemCreate, size, where, 0)
        if self.nbytes + size > self.reserved:
            raise ValueError("too much")
        ask(cu.cuMemMap, end, size, 0, handle, 0)
        ask(cu.cuMemSetAccess, end, size, [access], 1)
        self.nbytes += size
"""),
        wrong("a granule from the start", "A new vector takes no memory", change("        self.nbytes = 0\n",
                                                                                 "        self.nbytes = 0\n        self.grow(5)\n")),
        wrong("mem_alloc", "no addresses were reserved", """
import pycuda.driver as cuda
class Vector:
    def __init__(self, most):
        self.memory, self.address, self.nbytes = None, 0, 0
    def grow(self, nbytes):
        larger = cuda.mem_alloc(nbytes)
        if self.memory:
            cuda.memcpy_dtod(larger, self.memory, self.nbytes)
        self.memory, self.address, self.nbytes = larger, int(larger), nbytes
"""),
        wrong("anew each time", "its content is gone", HEAD + INIT + """
    def grow(self, nbytes):
        if nbytes > self.reserved:
            raise ValueError("too much")
        if nbytes <= self.nbytes:
            return
        where, access = reservation.on_the_device()
        if self.nbytes:
            ask(cu.cuMemUnmap, self.address, self.nbytes)
        self.nbytes = reservation.round_up(nbytes)
        handle = ask(cu.cuMemCreate, self.nbytes, where, 0)
        ask(cu.cuMemMap, self.address, self.nbytes, 0, handle, 0)
        ask(cu.cuMemSetAccess, self.address, self.nbytes, [access], 1)
        ask(cu.cuMemRelease, handle)
"""),
        wrong("errors overlooked", "", HEAD + INIT + """
    def grow(self, nbytes):
        where, access = reservation.on_the_device()
        _, handle = cu.cuMemCreate(nbytes, where, 0)
        cu.cuMemMap(self.address + self.nbytes, nbytes, 0, handle, 0)
        cu.cuMemSetAccess(self.address + self.nbytes, nbytes, [access], 1)
        self.nbytes += nbytes
"""),
        wrong("released before it is mapped", "cuMemMap answers CUDA_ERROR_INVALID_VALUE", change(
            "        ask(cu.cuMemMap, end, more, 0, handle, 0)\n", "        ask(cu.cuMemRelease, handle)\n        ask(cu.cuMemMap, end, more, 0, handle, 0)\n")),
        wrong("no address", "AttributeError", change("self.address", "self.start")),
        wrong("the address as the driver's object",
              "its `address` is not an int", change("int(ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0))",
                                                                                    "ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0)",
                                                                                    "self.address + self.nbytes", "int(self.address) + self.nbytes")),
        right("granule by granule", HEAD + """
class Vector:
    def __init__(self, most):
        self.g = reservation.granularity()
        self.reserved = -(-most // self.g) * self.g
        self.address = int(ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0))
        self.nbytes = 0
    def grow(self, nbytes):
        if nbytes > self.reserved:
            raise ValueError("does not fit: %d of %d" % (nbytes, self.reserved))
        where, access = reservation.on_the_device()
        while self.nbytes < nbytes:
            at = self.address + self.nbytes
            h = ask(cu.cuMemCreate, self.g, where, 0)
            ask(cu.cuMemMap, at, self.g, 0, h, 0)
            ask(cu.cuMemSetAccess, at, self.g, [access], 1)
            ask(cu.cuMemRelease, h)
            self.nbytes += self.g"""),
        right("the handle is kept, and overwritten", HEAD + """
class Vector:
    def __init__(self, most):
        self.reserved = reservation.round_up(most)
        self.address = int(ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0))
        self.nbytes = 0
    def grow(self, nbytes):
        if nbytes <= self.nbytes:
            return
        size = reservation.round_up(nbytes - self.nbytes)
        if self.nbytes + size > self.reserved:
            raise ValueError(f"{nbytes} bytes do not fit into {self.reserved}")
        where, access = reservation.on_the_device()
        handle = ask(cu.cuMemCreate, size, where, 0)
        ask(cu.cuMemMap, self.address + self.nbytes, size, 0, handle, 0)
        ask(cu.cuMemSetAccess, self.address + self.nbytes, size, [access], 1)
        self.handle = handle
        self.nbytes += size"""),
    ),
    "vector-fill": (
        wrong("the buffers are filled, and data is copied", "A copy does not come from a buffer", FILL + """
    size = len(buffers[0])
    for k, start in enumerate(range(0, len(data), size)):
        piece, stream = data[start:start + size], streams[k % 2]
        buffers[k % 2][:len(piece)] = piece
        cuda.memcpy_htod_async(address + 4 * start, piece, stream)
        work(address + 4 * start, len(piece), stream)
    for stream in streams:
        stream.synchronize()"""),
        right("events", FILL + """
    size, events = len(buffers[0]), [cuda.Event(), cuda.Event()]
    for start in range(0, len(data), size):
        k = start // size % 2
        piece = buffers[k][:len(data) - start]
        if start >= 2 * size:
            events[k].synchronize()
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[k])
        events[k].record(streams[k])
        work(address + 4 * start, len(piece), streams[k])
    cuda.Context.synchronize()"""),
        right("one stream copies, the other works", FILL + """
    size, events = len(buffers[0]), [cuda.Event(), cuda.Event()]
    copies, works = streams
    for number, start in enumerate(range(0, len(data), size)):
        event = events[number % 2]
        if number > 1:
            event.synchronize()
        piece = buffers[number % 2][:len(data) - start]
        piece[:] = data[start:start + len(piece)]
        cuda.memcpy_htod_async(address + 4 * start, piece, copies)
        event.record(copies)
        works.wait_for_event(event)
        work(address + 4 * start, len(piece), works)
    works.synchronize()"""),
        right("cuda-bindings", FILL + """
    size = len(buffers[0])
    for number in range(-(-len(data) // size)):
        buffer, stream = buffers[number % 2], streams[number % 2]
        count = min(size, len(data) - number * size)
        cu.cuStreamSynchronize(stream.handle)
        buffer[:count] = data[number * size:number * size + count]
        to = address + 4 * size * number
        cu.cuMemcpyHtoDAsync(to, buffer.ctypes.data, 4 * count, stream.handle)
        work(to, count, stream)
    cu.cuCtxSynchronize()"""),
        right("asked again and again", FILL + """
    import time
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        buffer, stream, piece = buffers[number % 2], streams[number % 2], data[start:start + size]
        while not stream.is_done():
            time.sleep(0.001)
        buffer[:len(piece)] = piece
        cuda.memcpy_htod_async(address + piece.itemsize * start, buffer[:len(piece)], stream)
        work(address + 4 * start, len(piece), stream)
    for stream in streams:
        stream.synchronize()"""),
        right("waits after two", FILL + """
    size = len(buffers[0])
    for start in range(0, len(data), size):
        k = start // size % 2
        part = data[start:start + size]
        if start // size >= 2:
            streams[k].synchronize()
        np.copyto(buffers[k][:len(part)], part)
        cuda.memcpy_htod_async(address + 4 * start, buffers[k][:len(part)], streams[k])
        work(address + 4 * start, len(part), streams[k])
    streams[0].synchronize()
    streams[1].synchronize()"""),
        right("half a buffer at a time", FILL + """
    size = max(len(buffers[0]) // 2, 1)
    for number, start in enumerate(range(0, len(data), size)):
        part, k = data[start:start + size], number % 2
        streams[k].synchronize()
        buffers[k][:len(part)] = part
        cuda.memcpy_htod_async(address + 4 * start, buffers[k][:len(part)], streams[k])
        work(address + 4 * start, len(part), streams[k])
    cuda.Context.synchronize()"""),
        wrong("waits on the other event", "You fill a buffer again before its copy is done", FILL + """
    size, events = len(buffers[0]), [cuda.Event(), cuda.Event()]
    for number, start in enumerate(range(0, len(data), size)):
        k, piece = number % 2, buffers[number % 2][:len(data) - start]
        if number > 1:
            events[1 - k].synchronize()
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[k])
        events[k].record(streams[k])
        work(address + 4 * start, len(piece), streams[k])
    cuda.Context.synchronize()"""),
        wrong("the device waits, not the host", "You fill a buffer again before its copy is done", FILL + """
    size, events = len(buffers[0]), [cuda.Event(), cuda.Event()]
    for number, start in enumerate(range(0, len(data), size)):
        k, piece = number % 2, buffers[number % 2][:len(data) - start]
        if number > 1:
            streams[k].wait_for_event(events[k])
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[k])
        events[k].record(streams[k])
        work(address + 4 * start, len(piece), streams[k])
    cuda.Context.synchronize()"""),
        wrong("waits after each piece", "Do you wait for each piece", FILL + """
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        k, piece = number % 2, buffers[number % 2][:len(data) - start]
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[k])
        work(address + 4 * start, len(piece), streams[k])
        streams[k].synchronize()"""),
        wrong("waits for the piece before", "Do you wait for each piece",
              change("        stream.synchronize()\n        piece[:]",
                     "        streams[(number + 1) % 2].synchronize()\n        piece[:]")),
        wrong("one stream", "Do you wait for each piece", change("streams[number % 2]", "streams[1]")),
        wrong("waits for both after two", "nothing is copied while some of the kernels run", FILL + """
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        k, piece = number % 2, buffers[number % 2][:len(data) - start]
        if k == 0:
            cuda.Context.synchronize()
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[k])
        work(address + 4 * start, len(piece), streams[k])
    cuda.Context.synchronize()"""),
        wrong("waits for one stream at the end", "You return while the last pieces are still under way",
              change("    for stream in streams:\n        stream.synchronize()\n", "    streams[1].synchronize()\n")),
        wrong("past the buffers", "No copy comes from the buffers", FILL + """
    size = len(buffers[0])
    for start in range(0, len(data), size):
        piece = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[0])
        work(address + 4 * start, len(piece), streams[0])
    streams[0].synchronize()"""),
        wrong("all at once", "No copy comes from the buffers", FILL + """
    if len(data):
        cuda.memcpy_htod(address, data)
        work(address, len(data), streams[0])
    streams[0].synchronize()"""),
        wrong("copies on one, kernels on the other, no event", "only an event or a wait",
              change("piece, stream)", "piece, streams[0])", "len(piece), stream)", "len(piece), streams[1])")),
        wrong("a kernel over all of it at the end", "nothing is copied while a kernel runs", FILL + """
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        k, piece = number % 2, buffers[number % 2][:len(data) - start]
        streams[k].synchronize()
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[k])
    cuda.Context.synchronize()
    if len(data):
        work(address, len(data), streams[0])
    cuda.Context.synchronize()"""),
        wrong("the last piece is forgotten", "You leave out a last piece", FILL + """
    size = len(buffers[0])
    for number in range(len(data) // size):
        k, start = number % 2, number * size
        streams[k].synchronize()
        buffers[k][:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, buffers[k], streams[k])
        work(address + 4 * start, size, streams[k])
    cuda.Context.synchronize()"""),
        wrong("whole buffers", "The last piece may be shorter", FILL + """
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        k, part = number % 2, data[start:start + size]
        streams[k].synchronize()
        buffers[k][:len(part)] = part
        cuda.memcpy_htod_async(address + 4 * start, buffers[k], streams[k])
        work(address + 4 * start, size, streams[k])
    cuda.Context.synchronize()"""),
        wrong("one buffer", "You use one buffer only", FILL + """
    size, copied = len(buffers[0]), cuda.Event()
    for number, start in enumerate(range(0, len(data), size)):
        k, piece = number % 2, buffers[0][:len(data) - start]
        if number:
            copied.synchronize()
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, streams[k])
        copied.record(streams[k])
        work(address + 4 * start, len(piece), streams[k])
    cuda.Context.synchronize()"""),
        wrong("a stream is missing for no numbers",
              "UnboundLocalError", change("    for stream in streams:\n        stream.synchronize()\n",
              "    stream.synchronize()\n    streams[0].synchronize()\n    streams[1].synchronize()\n")),
        wrong("waits once", "Wait every time before", change("        stream.synchronize()\n        piece[:]",
              "        if number in (2, 3):\n            stream.synchronize()\n        piece[:]")),
        wrong("a misspelt call", "AttributeError", change("cuda.memcpy_htod_async", "cuda.memcpy_h2d_async")),
        right("zip with cycle and enumerate over pieces", """
import pycuda.driver as cuda

from itertools import cycle
def fill(address, data, buffers, streams, work):
    size = min(len(b) for b in buffers)
    for start, buffer, stream in zip(range(0, len(data), size), cycle(buffers), cycle(streams)):
        stream.synchronize()
        n = min(size, len(data) - start)
        buffer[:n] = data[start:start + n]
        cuda.memcpy_htod_async(address + start * data.itemsize, buffer[:n], stream)
        work(address + start * data.itemsize, n, stream)
    for stream in streams:
        stream.synchronize()"""),
        right("waits by events for the copy only", FILL + """
    size, copied = len(buffers[0]), [None, None]
    for k, start in enumerate(range(0, len(data), size)):
        piece, i = data[start:start + size], k & 1
        if copied[i]:
            copied[i].synchronize()
        buffers[i][:len(piece)] = piece
        cuda.memcpy_htod_async(address + 4 * start, buffers[i][:len(piece)], streams[i])
        copied[i] = cuda.Event()
        copied[i].record(streams[i])
        work(address + 4 * start, len(piece), streams[i])
    [s.synchronize() for s in streams]"""),
        right("through a second array on the device", FILL + """
    size, bytes = len(buffers[0]), 4 * len(buffers[0])
    stages = [cuda.mem_alloc(bytes) for _ in buffers]
    for number, start in enumerate(range(0, len(data), size)):
        piece, n = buffers[number % 2], min(size, len(data) - start)
        stream, stage = streams[number % 2], int(stages[number % 2])
        stream.synchronize()
        piece[:n] = data[start:start + n]
        cu.cuMemcpyAsync(stage, piece.ctypes.data, 4 * n, stream.handle)
        cu.cuMemcpyAsync(address + 4 * start, stage, 4 * n, stream.handle)
        work(address + 4 * start, n, stream)
    for stream in streams:
        stream.synchronize()"""),
        wrong("copy before the buffer is filled", "Fill first, then copy", FILL + """
    size = len(buffers[0])
    for k, start in enumerate(range(0, len(data), size)):
        piece, i = data[start:start + size], k % 2
        streams[i].synchronize()
        cuda.memcpy_htod_async(address + 4 * start, buffers[i][:len(piece)], streams[i])
        buffers[i][:len(piece)] = piece
        work(address + 4 * start, len(piece), streams[i])
    for s in streams: s.synchronize()"""),
    ),
    "vector-whose": (
        wrong("the check's own words for a host address", "is a text, and an address is asked for", change(
            "host + offset - start", "f\"byte {offset - start} of the {['first', 'second', 'third'][vector.copies.index((start, nbytes, host))]} copy\"")),
        wrong("the forward call for the way back", "`cuMemHostGetDevicePointer` is forward", change(
            "    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER\n", "",
            "cu.cuPointerGetAttribute(attribute, address)", "cu.cuMemHostGetDevicePointer(address, 0)")),
        right("next()", WHOSE + """
    offset = address - vector.address
    if 0 <= offset < vector.nbytes:
        host = next((h + offset - o for o, n, h in vector.copies if o <= offset < o + n), None)
        return ("vector", offset // 4, host)
    if vector.nbytes <= offset < vector.reserved:
        return ("reserved", None, None)
    try:
        error, host = cu.cuPointerGetAttribute(HOST_POINTER, address)
    except OverflowError:
        return ("elsewhere", None, None)
    return ("elsewhere", None, None if int(error) else int(host))"""),
        right("ranges", WHOSE + """
    place = address - vector.address
    if place in range(vector.nbytes):
        found = None
        for first, length, host in vector.copies:
            if place in range(first, first + length):
                found = host + (place - first)
        return "vector", place >> 2, found
    if place in range(vector.reserved):
        return "reserved", None, None
    host = None
    if 0 < address < 2**64:
        error, answer = cu.cuPointerGetAttribute(HOST_POINTER, address)
        if error == cu.CUresult.CUDA_SUCCESS:
            host = int(answer)
    return "elsewhere", None, host"""),
        right("a list", change('return "reserved", None, None', 'return ["reserved", None, None]')),
        right("divmod", change("offset // 4, None", "divmod(offset, 4)[0], None")),
        right("elsewhere first", WHOSE + """
    end = vector.address + vector.reserved
    if address < vector.address or address >= end:
        if address < 0 or address >= 2**64:
            return "elsewhere", None, None
        error, host = cu.cuPointerGetAttribute(HOST_POINTER, address)
        return "elsewhere", None, (int(host) if int(error) == 0 else None)
    offset = address - vector.address
    if offset >= vector.nbytes:
        return "reserved", None, None
    for start, nbytes, host in vector.copies:
        if 0 <= offset - start < nbytes:
            return "vector", offset // 4, host + offset - start
    return "vector", offset // 4, None"""),
        wrong("gives up", "You give up after the first copy", WHOSE + """
    offset = address - vector.address
    if 0 <= offset < vector.nbytes:
        for start, nbytes, host in vector.copies:
            if start <= offset < start + nbytes:
                return "vector", offset // 4, host + offset - start
            else:
                return "vector", offset // 4, None
    if 0 <= offset < vector.reserved:
        return "reserved", None, None
    if not 0 <= address < 1 << 64:
        return "elsewhere", None, None
    error, host = cu.cuPointerGetAttribute(HOST_POINTER, address)
    return "elsewhere", None, int(host) if error == cu.CUresult.CUDA_SUCCESS else None"""),
        wrong("8 bytes", "", change("offset // 4", "offset // 8")),
        wrong("negative ones only", "", change("0 <= address < 1 << 64", "0 <= address")),
        wrong("the driver is not asked",
              "ask it for HOST_POINTER", change("int(host) if error == cu.CUresult.CUDA_SUCCESS else None", "None")),
        wrong("the plural call", "", change("error, host = cu.cuPointerGetAttribute(attribute, address)",
                                           "error, (host,) = cu.cuPointerGetAttributes(1, [attribute], address)")),
        wrong("another attribute", "", change("ATTRIBUTE_HOST_POINTER", "ATTRIBUTE_DEVICE_POINTER")),
        wrong("two of three", "", change('return "reserved", None, None', 'return "reserved", None')),
        wrong("nothing", "no `return` with a value", "def whose(vector, address):\n    offset = address - vector.address\n"),
        right("nested generator and a try around the driver", """
from cuda.bindings import driver as cu
HOST = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER

def whose(vector, address):
    offset = address - vector.address
    if offset in range(vector.reserved):
        if offset >= vector.nbytes:
            return "reserved", None, None
        found = [h + (offset - o) for o, n, h in vector.copies if offset in range(o, o + n)]
        return "vector", offset >> 2, found[0] if found else None
    try:
        error, p = cu.cuPointerGetAttribute(HOST, address)
    except (OverflowError, ValueError, TypeError):
        return "elsewhere", None, None
    return "elsewhere", None, None if error else int(p)"""),
        wrong("offsets in copies taken as numbers, not bytes", "`copies` counts bytes", """
from cuda.bindings import driver as cu
HOST = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER

def whose(vector, address):
    offset = address - vector.address
    if 0 <= offset < vector.nbytes:
        for o, n, h in vector.copies:
            if o <= offset // 4 < o + n:
                return ("vector", offset // 4, h + offset - 4 * o)
        return ("vector", offset // 4, None)
    if 0 <= offset < vector.reserved:
        return ("reserved", None, None)
    host = None
    if 0 <= address < 2 ** 64:
        error, p = cu.cuPointerGetAttribute(HOST, address)
        host = int(p) if error == cu.CUresult.CUDA_SUCCESS else None
    return ("elsewhere", None, host)"""),
        wrong("reserved counted behind the mapped part", "`reserved` counts", """
from cuda.bindings import driver as cu
HOST = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER

def whose(vector, address):
    offset = address - vector.address
    if 0 <= offset < vector.nbytes:
        for o, n, h in vector.copies:
            if o <= offset < o + n:
                return ("vector", offset // 4, h + offset - o)
        return ("vector", offset // 4, None)
    if 0 <= offset < vector.nbytes + vector.reserved:
        return ("reserved", None, None)
    host = None
    if 0 <= address < 2 ** 64:
        error, p = cu.cuPointerGetAttribute(HOST, address)
        host = int(p) if error == cu.CUresult.CUDA_SUCCESS else None
    return ("elsewhere", None, host)"""),
    ),
    "vector-let-go": (
        right("a granule at a time", HEAD + INIT + """
    def grow(self, nbytes):
        if nbytes > self.reserved:
            raise ValueError("too much")
        before, (where, access) = self.nbytes, reservation.on_the_device()
        try:
            while self.nbytes < nbytes:
                size, end = reservation.granularity(), self.address + self.nbytes
                handle = ask(cu.cuMemCreate, size, where, 0)
                try:
                    ask(cu.cuMemMap, end, size, 0, handle, 0)
                finally:
                    ask(cu.cuMemRelease, handle)
                self.nbytes += size
                ask(cu.cuMemSetAccess, end, size, [access], 1)
        except BaseException:
            if self.nbytes > before:
                ask(cu.cuMemUnmap, self.address + before, self.nbytes - before)
            self.nbytes = before
            raise
    def release(self):
        if self.reserved:
            ask(cu.cuCtxSynchronize)
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
            ask(cu.cuMemAddressFree, self.address, self.reserved)
            self.reserved = self.nbytes = 0
    def __enter__(self):
        return self
    def __exit__(self, *exception):
        self.release()"""),
        wrong("the error of `cuMemCreate` is passed over, and a name is missing", "another error: UnboundLocalError", change(
            "        handle = ask(cu.cuMemCreate, more, where, 0)\n", "        error, made = cu.cuMemCreate(more, where, 0)\n"
            "        if not error:\n            handle = made\n")),
        wrong("grow swallows errors", "passes over whatever is raised", """
from course_lib import reservation
from course_lib.core.errors import ask
from cuda.bindings import driver as cu
class Vector:
    def __init__(self, most):
        self.limit = reservation.round_up(most)
        self.address = int(ask(cu.cuMemAddressReserve, self.limit, 0, 0, 0))
        self.nbytes, self.gone = 0, False
    def grow(self, nbytes):
        target = reservation.round_up(nbytes)
        if target > self.limit: raise ValueError("does not fit")
        at, more = self.address + self.nbytes, target - self.nbytes
        if more <= 0: return
        where, access = reservation.on_the_device()
        try:
            handle = ask(cu.cuMemCreate, more, where, 0)
            ask(cu.cuMemMap, at, more, 0, handle, 0)
            cu.cuMemRelease(handle)
            ask(cu.cuMemSetAccess, at, more, [access], 1)
            self.nbytes = target
        except Exception:
            return
    def release(self):
        if self.gone: return
        self.gone = True
        ask(cu.cuCtxSynchronize)
        if self.nbytes: ask(cu.cuMemUnmap, self.address, self.nbytes)
        ask(cu.cuMemAddressFree, self.address, self.limit)
    def __enter__(self): return self
    def __exit__(self, *exception): self.release()"""),
        right("except at each step", HEAD + INIT + SAFE_GROW + """
        handle = ask(cu.cuMemCreate, size, where, 0)
        try:
            ask(cu.cuMemMap, end, size, 0, handle, 0)
        except Exception:
            ask(cu.cuMemRelease, handle)
            raise
        try:
            ask(cu.cuMemSetAccess, end, size, [access], 1)
        except Exception:
            ask(cu.cuMemUnmap, end, size)
            ask(cu.cuMemRelease, handle)
            raise
        ask(cu.cuMemRelease, handle)
        self.nbytes += size

    def release(self):
        if not self.address:
            return
        ask(cu.cuCtxSynchronize)
        if self.nbytes > 0:
            ask(cu.cuMemUnmap, self.address, self.nbytes)
        ask(cu.cuMemAddressFree, self.address, self.reserved)
        self.address = self.nbytes = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.release()
        return False
"""),
        right("an ExitStack", "import contextlib\n" + HEAD + INIT + SAFE_GROW + """
        with contextlib.ExitStack() as undo:
            handle = ask(cu.cuMemCreate, size, where, 0)
            undo.callback(ask, cu.cuMemRelease, handle)
            ask(cu.cuMemMap, end, size, 0, handle, 0)
            with contextlib.ExitStack() as if_it_fails:
                if_it_fails.callback(ask, cu.cuMemUnmap, end, size)
                ask(cu.cuMemSetAccess, end, size, [access], 1)
                if_it_fails.pop_all()
        self.nbytes += size

    released = False

    def release(self):
        import pycuda.driver as cuda
        if not self.released:
            self.released = True
            cuda.Context.synchronize()
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
            ask(cu.cuMemAddressFree, self.address, self.reserved)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()
"""),
        right("errors looked at by hand", HEAD + INIT + SAFE_GROW + """
        error, handle = cu.cuMemCreate(size, where, 0)
        if int(error):
            raise MemoryError(error.name)
        error, = cu.cuMemMap(end, size, 0, handle, 0)
        cu.cuMemRelease(handle)
        if int(error):
            raise RuntimeError(error.name)
        error, = cu.cuMemSetAccess(end, size, [access], 1)
        if int(error):
            cu.cuMemUnmap(end, size)
            raise RuntimeError(error.name)
        self.nbytes += size

    def release(self):
        if self.address:
            cu.cuCtxSynchronize()
            if self.nbytes:
                cu.cuMemUnmap(self.address, self.nbytes)
            cu.cuMemAddressFree(self.address, self.reserved)
            self.address = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()
"""),
        right("part by part", change("                ask(cu.cuMemUnmap, self.address, self.nbytes)\n",
              "                for part in self.parts:\n                    ask(cu.cuMemUnmap, *part)\n",
              "self.nbytes = 0\n\n", "self.nbytes = 0\n        self.parts = []\n\n",
              "        self.nbytes += more\n", "        self.nbytes += more\n        self.parts.append((end, more))\n")),
        right("the whole reservation",
              change("            if self.nbytes:\n                ask(cu.cuMemUnmap, self.address, self.nbytes)\n",
                                              "            ask(cu.cuMemUnmap, self.address, self.reserved)\n")),
        wrong("nothing is undone in grow", "When a call in `grow` fails", HEAD + INIT + SAFE_GROW + """
        handle = ask(cu.cuMemCreate, size, where, 0)
        ask(cu.cuMemMap, end, size, 0, handle, 0)
        ask(cu.cuMemSetAccess, end, size, [access], 1)
        ask(cu.cuMemRelease, handle)
        self.nbytes += size

    def release(self):
        if self.address:
            ask(cu.cuCtxSynchronize)
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
            ask(cu.cuMemAddressFree, self.address, self.reserved)
            self.address = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()
"""),
        wrong("the mapping is left",
              "When `cuMemSetAccess` fails", change("            ask(cu.cuMemUnmap, end, more)\n            raise\n",
                                                    "            raise\n")),
        wrong("nbytes before the calls",
              "the vector is not as it was", change("        handle = ask(", "        self.nbytes += more\n        handle = ask(",
                                                                              "            raise\n        self.nbytes += more\n", "            raise\n")),
        wrong("the error is printed",
              "the caller does not see it", change("        except BaseException:\n            ask(cu.cuMemUnmap, end, more)\n            raise\n",
              "        except Exception as error:\n            ask(cu.cuMemUnmap, end, more)\n            return print(error)\n")),
        wrong("never released in grow",
              "", change("        finally:\n            ask(cu.cuMemRelease, handle)\n",
                         "        except ZeroDivisionError:\n            pass\n")),
        wrong("waits too late", "wait for the device before you unmap", change("            ask(cu.cuCtxSynchronize)\n", "",
              "            self.address, self.nbytes = None, 0\n", "            ask(cu.cuCtxSynchronize)\n            self.address, self.nbytes = None, 0\n")),
        wrong("freed first",
              "Unmap first", change("            if self.nbytes:\n                ask(cu.cuMemUnmap, self.address, self.nbytes)\n",
                                              "",
              "            self.address, self.nbytes = None, 0\n",
              "            ask(cu.cuMemUnmap, self.address, self.nbytes)\n            self.address, self.nbytes = None, 0\n")),
        wrong("twice", "a second `release`", change("        if self.address is not None:\n", "        if self:\n")),
        wrong("twice, the address is kept",
              "a second `release`", change("            self.address, self.nbytes = None, 0\n", "            self.nbytes = 0\n")),
        wrong("only where all went well", "You give back only where all went well", change(
            "*exception):\n        self.release()\n", "kind, error, traceback):\n        if not error:\n            self.release()\n")),
        wrong("an empty exit",
              "let `__exit__` call `release`", change("*exception):\n        self.release()\n",
                                                      "*exception):\n        return None\n")),
        wrong("`__del__` alone", "let `__exit__` call `release`", change("*exception):\n        self.release()\n",
              "*exception):\n        pass\n\n    def __del__(self):\n        kept.append(self)\n", "class Vector:", "kept = []\n\nclass Vector:")),
        wrong("nothing behind `as`", "`return self`", change("        return self\n", "        self.entered = True\n")),
        wrong("no with", "", change("__enter__", "enter")),
        wrong("release is missing",
              "", change("    def release(self):", "    def close(self):", "        self.release()\n", "        self.close()\n")),
        wrong("freed with the wrong size",
              "", change("ask(cu.cuMemAddressFree, self.address, self.reserved)",
                         "ask(cu.cuMemAddressFree, self.address, self.nbytes)")),
        right("ExitStack for the undoing", HEAD + """
class Vector:
    def __init__(self, most):
        self.most = reservation.round_up(most)
        self.address = int(ask(cu.cuMemAddressReserve, self.most, 0, 0, 0))
        self.nbytes = 0
    def grow(self, nbytes):
        import contextlib
        if nbytes <= self.nbytes:
            return
        size = reservation.round_up(nbytes - self.nbytes)
        if self.nbytes + size > self.most:
            raise ValueError("it does not fit into the reservation")
        where, access = reservation.on_the_device()
        at = self.address + self.nbytes
        with contextlib.ExitStack() as undo:
            handle = ask(cu.cuMemCreate, size, where, 0)
            undo.callback(ask, cu.cuMemRelease, handle)
            ask(cu.cuMemMap, at, size, 0, handle, 0)
            with contextlib.ExitStack() as mapped:
                mapped.callback(ask, cu.cuMemUnmap, at, size)
                ask(cu.cuMemSetAccess, at, size, [access], 1)
                mapped.pop_all()
            self.nbytes += size
    def release(self):
        if self.address is None:
            return
        ask(cu.cuCtxSynchronize)
        if self.nbytes:
            ask(cu.cuMemUnmap, self.address, self.nbytes)
        ask(cu.cuMemAddressFree, self.address, self.most)
        self.address, self.nbytes = None, 0
    def __enter__(self):
        return self
    def __exit__(self, *exception):
        self.release()"""),
    ),
}
