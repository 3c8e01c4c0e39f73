"""Batches of prefetches and discards in programs: what is written after, what others keep, in which order."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, pattern, read
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, batch, facts, fresh, host_byte, host_write, prefetch_and_wait, sure
from ...helpers.managed_variables import load, variable
from ...helpers.memory_kinds import make
from ...helpers.streams import Gate, stream
from ...helpers.threads_and_forks import in_thread

PIECE = 2 * MIB


@question("a block that is discarded and written anew has what was written, by whom it may be")
def written_anew():
    d = int(must(cu.cuMemAlloc(PIECE)))
    must(cu.cuMemsetD8(d, 0x33, PIECE))
    writers = {"a memset": lambda a: cu.cuMemsetD8(a, 0x33, PIECE), "a copy": lambda a: cu.cuMemcpyDtoD(a, d, PIECE),
               "a copy from the host": lambda a: cu.cuMemcpyHtoD(a, b"\x33" * PIECE, PIECE)}
    for verb in (mm.DISCARD, mm.BOTH):
        for label, write in writers.items():
            s, a = stream(), fresh()
            ctypes.memset(a, 7, PIECE)
            yield f"{verb}: {label}", [batch(verb, [a], [PIECE], ["device"], stream=s), ask(cu.cuStreamSynchronize(s)),
                                       ask(write(a)),
                                       ask(cu.cuCtxSynchronize()), set(ctypes.string_at(a, PIECE)) == {0x33}]


@question("a discard of one block leaves its neighbours' content, whatever advice they have")
def neighbours():
    for advice in ("SET_READ_MOSTLY", "SET_PREFERRED_LOCATION", "SET_ACCESSED_BY"):
        s, blocks = stream(), [fresh(PIECE) for _ in range(3)]
        for value, a in enumerate(blocks):
            ctypes.memset(a, 0x10 + value, PIECE)
            sure(advise(a, PIECE, advice))
        yield advice, [batch(mm.DISCARD, [blocks[1]], [PIECE], stream=s), ask(cu.cuStreamSynchronize(s)),
                       set(ctypes.string_at(blocks[0], PIECE)) == {0x10},
                       set(ctypes.string_at(blocks[2], PIECE)) == {0x12}, facts(blocks[1], PIECE)]


@question("memory that is attached to a stream or to the host is discarded and used on")
def attached():
    for flags in (1, 2):
        for how in (1, 2, 4):
            s, a = stream(), fresh(flags=flags)
            host_write(a, 7)
            codes = [attach(s, a, 0, how), batch(mm.DISCARD, [a], [PIECE], stream=s),
                     ask(kernels.launch("fill", a, i32(1), i32(8), stream=int(s)))]
            yield f"allocated with {flags}, attached with {how}", [*codes, ask(cu.cuStreamSynchronize(s)),
                                                                   ctypes.string_at(a, 8).hex()]


@question("a block is discarded, prefetched and discarded again, and says the last prefetch")
def again_and_again():
    s, a = stream(), fresh()
    for at, (verb, place) in enumerate(((mm.PREFETCH, "device"), (mm.DISCARD, "host"), (mm.BOTH, "host"),
                                        (mm.DISCARD, "device"), (mm.PREFETCH, "host numa"),
                                        (mm.BOTH, "device"))):
        yield f"{at}: {verb} {place}", [batch(verb, [a, a + PIECE], [PIECE, PAGE], [place], stream=s),
                                        ask(cu.cuStreamSynchronize(s)), facts(a, PIECE),
                                        attribute(mm.PREFETCHED, a + PIECE, PAGE),
                                        attribute(mm.PREFETCHED, a + PIECE, 2 * PAGE)]


@question("a batch waits for its stream, and what it is to prefetch is told at once", alone=True)
def behind_other_work():
    for verb in (mm.PREFETCH, mm.BOTH):
        s, a = stream(), fresh()
        prefetch_and_wait(a, PIECE, "host")
        gate = Gate(s)
        answer = [batch(verb, [a], [PIECE], ["device"], stream=s), ask(cu.cuStreamQuery(s)), facts(a, PIECE),
                  facts(a + PIECE, PAGE)]
        gate.open()
        yield verb, [*answer, ask(cu.cuStreamSynchronize(s)), facts(a, PIECE)]


@question("a block is discarded and prefetched in batches by another context, and by a thread")
def elsewhere():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    second = new_context()
    s = stream()
    for verb in (mm.PREFETCH, mm.DISCARD, mm.BOTH):
        yield f"{verb}: a second context", [batch(verb, [a], [PIECE], ["host"], stream=s),
                                            ask(cu.cuStreamSynchronize(s)), facts(a, PIECE)]

    def work():
        must(cu.cuCtxSetCurrent(second))
        return [batch(mm.BOTH, [a + PIECE], [PIECE], ["device"], stream=s), ask(cu.cuStreamSynchronize(s))]
    yield "a thread", [in_thread(work), facts(a + PIECE, PIECE)]
    must(cu.cuCtxSetCurrent(first))
    yield "the first context's kernel", [ask(kernels.run("fill", a, i32(1), i32(3))), ctypes.string_at(a, 3).hex()]


@question("ranges of several blocks, of a variable and of an odd size are prefetched by one batch")
def several_blocks():
    s, big = stream(), variable(load(), "big")[0]
    small, odd, large = fresh(5000), fresh(3 * MIB + 7), fresh(16 * MIB)
    ctypes.memmove(large, pattern(100), 100)
    ranges = [(small, 5000), (odd + 100, 3 * MIB - 93), (large, 16 * MIB), (big + PAGE, PAGE)]
    for label, places, indices in (("all to the device", ["device"], [0]), ("two and two", ["host", "device"], [0, 2]),
                                   ("each its own", ["host", "device", "host", "host"], [0, 1, 2, 3])):
        yield label, [batch(mm.PREFETCH, *zip(*ranges), places, indices, stream=s), ask(cu.cuStreamSynchronize(s)),
                      [attribute(mm.PREFETCHED, at, size) for at, size in ranges]]
    yield "one byte too many", [batch(mm.PREFETCH, [small, odd], [5000, 3 * MIB + 8], ["device"], stream=s),
                                ask(cu.cuStreamSynchronize(s))]
    yield "content", [ctypes.string_at(large, 100) == pattern(100), read(large + 50, 4).hex()]


@question("a batch takes one mistake in any of its ranges as a mistake of the batch, in whatever order", alone=True)
def one_mistake():
    s, d = stream(), make("device").address
    for verb in (mm.PREFETCH, mm.DISCARD, mm.BOTH):
        for at in (0, 2):
            ranges = [(fresh(PIECE), PIECE) for _ in range(3)]
            ranges[at] = (d, PAGE)
            yield f"{verb}: device memory as number {at}", lambda: [batch(verb, *zip(*ranges), ["device"], stream=s),
                                                                    ask(cu.cuStreamSynchronize(s))]
        a, freed = fresh(PIECE), fresh(PIECE)
        must(cu.cuMemFree(freed))
        yield f"{verb}: a freed one last", lambda: [batch(verb, [a, freed], [PIECE, PIECE], ["device"], stream=s),
                                                    ask(cu.cuStreamSynchronize(s))]


@question("a discard of some pages leaves the bytes beside them, and a kernel writes into what was discarded")
def some_pages():
    for offset, size in ((PAGE, PAGE), (64 << 10, 64 << 10), (PIECE - PAGE, 2 * PAGE), (100, 5000)):
        s, a = stream(), fresh()
        ctypes.memset(a, 7, 4 * MIB)
        prefetch_and_wait(a, 4 * MIB, "device")
        code = [batch(mm.DISCARD, [a + offset], [size], stream=s), ask(cu.cuStreamSynchronize(s))]
        yield f"{size} at {offset}", [*code, host_byte(a), host_byte(a + offset - 1), host_byte(a + offset + size),
                                      host_byte(a + 4 * MIB - 1),
                                      ask(kernels.run("fill", a + offset, i32(0x44), i32(2))),
                                      ctypes.string_at(a + offset, 2).hex()]


@question("a prefetch after a discard brings memory that is written and read as any other")
def prefetched_after():
    for place in ("device", "host"):
        for destination in ("device", "host"):
            s, a = stream(), fresh()
            ctypes.memset(a, 7, 4 * MIB)
            prefetch_and_wait(a, 4 * MIB, place)
            codes = [batch(mm.DISCARD, [a], [4 * MIB], stream=s), mm.prefetch(a, 4 * MIB, destination, 0, s),
                     ask(cu.cuMemsetD8Async(a, 5, 64, s))]
            yield f"on the {place}, to the {destination}", [*codes, ask(cu.cuStreamSynchronize(s)),
                                                     set(ctypes.string_at(a, 64)) == {5}, facts(a, 4 * MIB)]
