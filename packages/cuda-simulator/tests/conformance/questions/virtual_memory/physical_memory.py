"""Physical memory of virtual memory management: create, count, tell, export, release."""
import os

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, pattern, read, write
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE, create, location, mapped, properties, reserve, set_access


@question("the granularity is 2 MiB, minimum and recommended")
def granularity():
    for place in ("device", "host numa", "host"):
        for option in cu.CUmemAllocationGranularity_flags:
            yield f"{place}: {option.name[-11:].lower()}", outcome(cu.cuMemGetAllocationGranularity(properties(place), option))
    for handle_type in (1, 2, 4, 8):
        yield f"handle type {handle_type}", outcome(cu.cuMemGetAllocationGranularity(
            properties(handle_type=handle_type), cu.CUmemAllocationGranularity_flags(0)))
    wrong = properties()
    wrong.type = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_INVALID
    yield "type invalid", outcome(cu.cuMemGetAllocationGranularity(wrong, cu.CUmemAllocationGranularity_flags(0)))
    yield "device 7", outcome(cu.cuMemGetAllocationGranularity(properties(ordinal=7), cu.CUmemAllocationGranularity_flags(0)))
    yield "device -1", outcome(cu.cuMemGetAllocationGranularity(properties(ordinal=-1), cu.CUmemAllocationGranularity_flags(0)))


@question("reserving and creating need no context", needs=DRIVER)
def without_context():
    address = reserve()
    yield "reserve", "SUCCESS"
    handle = create()
    yield "create", "SUCCESS"
    yield "map", ask(cu.cuMemMap(address, LARGE, 0, handle, 0))
    yield "set access", ask(set_access(address))
    yield "get access", outcome(cu.cuMemGetAccess(location(), address))
    yield "retain", ask(cu.cuMemRetainAllocationHandle(address))
    yield "properties", ask(cu.cuMemGetAllocationPropertiesFromHandle(handle))
    yield "copy", ask(cu.cuMemcpyDtoH(bytearray(8), address, 8))
    yield "unmap", ask(cu.cuMemUnmap(address, LARGE))
    yield "release", ask(cu.cuMemRelease(handle))
    yield "free", ask(cu.cuMemAddressFree(address, LARGE))


@question("physical memory comes in multiples of 2 MiB")
def create_sizes():
    total = int(must(cu.cuDeviceTotalMem(0)))
    for size in (0, 1, 4096, 1 << 20, LARGE, LARGE + 1, 3 << 20, 2 * LARGE, 1 << 30):
        yield f"{size}", ask(cu.cuMemCreate(size, properties(), 0))
    yield "more than there is", ask(cu.cuMemCreate(-(-total // LARGE) * LARGE + LARGE, properties(), 0))
    yield "2^46", ask(cu.cuMemCreate(1 << 46, properties(), 0))
    yield "2^63", ask(cu.cuMemCreate(1 << 63, properties(), 0))


@question("physical memory needs a place that exists, the type pinned and no flags")
def create_properties():
    for place in ("device", "host", "host numa"):
        for ordinal in (-1, 0, 1, 7, 1000):
            yield f"{place} {ordinal}", ask(cu.cuMemCreate(LARGE, properties(place, ordinal), 0))
    for flags in (1, 2, 1 << 63):
        yield f"flags {flags}", ask(cu.cuMemCreate(LARGE, properties(), flags))
    for handle_type in (1, 2, 4, 8, 9):
        try:
            yield f"handle type {handle_type}", ask(cu.cuMemCreate(LARGE, properties(handle_type=handle_type), 0))
        except ValueError:
            pass
    for kind in cu.CUmemAllocationType:
        wrong = properties()
        wrong.type = kind
        yield kind.name.replace("CU_MEM_ALLOCATION_", "").lower(), ask(cu.cuMemCreate(LARGE, wrong, 0))
    for kind in (cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_INVALID, cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT):
        wrong = properties()
        place = location()
        place.type = kind
        wrong.location = place
        yield kind.name.replace("CU_MEM_", "").lower(), ask(cu.cuMemCreate(LARGE, wrong, 0))
    compressed = properties()
    compressed.allocFlags.compressionType = 1
    yield "compressible", ask(cu.cuMemCreate(LARGE, compressed, 0))
    rdma = properties()
    rdma.allocFlags.gpuDirectRDMACapable = 1
    yield "gpuDirectRDMACapable", ask(cu.cuMemCreate(LARGE, rdma, 0))


@question("a released handle, a wrong one or one of nothing is refused, without a crash",
          varies={"properties of released": "the driver reads what it has given back"})
def wrong_handles():
    base = reserve()
    handle = create()
    must(cu.cuMemRelease(handle))
    number = int(handle)
    for label, value in (("released", number), ("null", 0), ("1", 1), ("its value + 1", number + 1), ("2^62", 1 << 62)):
        yield f"map {label}", lambda: ask(cu.cuMemMap(base, LARGE, 0, value, 0))
        yield f"release {label}", lambda: ask(cu.cuMemRelease(value))
        yield f"properties of {label}", lambda: ask(cu.cuMemGetAllocationPropertiesFromHandle(value))


@question("release counts: create and retain give one each, and each is taken back once")
def reference_counts():
    handle, x = create(), reserve()
    must(cu.cuMemMap(x, LARGE, 0, handle, 0))
    must(set_access(x))
    retained = must(cu.cuMemRetainAllocationHandle(x + 12345))
    yield "retained is the same handle", int(retained) == int(handle)
    yield "release", ask(cu.cuMemRelease(handle))
    yield "release what was retained", ask(cu.cuMemRelease(retained))
    yield "release once more, mapped", ask(cu.cuMemRelease(handle))
    yield "usable while mapped", ask(cu.cuMemsetD8(x, 1, 64))
    yield "retain after the last release", ask(cu.cuMemRetainAllocationHandle(x))
    third = cu.cuMemRetainAllocationHandle(x)[1]
    yield "the same handle still", int(third) == int(handle)
    yield "map it elsewhere", ask(cu.cuMemMap(reserve(), LARGE, 0, third, 0))
    yield "unmap", ask(cu.cuMemUnmap(x, LARGE))
    yield "retain after unmap", ask(cu.cuMemRetainAllocationHandle(x))
    lone = create()
    yield "release an unmapped one", ask(cu.cuMemRelease(lone))
    yield "twice", ask(cu.cuMemRelease(lone))


@question("a freed reservation takes nothing with it: the handle lives on")
def handle_outlives():
    block = mapped()
    write(block.address, pattern(16))
    must(cu.cuCtxSynchronize())
    must(cu.cuMemUnmap(block.address, LARGE))
    must(cu.cuMemAddressFree(block.address, LARGE))
    second_address = reserve(2 * LARGE) + LARGE
    yield "map in another reservation", ask(cu.cuMemMap(second_address, LARGE, 0, block.handle, 0))
    must(set_access(second_address))
    yield "content", read(second_address, 16) == pattern(16)


@question("handles and mappings outlive the context")
def outlive_context():
    first = new_context()
    block = mapped()
    write(block.address, pattern(16))
    must(cu.cuCtxDestroy(first))
    second = new_context()
    yield "access", outcome(cu.cuMemGetAccess(location(), block.address))
    yield "content", read(block.address, 16) == pattern(16)
    yield "kernel", ask(kernels.run("poke", block.address, i32(1)))
    kernels.forget()
    must(cu.cuCtxDestroy(second))


@question("a handle tells its properties")
def handle_properties():
    for place in ("device", "host numa"):
        for handle_type in (0, 1):
            properties_ = must(cu.cuMemGetAllocationPropertiesFromHandle(create(place=place, handle_type=handle_type)))
            location_, flags = properties_.location, properties_.allocFlags
            yield f"{place}, handle type {handle_type}", [
                int(properties_.type), int(properties_.requestedHandleTypes), int(location_.type), int(location_.id),
                int(flags.compressionType), int(flags.gpuDirectRDMACapable), int(flags.usage)]


@question("physical memory of a shareable type can be exported to a file descriptor and imported again")
def export():
    handle = create(handle_type=1)
    plain = create()
    posix = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    yield "export", ask(result := cu.cuMemExportToShareableHandle(handle, posix, 0))
    yield "export one that is not shareable", ask(cu.cuMemExportToShareableHandle(plain, posix, 0))
    yield "export with flags", ask(cu.cuMemExportToShareableHandle(handle, posix, 1))
    fd = int(result[1])
    yield "import", ask(import_ := cu.cuMemImportFromShareableHandle(fd, posix))
    x, y = reserve(), reserve()
    for address, mapped_handle in ((x, handle), (y, import_[1])):
        must(cu.cuMemMap(address, LARGE, 0, mapped_handle, 0))
        must(set_access(address))
    write(x, pattern(16))
    yield "one memory", read(y, 16) == pattern(16)
    yield "the same handle", int(import_[1]) == int(handle)
    with open(os.devnull) as nothing:
        yield "import a file that is none", ask(cu.cuMemImportFromShareableHandle(nothing.fileno(), posix))
    yield "import a closed descriptor", ask(cu.cuMemImportFromShareableHandle(987, posix))


@question("physical memory is taken from free memory when created, given back when released and unmapped", quiet=True)
def info():
    def free():
        return int(must(cu.cuMemGetInfo())[0])
    free_before = free()
    x = reserve(64 << 20)
    yield "reserve", free_before - free()
    handle = create(64 << 20)
    yield "create", free_before - free()
    must(cu.cuMemMap(x, 64 << 20, 0, handle, 0))
    must(set_access(x, 64 << 20))
    yield "map", (free_before - free()) >> 20
    must(cu.cuMemRelease(handle))
    yield "release", (free_before - free()) >> 20
    must(cu.cuMemUnmap(x, 64 << 20))
    yield "unmap", (free_before - free()) >> 20


@question("six pieces that lie side by side are too small an array if one of them stays; unmapped, their memory serves at the end of the range",
          needs=DRIVER, quiet=True)
def six_pieces():
    new_context()
    free, _ = must(cu.cuMemGetInfo())
    size = free // 9 // LARGE * LARGE
    start = reserve(16 * size)
    handles = [create(size) for _ in range(6)]
    for number, handle in enumerate(handles):
        must(cu.cuMemMap(start + number * size, size, 0, handle, 0))
    must(set_access(start, 6 * size))
    cu.cuMemRelease(handles[4])                      # each lives as long as it is mapped
    results = [cu.cuMemCreate(size, properties(), 0) for _ in range(4)]
    yield "four more", [ask(answer) for answer in results]
    yield "an array as large as the six, besides", ask(cu.cuMemAlloc(6 * size))
    for answer in results:
        if not int(answer[0]):
            cu.cuMemRelease(answer[1])
    four = handles[:4]
    yield "unmap the first four", ask(cu.cuMemUnmap(start, 4 * size))
    yield "map them behind the six", [ask(cu.cuMemMap(start + (6 + number) * size, size, 0, handle, 0)) for number, handle in enumerate(four)]
    yield "access", ask(set_access(start + 6 * size, 4 * size))
    yield "the five at the end as one array", [ask(cu.cuMemsetD8(start + number * size - 8, 7, 16)) for number in (6, 7, 8, 9)]
    yield "at the old address", ask(cu.cuMemsetD8(start, 7, 16))
