"""Attempts at the exercises of "Several addresses of one memory"."""
from . import change, right, wrong

MEMORY = """
from cuda.bindings import driver as cu
def memory_at(address):
    error, handle = cu.cuMemRetainAllocationHandle(address)
    cu.cuMemRelease(handle)
    return int(handle)

"""
OTHERS = MEMORY + "def other_addresses(mappings, address):\n"
ALL = "import numpy as np\nimport pycuda.driver as cuda\ndef all_hosts(views, device_address):\n"
TWICE = "from course_lib import reservation\ndef map_twice(memory):\n"

ATTEMPTS = {
    "aliases": (
        wrong("unmaps what it finds", "is mapped no more", """
from cuda.bindings import driver as cu
def memory_at(address):
    _, handle = cu.cuMemRetainAllocationHandle(address)
    cu.cuMemRelease(handle)
    return int(handle)
def other_addresses(mappings, address):
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            answer = sorted(o + address - start for o, _ in mappings if o != start and memory_at(o) == memory_at(start))
            for o, n in mappings:
                cu.cuMemUnmap(o, n)
            return answer
    return []"""),
        wrong("one past the end belongs to it", "", change("address < start + nbytes", "address <= start + nbytes")),
        right("two loops", OTHERS + """
    others = []
    for start, nbytes in mappings:
        if address >= start and address < start + nbytes:
            for other, size in mappings:
                if other != start and memory_at(other) == memory_at(address):
                    others.append(other + (address - start))
    others.sort()
    return others"""),
        right("a dict of memories", OTHERS + """
    memories = {start: memory_at(start) for start, _ in mappings}
    own = [start for start, nbytes in mappings if 0 <= address - start < nbytes]
    return sorted(other + address - own[0] for other in memories if own and other != own[0] and memories[other] == memories[own[0]])"""),
        right("next", OTHERS + """
    own = next((start for start, nbytes in mappings if address in range(start, start + nbytes)), None)
    if own is None:
        return []
    return sorted(start + address - own for start, _ in mappings if memory_at(start) == memory_at(own) and start != own)"""),
        right("the address asked, and an error looked at", """
from cuda.bindings import driver as cu
def memory_at(address):
    error, handle = cu.cuMemRetainAllocationHandle(address)
    if error != cu.CUresult.CUDA_SUCCESS:
        return None
    cu.cuMemRelease(handle)
    return int(handle)

def other_addresses(mappings, address):
    memory = memory_at(address)
    if memory is None:
        return []
    [start] = [one for one, nbytes in mappings if one <= address < one + nbytes]
    return sorted(one + address - start for one, _ in mappings if one != start and memory_at(one) == memory)"""),
        right("all of them, less this one", OTHERS + """
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            found = {one + address - start for one, _ in mappings if memory_at(one) == memory_at(start)}
            return sorted(found - {address})
    return []"""),
        right("MEMORY_BLOCK_ID, in C's way", """
import ctypes
from cuda.bindings import driver as cu
def memory_at(address):
    ask, number = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute, ctypes.c_uint64()
    attribute = int(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID)
    assert ask(ctypes.byref(number), attribute, ctypes.c_uint64(address)) == 0
    return number.value

def other_addresses(mappings, address):
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            return sorted(one + address - start for one, _ in mappings if one != start and memory_at(one) == memory_at(start))
    return []"""),
        right("released at the end, all of them", """
from cuda.bindings import driver as cu
def other_addresses(mappings, address):
    handles = {start: cu.cuMemRetainAllocationHandle(start)[1] for start, _ in mappings}
    found = [one + address - start for start, nbytes in mappings if start <= address < start + nbytes
             for one, _ in mappings if one != start and int(handles[one]) == int(handles[start])]
    for handle in handles.values():
        cu.cuMemRelease(handle)
    return sorted(found)"""),
        wrong("released behind the return", "you do not release it", """
from cuda.bindings import driver as cu
def memory_at(address):
    error, handle = cu.cuMemRetainAllocationHandle(address)
    return int(handle)
    cu.cuMemRelease(handle)

def other_addresses(mappings, address):
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            return sorted(one + address - start for one, _ in mappings if one != start and memory_at(one) == memory_at(start))
    return []"""),
        wrong("released without a call", "you do not release it", change("cu.cuMemRelease(handle)", "cu.cuMemRelease")),
        wrong("released twice",
              "", change("    cu.cuMemRelease(handle)\n", "    cu.cuMemRelease(handle)\n    cu.cuMemRelease(handle)\n")),
        wrong("itself among them, in another style", "Leave out the mapping that holds the address", OTHERS + """
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            return sorted(s + address - start for s, n in mappings if memory_at(s) == memory_at(address))
    return []"""),
        wrong("the sign", "", change("one + address - start", "one - address + start")),
        wrong("the other memories", "", change("memory_at(one) == memory_at(start)", "memory_at(one) != memory_at(start)")),
        wrong("no end", "You take an address outside a mapping", change("if start <= address < start + nbytes", "if address >= start")),
        wrong("the end included", "", change("address < start + nbytes", "address <= start + nbytes")),
        wrong("the start excluded", "", change("start <= address", "start < address")),
        wrong("given up after the first", "after the loop", change("    return []", "        return []")),
        wrong("starts only",
              "You find only the start of a mapping", change("if start <= address < start + nbytes", "if address == start")),
        wrong("BUFFER_ID", "`BUFFER_ID` differs", """
from cuda.bindings import driver as cu
def memory_at(address):
    return cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID, address)[1]

def other_addresses(mappings, address):
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            return sorted(one + address - start for one, _ in mappings if one != start and memory_at(one) == memory_at(start))
    return []"""),
        wrong("not sorted", "in another order", change("sorted(", "list(")),
        wrong("by the sizes", "", change("memory_at(one) == memory_at(start)", "nbytes == nbytes")),
        wrong("a set", "has no order", change("sorted(", "set(")),
        wrong("none, whatever is asked", "No alias is found", OTHERS + "    return []"),
        wrong("the handle alone", "", OTHERS + "    return [memory_at(address)]"),
        wrong("no return", "no `return` with a value", change("return sorted(", "sorted(").__class__((
            ("            return sorted(", "            sorted("), ("return []", "return None")))),
        right("dict from handle to starts", """
from cuda.bindings import driver as cu

def memory_at(address):
    error, h = cu.cuMemRetainAllocationHandle(address)
    cu.cuMemRelease(h)
    return int(h)
def other_addresses(mappings, address):
    holding = next(((s, n) for s, n in mappings if s <= address < s + n), None)
    if holding is None:
        return []
    offset = address - holding[0]
    me = memory_at(address)
    all_of = [s + offset for s, n in mappings if memory_at(s) == me]
    return sorted(set(all_of) - {address})"""),
        wrong("does not check that the address is mapped", "no handle, only an error", """
from cuda.bindings import driver as cu

def memory_at(address):
    error, h = cu.cuMemRetainAllocationHandle(address)
    cu.cuMemRelease(h)
    return int(h)
def other_addresses(mappings, address):
    offset = address % (2 << 20)
    mine = memory_at(address)
    return sorted(s + offset for s, n in mappings if memory_at(s) == mine and s + offset != address)"""),
    ),
    "map-twice": (
        right("a list", TWICE + """
    found = []
    for _ in range(2):
        found.append(reservation.reserve(memory.nbytes).map(memory))
        found[-1].set_access("readwrite")
    return found"""),
        right("a comprehension", TWICE + """
    both = [reservation.reserve(memory.nbytes).map(memory) for _ in "ab"]
    [mapping.set_access("readwrite") for mapping in both]
    return tuple(both)"""),
        right("one range of addresses, twice as long", TWICE + """
    addresses = reservation.reserve(2 * memory.nbytes)
    first, second = addresses.map(memory), addresses.map(memory, offset=memory.nbytes)
    first.set_access("readwrite")
    second.set_access("readwrite")
    return first, second"""),
        right("more addresses than needed", TWICE + """
    one = reservation.reserve(memory.nbytes + reservation.granularity())
    two = reservation.reserve(memory.nbytes)
    a, b = one.map(memory), two.map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return b, a"""),
        wrong("access for the first", "the second mapping needs it too", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    b = reservation.reserve(memory.nbytes).map(memory)
    return a, b"""),
        wrong("access for the second", "the first mapping needs it too", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    b.set_access("readwrite")
    return a, b"""),
        wrong("no access", "Both mappings need", TWICE + """
    return reservation.reserve(memory.nbytes).map(memory), reservation.reserve(memory.nbytes).map(memory)"""),
        wrong("access to read", "Both mappings need", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("read")
    b.set_access("read")
    return a, b"""),
        wrong("the second may be read only", "the second mapping needs it too", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    b.set_access("read")
    return a, b"""),
        wrong("two memories", "These are two memories", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(reservation.create(memory.nbytes))
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("one mapping twice", "named twice", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    return a, a"""),
        wrong("one range of addresses", "nothing else can be", TWICE + """
    where = reservation.reserve(memory.nbytes)
    a, b = where.map(memory), where.map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("one mapping", "You return one mapping", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    return a"""),
        wrong("one mapping in a tuple", "", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    return (a,)"""),
        wrong("addresses", "You return the addresses", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return [a.start, b.start]"""),
        wrong("one granule of addresses", "the memory may be larger", TWICE + """
    n = reservation.granularity()
    a, b = reservation.reserve(n).map(memory), reservation.reserve(n).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("not mapped", "nothing is mapped there", TWICE + """
    a, b = reservation.reserve(memory.nbytes), reservation.reserve(memory.nbytes)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("what set_access gives", "", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory).set_access("readwrite")
    b = reservation.reserve(memory.nbytes).map(memory).set_access("readwrite")
    return a, b"""),
        wrong("nothing", "no `return` with a value", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")"""),
        wrong("too few bytes", "raises", TWICE + """
    a, b = reservation.reserve(1024).map(memory), reservation.reserve(1024).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        right("a list comprehension over two reservations", TWICE + """
    both = [reservation.reserve(memory.nbytes).map(memory) for _ in "12"]
    [m.set_access("readwrite") for m in both]
    return both"""),
        right("one reservation of twice the size, two offsets", TWICE + """
    where = reservation.reserve(2 * memory.nbytes)
    a, b = where.map(memory), where.map(memory, offset=memory.nbytes)
    a.set_access("readwrite")
    b.set_access("readwrite")
    return a, b"""),
        wrong("reservations in a with-block", "no `with` here", TWICE + """
    with reservation.reserve(memory.nbytes) as one, reservation.reserve(memory.nbytes) as two:
        a, b = one.map(memory), two.map(memory)
        a.set_access("readwrite")
        b.set_access("readwrite")
        return a, b"""),
    ),
    "all-hosts": (
        right("by HOST_POINTER, and the host's own writing", ALL + """
    from cuda.bindings import driver as cu
    error, host = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, device_address)
    if error:
        return []
    own = next(view for view in views if view.ctypes.data <= int(host) < view.ctypes.data + len(view))
    at = int(host) - own.ctypes.data
    before = [int(view[at]) for view in views]
    own[at] ^= 255
    found = [view.ctypes.data + at for view, was in zip(views, before) if view[at] != was]
    own[at] ^= 255
    return sorted(found)"""),
        right("two numbers in turn", ALL + """
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    seen = []
    for number in 17, 18:
        cuda.memset_d8(device_address, number, 1)
        cuda.Context.synchronize()
        seen.append([{view.ctypes.data + int(i) for i in np.flatnonzero(view == number)} for view in views])
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    return sorted(set().union(*seen[0]) & set().union(*seen[1]))"""),
        right("a copy in the place of memset", ALL + """
    before = [view.copy() for view in views]
    old = cuda.from_device(device_address, 1, np.uint8)
    cuda.memcpy_htod(device_address, ~old)
    found = [view.ctypes.data + place for view, was in zip(views, before) for place in map(int, np.flatnonzero(view != was))]
    cuda.memcpy_htod(device_address, old)
    return sorted(found)"""),
        right("one more, up to 255", ALL + """
    before = [view.copy() for view in views]
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    cuda.memset_d8(device_address, (old + 1) % 256, 1)
    cuda.Context.synchronize()
    found = []
    for i in range(len(views)):
        for at in np.nonzero(views[i] != before[i])[0]:
            found.append(views[i].ctypes.data + int(at))
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    found.sort()
    return found"""),
        right("by a kernel", "from course_lib import kernels\n" + ALL + """
    flip = kernels.compile("__global__ void flip(unsigned char *byte) { *byte = ~*byte; }").flip
    before = [bytes(view) for view in views]
    flip(1, 1, device_address)
    cuda.Context.synchronize()
    found = [view.ctypes.data + at for view, was in zip(views, before) for at in range(len(view)) if view[at] != was[at]]
    flip(1, 1, device_address)
    cuda.Context.synchronize()
    return sorted(found)"""),
        right("numbers of NumPy", change("int(np.argmax(view != was))", "np.argmax(view != was)")),
        wrong("put back as 0", "write back what was there", change("device_address, old, 1)", "device_address, 0, 1)")),
        wrong("always 77", "", change("old ^ 255", "77")),
        wrong("one more, without end", "", change("old ^ 255", "old + 1")),
        wrong("HOST_POINTER", "of this view alone", ALL + """
    from cuda.bindings import driver as cu
    error, host = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, device_address)
    return [int(host)] if not error else []"""),
        wrong("the number itself, for its own view", "the device's address", ALL + """
    before = [view.copy() for view in views]
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    cuda.memset_d8(device_address, old ^ 255, 1)
    cuda.Context.synchronize()
    found = {view.ctypes.data + int(np.argmax(view != was)) for view, was in zip(views, before) if (view != was).any()}
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    return sorted(found | {device_address}) if found else []"""),
        wrong("which views, by number", "the number 3", change("view.ctypes.data + int(np.argmax(view != was)) for view, was in zip(views",
                                                               "place for place, (view, was) in enumerate(zip(views",
                                                               "before) if", "before)) if")),
        wrong("the same number", "Missing:", ALL + """
    return [device_address for view in views if 0 <= device_address - view.ctypes.data < len(view)]"""),
        wrong("the device's number always", "", ALL + "    return [device_address]"),
        wrong("those that did not change", "", change("if (view != was).any()", "if not (view != was).any()")),
        wrong("who holds the number", "what it held *before*", ALL + """
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    cuda.memset_d8(device_address, old ^ 255, 1)
    cuda.Context.synchronize()
    at = device_address % 4096
    found = [view.ctypes.data + at for view in views if view[at] == old ^ 255]
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    return sorted(found)"""),
        wrong("who holds the same number now", "", ALL + """
    old, at = cuda.from_device(device_address, 1, np.uint8)[0], device_address % 4096
    return sorted(view.ctypes.data + at for view in views if view[at] == old)"""),
        wrong("in the order of the views", "in another order", change("sorted(found)", "found")),
        wrong("the other way round", "in another order", change("sorted(found)", "sorted(found, reverse=True)")),
        wrong("the others", "You leave out the view", change("if (view != was).any()",
                                                             "if (view != was).any() and not 0 <= device_address - view.ctypes.data < 4096")),
        wrong("a set", "has no order", change("sorted(found)", "set(found)")),
        wrong("how many", "", change("sorted(found)", "len(found)")),
        wrong("the views", "", change("view.ctypes.data + int(np.argmax(view != was)) for", "view[:1] for").__class__((
            ("view.ctypes.data + int(np.argmax(view != was)) for", "view[:1] for"), ("sorted(found)", "found")))),
        wrong("nothing", "no `return` with a value", change("return sorted(found)", "found.sort()")),
        wrong("empty", "", ALL + "    return []"),
        right("tells the change by the one byte at the offset found, two probes", ALL + """
    was = [v.tobytes() for v in views]
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    new = (old + 1) % 256
    cuda.memset_d8(device_address, new, 1)
    cuda.Context.synchronize()
    now = [v.tobytes() for v in views]
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    out = []
    for v, a, b in zip(views, was, now):
        for i in range(len(a)):
            if a[i] != b[i]:
                out.append(v.ctypes.data + i)
    return sorted(out)"""),
        wrong("compares content", "Two different pages may hold", ALL + """
    for v in views:
        if v.ctypes.data <= device_address < v.ctypes.data + 4096:
            offset = device_address - v.ctypes.data
            return sorted(w.ctypes.data + offset for w in views if (w == v).all())
    return []"""),
    ),
}
