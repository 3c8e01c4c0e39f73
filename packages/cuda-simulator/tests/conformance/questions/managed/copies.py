"""Copies and memsets of managed memory: boxes, batches, when a copy reads, what the operating system does."""
import ctypes
import os
import tempfile

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, pattern, read
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, PLAIN, advise, facts, fresh, host_byte, host_write, prefetch_and_wait, sure
from ...helpers.memory_kinds import location, make
from ...helpers.rectangles import DEVICE, HOST, UNIFIED, rectangle
from ...helpers.streams import LEGACY, PER_THREAD, Gate, stream

TYPES = {"host": HOST, "device": DEVICE, "unified": UNIFIED}


def patterned_block(size=4 * MIB, flags=1):
    """Managed memory whose first page is a pattern."""
    a = fresh(size, flags)
    ctypes.memmove(a, pattern(PAGE), PAGE)
    return a


@question("a copy that does not wait reads and writes managed memory when its turn comes", alone=True)
def turns():
    copies = {"HtoD": lambda to, source, n, s: cu.cuMemcpyHtoDAsync(to, source, n, s), "DtoH": lambda to, source, n,
              s: cu.cuMemcpyDtoHAsync(to, source, n, s),
              "DtoD": lambda to, source, n, s: cu.cuMemcpyDtoDAsync(to, source, n, s), "unified": lambda to, source, n,
              s: cu.cuMemcpyAsync(to, source, n, s)}
    verbs_of_kind = {"device": ("HtoD", "DtoD", "unified"), "managed": tuple(copies), "pinned": ("DtoH", "unified"),
                     "pageable": ("DtoH", "unified")}
    for kind, verbs in verbs_of_kind.items():
        for verb in verbs:
            for size in (16, 3 * MIB if kind in ("device", "managed") else 64 << 10):
                s, a = stream(), fresh()
                makers = {"device": lambda: int(must(cu.cuMemAlloc(4 * MIB))), "managed": fresh}
                target = makers.get(kind, lambda kind=kind: make(kind).address)()
                host_write(a, 1, 16)
                gate = Gate(s)
                gate.open(0.15)
                code = ask(copies[verb](target, a, size, s))
                went_on = gate.cells[0] == 0
                host_write(a, 2, 16)
                gate.open()
                must(cu.cuCtxSynchronize())
                content = read(target, 1).hex() if kind == "device" else host_byte(target)
                yield f"{verb} of {size} bytes to {kind}", [code, "returned before its turn" if went_on else "waited",
                                                             content]


@question("a copy from the host to managed memory that does not wait takes over what a copy to the device takes over",
          alone=True)
def taken_over():
    for kind in ("pageable", "pinned", "registered"):
        for verb in ("HtoD", "unified"):
            for size in (16, 64 << 10):
                s, a, source = stream(), fresh(), make(kind).address
                host_write(source, 1, 16)
                gate = Gate(s)
                gate.open(0.15)
                call = cu.cuMemcpyHtoDAsync if verb == "HtoD" else cu.cuMemcpyAsync
                code = ask(call(a, source, size, s))
                went_on = gate.cells[0] == 0
                host_write(source, 2, 16)
                gate.open()
                must(cu.cuCtxSynchronize())
                yield f"{verb} of {size} bytes, {kind}", [code, "returned before its turn" if went_on else "waited",
                                                          host_byte(a)]


@question("a box is copied between pieces of managed memory, whatever kind they are called")
def boxes():
    for going, source in TYPES.items():
        for kind, to in TYPES.items():
            a, b = patterned_block(), fresh()
            shape = cu.CUDA_MEMCPY3D()
            shape.srcMemoryType, shape.dstMemoryType = source, to
            shape.srcDevice, shape.dstDevice, shape.srcHost, shape.dstHost = cu.CUdeviceptr(a), cu.CUdeviceptr(b), a, b
            shape.srcPitch, shape.srcHeight, shape.dstPitch, shape.dstHeight = 32, 8, 16, 5
            shape.srcXInBytes, shape.srcY, shape.srcZ, shape.dstXInBytes, shape.dstY, shape.dstZ = 3, 1, 1, 2, 1, 1
            shape.WidthInBytes, shape.Height, shape.Depth = 9, 4, 3
            yield f"{going} to {kind}", lambda: [ask(cu.cuMemcpy3D(shape)), ask(cu.cuCtxSynchronize()),
                                                  ctypes.string_at(b, 300).hex()]


@question("rectangles of managed memory begin where they are told to, and end within the allocation")
def rectangles():
    for label, width, height, source_pitch, to_pitch, x, y in (
            ("plain", 30, 5, 100, 50, (0, 0), (0, 0)), ("moved", 30, 5, 100, 50, (7, 3), (2, 1)),
        ("one row", 100, 1, 0, 0, (0, 0), (0, 0)),
            ("no rows", 30, 0, 100, 50, (0, 0), (0, 0)), ("no width", 0, 5, 100, 50, (0, 0), (0, 0)),
            ("a pitch below the width", 30, 5, 20, 50, (0, 0), (0, 0)),
            ("past the end", 64, 5, MIB, 64, (0, 0), (0, 0)),
            ("to the end", 64, 4, MIB, 64, (MIB - 64, 0), (0, 0)),
            ("a byte past it", 65, 4, MIB, 65, (MIB - 64, 0), (0, 0))):
        for verb, call in (("2D", cu.cuMemcpy2D), ("2DUnaligned", cu.cuMemcpy2DUnaligned),
                           ("2DAsync", lambda shape: cu.cuMemcpy2DAsync(shape, 0))):
            a, b = patterned_block(), fresh()
            shape = rectangle(a, b, width, height, source_pitch, to_pitch, x, y)
            yield f"{label}: {verb}", lambda: [ask(call(shape)), ask(cu.cuCtxSynchronize()),
                                               ctypes.string_at(b, 64).hex()]


@question("many copies in one call take managed memory on either side, and places as hints")
def batches():
    def copied(pairs, sizes, order, hints=None, on=None):
        attributes = cu.CUmemcpyAttributes()
        attributes.srcAccessOrder = cu.CUmemcpySrcAccessOrder(order)
        if hints:
            attributes.srcLocHint, attributes.dstLocHint = (location(place) for place in hints)
        to, source = ([cu.CUdeviceptr(pair[side]) for pair in pairs] for side in (0, 1))
        return ask(cu.cuMemcpyBatchAsync(to, source, sizes, len(sizes), [attributes], [0], 1, s if on is None else on))
    s = stream()
    for kind in ("device", "pinned", "pageable", "managed", "managed, attached to the host"):
        for order in (1, 2, 3):
            a, b = patterned_block(), make(kind).address
            yield f"to {kind}, order {order}", lambda: [copied([(b, a), (b + 64, a + 7)], [16, 8], order),
                                                         ask(cu.cuStreamSynchronize(s)), read(
                b, 16).hex() if kind == "device" else ctypes.string_at(b, 16).hex()]
            yield f"from {kind}, order {order}", lambda: [copied([(a + 100, b)], [16], order),
                                                           ask(cu.cuStreamSynchronize(s)), ctypes.string_at(
                a + 98, 4).hex()]
    for hints in (("device", "host"), ("host", "device"), ("host numa", "device")):
        a, b = patterned_block(), fresh()
        yield f"hints {hints}", lambda: [copied([(b, a)], [16], 1, hints), ask(cu.cuStreamSynchronize(s)),
                                         ctypes.string_at(b, 16).hex(), facts(b, PAGE)]
    a = patterned_block()
    yield "past the end", lambda: copied([(a, a + 4 * MIB - 8)], [16], 1)
    yield "a freed one", lambda: [ask(cu.cuMemFree(a)), copied([(fresh(), a)], [16], 1)]


@question("memsets of managed memory want an address and a pitch that suit their width, and stay within it")
def memsets():
    a, end = patterned_block(), 4 * MIB
    calls = {"D16": lambda at, n: cu.cuMemsetD16(at, 0x0102, n), "D32": lambda at, n: cu.cuMemsetD32(at, 0x01020304, n),
             "D16Async": lambda at, n: cu.cuMemsetD16Async(at, 0x0506, n, 0), "D32Async": lambda at,
             n: cu.cuMemsetD32Async(at, 0x05060708, n, 0)}
    for label, call in calls.items():
        width = 2 if "16" in label else 4
        for offset, count in ((0, 3), (1, 3), (2, 3), (width, 0), (1, 0), (end - width, 1), (end - width, 2), (end, 0)):
            yield f"{label}: {count} at {offset}", [ask(call(a + offset, count)), ask(cu.cuCtxSynchronize())]
    for label, call in {"2D8": lambda at, pitch, w, h: cu.cuMemsetD2D8(at, pitch, 9, w, h),
                        "2D16": lambda at, pitch, w, h: cu.cuMemsetD2D16(at, pitch, 0x0909, w, h),
                        "2D32": lambda at, pitch, w, h: cu.cuMemsetD2D32(at, pitch, 0x09090909, w, h)}.items():
        for at, pitch, width, height in ((0, 32, 3, 2), (0, 33, 3, 2), (2, 32, 3, 2), (4, 2, 3, 2), (4, 4, 4, 1),
                                         (end - 64, 32, 4, 2), (end - 64, 32, 4, 3)):
            yield f"{label}: {width} by {height} at {at}, pitch {pitch}", [
                ask(call(a + at, pitch, width, height)), ask(cu.cuCtxSynchronize())]
    yield "content", ctypes.string_at(a, 80).hex()


@question("read-mostly memory with copies in both places is copied from, copied to and set as other memory is")
def read_mostly():
    a, d = patterned_block(), make("device").address
    sure(advise(a, 4 * MIB, "SET_READ_MOSTLY"))
    for place in PLAIN:
        prefetch_and_wait(a, 4 * MIB, place)
        must(cu.cuMemcpyDtoD(d, a, 16))
        yield f"{place}: from", [read(d, 4).hex(), read(a, 4).hex(), ctypes.string_at(a, 4).hex()]
        must(cu.cuMemsetD8(a, len(place), 2))
        must(cu.cuMemcpyHtoD(a + 2, bytes([len(place) + 1]), 1))
        must(cu.cuCtxSynchronize())
        yield f"{place}: to", [read(a, 4).hex(), ctypes.string_at(a, 4).hex(), facts(a, PAGE)]


@question("a copy that crosses pages in different places is one copy")
def across_places():
    for label, places in (("device, host", ("device", "host")), ("host, device", ("host", "device")),
                          ("device, nowhere yet", ("device", None))):
        a, b = fresh(), fresh()
        ctypes.memset(a, 7, 2 * MIB) if places[1] is None else ctypes.memset(a, 7, 4 * MIB)
        for half, place in enumerate(places):
            if place:
                prefetch_and_wait(a + half * 2 * MIB, 2 * MIB, place)
        answers = [ask(cu.cuMemcpyDtoD(b, a, 4 * MIB)), ask(cu.cuCtxSynchronize()), read(a + 2 * MIB - 2, 4).hex(),
                   read(b + 2 * MIB - 2, 4).hex()]
        yield label, [*answers, ask(kernels.run("fill", a + 2 * MIB - 2, i32(1), i32(4))),
                      ctypes.string_at(a + 2 * MIB - 3, 6).hex()]


@question("the operating system reads files into managed memory and writes them from it, wherever its pages are")
def files():
    with tempfile.TemporaryFile() as file:
        for place in ("device", "host"):
            a = patterned_block()
            prefetch_and_wait(a, 4 * MIB, place)
            os.pwrite(file.fileno(), (ctypes.c_char * PAGE).from_address(a), 0)
            b = fresh()
            prefetch_and_wait(b, 4 * MIB, place)
            count = os.preadv(file.fileno(), [(ctypes.c_char * PAGE).from_address(b)], 0)
            yield place, [count, read(b, PAGE) == pattern(PAGE), facts(b, PAGE),
                          ask(kernels.run("fill", b, i32(1), i32(2))), host_byte(b + 1)]


@question("copies of managed memory go into any stream, and a peer copy within one device is a copy")
def streams():
    first = must(cu.cuCtxGetCurrent())
    a, b = patterned_block(), fresh()
    for label, on in (("NULL", 0), ("legacy", LEGACY), ("per thread", PER_THREAD), ("blocking", stream(0)),
                      ("non-blocking", stream(1))):
        for at, call in enumerate((cu.cuMemcpyDtoDAsync, cu.cuMemcpyAsync, cu.cuMemcpyHtoDAsync, cu.cuMemcpyDtoHAsync)):
            ctypes.memset(b, 0, 64)
            yield f"{label}: {call.__name__}", [ask(call(b + 8, a + at, 4, on)), ask(cu.cuStreamSynchronize(on)),
                                                ctypes.string_at(b, 16).hex()]
    second = new_context()
    for to, source in ((first, first), (second, first), (second, second)):
        label = ["first" if int(address) == int(first) else "second" for address in (to, source)]
        yield f"peer copy to {label[0]} from {label[1]}", [ask(cu.cuMemcpyPeerAsync(b, to, a, source, 16, 0)),
                                                           ask(cu.cuCtxSynchronize()), host_byte(b + 1)]
