"""What a pool keeps: reserved and used, the threshold, trimming, the marks, and what the device has left."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, outcome
from ...helpers.held import Held, at_once
from ...helpers.memory_kinds import access, pages, properties, reserve
from ...helpers.pools import POOL, THRESHOLD, free, new_pool, pool_block, take, used_and_reserved
from ...helpers.streams import stream

KIB, MIB = 1 << 10, 1 << 20

HIGHS = POOL.CU_MEMPOOL_ATTR_USED_MEM_HIGH, POOL.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH


def highs(pool):
    return [outcome(cu.cuMemPoolGetAttribute(pool, attribute)) for attribute in HIGHS]


def bytes_left():
    return int(must(cu.cuMemGetInfo())[0])


@question("how much a pool reserves for sizes taken one after the other", alone=True)
def reserved_for():
    for sizes in ([1], [512, 513], [MIB] * 3, [2 * MIB] * 17, [16 * MIB] * 3, [17 * MIB] * 3, [31 * MIB, 2 * MIB], [32 * MIB, 1], [33 * MIB],
                  [33 * MIB, 31 * MIB], [40 * MIB, 20 * MIB, 30 * MIB], [63 * MIB, 2 * MIB], [65 * MIB], [100 * MIB, 28 * MIB], [256 * MIB, 1],
                  [1000, 40 * MIB], [3 * MIB, 5 * MIB, 30 * MIB], [600], [5000, 700, 9000], [64 * KIB + 1] * 2, [MIB + 1] * 3, [2 * MIB + 1] * 3):
        pool, reserved, first = new_pool(), [], None
        for size in sizes:
            p = pool_block(pool, size)
            first = first or p
            reserved.append([p - first if abs(p - first) < 1 << 31 else "far", *used_and_reserved(pool)])
        yield str(sizes[:6] + (["..."] if len(sizes) > 6 else [])), reserved[:4] + reserved[-1:] if len(reserved) > 5 else reserved
        must(cu.cuCtxSynchronize())


@question("without a threshold a pool lets go what was freed when its stream is waited for", alone=True)
def who_releases():
    for label, act in {"nothing": lambda a, e: None, "query": lambda a, e: cu.cuStreamQuery(a.stream), "event query": lambda a, e: cu.cuEventQuery(e),
                       "event synchronize": lambda a, e: cu.cuEventSynchronize(e), "stream synchronize": lambda a, e: cu.cuStreamSynchronize(a.stream),
                       "context synchronize": lambda a, e: cu.cuCtxSynchronize(), "another stream's synchronize": lambda a, e: cu.cuStreamSynchronize(stream()),
                       "a copy of the host": lambda a, e: cu.cuMemcpyDtoH(bytearray(4), cu.cuMemAlloc(64)[1], 4), "cuMemAlloc": lambda a, e: cu.cuMemAlloc(64),
                       "cuMemFree": lambda a, e: cu.cuMemFree(cu.cuMemAlloc(64)[1]), "mem info": lambda a, e: cu.cuMemGetInfo(),
                       "another pool's allocation": lambda a, e: cu.cuMemAllocAsync(64, a.stream), "trim to the highest": lambda a, e: None,
                       "an old event synchronized": None}.items():
        with Held() as a:
            pool, e, old_event = new_pool(), must(cu.cuEventCreate(2)), must(cu.cuEventCreate(2))
            must(cu.cuEventRecord(old_event, a.stream))
            p = pool_block(pool, 256 * MIB, a.stream)
            free(p, a.stream)
            must(cu.cuEventRecord(e, a.stream))
            yield f"{label}: held", used_and_reserved(pool)
            a.finish()
            if act is None:
                must(cu.cuEventSynchronize(old_event))
            else:
                act(a, e)
            yield f"{label}: then", used_and_reserved(pool)
            must(cu.cuStreamSynchronize(a.stream))
            yield f"{label}: synchronized", used_and_reserved(pool)


@question("a part of what is reserved is let go, in whole pieces, when others of it are in use", alone=True)
def in_pieces():
    for label, sizes, freed in (("two of 32 MiB, the first", [32 * MIB] * 2, [0]), ("two of 32 MiB, the second", [32 * MIB] * 2, [1]),
                                ("four of 16 MiB, first and third", [16 * MIB] * 4, [0, 2]), ("four of 16 MiB, the first two", [16 * MIB] * 4, [0, 1]),
                                ("100 MiB beside 4 KiB", [100 * MIB, 4 * KIB], [0]), ("4 KiB beside 100 MiB", [4 * KIB, 100 * MIB], [1]),
                                ("40 and 20 MiB, the first", [40 * MIB, 20 * MIB], [0]), ("40 and 20 MiB, the second", [40 * MIB, 20 * MIB], [1])):
        for threshold in (0, 33 * MIB, 64 * MIB):
            pool, s = new_pool(threshold), stream()
            had = [pool_block(pool, size, s) for size in sizes]
            counts_before = used_and_reserved(pool)
            for index in freed:
                free(had[index], s)
            must(cu.cuStreamSynchronize(s))
            yield f"{label}, threshold {threshold >> 20} MiB", [counts_before, used_and_reserved(pool), ask(cu.cuMemPoolTrimTo(pool, 0)),
                                                                used_and_reserved(pool)]


@question("a threshold that is lowered takes effect when a stream is next waited for", alone=True)
def lowered():
    pool, s = new_pool(1 << 63), stream()
    free(pool_block(pool, 256 * MIB, s), s)
    must(cu.cuStreamSynchronize(s))
    yield "kept", used_and_reserved(pool)
    must(cu.cuMemPoolSetAttribute(pool, THRESHOLD, cu.cuuint64_t(64 * MIB)))
    yield "lowered", used_and_reserved(pool)
    must(cu.cuStreamSynchronize(s))
    yield "synchronized, without work", used_and_reserved(pool)
    must(cu.cuMemsetD8Async(int(must(cu.cuMemAlloc(64))), 1, 4, s))
    must(cu.cuStreamSynchronize(s))
    yield "synchronized, with work", used_and_reserved(pool)
    p = pool_block(pool, 4096, s)
    must(cu.cuStreamSynchronize(s))
    yield "taken and synchronized", used_and_reserved(pool)
    free(p, s)
    yield "freed", used_and_reserved(pool)
    must(cu.cuStreamSynchronize(s))
    yield "freed and synchronized", used_and_reserved(pool)
    yield "marks", highs(pool)


@question("trimming waits for nobody, and gives back only what no stream may still use", alone=True)
def trimmed_while_held():
    with Held() as a:
        pool = new_pool(1 << 63)
        p = pool_block(pool, 256 * MIB, a.stream)
        yield "while it is used", [at_once(lambda: cu.cuMemPoolTrimTo(pool, 0)), used_and_reserved(pool)]
        free(p, a.stream)
        yield "freed, held", [at_once(lambda: cu.cuMemPoolTrimTo(pool, 0)), used_and_reserved(pool)]
        a.finish()
        yield "done", used_and_reserved(pool)
        yield "trimmed", [at_once(lambda: cu.cuMemPoolTrimTo(pool, 100 * MIB)), used_and_reserved(pool)]
        must(cu.cuStreamSynchronize(a.stream))
        yield "synchronized", used_and_reserved(pool)
        yield "trimmed again", [at_once(lambda: cu.cuMemPoolTrimTo(pool, 100 * MIB)), used_and_reserved(pool)]
        yield "trimmed to nothing", [at_once(lambda: cu.cuMemPoolTrimTo(pool, 0)), used_and_reserved(pool)]


@question("the marks keep the most that was used and reserved, until they are set to 0", alone=True)
def marks():
    pool, s = new_pool(1 << 63), stream()
    p, q = pool_block(pool, 10 * MIB, s), pool_block(pool, 40 * MIB, s)
    yield "two taken", [used_and_reserved(pool), highs(pool)]
    free(p, s)
    free(q, s)
    yield "both freed", [used_and_reserved(pool), highs(pool)]
    must(cu.cuStreamSynchronize(s))
    for attribute in HIGHS:
        must(cu.cuMemPoolSetAttribute(pool, attribute, cu.cuuint64_t(0)))
    yield "set to 0", [used_and_reserved(pool), highs(pool)]
    pool_block(pool, 4096, s)
    yield "one taken", [used_and_reserved(pool), highs(pool)]
    must(cu.cuMemPoolTrimTo(pool, 0))
    yield "trimmed", [used_and_reserved(pool), highs(pool)]
    with Held() as a:
        pool = new_pool()
        p = pool_block(pool, 40 * MIB, a.stream)
        free(p, a.stream)
        q = pool_block(pool, 40 * MIB, a.stream)
        yield "taken twice on a held stream", [used_and_reserved(pool), highs(pool)]


@question("the device's free memory lacks what a pool keeps", alone=True, quiet=True)
def missing():
    pool, s = new_pool(1 << 63), stream()
    must(cu.cuStreamSynchronize(s))
    pool_block(new_pool(1 << 63), 4096)     # whatever the first allocation brings along
    bytes_before = bytes_left()
    p = pool_block(pool, 256 * MIB, s)
    yield "taken", bytes_before - bytes_left()
    free(p, s)
    yield "freed", bytes_before - bytes_left()
    must(cu.cuStreamSynchronize(s))
    yield "synchronized", bytes_before - bytes_left()
    yield "trimmed", [ask(cu.cuMemPoolTrimTo(pool, 0)), bytes_before - bytes_left()]
    pool = new_pool()
    p = pool_block(pool, 256 * MIB, s)
    free(p, s)
    yield "without a threshold, freed", bytes_before - bytes_left()
    must(cu.cuStreamSynchronize(s))
    yield "without a threshold, synchronized", bytes_before - bytes_left()
    small = pool_block(pool, 1000, s)
    yield "1000 bytes", bytes_before - bytes_left()
    free(small, s)
    must(cu.cuStreamSynchronize(s))
    yield "and freed", bytes_before - bytes_left()


def _most(share):
    return int(must(cu.cuMemGetInfo())[1] * share) // (2 * MIB) * 2 * MIB


@question("what a pool keeps is taken from it by whoever asks for more than is left", alone=True, quiet=True)
def taken_from_it():
    size = _most(0.6)
    for label, call in {"cuMemAlloc": lambda s: cu.cuMemAlloc(size), "another pool": lambda s: take(new_pool(), size, s),
                        "cuMemAllocAsync": lambda s: cu.cuMemAllocAsync(size, s), "cuMemAllocManaged": lambda s: cu.cuMemAllocManaged(size, 1)}.items():
        pool, s = new_pool(1 << 63), stream()
        free(pool_block(pool, size, s), s)
        must(cu.cuStreamSynchronize(s))
        counts_before = used_and_reserved(pool)[1] == size or used_and_reserved(pool)
        result = call(s)
        yield label, [counts_before, ask(result), used_and_reserved(pool)[1] == size]
        if not int(result[0]):
            must(cu.cuMemFree(int(result[1])))
        must(cu.cuCtxSynchronize())
        must(cu.cuMemPoolTrimTo(pool, 0))
        must(cu.cuMemPoolTrimTo(must(cu.cuDeviceGetDefaultMemPool(0)), 0))
    pool, s = new_pool(1 << 63), stream()
    free(pool_block(pool, size, s), s)
    must(cu.cuStreamSynchronize(s))
    result = cu.cuMemCreate(size, properties(), 0)
    yield "cuMemCreate", [ask(result), used_and_reserved(pool)[1] == size]
    if not int(result[0]):
        must(cu.cuMemRelease(result[1]))
    must(cu.cuMemPoolTrimTo(pool, 0))
    with Held() as a:
        pool = new_pool(1 << 63)
        free(pool_block(pool, size, a.stream), a.stream)
        yield "cuMemAlloc while the stream is held", [at_once(lambda: cu.cuMemAlloc(size)), used_and_reserved(pool)[1] == size]
    must(cu.cuCtxSynchronize())
    yield "and after it", ask(cu.cuMemAlloc(size))


@question("too many bytes are refused, by a pool that has less as by the device", alone=True, quiet=True)
def too_much():
    total = int(must(cu.cuMemGetInfo())[1])
    for label, size in (("all of the device", total), ("twice the device", 2 * total), ("2^50", 1 << 50), ("2^63", 1 << 63)):
        pool = new_pool()
        yield label, [ask(take(pool, size)), used_and_reserved(pool)]
        yield f"{label}: again", ask(take(pool, 4096))
    pool, s = new_pool(), stream()
    p, _ = pool_block(pool, _most(0.4), s), pool_block(pool, _most(0.4), s)
    yield "a third of 40 %", ask(take(pool, _most(0.4), s))
    free(p, s)
    yield "once one was freed", ask(take(pool, _most(0.4), s))


@question("destroying a pool leaves its memory, and what a held stream is to do with it", alone=True)
def destroyed():
    with Held() as a:
        pool = new_pool()
        p, q = pool_block(pool, 4096, a.stream), pool_block(pool, 40 * MIB, a.stream)
        free(q, a.stream)
        yield "destroy, held", at_once(lambda: cu.cuMemPoolDestroy(pool))
        yield "its attributes", outcome(cu.cuMemPoolGetAttribute(pool, THRESHOLD))
        yield "the memory", ask(cu.cuMemGetAddressRange(p))
        yield "take from it", ask(take(pool, 4096, a.stream))
        yield "free", ask(cu.cuMemFreeAsync(p, a.stream))
        yield "free again", ask(cu.cuMemFreeAsync(p, a.stream))
        a.go()
        yield "synchronize", ask(cu.cuCtxSynchronize())


@question("who waits for a stream that is held: what frees or locks memory of the host, and cuMemFree", alone=True)
def who_waits():
    pool = new_pool()
    def pinned():
        return int(must(cu.cuMemHostAlloc(8 * MIB, 0)))
    def device():
        return int(must(cu.cuMemAlloc(8 * MIB)))
    def registered():
        p = pages(64 * KIB)
        must(cu.cuMemHostRegister(p, 64 * KIB, 0))
        return p
    makers = {"cuMemAlloc": (lambda: None, lambda _: cu.cuMemAlloc(8 * MIB)), "cuMemAlloc, 512 MiB": (lambda: None, lambda _: cu.cuMemAlloc(512 * MIB)),
              "cuMemHostAlloc": (lambda: None, lambda _: cu.cuMemHostAlloc(8 * MIB, 0)), "cuMemHostAlloc, small": (lambda: None, lambda _: cu.cuMemHostAlloc(64, 0)),
              "cuMemFree": (device, cu.cuMemFree), "cuMemFree, small": (lambda: int(must(cu.cuMemAlloc(64))), cu.cuMemFree), "cuMemFree of null": (lambda: 0, cu.cuMemFree),
              "cuMemFreeHost": (pinned, cu.cuMemFreeHost), "cuMemFreeHost, small": (lambda: int(must(cu.cuMemHostAlloc(64, 0))), cu.cuMemFreeHost),
              "cuMemHostRegister": (lambda: pages(64 * KIB), lambda p: cu.cuMemHostRegister(p, 64 * KIB, 0)),
              "cuMemHostUnregister": (registered, cu.cuMemHostUnregister), "cuMemAllocManaged": (lambda: None, lambda _: cu.cuMemAllocManaged(MIB, 1)),
              "cuMemFree of managed": (lambda: int(must(cu.cuMemAllocManaged(MIB, 1))), cu.cuMemFree),
              "cuMemFree of a pool's": (lambda: pool_block(pool, MIB), cu.cuMemFree), "cuMemFreeAsync": (lambda: pool_block(pool, MIB), lambda p: cu.cuMemFreeAsync(p, 0)),
              "cuMemFreeAsync of cuMemAlloc's": (device, lambda p: cu.cuMemFreeAsync(p, 0)), "cuMemAllocAsync": (lambda: None, lambda _: cu.cuMemAllocAsync(MIB, 0)),
              "cuMemPoolCreate": (lambda: None, lambda _: [new_pool() and 0]), "cuMemPoolDestroy": (lambda: new_pool(),
                                                                                                    cu.cuMemPoolDestroy),
              "cuMemPoolTrimTo": (lambda: pool, lambda p: cu.cuMemPoolTrimTo(p, 0)),
              "cuMemCreate": (lambda: None, lambda _: cu.cuMemCreate(2 * MIB, properties(), 0)),
              "cuMemRelease": (lambda: must(cu.cuMemCreate(2 * MIB, properties(), 0)), cu.cuMemRelease),
              "cuMemAddressReserve": (lambda: None, lambda _: cu.cuMemAddressReserve(2 * MIB, 0, 0, 0)),
              "cuMemAddressFree": (lambda: reserve(2 * MIB), lambda p: cu.cuMemAddressFree(p, 2 * MIB)),
              "cuStreamCreate": (lambda: None, lambda _: cu.cuStreamCreate(1)), "cuStreamDestroy of another": (stream, cu.cuStreamDestroy),
              "cuEventCreate": (lambda: None, lambda _: cu.cuEventCreate(0)), "cuMemGetInfo": (lambda: None, lambda _: cu.cuMemGetInfo())}
    for label, (prepare, call) in makers.items():
        argument = prepare()
        must(cu.cuCtxSynchronize())
        with Held():
            yield label, at_once(lambda: call(argument))


@question("virtual memory is mapped, and made accessible, while a stream is held, and unmapped", alone=True)
def virtual_memory_while_held():
    address, handle = reserve(2 * MIB), must(cu.cuMemCreate(2 * MIB, properties(), 0))
    with Held():
        yield "map", at_once(lambda: cu.cuMemMap(address, 2 * MIB, 0, handle, 0))
        yield "set access", at_once(lambda: cu.cuMemSetAccess(address, 2 * MIB, [access("read and write")], 1))
    with Held():
        yield "take access away", at_once(lambda: cu.cuMemSetAccess(address, 2 * MIB, [access("none")], 1))
    with Held():
        yield "unmap", at_once(lambda: cu.cuMemUnmap(address, 2 * MIB))
