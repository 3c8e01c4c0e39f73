"""Mapping physical memory to reserved addresses, and taking it away."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, pattern, read, where, write
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, LARGE, NONE, create, location, make, reserve, set_access
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute


@question("mapping needs a reservation, whole handles, offset 0, no flags",
          varies={label: "depends on what is reserved next to it" for label in ("over the end of the reservation", "twice, over the end")})
def map_arguments():
    base, handle, big = reserve(8 * LARGE), create(), create(2 * LARGE)
    device = int(must(cu.cuMemAlloc(LARGE)))
    cases = {
        "flags 1": (base, LARGE, 0, handle, 1), "offset 2 MiB": (base, LARGE, LARGE, handle, 0),
        "offset 2 MiB of 4": (base, LARGE, LARGE, big, 0), "offset 4096": (base, LARGE, 4096, handle, 0),
        "size 0": (base, 0, 0, handle, 0), "size 1": (base, 1, 0, handle, 0), "half": (base, LARGE // 2, 0, handle, 0),
        "half of 4 MiB": (base, LARGE, 0, big, 0), "twice": (base, 2 * LARGE, 0, handle, 0),
        "unaligned by 4096": (base + 4096, LARGE, 0, handle, 0), "unaligned by 1 MiB": (base + (1 << 20), LARGE, 0, handle, 0),
        "not reserved": (base + 64 * LARGE, LARGE, 0, handle, 0), "null": (0, LARGE, 0, handle, 0),
        "device memory": (device, LARGE, 0, handle, 0), "null handle": (base, LARGE, 0, 0, 0),
        "over the end of the reservation": (base + 7 * LARGE, 2 * LARGE, 0, big, 0),
        "flags and size 0": (base, 0, 0, handle, 1), "half and unaligned": (base + 4096, LARGE // 2, 0, handle, 0),
        "half and not reserved": (base + 64 * LARGE, LARGE // 2, 0, handle, 0),
        "offset and not reserved": (base + 64 * LARGE, LARGE, LARGE, handle, 0),
        "twice, over the end": (base + 7 * LARGE, 2 * LARGE, 0, handle, 0),
    }
    for label, arguments in cases.items():
        yield label, lambda: ask(cu.cuMemMap(*arguments))
    yield "right", ask(cu.cuMemMap(base, LARGE, 0, handle, 0))
    yield "again at the same place", ask(cu.cuMemMap(base, LARGE, 0, handle, 0))
    yield "half, at an occupied place", ask(cu.cuMemMap(base, LARGE // 2, 0, handle, 0))
    yield "again elsewhere", ask(cu.cuMemMap(base + LARGE, LARGE, 0, handle, 0))
    yield "over an occupied place", ask(cu.cuMemMap(base + LARGE, 2 * LARGE, 0, big, 0))
    yield "over the border of two reservations", ask(cu.cuMemMap(base + 7 * LARGE, 2 * LARGE, 0, big, 0))


@question("one handle mapped at two addresses is one memory")
def aliases():
    handle, x, y = create(), reserve(), reserve()
    for address in (x, y):
        must(cu.cuMemMap(address, LARGE, 0, handle, 0))
        must(set_access(address))
    write(x + 100, pattern(64))
    yield "read through the other", read(y + 100, 64) == pattern(64)
    must(kernels.run("fill", y, i32(1), i32(8)))
    yield "written by a kernel", read(x, 8).hex()
    must(set_access(y, rights=NONE))
    yield "access is the mapping's own", [outcome(cu.cuMemGetAccess(location(), a)) for a in (x, y)]
    yield "release", ask(cu.cuMemRelease(handle))
    yield "still there", read(x + 100, 8) == pattern(8)
    yield "unmap one", ask(cu.cuMemUnmap(x, LARGE))
    must(set_access(y))
    yield "the other remains", read(y + 100, 64) == pattern(64)
    yield "retain from the other", ask(cu.cuMemRetainAllocationHandle(y))


@question("data go with the handle when it is mapped elsewhere; fresh memory is zero")
def moves():
    handle, x, y = create(), reserve(), reserve()
    must(cu.cuMemMap(x, LARGE, 0, handle, 0))
    must(set_access(x))
    yield "fresh", set(read(x, 4096)) == {0}
    write(x, pattern(64))
    must(cu.cuCtxSynchronize())    # a copy from pageable memory may return before its bytes have arrived
    must(cu.cuMemUnmap(x, LARGE))
    must(cu.cuMemMap(y, LARGE, 0, handle, 0))
    yield "before access is set again", ask(cu.cuMemcpyDtoH(bytearray(64), y, 64))
    must(set_access(y))
    yield "moved", read(y, 64) == pattern(64)
    yield "the old address", ask(cu.cuMemcpyDtoH(bytearray(64), x, 64))
    must(cu.cuMemMap(x, LARGE, 0, handle, 0))
    yield "the old address, mapped again: access", outcome(cu.cuMemGetAccess(location(), x))


@question("retaining a handle needs an address that is mapped")
def retain_by_kind():
    for kind in KINDS:
        yield f"{kind}: start", lambda: ask(cu.cuMemRetainAllocationHandle(make(kind).address))
        yield f"{kind}: interior", lambda: ask(cu.cuMemRetainAllocationHandle(make(kind).address + 1000))


@question("unmapping takes whole mappings, several at once, and gaps between them")
def unmap_ranges():
    def fresh():
        base = reserve(6 * LARGE)
        for at, size in ((0, LARGE), (LARGE, 2 * LARGE), (4 * LARGE, LARGE)):
            must(cu.cuMemMap(base + at, size, 0, create(size), 0))
        return base
    cases = {"one": (0, LARGE), "half of one": (LARGE, LARGE), "the second half": (2 * LARGE, LARGE), "two": (0, 3 * LARGE),
             "one and a half": (0, 2 * LARGE), "all with the gap": (0, 5 * LARGE), "the whole reservation": (0, 6 * LARGE),
             "beyond the reservation": (0, 7 * LARGE), "only the gap": (3 * LARGE, LARGE), "gap and a mapping": (3 * LARGE, 2 * LARGE),
             "size 0": (0, 0), "part of a page": (0, 4096), "unaligned": (4096, LARGE), "1 byte": (0, 1)}
    for label, (at, size) in cases.items():
        base = fresh()
        yield label, ask(cu.cuMemUnmap(base + at, size))
        yield f"{label}: what is mapped still", [not int(cu.cuMemRetainAllocationHandle(base + k * LARGE)[0]) for k in range(6)]
    yield "not reserved", ask(cu.cuMemUnmap(reserve() + (1 << 40), LARGE))
    yield "null", ask(cu.cuMemUnmap(0, LARGE))
    yield "device memory", ask(cu.cuMemUnmap(int(must(cu.cuMemAlloc(LARGE))), LARGE))
    base = fresh()
    yield "twice: first", ask(cu.cuMemUnmap(base, LARGE))
    yield "twice: second", ask(cu.cuMemUnmap(base, LARGE))


@question("two mappings side by side are one range to attributes, and two to cuMemGetAddressRange")
def side_by_side():
    base = reserve(4 * LARGE)
    for at in (1, 2):
        must(cu.cuMemMap(base + at * LARGE, LARGE, 0, create(), 0))
    must(set_access(base + LARGE, 2 * LARGE))
    for at in (1, 2):
        start, size = must(cu.cuMemGetAddressRange(base + at * LARGE + 5))
        yield f"mapping {at}: address range", [where(start, base=base), int(size)]
        for attribute in ("RANGE_START_ADDR", "RANGE_SIZE", "MAPPING_BASE_ADDR", "MAPPING_SIZE", "DEVICE_POINTER"):
            _, value, _ = get_attribute(ATTRIBUTES[attribute], base + at * LARGE + 5)
            yield f"mapping {at}: {attribute}", where(value, base=base) if value > 1 << 32 else value
    yield "one access for both", outcome(cu.cuMemGetAccess(location(), base + 2 * LARGE))
    yield "memset over both", ask(cu.cuMemsetD8(base + LARGE, 1, 2 * LARGE))
    yield "memset into the gap before", ask(cu.cuMemsetD8(base + LARGE - 1, 1, 2))
    yield "copy into the gap behind", ask(cu.cuMemcpyHtoD(base + 3 * LARGE - 8, bytes(16), 16))
    must(cu.cuCtxSynchronize())


@question("a mapping larger than 2 MiB is unmapped whole and has one access")
def large_mapping():
    base = reserve(4 * LARGE)
    handle = create(3 * LARGE)
    yield "map at 1", ask(cu.cuMemMap(base + LARGE, 3 * LARGE, 0, handle, 0))
    yield "map another over its middle", ask(cu.cuMemMap(base + 2 * LARGE, LARGE, 0, create(), 0))
    yield "access to the middle", ask(set_access(base + 2 * LARGE, LARGE))
    yield "access to all", ask(set_access(base + LARGE, 3 * LARGE))
    yield "get access in the middle", outcome(cu.cuMemGetAccess(location(), base + 2 * LARGE + 7))
    yield "retain from the middle", int(must(cu.cuMemRetainAllocationHandle(base + 3 * LARGE))) == int(handle)
    yield "unmap the middle", ask(cu.cuMemUnmap(base + 2 * LARGE, LARGE))
    yield "unmap from the start, too little", ask(cu.cuMemUnmap(base + LARGE, 2 * LARGE))
    yield "unmap all", ask(cu.cuMemUnmap(base + LARGE, 3 * LARGE))
    yield "free half of the reservation", ask(cu.cuMemAddressFree(base, 2 * LARGE))
    yield "free", ask(cu.cuMemAddressFree(base, 4 * LARGE))
