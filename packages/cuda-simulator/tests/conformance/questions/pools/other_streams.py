"""When another stream gets what one stream freed: behind an event, by luck, or at the price of waiting."""
import ctypes
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, new_context, where
from ...helpers.held import Held, at_once
from ...helpers.pools import POOL, create_pool, free, new_pool, pool_block, take, used_and_reserved
from ...helpers.streams import event, stream

KIB, MIB = 1 << 10, 1 << 20

EVENTS, OPPORTUNISTIC, INTERNAL = (POOL.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, POOL.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
                                   POOL.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
SWITCHES = {"all on": (), "events off": (EVENTS,), "opportunistic off": (OPPORTUNISTIC,), "internal off": (INTERNAL,),
            "all off": (EVENTS, OPPORTUNISTIC, INTERNAL)}


def pool_without(switched_off=(), max_size=1 << 40):
    pool = new_pool(max_size)
    for attribute in switched_off:
        must(cu.cuMemPoolSetAttribute(pool, attribute, 0))
    return pool


@question("another stream gets what a held one freed only behind an event that was recorded after it", alone=True)
def behind_an_event():
    for label, off in SWITCHES.items():
        for size in (4 * KIB, 3 * MIB):
            with Held() as a:
                pool, b = pool_without(off), stream()
                p = pool_block(pool, size, a.stream)
                pool_block(pool, size, a.stream)
                early, late = event(), event()
                must(cu.cuEventRecord(early, a.stream))
                free(p, a.stream)
                yield f"{label}, {size}: without an event", pool_block(pool, size, b) == p
                must(cu.cuStreamWaitEvent(b, early, 0))
                yield f"{label}, {size}: behind one recorded before", pool_block(pool, size, b) == p
                must(cu.cuEventRecord(late, a.stream))
                yield f"{label}, {size}: recorded after, not waited for", pool_block(pool, size, b) == p
                must(cu.cuStreamWaitEvent(b, late, 0))
                yield f"{label}, {size}: behind it", pool_block(pool, size, b) == p
                yield f"{label}, {size}: used, reserved", used_and_reserved(pool)


@question("an event joins streams over a third one, too, and an event that is recorded anew says what is new", alone=True)
def chains():
    with Held() as a:
        pool, b, c = pool_without(), stream(), stream()
        p, e, f = pool_block(pool, 4096, a.stream), event(), event()
        free(p, a.stream)
        must(cu.cuEventRecord(e, a.stream))
        must(cu.cuStreamWaitEvent(b, e, 0))
        must(cu.cuEventRecord(f, b))
        must(cu.cuStreamWaitEvent(c, f, 0))
        yield "over a third stream", pool_block(pool, 4096, c) == p
    with Held() as a:
        pool, b = pool_without(), stream()
        p, e = pool_block(pool, 4096, a.stream), event()
        must(cu.cuEventRecord(e, a.stream))
        must(cu.cuStreamWaitEvent(b, e, 0))
        free(p, a.stream)
        must(cu.cuEventRecord(e, a.stream))
        yield "recorded anew after the wait", pool_block(pool, 4096, b) == p
        must(cu.cuStreamWaitEvent(b, e, 0))
        yield "waited for anew", pool_block(pool, 4096, b) == p
    with Held() as a:
        pool, b = pool_without(), stream()
        p, e = pool_block(pool, 4096, a.stream), event()
        free(p, b)
        must(cu.cuEventRecord(e, a.stream))
        yield "freed on another stream, which takes it", pool_block(pool, 4096, b) == p
    with Held() as a:
        pool, b = pool_without(), stream()
        p, e = pool_block(pool, 4096, a.stream), event()
        must(cu.cuMemsetD8Async(p, 1, 16, a.stream))
        must(cu.cuEventRecord(e, a.stream))
        must(cu.cuStreamWaitEvent(b, e, 0))
        free(p, b)
        yield "freed on B behind the user's event, A takes", pool_block(pool, 4096, a.stream) == p
        yield "then B", pool_block(pool, 4096, b) == p
    with Held() as a:
        pool = pool_without()
        p = pool_block(pool, 4096, a.stream)
        free(p, a.stream)
        yield "the NULL stream, which a non-blocking one does not join", pool_block(pool, 4096, 0) == p
    with Held(must(cu.cuStreamCreate(0))) as a:
        pool = pool_without()
        p = pool_block(pool, 4096, a.stream)
        free(p, a.stream)
        yield "the NULL stream, after a blocking one", pool_block(pool, 4096, 0) == p
    with Held(must(cu.cuStreamCreate(0))) as a:
        pool, b = pool_without(), stream(0)
        p = pool_block(pool, 4096, a.stream)
        free(p, a.stream)
        yield "a blocking stream after a blocking one", pool_block(pool, 4096, b) == p
        must(cu.cuMemsetD8Async(pool_block(pool, 4096, 0), 1, 16, 0))
        yield "with work of the NULL stream between", pool_block(pool, 4096, b) == p


@question("what a stream freed that is done goes to any stream, though nobody waited for it", alone=True)
def after_the_work():
    for label, off in SWITCHES.items():
        with Held() as a:
            pool, b = pool_without(off), stream()
            p = pool_block(pool, 4096, a.stream)
            pool_block(pool, 4096, a.stream)
            must(cu.cuMemsetD8Async(p, 1, 16, a.stream))
            free(p, a.stream)
            a.finish()
            yield f"{label}: nobody synchronized", pool_block(pool, 4096, b) == p
            yield f"{label}: query", ask(cu.cuStreamQuery(a.stream))
            yield f"{label}: queried", pool_block(pool, 4096, b) == p
            must(cu.cuStreamSynchronize(a.stream))
            yield f"{label}: synchronized", pool_block(pool, 4096, b) == p
    for label, off in SWITCHES.items():
        with Held() as a:
            pool, b, e = pool_without(off), stream(), event()
            p = pool_block(pool, 4096, a.stream)
            pool_block(pool, 4096, a.stream)
            free(p, a.stream)
            must(cu.cuEventRecord(e, a.stream))
            a.finish()
            yield f"{label}: event's query", ask(cu.cuEventQuery(e))
            yield f"{label}: event queried", pool_block(pool, 4096, b) == p
            must(cu.cuEventSynchronize(e))
            yield f"{label}: event waited for by the host", pool_block(pool, 4096, b) == p
            must(cu.cuCtxSynchronize())
            yield f"{label}: context synchronized", pool_block(pool, 4096, b) == p


@question("a stream that is held gives to another before the pool grows, or not", alone=True)
def before_growing():
    for label, off in SWITCHES.items():
        with Held() as a:
            pool, b = pool_without(off), stream()
            p = pool_block(pool, 32 * MIB, a.stream)
            free(p, a.stream)
            yield f"{label}: the same", pool_block(pool, 32 * MIB, b) == p
            yield f"{label}: used, reserved", used_and_reserved(pool)


def _half(share=0.6):
    return int(must(cu.cuMemGetInfo())[1] * share) // (2 * MIB) * 2 * MIB


@question("more than half of the device, freed and taken on one held stream, then on another", alone=True, quiet=True)
def most_of_the_device():
    for label, off in SWITCHES.items():
        with Held() as a:
            pool, size = pool_without(off, 0), _half()
            p = pool_block(pool, size, a.stream)
            free(p, a.stream)
            result = take(pool, size, a.stream)
            yield f"{label}: the same stream", [ask(result), int(result[1] or 0) == p]
            if not int(result[0]):
                free(int(result[1]), a.stream)
        must(cu.cuMemPoolTrimTo(pool, 0))
    with Held() as a:
        pool, size, b, out = pool_without((), 0), _half(), stream(), int(must(cu.cuMemHostAlloc(64, 0)))
        free(pool_block(pool, size, a.stream), a.stream)
        cell = ctypes.c_uint32.from_address(out)
        cell.value = 0
        yield "all on: another stream", at_once(lambda: take(pool, size, b))
        must(cu.cuStreamWriteValue32(b, out, 1, 0))
        yield "all on: it waits", [ask(cu.cuStreamQuery(b)), _value_in_time(cell)]


def _value_in_time(cell):
    until = time.monotonic() + 1
    while not cell.value and time.monotonic() < until:
        time.sleep(0.001)
    return cell.value


@question("a pool with a largest size gives another stream what a held one freed, and that waits", alone=True)
def within_a_largest_size():
    for label, off in SWITCHES.items():
        with Held() as a:
            pool, b = must(create_pool(max_size=64 * MIB)), stream()
            for attribute in off:
                must(cu.cuMemPoolSetAttribute(pool, attribute, 0))
            out = int(must(cu.cuMemHostAlloc(64, 0)))
            cell = ctypes.c_uint32.from_address(out)
            cell.value = 0
            p = pool_block(pool, 40 * MIB, a.stream)
            free(p, a.stream)
            result = take(pool, 40 * MIB, b)
            yield f"{label}: another stream", [ask(result), int(result[1] or 0) == p]
            must(cu.cuStreamWriteValue32(b, out, 1, 0))
            yield f"{label}: it waits", _value_in_time(cell) == 0
            result = take(pool, 64 * MIB, b)
            yield f"{label}: more", ask(result)
            yield f"{label}: used, reserved", used_and_reserved(pool)


@question("streams that were destroyed, and of other contexts, free memory, too", alone=True)
def streams_that_went():
    with Held() as a:
        pool, b = pool_without(), stream()
        p = pool_block(pool, 4096, a.stream)
        free(p, a.stream)
        yield "destroy the held stream", at_once(lambda: cu.cuStreamDestroy(a.stream))
        yield "another takes, held", pool_block(pool, 4096, b) == p
        a.go()
        time.sleep(0.02)
        yield "another takes, done", pool_block(pool, 4096, b) == p
    first = must(cu.cuCtxGetCurrent())
    with Held() as a:
        pool = pool_without()
        p = pool_block(pool, 4096, a.stream)
        free(p, a.stream)
        second = new_context()
        b = stream()
        yield "a stream of another context takes, held", pool_block(pool, 4096, b) == p
        must(cu.cuCtxSetCurrent(first))
        mark = event()
        must(cu.cuEventRecord(mark, a.stream))
        must(cu.cuCtxSetCurrent(second))
        yield "it waits for the event", ask(cu.cuStreamWaitEvent(b, mark, 0))
        yield "behind it", pool_block(pool, 4096, b) == p
        a.go()
        must(cu.cuCtxDestroy(second))
        must(cu.cuCtxSetCurrent(first))


@question("two pieces, freed on two streams: no stream gets both as one until both are its own", alone=True)
def freed_on_two_streams():
    with Held() as a, Held() as b:
        pool, e = pool_without(), event()
        p, q = pool_block(pool, MIB, a.stream), pool_block(pool, MIB, a.stream)
        pool_block(pool, 512, a.stream)
        yield "laid out", q - p
        free(p, a.stream)
        free(q, b.stream)
        yield "A takes both as one", pool_block(pool, 2 * MIB, a.stream) == p
        must(cu.cuEventRecord(e, b.stream))
        must(cu.cuStreamWaitEvent(a.stream, e, 0))
        yield "behind B's event", pool_block(pool, 2 * MIB, a.stream) == p
        yield "A takes one", where(pool_block(pool, MIB, a.stream), p=p)
        yield "B takes one", where(pool_block(pool, MIB, b.stream), p=p)
