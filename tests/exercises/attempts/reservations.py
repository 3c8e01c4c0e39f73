"""Attempts at the exercises of "Virtual reservations"."""
from . import change, right, wrong

ROUND = """
from cuda.bindings import driver as cu
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
def reserve_for(nbytes, where):
"""

ATTEMPTS = {
    "reserve-for": (
        wrong("twice as much until it fits", "", change("max(-(-nbytes // granularity), 1) * granularity", "granularity\n"
              "    while size < nbytes:\n        size *= 2")),
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
        right("the recommended granularity, for it is the same here",
              change("GRANULARITY_MINIMUM", "GRANULARITY_RECOMMENDED").__class__((
            ("(where, MINIMUM)", "(where, cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)"),))),
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
        wrong("a float", "", change("-(-nbytes // granularity)", "-(-nbytes / granularity)")),
        wrong("the size alone", "", change("return address, size", "return size")),
        wrong("the granularity's tuple", "raises TypeError", change("error, granularity = cu", "granularity = cu")),
        wrong("a second range",
              "", change("    return address", "    cu.cuMemAddressReserve(size, 0, 0, 0)\n    return address")),
        wrong("memory in the place of addresses",
              "", change("cu.cuMemAddressReserve(size, 0, 0, 0)", "cu.cuMemCreate(size, where, 0)")),
        wrong("device memory", "", change("cu.cuMemAddressReserve(size, 0, 0, 0)", "cu.cuMemAlloc(size)")),
        wrong("made up", "", ROUND + "    return 1 << 40, 2 << 20"),
        wrong("text", "", change("return address, size", "return hex(int(address)), str(size)")),
        wrong("no return", "no `return` with a value", change("    return address, size\n", "")),
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
        wrong("frees the range itself", "The range is free again when you return it", """
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
        wrong("used after unmap and release", "After `cuMemUnmap` nothing is at the address",
              "reserve create map access unmap release use free"),
        wrong("access before map", "Access is given to a mapping", "create reserve access map use unmap release free"),
        wrong("released before map", "A released handle cannot be mapped", "create release reserve map access use unmap free"),
        wrong("freed while mapped", "freed after the unmap", "create reserve map access use free unmap release"),
        wrong("freed while mapped, handle released", "freed after the unmap", "create reserve map access use release free unmap"),
        wrong("released before created", "no handle to release yet", "release create reserve map access use unmap free"),
        wrong("backwards", "no addresses to free yet", "free release unmap use access map create reserve"),
        wrong("a line missing", "is missing", "reserve create map access use unmap release"),
        right("release last of all", "reserve create map access use unmap free release"),
    ),
}
