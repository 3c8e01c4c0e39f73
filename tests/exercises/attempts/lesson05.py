"""Attempts at the exercises of lesson 05."""
from . import change, right, wrong

ROUND = """
from cuda.bindings import driver as cu
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
def reserve_for(nbytes, where):
"""
MEMORY = """
from cuda.bindings import driver as cu
def memory_at(address):
    error, handle = cu.cuMemRetainAllocationHandle(address)
    cu.cuMemRelease(handle)
    return int(handle)

"""
OTHERS = MEMORY + "def other_addresses(mappings, address):\n"
TWICE = "from course_lib import reservation\ndef map_twice(memory):\n"

ATTEMPTS = {
    "reserve-for": (
        right("an if", ROUND + """
    _, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = granularity
    if nbytes > granularity:
        size = nbytes + -nbytes % granularity
    _, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return int(address), size"""),
        right("ceil", "import math\n" + ROUND + """
    granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)[1]
    size = math.ceil(max(nbytes, 1) / granularity) * granularity
    return cu.cuMemAddressReserve(size, 0, 0, 0)[1], size"""),
        right("a loop", ROUND + """
    error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = granularity
    while size < nbytes:
        size += granularity
    error, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return [address, size]"""),
        right("errors as exceptions", "from course_lib.core.errors import ask\n" + ROUND + """
    granularity = ask(cu.cuMemGetAllocationGranularity, where, MINIMUM)
    size = max(granularity, (nbytes + granularity - 1) // granularity * granularity)
    return int(ask(cu.cuMemAddressReserve, size, 0, 0, 0)), size"""),
        right("the notebook's own must", """
from cuda.bindings import driver as cu
minimum = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
def must(result):
    error, *values = result
    if error != cu.CUresult.CUDA_SUCCESS:
        raise RuntimeError(error.name)
    return values[0] if values else None

def reserve_for(nbytes, where):
    step = must(cu.cuMemGetAllocationGranularity(where, minimum))
    size = (max(nbytes, 1) + step - 1) // step * step
    return must(cu.cuMemAddressReserve(size, 0, 0, 0)), size"""),
        right("tried until it is taken", ROUND + """
    error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = nbytes // granularity * granularity
    while True:
        error, address = cu.cuMemAddressReserve(size, 0, 0, 0) if size >= nbytes else (1, 0)
        if not error:
            return address, size
        size += granularity"""),
        right("the recommended granularity, for it is the same here", change("GRANULARITY_MINIMUM", "GRANULARITY_RECOMMENDED").__class__((
            ("(where, MINIMUM)", "(where, cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)"),))),
        wrong("rounded down", "You round down", change("-(-nbytes // granularity)", "nbytes // granularity")),
        wrong("round", "You round down", change("-(-nbytes // granularity)", "round(nbytes / granularity)")),
        wrong("always one more", "You always add a granule", ROUND + """
    error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = nbytes + granularity - nbytes % granularity
    error, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return address, size"""),
        wrong("one granule", "always reserve one granule", ROUND + """
    error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    error, address = cu.cuMemAddressReserve(granularity, 0, 0, 0)
    return address, granularity"""),
        wrong("as it is", "refuses a size that is not a multiple", ROUND + """
    error, address = cu.cuMemAddressReserve(nbytes, 0, 0, 0)
    return address, nbytes"""),
        wrong("as it is, as a number", "refuses a size that is not a multiple", ROUND + """
    error, address = cu.cuMemAddressReserve(nbytes, 0, 0, 0)
    return int(address), nbytes"""),
        wrong("what is missing", "Add it to the size", change("max(-(-nbytes // granularity), 1) * granularity",
                                                               "granularity - nbytes % granularity")),
        wrong("0 for 0", "one granule is the least", change("max(-(-nbytes // granularity), 1)", "-(-nbytes // granularity)")),
        wrong("2 MiB", "for granted", ROUND + """
    size = max(-(-nbytes // (2 << 20)), 1) * (2 << 20)
    error, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return address, size"""),
        wrong("granules", "The call wants bytes", change(" * granularity", "")),
        wrong("a float", "", change("-(-nbytes // granularity)", "-(-nbytes / granularity)")),
        wrong("the address alone", "The size is asked for as well", change("return address, size", "return int(address)")),
        wrong("exchanged", "The two are exchanged", change("return address, size", "return size, address")),
        wrong("the size that was asked for", "You return the size that was asked for", change("address, size\n", "address, nbytes\n")),
        wrong("the size alone", "", change("return address, size", "return size")),
        wrong("the tuple", "returns a tuple, with the error first", change("error, address = cu", "address = cu")),
        wrong("the granularity's tuple", "raises TypeError", change("error, granularity = cu", "granularity = cu")),
        wrong("freed again", "", change("    return address", "    cu.cuMemAddressFree(address, size)\n    return address")),
        wrong("a second range", "", change("    return address", "    cu.cuMemAddressReserve(size, 0, 0, 0)\n    return address")),
        wrong("memory in the place of addresses", "", change("cu.cuMemAddressReserve(size, 0, 0, 0)", "cu.cuMemCreate(size, where, 0)")),
        wrong("device memory", "", change("cu.cuMemAddressReserve(size, 0, 0, 0)", "cu.cuMemAlloc(size)")),
        wrong("made up", "", ROUND + "    return 1 << 40, 2 << 20"),
        wrong("text", "", change("return address, size", "return hex(int(address)), str(size)")),
        wrong("no return", "returns None every time", change("    return address, size\n", "")),
        right("remainder arithmetic, int address", """
from cuda.bindings import driver as cu
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    g = cu.cuMemGetAllocationGranularity(where, MINIMUM)[1]
    size = nbytes + (-nbytes) % g or g
    return [int(cu.cuMemAddressReserve(size, 0, 0, 0)[1]), size]"""),
        right("while loop", """
from cuda.bindings import driver as cu
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    _, g = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = g
    while size < nbytes:
        size += g
    _, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return address, size"""),
        wrong("rounds down, also to 0", "You round down", """
from cuda.bindings import driver as cu
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    _, g = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = nbytes // g * g
    _, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return int(address), size"""),
        wrong("frees the range itself", "Who asked for it frees it", """
from cuda.bindings import driver as cu
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    _, g = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = max(-(-nbytes // g), 1) * g
    _, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    cu.cuMemAddressFree(address, size)
    return int(address), size"""),
    ),
    "vmm-order": (
        *(right("an order that works", order) for order in (
            "reserve create map access use unmap release free", "create reserve map access use unmap free release",
            "create reserve map release access use unmap free", "reserve create map access release use unmap free",
            "reserve, create, map, access, use, release, unmap, free",
            ("create", "reserve", "map", "access", "use", "unmap", "release", "free"))),
        wrong("used after unmap", "After `cuMemUnmap` nothing is at the address", "reserve create map access unmap use release free"),
        wrong("used after unmap and release", "After `cuMemUnmap` nothing is at the address",
              "reserve create map access unmap release use free"),
        wrong("used before access", "until access is set", "reserve create map use access unmap release free"),
        wrong("used before map", "The address alone is not memory", "reserve create use map access unmap release free"),
        wrong("access before map", "Access is given to a mapping", "create reserve access map use unmap release free"),
        wrong("released before map", "A released handle cannot be mapped", "create release reserve map access use unmap free"),
        wrong("freed while mapped", "freed after the unmap", "create reserve map access use free unmap release"),
        wrong("freed while mapped, handle released", "freed after the unmap", "create reserve map access use release free unmap"),
        wrong("mapped before reserved", "Mapping needs an address and memory", "create map reserve access use unmap release free"),
        wrong("mapped before created", "nothing to map yet", "reserve map create access use unmap release free"),
        wrong("released before created", "no handle to release yet", "release create reserve map access use unmap free"),
        wrong("freed before reserved", "no addresses to free yet", "create free reserve map access use unmap release"),
        wrong("unmapped before mapped", "There is nothing to unmap yet", "reserve create unmap map access use release free"),
        wrong("access after unmap", "no mapping left", "reserve create map unmap access use release free"),
        wrong("backwards", "no addresses to free yet", "free release unmap use access map create reserve"),
        wrong("a line missing", "is missing", "reserve create map access use unmap release"),
        right("release last of all", "reserve create map access use unmap free release"),
    ),
    "aliases": (
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
        wrong("not released", "you do not release it", change("    cu.cuMemRelease(handle)\n", "")),
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
        wrong("released twice", "", change("    cu.cuMemRelease(handle)\n", "    cu.cuMemRelease(handle)\n    cu.cuMemRelease(handle)\n")),
        wrong("itself among them", "is not another one", change("one != start and ", "")),
        wrong("itself among them, in another style", "is not another one", OTHERS + """
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            return sorted(s + address - start for s, n in mappings if memory_at(s) == memory_at(address))
    return []"""),
        wrong("the starts", "You give where the other mappings begin", change("one + address - start", "one")),
        wrong("the distance", "how far into the memory", change("one + address - start", "address - start")),
        wrong("the whole address", "You add the whole address", change("one + address - start", "one + address")),
        wrong("the sign", "", change("one + address - start", "one - address + start")),
        wrong("every memory", "of every memory", change(" and memory_at(one) == memory_at(start)", "")),
        wrong("the other memories", "", change("memory_at(one) == memory_at(start)", "memory_at(one) != memory_at(start)")),
        wrong("no end", "An address behind the end", change("if start <= address < start + nbytes", "if address >= start")),
        wrong("the end included", "", change("address < start + nbytes", "address <= start + nbytes")),
        wrong("the start excluded", "", change("start <= address", "start < address")),
        wrong("given up after the first", "behind the loop", change("    return []", "        return []")),
        wrong("None for nothing mapped", "return an empty list", change("    return []\n", "")),
        wrong("starts only", "Only the start of a mapping", change("if start <= address < start + nbytes", "if address == start")),
        wrong("BUFFER_ID", "`BUFFER_ID` differs", """
from cuda.bindings import driver as cu
def memory_at(address):
    return cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID, address)[1]

def other_addresses(mappings, address):
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            return sorted(one + address - start for one, _ in mappings if one != start and memory_at(one) == memory_at(start))
    return []"""),
        wrong("the tuple", "returns a tuple", change("error, handle = cu", "handle = cu")),
        wrong("one of them", "There may be more than one", change("memory_at(one) == memory_at(start))", "memory_at(one) == memory_at(start))[:1]")),
        wrong("not sorted", "in another order", change("sorted(", "list(")),
        wrong("by the sizes", "", change("memory_at(one) == memory_at(start)", "nbytes == nbytes")),
        wrong("a set", "has no order", change("sorted(", "set(")),
        wrong("none, whatever is asked", "You find no alias at all", OTHERS + "    return []"),
        wrong("the handle alone", "", OTHERS + "    return [memory_at(address)]"),
        wrong("no return", "returns None every time", change("return sorted(", "sorted(").__class__((
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
        wrong("no access", "both need that", TWICE + """
    return reservation.reserve(memory.nbytes).map(memory), reservation.reserve(memory.nbytes).map(memory)"""),
        wrong("access to read", "both need that", TWICE + """
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
        wrong("nothing", "returns None", TWICE + """
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
}
