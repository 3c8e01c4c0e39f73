"""Reservations and mappings side by side: what may cross from one to the next, and where addresses come from."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, pattern, read, where, write
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE, RW, access, create, location, make, pages, reserve, set_access
from ...helpers.pointer_attributes import ATTRIBUTES, UNTOUCHED, get_attribute

NONE, R = "none", "read"


def two_reservations(size=LARGE):
    """Two reservations side by side: the addresses of one that was given back, asked for in two halves."""
    base = reserve(2 * size)
    must(cu.cuMemAddressFree(base, 2 * size))
    for part in (0, 1):
        assert int(must(cu.cuMemAddressReserve(size, 0, base + part * size, 0))) == base + part * size
    return base


def fill_both(base, size=LARGE):
    """A handle of its own behind each of two reservations, with access."""
    for part in (0, 1):
        must(cu.cuMemMap(base + part * size, size, 0, create(size), 0))
        must(set_access(base + part * size, size))


@question("addresses that were given back are given again to whoever asks for them, also in parts",
          varies={"after it": "a reservation that was asked for elsewhere may have been put there"})
def given_back():
    base = reserve(8 * LARGE)
    must(cu.cuMemAddressFree(base, 8 * LARGE))
    for label, start, count in (("the middle", 3, 2), ("over its start", 2, 2), ("over its end", 4, 2), ("before it", 1, 2),
                                ("after it", 5, 3), ("the whole", 0, 8)):
        yield label, where(must(cu.cuMemAddressReserve(count * LARGE, 0, base + start * LARGE, 0)), asked=base + start * LARGE) == "asked"


@question("a wanted address that something else has is not given")
def occupied():
    for kind in ("device", "device, 3 MiB", "pinned", "pageable", "managed", "mapped", "reserved only", "stream-ordered"):
        address = make(kind).address // LARGE * LARGE
        result = cu.cuMemAddressReserve(LARGE, 0, address, 0)
        yield kind, [ask(result), int(result[1] or 0) == address]
    address = pages(4 * LARGE, protection=0)
    result = cu.cuMemAddressReserve(LARGE, 0, -(-address // LARGE) * LARGE, 0)
    yield "closed pages of the process", [ask(result), int(result[1] or 0) == -(-address // LARGE) * LARGE]


@question("alignments of reservations up to a terabyte are kept")
def alignments():
    for power in (12, 21, 22, 25, 30, 33, 36, 40):
        result = cu.cuMemAddressReserve(LARGE, 1 << power, 0, 0)
        yield f"2^{power}", [ask(result), int(result[1] or 0) % (1 << power) == 0]
    base = reserve(4 * LARGE)
    must(cu.cuMemAddressFree(base, 4 * LARGE))
    yield "a hint that the alignment does not fit", ask(cu.cuMemAddressReserve(LARGE, 1 << 40, base // (1 << 40) * (1 << 40) + LARGE, 0))


@question("one mapping may not lie in two reservations; calls on ranges may cross from one to the next")
def across_reservations():
    base = two_reservations()
    yield "map over both", ask(cu.cuMemMap(base, 2 * LARGE, 0, create(2 * LARGE), 0))
    must(set_access(base, 2 * LARGE))
    for label, address in (("first", base), ("second", base + LARGE)):
        yield f"one mapping over both: range attributes in the {label}", [
            where(get_attribute(ATTRIBUTES["RANGE_START_ADDR"], address + 8)[1], base=base), get_attribute(ATTRIBUTES["RANGE_SIZE"], address + 8)[1],
            outcome(cu.cuMemGetAddressRange(address + 8)[::2])]
    yield "one mapping over both: free the first", ask(cu.cuMemAddressFree(base, LARGE))
    yield "one mapping over both: free the second", ask(cu.cuMemAddressFree(base + LARGE, LARGE))
    yield "one mapping over both: unmap the first half", ask(cu.cuMemUnmap(base, LARGE))
    yield "one mapping over both: unmap", ask(cu.cuMemUnmap(base, 2 * LARGE))
    base = two_reservations()
    fill_both(base)
    write(base, pattern(4096))
    yield "copy over the border", ask(cu.cuMemcpyHtoD(base + LARGE - 100, bytes(200), 200))
    yield "memset over the border", ask(cu.cuMemsetD8(base + LARGE - 100, 3, 200))
    yield "kernel over the border", ask(kernels.run("fill", base + LARGE - 100, i32(1), i32(200)))
    yield "its content", read(base + LARGE - 4, 8).hex()
    yield "range of the first", [outcome(cu.cuMemGetAddressRange(base)[::2]), get_attribute(ATTRIBUTES["RANGE_SIZE"], base)[1]]
    yield "set access over both", ask(set_access(base, 2 * LARGE))
    yield "take access over both", ask(set_access(base, 2 * LARGE, NONE))
    yield "unmap both", ask(cu.cuMemUnmap(base, 2 * LARGE))
    yield "free both at once", ask(cu.cuMemAddressFree(base, 2 * LARGE))
    yield "free the first", ask(cu.cuMemAddressFree(base, LARGE))
    yield "free the second", ask(cu.cuMemAddressFree(base + LARGE, LARGE))


@question("rights of neighbours differ: what crosses needs the right on both sides")
def rights_of_neighbours():
    for first_rights in (NONE, R, RW):
        for second in (NONE, R, RW):
            base = reserve(2 * LARGE)
            for part, right in ((0, first_rights), (1, second)):
                must(cu.cuMemMap(base + part * LARGE, LARGE, 0, create(), 0))
                must(set_access(base + part * LARGE, rights=right))
            yield f"{first_rights}, {second}: DtoH", lambda: ask(cu.cuMemcpyDtoH(pages(), base + LARGE - 50, 100))
            yield f"{first_rights}, {second}: HtoD", lambda: ask(cu.cuMemcpyHtoD(base + LARGE - 50, pages(), 100))
            yield f"{first_rights}, {second}: memset", lambda: [ask(cu.cuMemsetD8(base + LARGE - 50, 1, 100)), ask(cu.cuCtxSynchronize())]


@question("several descriptors in one call: each location gets its own, the last one wins")
def several_descriptors():
    def rights_after(*descriptors, place="device"):
        base = reserve()
        must(cu.cuMemMap(base, LARGE, 0, create(place=place), 0))
        return [ask(cu.cuMemSetAccess(base, LARGE, list(descriptors), len(descriptors))),
                *[outcome(cu.cuMemGetAccess(location(who), base)) for who in ("device", "host numa")]]
    device = {right: access(right) for right in (NONE, R, RW)}
    yield "read, then both", rights_after(device[R], device[RW])
    yield "both, then read", rights_after(device[RW], device[R])
    yield "both, then none", rights_after(device[RW], device[NONE])
    yield "device and host", rights_after(device[RW], access(RW, "host numa"), place="host numa")
    yield "device and host, of device memory", rights_after(device[RW], access(RW, "host numa"))
    yield "a right one and a wrong one", rights_after(device[RW], access(RW, ordinal=9))
    base = reserve()
    yield "of what is not mapped", ask(cu.cuMemSetAccess(base, LARGE, [device[RW]], 1))
    yield "null descriptors", lambda: ask(cu.cuMemSetAccess(base, LARGE, [], 0))


@question("a gap between two mappings stops whatever crosses it")
def gap():
    base = reserve(3 * LARGE)
    for part in (0, 2):
        must(cu.cuMemMap(base + part * LARGE, LARGE, 0, create(), 0))
        must(set_access(base + part * LARGE))
    yield "set access over the gap", ask(set_access(base, 3 * LARGE))
    yield "set access from the gap on", ask(set_access(base + LARGE, 2 * LARGE))
    yield "copy into the gap", ask(cu.cuMemcpyDtoH(pages(), base + LARGE - 50, 100))
    yield "copy over the gap", ask(cu.cuMemcpyDtoH(pages(3 * LARGE), base + LARGE - 50, LARGE + 100))
    yield "range attributes in the gap", get_attribute(ATTRIBUTES["RANGE_SIZE"], base + LARGE + 8)[1]
    yield "mapped, in the gap", get_attribute(ATTRIBUTES["MAPPED"], base + LARGE + 8)[1] & 0xFF
    yield "map a wrong size into it", ask(cu.cuMemMap(base + LARGE, 2 * LARGE, 0, create(2 * LARGE), 0))
    yield "fill it", ask(cu.cuMemMap(base + LARGE, LARGE, 0, create(), 0))
    yield "now access over all", ask(set_access(base, 3 * LARGE))
    yield "now a copy over all", ask(cu.cuMemcpyDtoH(pages(3 * LARGE), base + LARGE - 50, LARGE + 100))
    yield "unmap the last two", ask(cu.cuMemUnmap(base + LARGE, 2 * LARGE))
    yield "unmap all, one is there", ask(cu.cuMemUnmap(base, 3 * LARGE))


@question("a copy between two addresses of the same memory")
def aliases_overlap():
    handle = create()
    x, y = reserve(), reserve()
    for address in (x, y):
        must(cu.cuMemMap(address, LARGE, 0, handle, 0))
        must(set_access(address))
    write(x, pattern(4096))
    must(cu.cuCtxSynchronize())
    yield "onto itself", [ask(cu.cuMemcpyDtoD(y, x, 4096)), read(x, 4096) == pattern(4096)]
    yield "to another place", [ask(cu.cuMemcpyDtoD(y + 8192, x, 4096)), read(x + 8192, 4096) == pattern(4096)]
    must(cu.cuMemUnmap(x, LARGE))
    yield "one unmapped, the other shows it", read(y + 8192, 4096) == pattern(4096)
    must(set_access(y, rights=R))
    yield "a right is of the address, not of the memory", ask(cu.cuMemsetD8(y, 1, 16))
    must(cu.cuMemMap(x, LARGE, 0, handle, 0))
    yield "mapped again: no access until it is set", ask(cu.cuMemcpyDtoH(pages(), x, 16))


@question("a kernel walks over a vector that grew by mapping more behind it")
def growing():
    base, part = reserve(64 * LARGE), 0
    for part in range(4):
        must(cu.cuMemMap(base + part * LARGE, LARGE, 0, create(), 0))
        must(set_access(base + part * LARGE))
        must(cu.cuMemsetD8(base + part * LARGE, part + 1, LARGE))
    out = int(must(cu.cuMemAlloc(4 * LARGE)))
    yield "copied by one call", ask(cu.cuMemcpyDtoD(out, base, 4 * LARGE))
    yield "content", [read(out + part * LARGE, 1)[0] for part in range(4)]
    yield "rows across the borders", ask(_copy_rows(out, base + LARGE // 2, LARGE, 3))
    yield "content of the rows", [read(out + row * LARGE, 1)[0] for row in range(3)]
    yield "rows past what is mapped", ask(_copy_rows(out, base + LARGE, LARGE, 4))
    yield "how much is mapped, by the driver", outcome(cu.cuMemGetAddressRange(base + 3 * LARGE)[::2])


def _copy_rows(to, source, pitch, rows):
    shape = cu.CUDA_MEMCPY2D()
    shape.srcMemoryType = shape.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_DEVICE
    shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(source), cu.CUdeviceptr(to)
    shape.srcPitch = shape.dstPitch = pitch
    shape.WidthInBytes, shape.Height = 4096, rows
    return cu.cuMemcpy2D(shape)


@question("the host reads memory on the host through pages of its own, too")
def host_located_and_registered():
    block = make("mapped, on the host")
    ctypes.memset(block.address, 7, 64)
    for flags in (0, 8):
        yield f"register it, flags {flags}", lambda: ask(cu.cuMemHostRegister(block.address, 4096, flags))
    yield "host pointer inside", lambda: ask(cu.cuMemHostGetDevicePointer(block.address + 100, 0))
    yield "copy, host to host", ask(cu.cuMemcpy(pages(), block.address, 64))


@question("a mapping has to begin in a reservation; beyond its end the driver asks only whether the addresses are free")
def over_the_end():
    base = reserve(3 * LARGE)
    at, end = base + LARGE, base + 3 * LARGE
    yield "map two MiB in, four wide", ask(cu.cuMemMap(end - LARGE, 2 * LARGE, 0, create(2 * LARGE), 0))
    yield "unmap", ask(cu.cuMemUnmap(end - LARGE, 2 * LARGE))
    yield "map beyond the end alone", ask(cu.cuMemMap(end, LARGE, 0, create(), 0))
    yield "map from the middle on", ask(cu.cuMemMap(at, 3 * LARGE, 0, create(3 * LARGE), 0))
    yield "rights: within, beyond", [outcome(cu.cuMemGetAccess(location(), place)) for place in (at, end)]
    yield "set access", ask(set_access(at, 3 * LARGE))
    yield "set access, up to the end", ask(set_access(at, 2 * LARGE))
    yield "set access, beyond the end alone", ask(set_access(end, LARGE))
    yield "rights then", [outcome(cu.cuMemGetAccess(location(), place)) for place in (at, end)]
    yield "address range", [outcome(cu.cuMemGetAddressRange(place)[::2]) for place in (at, end)]
    for label, place in (("within", at), ("beyond", end)):
        code, start, _ = get_attribute(ATTRIBUTES["RANGE_START_ADDR"], place)
        yield f"range start, {label}", [code, "nothing is written" if start == UNTOUCHED else where(start, base=base)]
        yield f"range size, {label}", list(get_attribute(ATTRIBUTES["RANGE_SIZE"], place)[:2])
        yield f"mapped, {label}", get_attribute(ATTRIBUTES["MAPPED"], place)[1] & 0xFF
        yield f"memory type, {label}", list(get_attribute(ATTRIBUTES["MEMORY_TYPE"], place)[:1])
    yield "retain: within, beyond", [ask(cu.cuMemRetainAllocationHandle(place)) for place in (at, end)]
    yield "memset over the end", ask(cu.cuMemsetD8(end - 50, 7, 100))
    yield "a kernel beyond the end", ask(kernels.run("poke", end, i32(1)))
    yield "its content", read(end, 4).hex()
    result = cu.cuMemAddressReserve(LARGE, 0, end, 0)
    yield "reserve what it covers", [ask(result), int(result[1]) == end]
    yield "map over its end", ask(cu.cuMemMap(base, 2 * LARGE, 0, create(2 * LARGE), 0))
    yield "free the reservation", ask(cu.cuMemAddressFree(base, 3 * LARGE))
    yield "unmap from the end on", ask(cu.cuMemUnmap(end, LARGE))
    yield "unmap up to the end", ask(cu.cuMemUnmap(at, 2 * LARGE))
    yield "unmap all of it", ask(cu.cuMemUnmap(at, 3 * LARGE))
    yield "rights when it is gone", [outcome(cu.cuMemGetAccess(location(), place)) for place in (at, end)]
    yield "free it then", ask(cu.cuMemAddressFree(base, 3 * LARGE))


@question("a mapping that reaches into a reservation behind it belongs to both")
def into_the_next():
    base = two_reservations(2 * LARGE)
    end = base + 2 * LARGE
    must(cu.cuMemMap(end - LARGE, 2 * LARGE, 0, create(2 * LARGE), 0))
    yield "set access", ask(set_access(end - LARGE, 2 * LARGE))
    yield "retain: within, beyond", [ask(cu.cuMemRetainAllocationHandle(place)) for place in (end - LARGE, end)]
    yield "map behind it", ask(cu.cuMemMap(end + LARGE, LARGE, 0, create(), 0))
    yield "free the second", ask(cu.cuMemAddressFree(end, 2 * LARGE))
    yield "unmap from the second reservation on", ask(cu.cuMemUnmap(end, 2 * LARGE))
    yield "unmap", ask(cu.cuMemUnmap(end - LARGE, 2 * LARGE))
    yield "rights of what was behind it", outcome(cu.cuMemGetAccess(location(), end + LARGE))
