"""Pools of managed memory (CUDA 13): where they may be, what is taken from them, what becomes of it."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, name, new_context, outcome, read, where
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, PLACES, PLAIN, advise, attribute, facts, fresh, host_byte, host_write, prefetch
from ...helpers.managed_pools import MANAGED, MOVABLE, place_of, pool_block, pool_of, pools
from ...helpers.memory_kinds import access, location
from ...helpers.pointer_attributes import ADDRESSES, ATTRIBUTES, UNIQUE, get_attribute
from ...helpers.pools import POOL, USED, take, used_and_reserved


@question("a pool of managed memory prefers a device, the host, one of its nodes, or nothing")
def created():
    for title in PLACES:
        if PLACES[title][0] < 5:
            result = pool_of(title)
            yield title, [ask(result), ask(take(result[1], PAGE)) if not int(result[0]) else None]
    for max_size in (1, 64 * MIB, 1 << 50):
        yield f"largest size {max_size}", ask(pool_of(max_size=max_size))
    for handle_types in (1, 8):
        yield f"handles of type {handle_types}", ask(pool_of(handle_types=handle_types))
    yield "usage 2", ask(pool_of(usage=2))


@question("each place has a default pool of managed memory, which is its current one", alone=True)
def defaults():
    kind = cu.CUmemAllocationType(MANAGED)
    for title in ("nowhere", "device", "device 7", "host", "host numa", "host numa 9", "host numa current"):
        results = [call(place_of(title), kind) for call in (cu.cuMemGetDefaultMemPool, cu.cuMemGetMemPool)]
        yield title, [*map(ask, results), int(results[0][1] or 0) == int(results[1][1] or 0)]
        if title == "device" and not int(results[0][0]):
            yield "it is not the device's other one", int(results[0][1]) != int(must(cu.cuDeviceGetDefaultMemPool(0)))
    result = pool_of()
    if int(result[0]):
        return
    own = result[1]
    for title in ("nowhere", "device", "host"):
        yield f"set for {title}", lambda: ask(cu.cuMemSetMemPool(place_of(title), kind, own))
    yield "set as the device's own", lambda: ask(cu.cuDeviceSetMemPool(0, own))
    yield "it is the device's own now", int(must(cu.cuDeviceGetMemPool(0))) == int(own)
    yield "stream-ordered memory then", lambda: _is_managed(cu.cuMemAllocAsync(4096, 0))


def _is_managed(result):
    if int(result[0]):
        return ask(result)
    return get_attribute(ATTRIBUTES["IS_MANAGED"], int(result[1]))[1] & 0xFF


@question("each pointer attribute of memory from a managed pool", varies={
    f"{title}: {attribute}": "the driver's choice of the piece" for title in MOVABLE for attribute in ("MAPPING_BASE_ADDR", "MAPPING_SIZE")})
def attributes():
    for title, pool in pools():
        a = pool_block(pool, 65536)
        for key in ATTRIBUTES:
            code, value, _ = get_attribute(ATTRIBUTES[key], a + 24)
            text = (where(value, start=a) if key in ADDRESSES else where(value, current=must(cu.cuCtxGetCurrent())) if key == "CONTEXT" else
                    "this pool" if key == "MEMPOOL_HANDLE" and value == int(pool) else value != 0 if key in (*UNIQUE, "MEMPOOL_HANDLE", "P2P_TOKENS")
                    else value & 0xFF if key in ("IS_MANAGED", "SYNC_MEMOPS", "MAPPED") else value & 0xFFFFFFFF)
            yield f"{title}: {key}", name(code) if code else text
        begin = cu.cuMemGetAddressRange(a + 24)
        yield f"{title}: range", [ask(begin), where(begin[1] or 0, start=a), int(begin[2] or 0)]
        yield f"{title}: forward", [ask(cu.cuMemHostGetDevicePointer(a, 0)), outcome(cu.cuMemHostGetFlags(a))]


@question("host and device use memory from a managed pool at one address")
def used():
    for title, pool in pools():
        a = pool_block(pool)
        yield f"{title}: the host writes", lambda: [host_write(a, 7), host_byte(a)]
        yield f"{title}: a kernel writes", lambda: [ask(kernels.run("fill", a + 4, i32(1), i32(4))), ctypes.string_at(a, 10).hex()]
        yield f"{title}: copied and set", lambda: [ask(cu.cuMemsetD8(a + 1, 9, 2)), ask(cu.cuCtxSynchronize()), read(a, 6).hex()]


@question("a managed pool's memory is prefetched but takes no advice, and begins with the pool's place as its preferred one")
def advised():
    for title, pool in pools():
        a = pool_block(pool)
        yield f"{title}: fresh", facts(a, 4 * MIB)
        for advice in mm.ADVICE:
            yield f"{title}: {advice}", [advise(a, PAGE, advice), facts(a, PAGE)]
        for place in PLAIN:
            yield f"{title}: prefetch to {place}", [prefetch(a, PAGE, place), ask(cu.cuCtxSynchronize()), facts(a, PAGE)]
        s = must(cu.cuStreamCreate(1))
        for verb in (mm.PREFETCH, mm.DISCARD, mm.BOTH):
            yield f"{title}: {verb}", [mm.batch(verb, [a], [2 * MIB], ["device"], stream=s), ask(cu.cuStreamSynchronize(s))]
        for flags in (1, 2, 4):
            yield f"{title}: attach, flags {flags}", lambda: ask(cu.cuStreamAttachMemAsync(s, a, 0, flags))


@question("memory from a managed pool that is freed and taken again remembers its last prefetch", varies={
    f"{title}: the same address": "which address the pool gives" for title in MOVABLE})
def taken_again():
    for title, pool in pools():
        a = pool_block(pool)
        facts_before = facts(a, PAGE)
        advise(a, 4 * MIB, "SET_READ_MOSTLY")
        prefetch(a, 4 * MIB)
        must(cu.cuMemFreeAsync(a, 0))
        must(cu.cuStreamSynchronize(0))
        b = pool_block(pool)
        yield f"{title}: as at first", [facts(b, PAGE) == facts_before, attribute(mm.MOSTLY, b, PAGE), attribute(mm.PREFETCHED, b, PAGE)]
        yield f"{title}: the same address", a == b


@question("a managed pool tells of no access until it is set, and takes all rights or none")
def accessible():
    for title, pool in pools():
        for place in ("device", "host", "host numa"):
            yield f"{title}: {place} has", outcome(cu.cuMemPoolGetAccess(pool, location(place)))
        for rights in ("none", "read", "read and write"):
            for place in ("device", "host"):
                yield f"{title}: {rights} for the {place}", ask(cu.cuMemPoolSetAccess(pool, [access(rights, place)], 1))
        yield f"{title}: the device has, then", outcome(cu.cuMemPoolGetAccess(pool, location()))


@question("a managed pool counts what is taken, keeps some of it, and can be trimmed", varies={
    f"{title}: {label}": "how much a pool takes at once and keeps" for title in MOVABLE
    for label in ("taken", "freed", "trimmed in use", "trimmed to nothing")})
def counted():
    for title, pool in pools():
        for pool_attribute in POOL:
            if 0 < int(pool_attribute) < 9:
                yield f"{title}: {pool_attribute.name[18:]}", outcome(cu.cuMemPoolGetAttribute(pool, pool_attribute))
        yield f"{title}: threshold set", ask(cu.cuMemPoolSetAttribute(pool, POOL.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, cu.cuuint64_t(8 * MIB)))
        a = pool_block(pool)
        yield f"{title}: taken", used_and_reserved(pool)
        yield f"{title}: used is what was taken", outcome(cu.cuMemPoolGetAttribute(pool, USED)) == 4 * MIB
        yield f"{title}: trim in use", [ask(cu.cuMemPoolTrimTo(pool, 0)), host_write(a, 7), host_byte(a)]
        yield f"{title}: trimmed in use", used_and_reserved(pool)
        must(cu.cuMemFreeAsync(a, 0))
        must(cu.cuStreamSynchronize(0))
        yield f"{title}: freed", used_and_reserved(pool)
        yield f"{title}: trim to nothing", ask(cu.cuMemPoolTrimTo(pool, 0))
        yield f"{title}: trimmed to nothing", used_and_reserved(pool)


@question("a managed pool gives any number of bytes, and for none a null address")
def sizes():
    pool = must(pool_of())
    for size in (0, 1, 100, 65536, 4 * MIB):
        result = take(pool, size)
        yield f"{size}", [ask(result), outcome(cu.cuMemGetAddressRange(result[1])[::2]) if not int(result[0]) and size else None]


@question("memory from a managed pool is freed by cuMemFreeAsync and cuMemFree, by its start")
def freed():
    for title, pool in pools():
        a, b, c = (pool_block(pool) for _ in range(3))
        yield f"{title}: inside", [ask(cu.cuMemFreeAsync(a + PAGE, 0)), ask(cu.cuMemFree(a + PAGE))]
        yield f"{title}: cuMemFreeHost", ask(cu.cuMemFreeHost(a))
        yield f"{title}: cuMemFreeAsync, and again", [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0))]
        yield f"{title}: cuMemFree, and again", [ask(cu.cuMemFree(b)), ask(cu.cuMemFree(b))]
        host_write(c, 7)
        yield f"{title}: pool destroyed", ask(cu.cuMemPoolDestroy(pool))
        yield f"{title}: its memory then", lambda: host_byte(c)
        yield f"{title}: freed after that", ask(cu.cuMemFreeAsync(c, 0))
    yield "of cuMemAllocManaged, to a pool", ask(cu.cuMemFreeAsync(fresh(), 0))


@question("memory from a managed pool outlives the context it was taken in", alone=True)
def outlives():
    context, pool = must(cu.cuCtxGetCurrent()), must(pool_of())
    a = pool_block(pool)
    host_write(a, 7)
    new_context()
    yield "from another context", [ask(cu.cuMemsetD8(a + 1, 9, 1)), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 3).hex()]
    must(cu.cuCtxDestroy(context))
    yield "its context is destroyed", [name(get_attribute(ATTRIBUTES["IS_MANAGED"], a)[0]), ask(cu.cuMemsetD8(a, 1, 1))]
    yield "the host reads it then", lambda: host_byte(a + 1)
    yield "freed then", ask(cu.cuMemFreeAsync(a, 0))


@question("a managed pool is not exported, nor is its memory", alone=True)
def exported():
    pool = must(pool_of())
    a = pool_block(pool)
    for kind in (1, 8):
        yield f"the pool, type {kind}", lambda: ask(cu.cuMemPoolExportToShareableHandle(pool, cu.CUmemAllocationHandleType(kind), 0))
    yield "its memory", lambda: ask(cu.cuMemPoolExportPointer(a))
    yield "IPC", lambda: ask(cu.cuIpcGetMemHandle(a))
    yield "allocation handle", lambda: ask(cu.cuMemRetainAllocationHandle(a))
