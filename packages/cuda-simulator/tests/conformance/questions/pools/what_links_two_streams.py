"""What counts as a link from the stream that freed to the one that asks: events of every kind, words, callbacks, special streams."""
import ctypes
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, new_context
from ...helpers.held import Held, at_once
from ...helpers.managed_pools import pool_of
from ...helpers.memory_kinds import access, location
from ...helpers.pools import POOL, create_pool, default_pool, free, new_pool, pool_block, take, used_and_reserved
from ...helpers.streams import LEGACY, PER_THREAD, event, stream

KIB, MIB = 1 << 10, 1 << 20


def link(a, b, mark=None):
    """B waits for an event that A records now."""
    mark = event() if mark is None else mark
    must(cu.cuEventRecord(mark, a))
    must(cu.cuStreamWaitEvent(b, mark, 0))
    return mark


def full_pool(a, *sizes):
    """A pool of one piece of 32 MiB, all of it in use by stream A: so what is taken next is freed memory, or the pool grows."""
    pool = new_pool(1 << 40)
    had = [pool_block(pool, size, a) for size in sizes]
    pool_block(pool, 32 * MIB - sum(sizes), a)
    return pool, had


@question("an event links two streams whatever flags it was made with; recorded as external it belongs to a graph", alone=True)
def kinds_of_events():
    for label, flags in (("default", 0), ("blocking", 1), ("without timing", 2), ("interprocess", 6)):
        with Held() as a:
            pool, (p,) = full_pool(a.stream, 4 * KIB)
            free(p, a.stream)
            b = stream()
            link(a.stream, b, must(cu.cuEventCreate(flags)))
            yield label, pool_block(pool, 4 * KIB, b) == p
    with Held() as a:
        pool, (p,) = full_pool(a.stream, 4 * KIB)
        free(p, a.stream)
        b, mark = stream(), event()
        yield "recorded as external", ask(cu.cuEventRecordWithFlags(mark, a.stream, 1))
        yield "waited for", ask(cu.cuStreamWaitEvent(b, mark, 0))
        yield "recorded as external: it gets it", pool_block(pool, 4 * KIB, b) == p


@question("a link stays when its event is destroyed or recorded elsewhere, and an event that nobody recorded links nothing", alone=True)
def events_that_went():
    for label in ("destroyed", "recorded on a third stream", "never recorded", "recorded after the wait"):
        with Held() as a:
            pool, (p,) = full_pool(a.stream, 4 * KIB)
            free(p, a.stream)
            b, c, mark = stream(), stream(), event()
            if label.startswith(("never", "recorded after")):
                must(cu.cuStreamWaitEvent(b, mark, 0))
            else:
                link(a.stream, b, mark)
            if label == "destroyed":
                must(cu.cuEventDestroy(mark))
            elif label != "never recorded":
                must(cu.cuEventRecord(mark, c if "third" in label else a.stream))
            yield label, pool_block(pool, 4 * KIB, b) == p


@question("a word that one stream writes and the other waits for is no link", alone=True)
def by_a_word():
    with Held() as a:
        pool, (p,) = full_pool(a.stream, 4 * KIB)
        free(p, a.stream)
        b, word = stream(), int(must(cu.cuMemHostAlloc(64, 0)))
        ctypes.c_uint32.from_address(word).value = 0
        must(cu.cuStreamWriteValue32(a.stream, word, 1, 0))
        must(cu.cuStreamWaitValue32(b, word, 1, 1))
        yield "held", pool_block(pool, 4 * KIB, b) == p
        a.finish()
        yield "both done", pool_block(pool, 4 * KIB, b) == p


@question("the legacy stream and streams that join it are linked by it, the per-thread stream among them", alone=True)
def special_streams():
    for label, flags, asks in (("a blocking stream, the legacy one", 0, LEGACY), ("a blocking stream, NULL", 0, 0), ("a blocking stream, the per-thread one", 0, PER_THREAD),
                               ("another, the legacy one", 1, LEGACY), ("another, the per-thread one", 1, PER_THREAD)):
        with Held(stream(flags)) as a:
            pool, (p,) = full_pool(a.stream, 4 * KIB)
            free(p, a.stream)
            yield label, at_once(lambda: take(pool, 4 * KIB, asks))[1]
            with_it = pool_block(pool, 4 * KIB, asks)
            yield f"{label}: then", with_it == p
    for label, holds, asks in (("the legacy one, a blocking stream", LEGACY, stream(0)), ("the legacy one, the per-thread one", LEGACY, PER_THREAD),
                               ("the per-thread one, the legacy one", PER_THREAD, LEGACY), ("the legacy one, another", LEGACY, stream(1))):
        with Held(cu.CUstream(holds)) as a:
            pool, (p,) = full_pool(a.stream, 4 * KIB)
            free(p, a.stream)
            yield label, pool_block(pool, 4 * KIB, asks) == p


@question("an event of the legacy stream stands for what every stream that joins it has freed", alone=True)
def over_the_legacy_stream():
    for label, flags in (("blocking", 0), ("non-blocking", 1)):
        with Held(stream(flags)) as a:
            pool, (p,) = full_pool(a.stream, 4 * KIB)
            free(p, a.stream)
            b = stream()
            link(LEGACY, b)
            yield label, pool_block(pool, 4 * KIB, b) == p


@question("a function of the host in a stream comes before the free that follows it", alone=True)
def behind_a_host_function():
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    go, began = [False], []
    def waiting(_):
        began.append(True)
        until = time.monotonic() + 5
        while not go[0] and time.monotonic() < until:
            time.sleep(0.001)
    function = prototype(waiting)
    a, b = stream(), stream()
    pool, (p,) = full_pool(a, 4 * KIB)
    must(cu.cuStreamSynchronize(a))
    must(cu.cuLaunchHostFunc(a, cu.CUhostFn(ctypes.cast(function, ctypes.c_void_p).value), 0))
    free(p, a)
    while not began:
        time.sleep(0.001)
    yield "another stream, while it runs", pool_block(pool, 4 * KIB, b) == p
    yield "its own, while it runs", pool_block(pool, 4 * KIB, a) == p
    go[0] = True
    must(cu.cuCtxSynchronize())


@question("two streams in a circle of events: each is behind what the other freed before its event", alone=True)
def both_ways():
    with Held() as a, Held() as b:
        pool, (p, q) = full_pool(a.stream, 4 * KIB, 64 * KIB)
        free(p, a.stream)
        free(q, b.stream)
        yield "before", [pool_block(pool, 64 * KIB, a.stream) == q, pool_block(pool, 4 * KIB, b.stream) == p]
    with Held() as a, Held() as b:
        pool, (p, q) = full_pool(a.stream, 4 * KIB, 64 * KIB)
        free(p, a.stream)
        link(a.stream, b.stream)
        free(q, b.stream)
        link(b.stream, a.stream)
        yield "after", [pool_block(pool, 64 * KIB, a.stream) == q, pool_block(pool, 4 * KIB, b.stream) == p]


@question("a stream that was made to wait for another's memory is behind it: what was freed there before is its as well", alone=True)
def behind_an_internal_dependency():
    with Held() as a:
        pool, b = must(create_pool(max_size=64 * MIB)), stream()
        p, q, third = pool_block(pool, 4 * KIB, a.stream), pool_block(pool, 40 * MIB, a.stream), pool_block(pool, 4 * KIB, a.stream)
        must(cu.cuMemPoolSetAttribute(pool, POOL.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 0))
        free(p, a.stream)
        free(q, a.stream)
        block = int(must(take(pool, 40 * MIB, b)))
        yield "it waits", [block == q, ask(cu.cuStreamQuery(b))]
        free(third, a.stream)
        small = [pool_block(pool, 4 * KIB, b) for _ in range(2)]
        yield "freed before it", p in small
        yield "freed after it", third in small
        yield "used, reserved", used_and_reserved(pool)


@question("the memory that a stream waits for is that stream's own when it frees it, and no more the first one's", alone=True)
def freed_by_the_one_that_waited():
    with Held() as a:
        pool, b = must(create_pool(max_size=64 * MIB)), stream()
        p = pool_block(pool, 40 * MIB, a.stream)
        free(p, a.stream)
        free(int(must(take(pool, 40 * MIB, b))), b)
        c, word = stream(), int(must(cu.cuMemHostAlloc(64, 0)))
        yield "the first stream again", take(pool, 40 * MIB, a.stream)[1] == p
        yield "used, reserved", used_and_reserved(pool)
        ctypes.c_uint32.from_address(word).value = 0
        must(cu.cuStreamWriteValue32(c, word, 1, 0))
        time.sleep(0.05)
        yield "a third stream goes on", ctypes.c_uint32.from_address(word).value


@question("the rest of a piece is as the piece was: its stream's, behind an event, or another stream's only when it is done", alone=True)
def the_rest_of_a_piece():
    with Held() as a:
        pool, (p,) = full_pool(a.stream, 64 * KIB)
        b, c = stream(), stream()
        free(p, a.stream)
        link(a.stream, b)
        yield "A takes the first part", pool_block(pool, 4 * KIB, a.stream) - p
        yield "B, behind the event, the next", pool_block(pool, 4 * KIB, b) - p
        yield "C, behind none", pool_block(pool, 4 * KIB, c) == p + 8 * KIB
        link(b, c)
        yield "C, behind B", pool_block(pool, 4 * KIB, c) - p
        yield "A again", pool_block(pool, 4 * KIB, a.stream) - p


@question("three pieces freed one after the other, each with an event: a stream behind one of these gets what was freed before it", alone=True)
def up_to_an_event():
    for behind in range(3):
        with Held() as a:
            pool, (p, _, q, _, r) = full_pool(a.stream, 4 * KIB, 512, 4 * KIB, 512, 4 * KIB)
            b, marks = stream(), []
            for address in (p, q, r):
                free(address, a.stream)
                marks.append(event())
                must(cu.cuEventRecord(marks[-1], a.stream))
            must(cu.cuStreamWaitEvent(b, marks[behind], 0))
            blocks = [pool_block(pool, 4 * KIB, b) for _ in range(4)]
            yield f"behind event {behind + 1}", ["pqr"[[p, q, r].index(address)] if address in (p, q, r) else "other" for address in blocks]


@question("a pool's ways to another stream are asked when memory is taken, and not when it was freed", alone=True)
def switched_between():
    for name, number in (("events", 1), ("opportunistic", 2)):
        for first, second in ((1, 0), (0, 1)):
            with Held() as a:
                pool, (p,) = full_pool(a.stream, 4 * KIB)
                b = stream()
                must(cu.cuMemPoolSetAttribute(pool, POOL(number), first))
                free(p, a.stream)
                if name == "events":
                    link(a.stream, b)
                else:
                    a.finish()
                must(cu.cuMemPoolSetAttribute(pool, POOL(number), second))
                yield f"{name}: {first} when freed, {second} when taken", pool_block(pool, 4 * KIB, b) == p


@question("memory goes back to the pool that it is from, whatever pool the device has now", alone=True)
def the_pool_it_is_from():
    with Held() as a:
        own = new_pool(1 << 40)
        must(cu.cuDeviceSetMemPool(0, own))
        p = int(must(cu.cuMemAllocAsync(4 * KIB, a.stream)))
        must(cu.cuDeviceSetMemPool(0, default_pool()))
        free(p, a.stream)
        yield "from the device's pool", int(must(cu.cuMemAllocAsync(4 * KIB, a.stream))) == p
        yield "from its own", pool_block(own, 4 * KIB, a.stream) == p
        yield "used, reserved", used_and_reserved(own)


@question("pools on the host, of a node, to be exported and of managed memory keep a stream's order as a device's pool does", alone=True)
def other_pools():
    for label, make in (("host", lambda: create_pool("host")), ("host numa", lambda: create_pool("host numa")), ("managed", pool_of)):
        with Held() as a:
            pool, b, c = must(make()), stream(), stream()
            if label != "managed":
                must(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))
            p, q = pool_block(pool, MIB, a.stream), pool_block(pool, MIB, a.stream)
            pool_block(pool, MIB, a.stream)
            free(p, a.stream)
            free(q, a.stream)
            yield f"{label}: another stream", pool_block(pool, MIB, c) in (p, q)
            yield f"{label}: the same stream", pool_block(pool, MIB, a.stream) in (p, q)
            link(a.stream, b)
            yield f"{label}: behind an event", pool_block(pool, MIB, b) in (p, q)


@question("waiting for a stream lets every pool go that it freed from, and no other", alone=True)
def all_its_pools():
    with Held() as a, Held() as b:
        pools = [new_pool() for _ in range(3)]
        for pool, held in zip(pools, (a, a, b)):
            free(pool_block(pool, 40 * MIB, held.stream), held.stream)
        a.finish()
        must(cu.cuStreamSynchronize(a.stream))
        yield "reserved", [used_and_reserved(pool)[1] for pool in pools]
        b.finish()
        must(cu.cuStreamSynchronize(a.stream))
        yield "the other done, not waited for", [used_and_reserved(pool)[1] for pool in pools]
        must(cu.cuStreamSynchronize(b.stream))
        yield "and waited for", [used_and_reserved(pool)[1] for pool in pools]


@question("waiting for an event lets a pool go what was freed before it, and not what was freed after it", alone=True)
def up_to_an_event_of_the_host():
    s = stream()
    for label, sizes in (("one piece each", (32 * MIB, 32 * MIB)), ("40 MiB and 4 KiB", (40 * MIB, 4 * KIB))):
        pool, mark = new_pool(), event()
        p, q = (pool_block(pool, size, s) for size in sizes)
        free(p, s)
        must(cu.cuEventRecord(mark, s))
        free(q, s)
        must(cu.cuEventSynchronize(mark))
        yield label, used_and_reserved(pool)
        must(cu.cuStreamSynchronize(s))
        yield f"{label}: then the stream", used_and_reserved(pool)


@question("a context that is current when a stream frees need not be the stream's, and its end lets nothing go", alone=True)
def streams_of_another_context():
    first = must(cu.cuCtxGetCurrent())
    with Held() as a:
        pool, (p,) = full_pool(a.stream, 4 * KIB)
        second = new_context()
        yield "free on a stream of the other context", ask(cu.cuMemFreeAsync(p, a.stream))
        result = take(pool, 4 * KIB, a.stream)
        yield "take on it", [ask(result), int(result[1] or 0) == p]
        must(cu.cuCtxDestroy(second))
        must(cu.cuCtxSetCurrent(first))
        yield "used, reserved", used_and_reserved(pool)


@question("a stream that is made after the free is behind nothing, and one that is destroyed and made anew as little", alone=True)
def new_streams():
    with Held() as a:
        pool, (p,) = full_pool(a.stream, 4 * KIB)
        free(p, a.stream)
        yield "made after it", pool_block(pool, 4 * KIB, stream()) == p
        b = stream()
        link(a.stream, b)
        must(cu.cuStreamDestroy(b))
        yield "made anew", pool_block(pool, 4 * KIB, stream()) == p
        high = must(cu.cuStreamCreateWithPriority(1, -5))
        yield "of a higher priority", pool_block(pool, 4 * KIB, high) == p
        yield "the one that freed it", pool_block(pool, 4 * KIB, a.stream) == p


@question("what was freed counts as used no more at the call, and the mark is of what was used at once", alone=True)
def counted_at_the_call():
    with Held() as a:
        pool, counts = new_pool(1 << 40), []
        for size in (4 * KIB, MIB, 40 * MIB):
            p = pool_block(pool, size, a.stream)
            counts.append(used_and_reserved(pool)[0])
            free(p, a.stream)
            counts.append(used_and_reserved(pool)[0])
        yield "used", counts
        yield "most used", int(must(cu.cuMemPoolGetAttribute(pool, POOL.CU_MEMPOOL_ATTR_USED_MEM_HIGH)))
        yield "taken and freed on another stream", [free(pool_block(pool, 700, 0)), used_and_reserved(pool)[0]][1]


@question("cuMemFree of a pool's memory that a held stream still uses gives it to every stream at once", alone=True)
def freed_by_the_host():
    with Held() as a:
        pool, (p, q) = full_pool(a.stream, 4 * KIB, 64 * KIB)
        must(cu.cuMemsetD8Async(p, 5, 16, a.stream))
        yield "free", at_once(lambda: cu.cuMemFree(p))
        b = stream()
        yield "another stream takes it", pool_block(pool, 4 * KIB, b) == p
        free(p, b)
        yield "and the first, when that has freed it", pool_block(pool, 4 * KIB, a.stream) == p
        yield "used, reserved", used_and_reserved(pool)


@question("setting a right or a threshold waits for no stream that is held, and lets nothing go", alone=True)
def set_while_held():
    with Held() as a:
        pool, (p,) = full_pool(a.stream, 4 * KIB)
        free(p, a.stream)
        yield "access", at_once(lambda: cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))
        yield "its own device's access taken", at_once(lambda: cu.cuMemPoolSetAccess(pool, [access("none")], 1))
        yield "access asked", at_once(lambda: cu.cuMemPoolGetAccess(pool, location()))
        yield "threshold", at_once(lambda: cu.cuMemPoolSetAttribute(pool, POOL.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, cu.cuuint64_t(0)))
        yield "used, reserved", used_and_reserved(pool)
        a.finish()
        must(cu.cuStreamSynchronize(a.stream))
        yield "waited for", used_and_reserved(pool)
