"""Memory pools beyond their simple use: limits, trimming, thresholds, pools of the host, who may use them."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import access, location
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.pools import THRESHOLD, create_pool, default_pool, take, used_and_reserved

PINNED = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED


@question("a pool with a largest size refuses more")
def largest_size():
    pool = must(create_pool(max_size=64 << 20))
    yield "in it", ask(take(pool, 16 << 20))
    yield "to its end", ask(take(pool, 32 << 20))
    yield "past it", ask(take(pool, 64 << 20))
    yield "a small one still", ask(take(pool, 1000))
    for max_size in (1, 1 << 20, 3 << 20, 1 << 50):
        result = create_pool(max_size=max_size)
        yield f"largest size {max_size}", [ask(result), ask(take(result[1], 4 << 20)) if not int(result[0]) else None]


@question("what a pool keeps when memory is freed is at least its threshold, and can be trimmed")
def threshold():
    pool = must(create_pool())
    must(cu.cuMemPoolSetAttribute(pool, THRESHOLD, cu.cuuint64_t(128 << 20)))
    yield "threshold", outcome(cu.cuMemPoolGetAttribute(pool, THRESHOLD))
    a = must(take(pool, 40 << 20))
    b = must(take(pool, 1000))
    yield "taken", used_and_reserved(pool)
    must(cu.cuMemFreeAsync(a, 0))
    must(cu.cuStreamSynchronize(0))
    yield "one freed", used_and_reserved(pool)
    must(cu.cuMemFreeAsync(b, 0))
    must(cu.cuStreamSynchronize(0))
    yield "both freed", used_and_reserved(pool)
    for keep in (1 << 40, 64 << 20, 1, 0):
        yield f"trimmed to {keep}", [ask(cu.cuMemPoolTrimTo(pool, keep)), *used_and_reserved(pool)]
    c = must(take(pool, 5000))
    yield "taken again", used_and_reserved(pool)
    yield "trim with memory in use", [ask(cu.cuMemPoolTrimTo(pool, 0)), *used_and_reserved(pool)]
    must(cu.cuMemFreeAsync(c, 0))


@question("of memory of a host's pool RANGE_START_ADDR is no address, but an offset")
def where_host_pools_begin():
    for place in ("host", "host numa"):
        pool = must(create_pool(place))
        for label in ("without access", "with access"):
            a = int(must(take(pool, 4096)))
            must(cu.cuStreamSynchronize(0))
            _, start, _ = get_attribute(ATTRIBUTES["RANGE_START_ADDR"], a + 5)
            _, base, _ = get_attribute(ATTRIBUTES["MAPPING_BASE_ADDR"], a + 5)
            yield f"{place}, {label}: mapping", where(base, start=a)
            yield f"{place}, {label}: start", "its offset in the mapping" if start == a - base else where(start, start=a)
            result = cu.cuMemGetAddressRange(a + 5)
            yield f"{place}, {label}: range", ask(result) if int(result[0]) else [where(int(result[1]), start=a), result[2]]
            must(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))


@question("a pool of the host gives memory that host and device use at one address")
def host_pools():
    for place in ("host", "host numa"):
        result = create_pool(place)
        yield f"{place}: create", ask(result)
        pool = result[1]
        yield f"{place}: access of the device before", outcome(cu.cuMemPoolGetAccess(pool, location()))
        allocated = take(pool, 4096)
        yield f"{place}: allocate without the device's access", ask(allocated)
        yield f"{place}: set access of the device", ask(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))
        yield f"{place}: access of the device", outcome(cu.cuMemPoolGetAccess(pool, location()))
        allocated = take(pool, 4096)
        yield f"{place}: allocate", ask(allocated)
        if int(allocated[0]):
            continue
        a = int(allocated[1])
        must(cu.cuStreamSynchronize(0))
        for attribute in ("MEMORY_TYPE", "HOST_POINTER", "DEVICE_POINTER", "IS_MANAGED", "RANGE_SIZE", "MAPPED", "DEVICE_ORDINAL",
                          "ACCESS_FLAGS", "SYNC_MEMOPS"):
            code, value, _ = get_attribute(ATTRIBUTES[attribute], a)
            yield f"{place}: {attribute}", code or (where(value, start=a) if "POINTER" in attribute else value & 0xFFFF)
        for attribute in ("CONTEXT", "MEMPOOL_HANDLE"):
            code, value, _ = get_attribute(ATTRIBUTES[attribute], a)
            yield f"{place}: {attribute}", code or [value == 0, value == int(pool)]
        yield f"{place}: range", outcome(cu.cuMemGetAddressRange(a)[::2])
        yield f"{place}: host flags", outcome(cu.cuMemHostGetFlags(a))
        yield f"{place}: device pointer", ask(cu.cuMemHostGetDevicePointer(a, 0))
        yield f"{place}: kernel", lambda: ask(kernels.run("fill", a, i32(5), i32(4)))
        yield f"{place}: DtoH", ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))
        yield f"{place}: HtoD", ask(cu.cuMemcpyHtoD(a, bytes(4), 4))
        yield f"{place}: DtoD", ask(cu.cuMemcpyDtoD(a, a + 64, 4))
        yield f"{place}: unified copy", ask(cu.cuMemcpy(a, a + 64, 4))
        yield f"{place}: memset", [ask(cu.cuMemsetD8(a, 5, 4)), ask(cu.cuCtxSynchronize())]
        yield f"{place}: cuMemFreeHost", ask(cu.cuMemFreeHost(a))
        yield f"{place}: past the end", ask(cu.cuMemcpy(a, a + 4096, 4))
        yield f"{place}: the host reads it", lambda: ctypes.string_at(a, 4).hex()
        yield f"{place}: free", ask(cu.cuMemFreeAsync(a, 0))
        yield f"{place}: by cuMemFree", ask(cu.cuMemFree(must(take(pool, 100))))
        pool = must(create_pool(place))
        b = int(must(take(pool, 4096)))
        must(cu.cuStreamSynchronize(0))
        yield f"{place}: without access: the host writes", lambda: ctypes.memset(b, 7, 4) and "written"
        yield f"{place}: without access: attributes", [get_attribute(ATTRIBUTES[attribute], b)[0] for attribute in (
            "MEMORY_TYPE", "HOST_POINTER", "DEVICE_POINTER", "ACCESS_FLAGS")]
        yield f"{place}: without access: unified copy", ask(cu.cuMemcpy(b, b + 64, 4))
        yield f"{place}: without access: kernel", lambda: ask(kernels.run("fill", b, i32(5), i32(4)))


@question("pools of other types and places")
def other_pools():
    for kind in cu.CUmemAllocationType:
        if int(kind) < 0x7FFFFFFF:
            yield f"type {int(kind)}", ask(create_pool(kind=kind))
    for place, ordinal in (("host", 1), ("host numa", 5), ("device", -1), ("device", 3)):
        yield f"{place} {ordinal}", ask(create_pool(place, ordinal))


@question("the default and the current pool of a place, asked by place")
def pools_of_places():
    for place in ("device", "host", "host numa"):
        yield f"{place}: default", lambda: ask(cu.cuMemGetDefaultMemPool(location(place), PINNED))
        yield f"{place}: current", lambda: ask(cu.cuMemGetMemPool(location(place), PINNED))
    yield "the device's is the one asked by device", lambda: int(must(cu.cuMemGetDefaultMemPool(location(), PINNED))) == int(default_pool())
    own = must(create_pool())
    yield "set it", lambda: ask(cu.cuMemSetMemPool(location(), PINNED, own))
    yield "asked by device", lambda: int(must(cu.cuDeviceGetMemPool(0))) == int(own)
    yield "set it back", lambda: ask(cu.cuDeviceSetMemPool(0, default_pool()))
    yield "on device 7", lambda: ask(cu.cuMemGetDefaultMemPool(location(ordinal=7), PINNED))


@question("memory of a pool is used before, during and after its place in the stream")
def order():
    s, t = (must(cu.cuStreamCreate(1)) for _ in range(2))
    a = int(must(cu.cuMemAllocAsync(4096, s)))
    for attribute in ("MEMORY_TYPE", "RANGE_SIZE", "CONTEXT"):
        yield f"known before the stream came to it: {attribute}", get_attribute(ATTRIBUTES[attribute], a)[0]
    yield "memset on its stream", ask(cu.cuMemsetD8Async(a, 1, 4096, s))
    yield "free", ask(cu.cuMemFreeAsync(a, s))
    yield "free again on the same stream", ask(cu.cuMemFreeAsync(a, s))
    yield "free again on another", ask(cu.cuMemFreeAsync(a, t))
    yield "known right after", get_attribute(ATTRIBUTES["MEMORY_TYPE"], a)[0]
    yield "memset right after", ask(cu.cuMemsetD8Async(a, 1, 16, s))
    yield "wait", ask(cu.cuStreamSynchronize(s))
    b = int(must(cu.cuMemAllocAsync(4096, s)))
    event = must(cu.cuEventCreate(2))
    must(cu.cuEventRecord(event, s))
    must(cu.cuStreamWaitEvent(t, event, 0))
    yield "on another stream after an event", [ask(cu.cuMemsetD8Async(b, 1, 16, t)), ask(cu.cuMemFreeAsync(b, t)), ask(cu.cuStreamSynchronize(t))]
    yield "a stream that is none", lambda: ask(cu.cuMemAllocAsync(16, 3))
    yield "the per-thread stream", ask(cu.cuMemAllocAsync(16, 2))


@question("a destroyed pool gives nothing, and its memory lives until it is freed")
def destroyed():
    pool = must(create_pool())
    a = int(must(take(pool, 4096)))
    must(cu.cuStreamSynchronize(0))
    yield "destroy", ask(cu.cuMemPoolDestroy(pool))
    yield "memset", ask(cu.cuMemsetD8(a, 1, 16))
    yield "its pool", get_attribute(ATTRIBUTES["MEMPOOL_HANDLE"], a)[0]
    yield "range", outcome(cu.cuMemGetAddressRange(a)[::2])
    yield "free by cuMemFree", ask(cu.cuMemFree(a))


@question("a pool of one context serves another", needs=DRIVER)
def between_contexts():
    first = new_context()
    pool = must(create_pool())
    a = int(must(take(pool, 4096)))
    must(cu.cuStreamSynchronize(0))
    second = new_context()
    yield "memset", ask(cu.cuMemsetD8(a, 1, 16))
    yield "allocate from it", ask(take(pool, 4096))
    must(cu.cuCtxDestroy(first))
    yield "memset after its context is gone", ask(cu.cuMemsetD8(a, 1, 16))
    yield "free", ask(cu.cuMemFreeAsync(a, 0))
    yield "wait", ask(cu.cuCtxSynchronize())
    must(cu.cuCtxDestroy(second))
