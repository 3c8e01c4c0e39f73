"""Of several free pieces that a stream may have, which one it gets; what a pool gives up, and for whom."""
import itertools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, new_context
from ...helpers.held import Held, at_once
from ...helpers.memory_kinds import pages
from ...helpers.pools import POOL, free, new_pool, pool_block, used_and_reserved
from ...helpers.streams import Gate, event, stream

KIB, MIB = 1 << 10, 1 << 20

HOWS = "own", "behind an event", "done"


def _pieces(a, sizes):
    """A pool whose free memory is one piece for each way to be free, by size; and what is not one of them is in use."""
    pool = new_pool(1 << 40)
    had, sizes = {}, list(sizes)
    for how, size in sizes:
        had[how] = pool_block(pool, size, a.stream)
        pool_block(pool, 512, a.stream)
    pool_block(pool, 32 * MIB - sum(size + 512 for _, size in sizes), a.stream)    # to the end of what is reserved
    return pool, had


def _free(how, p, a, held_streams):
    """Free it so that stream a has it in that way."""
    if how == "own":
        free(p, a.stream)
    else:
        held = Held()
        held_streams.append(held)
        free(p, held.stream)
        if how == "done":
            held.finish()
        else:
            e = event()
            must(cu.cuEventRecord(e, held.stream))
            must(cu.cuStreamWaitEvent(a.stream, e, 0))


@question("of two free pieces a stream gets which: its own, one behind an event, one whose work is done", alone=True)
def of_two():
    for first, second in itertools.permutations(HOWS, 2):
        for size in (4 * KIB, 2 * KIB, 64 * KIB):
            with Held() as a:
                held_streams = []
                pool, had = _pieces(a, [(first, 64 * KIB), (second, 4 * KIB)])
                for how in (first, second):
                    _free(how, had[how], a, held_streams)
                block = pool_block(pool, size, a.stream)
                yield f"{first} of 64 KiB, {second} of 4 KiB, {size} asked for", next((how for how in had if had[how] == block), "other")
                block = pool_block(pool, size, a.stream)
                yield f"{first} of 64 KiB, {second} of 4 KiB, {size} asked for: then", next(
                    (f"{how}+{block - had[how]}" for how in had if 0 <= block - had[how] < 64 * KIB), "other")


@question("neighbours that were freed in two ways are one piece for a stream that may have both, or not", alone=True)
def neighbours():
    for first, second in itertools.product(HOWS, repeat=2):
        with Held() as a:
            held_streams, pool = [], new_pool(1 << 40)
            p, q = pool_block(pool, 64 * KIB, a.stream), pool_block(pool, 64 * KIB, a.stream)
            pool_block(pool, 32 * MIB - 128 * KIB, a.stream)
            _free(first, p, a, held_streams)
            _free(second, q, a, held_streams)
            used_before = used_and_reserved(pool)[1]
            block = pool_block(pool, 128 * KIB, a.stream)
            yield f"{first}, {second}", [block == p, used_and_reserved(pool)[1] - used_before]


@question("two neighbours freed on one held stream, with an event between the two: another stream behind it gets the first", alone=True)
def event_between():
    for size in (64 * KIB, 4 * KIB, 128 * KIB):
        with Held() as a:
            pool, b, e = new_pool(1 << 40), stream(), event()
            p, q = pool_block(pool, 64 * KIB, a.stream), pool_block(pool, 64 * KIB, a.stream)
            pool_block(pool, 32 * MIB - 128 * KIB, a.stream)
            free(p, a.stream)
            must(cu.cuEventRecord(e, a.stream))
            free(q, a.stream)
            must(cu.cuStreamWaitEvent(b, e, 0))
            block = pool_block(pool, size, b)
            yield f"{size}", "first" if block == p else "second" if block == q else "other"
        with Held() as a:
            pool, b, e = new_pool(1 << 40), stream(), event()
            p, q = pool_block(pool, 64 * KIB, a.stream), pool_block(pool, 64 * KIB, a.stream)
            pool_block(pool, 32 * MIB - 128 * KIB, a.stream)
            free(q, a.stream)
            must(cu.cuEventRecord(e, a.stream))
            free(p, a.stream)
            must(cu.cuStreamWaitEvent(b, e, 0))
            block = pool_block(pool, size, b)
            yield f"{size}, the second freed first", "first" if block == p else "second" if block == q else "other"


@question("which calls of the host make what was freed free for all, and let the pool give it up", alone=True)
def what_counts_as_waiting():
    def joined(a, s):
        e = event()
        must(cu.cuEventRecord(e, a.stream))
        must(cu.cuStreamWaitEvent(s, e, 0))
        return s
    for label, act in {"its own stream": lambda a, s: cu.cuStreamSynchronize(a.stream),
                       "a stream that waited for its event": lambda a, s: cu.cuStreamSynchronize(joined(a, s)),
                       "an event of that stream": lambda a, s: (joined(a, s), e := event(), cu.cuEventRecord(e, s), cu.cuEventSynchronize(e)),
                       "the NULL stream": lambda a, s: cu.cuStreamSynchronize(0), "cuMemFree": lambda a, s: cu.cuMemFree(cu.cuMemAlloc(4096)[1]),
                       "cuMemFreeHost": lambda a, s: cu.cuMemFreeHost(cu.cuMemHostAlloc(4096, 0)[1]),
                       "a copy in its stream that waits": lambda a, s: cu.cuMemcpyDtoHAsync(pages(4096), cu.cuMemAlloc(4096)[1], 64, a.stream),
                       "a copy in the NULL stream": lambda a, s: cu.cuMemcpyDtoH(bytearray(64), cu.cuMemAlloc(4096)[1], 64),
                       "destroying its stream": lambda a, s: cu.cuStreamDestroy(a.stream),
                       "taking in its stream": lambda a, s: cu.cuMemAllocAsync(64, a.stream),
                       "freeing in its stream": lambda a, s: cu.cuMemFreeAsync(cu.cuMemAllocAsync(64, a.stream)[1], a.stream),
                       "a stream of a second context": lambda a, s: (new_context(), cu.cuCtxSynchronize(), cu.cuCtxPopCurrent())}.items():
        with Held() as a:
            pool, s = new_pool(), stream()
            free(pool_block(pool, 64 * MIB, a.stream), a.stream)
            a.finish()
            act(a, s)
            yield label, used_and_reserved(pool)


@question("what cuMemFree gives back to a pool is free for all, and counts as used", alone=True)
def freed_at_once():
    pool, s = new_pool(), stream()
    p, q = pool_block(pool, 4096, s), pool_block(pool, 40 * MIB, s)
    must(cu.cuMemFree(q))
    yield "one freed", used_and_reserved(pool)
    must(cu.cuCtxSynchronize())
    yield "synchronized", used_and_reserved(pool)
    q = pool_block(pool, 40 * MIB, s)
    yield "taken again", used_and_reserved(pool)
    must(cu.cuMemFree(q))
    must(cu.cuMemFree(p))
    must(cu.cuCtxSynchronize())
    yield "all freed", used_and_reserved(pool)
    yield "trimmed", [ask(cu.cuMemPoolTrimTo(pool, 0)), used_and_reserved(pool)]
    must(cu.cuMemPoolSetAttribute(pool, POOL.CU_MEMPOOL_ATTR_USED_MEM_HIGH, cu.cuuint64_t(0)))
    yield "lowered", used_and_reserved(pool)


@question("who needs what a pool keeps takes all of it, or as much as is missing", alone=True, quiet=True)
def as_much_as_missing():
    for label, sizes in (("one piece", [40 * 1024 * MIB]), ("four pieces", [10 * 1024 * MIB] * 4)):
        for surplus in (MIB, 64 * MIB, 1024 * MIB):
            pool, s = new_pool(1 << 63), stream()
            had = [pool_block(pool, size, s) for size in sizes]
            for address in had:
                free(address, s)
            must(cu.cuStreamSynchronize(s))
            free_bytes = int(must(cu.cuMemGetInfo())[0]) // (2 * MIB) * 2 * MIB
            code, p = cu.cuMemAlloc(free_bytes + surplus)
            yield f"{label}, {surplus >> 20} MiB more than is left", [ask([code]), (sum(sizes) - used_and_reserved(pool)[1]) >> 25]
            if not int(code):
                must(cu.cuMemFree(p))
            must(cu.cuMemPoolTrimTo(pool, 0))


@question("registering waits for a stream that is held, by which hold and for which memory", alone=True)
def registering():
    for hold in ("value", "kernel"):
        for label, size, offset, flags in (("64 KiB", 64 * KIB, 0, 0), ("a byte", 1, 7, 0), ("a page", 4 * KIB, 0, 1), ("3 MiB", 3 * MIB, 0, 2), ("unaligned", 5000, 100, 0),
                                           ("to read", 64 * KIB, 0, 8)):
            for touched in (True, False):
                p, s = pages(max(size + offset, 4096), touched=touched), stream()
                must(cu.cuCtxSynchronize())
                with Held() as a:
                    gate = None
                    if hold == "kernel":
                        a.finish()
                        gate = Gate(s)
                        gate.open(0.5)
                    yield f"{hold}: {label}{'' if touched else ', not touched'}", [*at_once(lambda: cu.cuMemHostRegister(p + offset, size, flags)),
                                                                                   gate.cells[0] if gate and hold == "kernel" else None]
                    if gate:
                        gate.open()
