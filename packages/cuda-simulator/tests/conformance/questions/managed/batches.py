"""cuMemPrefetchBatchAsync, cuMemDiscardBatchAsync, cuMemDiscardAndPrefetchBatchAsync: many ranges in one call."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, read
from ...helpers.kernels import i32
from ...helpers.managed_memory import (
    MIB,
    PAGE,
    PLACES,
    advise,
    attribute,
    batch,
    by_page,
    facts,
    fresh,
    host_byte,
    host_write,
    prefetch_and_wait,
)
from ...helpers.memory_kinds import KINDS, make
from ...helpers.streams import DESTROYED, LEGACY, PER_THREAD

PREFETCH, DISCARD, BOTH = mm.PREFETCH, mm.DISCARD, mm.BOTH
PIECE = 2 * MIB    # a discard of less than a large page may be a hint that is not followed


def a_stream():
    return must(cu.cuStreamCreate(1))


@question("a batch prefetches each range to the place whose index comes before it")
def places_by_index():
    for verb in (PREFETCH, BOTH):
        for label, indices, names in (("one place", [0], ["device"]), ("a place for each", [0, 1, 2], ["device", "host", "device"]),
                                      ("two places", [0, 2], ["host", "device"])):
            s, blocks = a_stream(), [fresh() for _ in range(3)]
            yield f"{verb}: {label}", [batch(verb, blocks, [PIECE] * 3, names, indices, stream=s), ask(cu.cuStreamSynchronize(s)),
                                       [attribute(mm.PREFETCHED, block, PIECE) for block in blocks]]


@question("a batch wants places whose indices begin at 0 and do not fall, and no more of them than ranges", alone=True)
def indices():
    s, blocks = a_stream(), [fresh() for _ in range(2)]
    for verb in (PREFETCH, BOTH):
        for label, names, indices_ in (("none", [], []), ("begins at 1", ["device"], [1]), ("falls", ["device", "host"], [1, 0]),
                                       ("the same twice", ["device", "host"], [0, 0]), ("past the ranges", ["device", "host"], [0, 2]),
                                       ("three for two", ["device", "host", "device"], [0, 1, 2])):
            yield f"{verb}: {label}", lambda: [batch(verb, blocks, [PIECE] * 2, names, indices_, stream=s), ask(cu.cuStreamSynchronize(s)),
                                               [attribute(mm.PREFETCHED, block, PIECE) for block in blocks]]


@question("a batch knows the places that a single prefetch knows, and remembers them as they were named")
def places():
    s = a_stream()
    for verb in (PREFETCH, BOTH):
        for place in PLACES:
            a = fresh()
            yield f"{verb}: {place}", lambda: [batch(verb, [a], [PIECE], [place], stream=s), ask(cu.cuStreamSynchronize(s)),
                                               attribute(mm.PREFETCHED_TYPE, a, PIECE), attribute(mm.PREFETCHED_ID, a, PIECE)]


@question("a batch of nothing, with null arrays or with a count of its own is refused", alone=True)
def counts():
    s, a = a_stream(), fresh()
    for verb in (PREFETCH, DISCARD, BOTH):
        where_to = ["device"]
        yield f"{verb}: no ranges", lambda: batch(verb, [], [], where_to, stream=s)
        yield f"{verb}: count 0 of one", lambda: batch(verb, [a], [PIECE], where_to, count=0, stream=s)
        yield f"{verb}: null addresses", lambda: batch(verb, None, [PIECE], where_to, stream=s)
        yield f"{verb}: null sizes", lambda: batch(verb, [a], None, where_to, stream=s)
        if verb != DISCARD:
            yield f"{verb}: null places", lambda: batch(verb, [a], [PIECE], None, [0], stream=s)
        for flags in (1, 2, 1 << 40):
            yield f"{verb}: flags {flags}", lambda: batch(verb, [a], [PIECE], where_to, flags=flags, stream=s)
        yield f"{verb}: synchronize", lambda: ask(cu.cuStreamSynchronize(s))


@question("a batch does what comes before a range that it refuses")
def one_refused():
    for verb in (PREFETCH, DISCARD, BOTH):
        for label, wrong in (("null", (0, PIECE)), ("no bytes", (fresh(), 0)), ("over the end", (fresh() + MIB, 4 * MIB)),
                             ("pinned", (make("pinned").address, PAGE)), ("device", (make("device").address, PAGE))):
            s, a = a_stream(), fresh()
            host_write(a, 7)
            for order in ("first", "last"):
                ranges = [wrong, (a, PIECE)] if order == "first" else [(a, PIECE), wrong]
                yield f"{verb}: {label}, {order}", lambda: [
                    batch(verb, *zip(*ranges), ["device"], stream=s), ask(cu.cuStreamSynchronize(s)),
                    attribute(mm.PREFETCHED, a, PIECE), *([host_byte(a)] if verb == PREFETCH else [])]


@question("batches are for managed memory alone")
def kinds():
    s = a_stream()
    for verb in (PREFETCH, DISCARD, BOTH):
        for kind in KINDS:
            yield f"{verb}: {kind}", lambda: batch(verb, [make(kind).address], [PAGE], ["device"], stream=s)
    yield "synchronize", ask(cu.cuStreamSynchronize(s))


@question("a batch wants a stream that is not the legacy one", alone=True,
          varies={f"{verb}: destroyed": DESTROYED for verb in (PREFETCH, DISCARD, BOTH)})
def streams():
    a, own, blocking = fresh(), a_stream(), must(cu.cuStreamCreate(0))
    context = must(cu.cuCtxGetCurrent())
    new_context()
    other_stream = a_stream()
    must(cu.cuCtxSetCurrent(context))
    for verb in (PREFETCH, DISCARD, BOTH):
        for label, stream in (("NULL", 0), ("legacy", LEGACY), ("per thread", PER_THREAD), ("non-blocking", own), ("blocking", blocking),
                              ("of another context", other_stream)):
            yield f"{verb}: {label}", lambda: batch(verb, [a], [PIECE], ["device"], stream=stream)
    yield "synchronize", [ask(cu.cuStreamSynchronize(stream_)) for stream_ in (own, blocking, other_stream)]
    must(cu.cuStreamDestroy(own))
    for verb in (PREFETCH, DISCARD, BOTH):
        yield f"{verb}: destroyed", lambda: batch(verb, [a], [PIECE], ["device"], stream=own)


@question("a discard takes any range of bytes")
def discarded_ranges():
    s = a_stream()
    for verb in (DISCARD, BOTH):
        for offset, size in ((0, 1), (100, 100), (0, PAGE), (PAGE, PAGE), (PAGE - 1, 2), (0, 64 << 10), (0, PIECE), (PAGE, PIECE), (0, 2 * PIECE),
                             (0, 2 * PIECE + 1)):
            a = fresh()
            host_write(a, 7)
            yield f"{verb}: {size} bytes at {offset}", [batch(verb, [a + offset], [size], ["device"], stream=s), ask(cu.cuStreamSynchronize(s))]


@question("a discard leaves what surrounds the range as it was", varies={
    f"{verb}: in the range": "what is read of discarded memory is not defined" for verb in (DISCARD, BOTH)})
def surroundings():
    for verb in (DISCARD, BOTH):
        for place in ("device", "host"):
            s, a = a_stream(), fresh(6 * MIB)
            ctypes.memset(a, 7, 6 * MIB)
            prefetch_and_wait(a, 6 * MIB, place)
            yield f"{verb}: on the {place}", [batch(verb, [a + PIECE], [PIECE], ["device"], stream=s), ask(cu.cuStreamSynchronize(s))]
            yield f"{verb}: around it, on the {place}", [set(ctypes.string_at(a, PIECE)) == {7}, set(ctypes.string_at(a + 2 * PIECE, PIECE)) == {7},
                                                         read(a + PIECE - 2, 2).hex(), read(a + 2 * PIECE, 2).hex()]
        yield f"{verb}: in the range", read(a + PIECE, 4).hex()


@question("what is written after a discard is there, whoever writes and reads it, and after prefetches")
def written_after():
    for verb in (DISCARD, BOTH):
        for place in ("device", "host"):
            s, a = a_stream(), fresh()
            host_write(a, 7)
            prefetch_and_wait(a, 4 * MIB, place)
            code = batch(verb, [a], [4 * MIB], [place], stream=s)
            must(cu.cuStreamSynchronize(s))
            ctypes.memset(a, 9, 8)
            must(kernels.run("fill", a + 8, i32(1), i32(4)))
            must(cu.cuMemsetD8(a + 12, 5, 4))
            contents = [read(a, 16).hex(), ctypes.string_at(a, 16).hex()]
            for writer in ("device", "host"):
                prefetch_and_wait(a, 4 * MIB, writer)
                contents.append(read(a, 16).hex())
            yield f"{verb}: on the {place}", [code, *contents]


@question("a discard forgets neither advice nor the last prefetch")
def said_after():
    for verb in (DISCARD, BOTH):
        s, a = a_stream(), fresh()
        for advice in ("SET_READ_MOSTLY", "SET_PREFERRED_LOCATION", "SET_ACCESSED_BY"):
            advise(a, 4 * MIB, advice)
        yield f"{verb}: never prefetched", [batch(verb, [a], [PIECE], ["host"], stream=s), ask(cu.cuStreamSynchronize(s)), facts(a, PIECE)]
        prefetch_and_wait(a, 4 * MIB, "device")
        yield f"{verb}: prefetched", [batch(verb, [a], [PIECE], ["host"], stream=s), ask(cu.cuStreamSynchronize(s)), facts(a, PIECE),
                                      facts(a + PIECE, PIECE)]
        yield f"{verb}: a page", [batch(verb, [a + PIECE], [PAGE], ["host"], stream=s), ask(cu.cuStreamSynchronize(s)),
                                  by_page(a + PIECE, 3, mm.PREFETCHED)]


@question("a range may be named twice in a batch of discards")
def overlapping():
    s, a = a_stream(), fresh()
    for verb in (PREFETCH, DISCARD, BOTH):
        yield f"{verb}: the same twice", [batch(verb, [a, a], [PIECE, PIECE], ["device"], stream=s), ask(cu.cuStreamSynchronize(s))]
        yield f"{verb}: overlapping", [batch(verb, [a, a + MIB], [PIECE, PIECE], ["device"], stream=s), ask(cu.cuStreamSynchronize(s))]
