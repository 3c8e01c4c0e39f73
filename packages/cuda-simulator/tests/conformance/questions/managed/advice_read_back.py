"""Advice and prefetches as programs give them, and what is then read back of each piece."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, raw
from ...helpers.kernels import i32
from ...helpers.managed_calls import range_attributes
from ...helpers.managed_memory import (
    MIB,
    PAGE,
    advise,
    attribute,
    batch,
    by_page,
    facts,
    fresh,
    host_write,
    prefetch,
    prefetch_and_wait,
    sure,
)
from ...helpers.streams import stream


@question("a halo between two halves is advised for both, and each half keeps its own place")
def halo():
    a, half = fresh(), 2 * MIB
    codes = [advise(a, half, "SET_PREFERRED_LOCATION", "device"), advise(a + half, half, "SET_PREFERRED_LOCATION",
                                                                         "host"),
             advise(a + half - PAGE, 2 * PAGE, "SET_ACCESSED_BY", "device"),
             advise(a + half - PAGE, 2 * PAGE, "SET_ACCESSED_BY", "host")]
    yield "codes", codes
    yield "halves", [facts(a, half), facts(a + half, half)]
    yield "halo", [facts(a + half - PAGE, 2 * PAGE), facts(a + half - PAGE, PAGE), facts(a + half, PAGE)]
    yield "the halo goes", [advise(a, 4 * MIB, "UNSET_ACCESSED_BY", "host"), facts(a + half - PAGE, 2 * PAGE)]
    yield "around it", [attribute(mm.PREFERRED, a + half - PAGE, PAGE), attribute(mm.PREFERRED, a + half, PAGE)]


@question("a preferred place is taken back in the middle of a range, and what remains has two ends")
def two_ends():
    a = fresh()
    sure(advise(a, 8 * PAGE, "SET_PREFERRED_LOCATION"))
    yield "taken back", advise(a + 3 * PAGE + 1, PAGE, "UNSET_PREFERRED_LOCATION", "host")
    yield "pages", [by_page(a, 9, mm.PREFERRED), by_page(a, 9, mm.PREFERRED_TYPE), by_page(a, 9, mm.PREFERRED_ID)]
    yield "ends", [attribute(mm.PREFERRED, a, 3 * PAGE), attribute(mm.PREFERRED, a, 3 * PAGE + 1),
                   attribute(mm.PREFERRED, a + 5 * PAGE, 3 * PAGE)]
    yield "filled again", [advise(a + 3 * PAGE, 2 * PAGE, "SET_PREFERRED_LOCATION"),
                           attribute(mm.PREFERRED, a, 8 * PAGE)]


@question("a list of who accesses a range has room for one, two or more, and is the same for a page and for all")
def list_of_accesses():
    a = fresh()
    for place in ("host", "device"):
        sure(advise(a, 4 * MIB, "SET_ACCESSED_BY", place))
    for cells in (1, 2, 3, 5):
        yield f"room for {cells}", [attribute(mm.ACCESSED_BY, a, 4 * MIB, 4 * cells, cells),
                                    attribute(mm.ACCESSED_BY, a + PAGE, 1, 4 * cells, cells)]
    yield "no room", [attribute(mm.ACCESSED_BY, a, PAGE, 0), attribute(mm.ACCESSED_BY, a, PAGE, 6, 2),
                      attribute(mm.ACCESSED_BY, a, PAGE, 3)]
    yield "one goes", [advise(a + MIB, MIB, "UNSET_ACCESSED_BY"), attribute(mm.ACCESSED_BY, a, 4 * MIB, 8, 2),
                       attribute(mm.ACCESSED_BY, a + MIB, MIB, 8, 2)]


@question("a phase that only reads is begun and ended by advice, and writes of either side between them keep it")
def reading_phase():
    a = fresh()
    host_write(a, 1)
    yield "begun", [advise(a, 4 * MIB, "SET_READ_MOSTLY"), prefetch(a, 4 * MIB), ask(cu.cuCtxSynchronize()),
                    facts(a, 4 * MIB)]
    host_write(a, 2)
    yield "the host writes", [facts(a, PAGE), ask(kernels.run("copy", a + PAGE, a, i32(2))),
                              ctypes.string_at(a + PAGE, 3).hex()]
    yield "a kernel writes", [ask(kernels.run("fill", a, i32(5), i32(3))), ctypes.string_at(a, 4).hex(),
                              attribute(mm.MOSTLY, a, 4 * MIB)]
    yield "ended for a part", [advise(a, PAGE, "UNSET_READ_MOSTLY", "host"), attribute(mm.MOSTLY, a, 4 * MIB),
                               attribute(mm.MOSTLY, a + PAGE, PAGE)]
    yield "ended", [advise(a, 4 * MIB, "UNSET_READ_MOSTLY", "device 7"), attribute(mm.MOSTLY, a + PAGE, PAGE)]


@question("of a hundred prefetches of one page the last is told, whatever stream they were in")
def hundred():
    a, s = fresh(), stream()
    for count, label in ((99, "the host last"), (100, "the device last")):
        codes = set()
        for turn in range(count):
            codes.add(prefetch(a, PAGE, ("host", "device")[turn % 2], 0, s))
        yield label, [sorted(codes), ask(cu.cuStreamSynchronize(s)), facts(a, PAGE), facts(a, 2 * PAGE)]
    yield "a node of the host", [prefetch(a, PAGE, "host numa", 0, s), ask(cu.cuStreamSynchronize(s)), facts(a, PAGE)]
    yield "no room for more than one int", [attribute(mm.PREFETCHED, a, PAGE, 8, 2),
                                            attribute(mm.PREFETCHED_ID, a, PAGE, 2)]


@question("a prefetch and a preferred place of different kinds stand beside each other")
def beside_each_other():
    for preferred in ("device", "host", "host numa"):
        for place in ("device", "host numa"):
            a = fresh()
            yield f"preferred {preferred}, prefetched to {place}", [advise(a, 4 * MIB, "SET_PREFERRED_LOCATION",
                                                                           preferred),
                                                                    prefetch(a, PAGE, place),
                                                                    ask(cu.cuCtxSynchronize()), facts(a, PAGE)]


@question("the attributes of a range are told in one call in any order and twice, if the range is right")
def in_one_call():
    a = fresh()
    sure(advise(a, 4 * MIB, "SET_PREFERRED_LOCATION", "host"))
    prefetch_and_wait(a, 4 * MIB)
    numbers = [mm.PREFETCHED_ID, mm.MOSTLY, mm.PREFERRED_TYPE, mm.PREFETCHED, mm.PREFERRED]
    yield "backwards", range_attributes(numbers[::-1], a, 4 * MIB)
    yield "one twice", range_attributes([mm.PREFERRED, mm.MOSTLY, mm.PREFERRED], a + 7, 9)
    yield "fewer than there are", range_attributes(numbers, a, PAGE, count=2)
    yield "none", range_attributes(numbers, a, PAGE, count=0)
    yield "a size past the end", range_attributes(numbers[:2], a, 4 * MIB + 1)
    yield "a room too small", range_attributes(numbers[:2], a, PAGE, rooms=[4, 2])


@question("advice of the older call and of the newer are for the same pages, and take each other back")
def older_and_newer():
    a, older = fresh(), lambda advice, place: raw("cuMemAdvise", a, PAGE, mm.ADVICE[advice], place)
    yield "older, taken back by the newer", [older("SET_ACCESSED_BY", 0), facts(a, PAGE),
                                             advise(a, PAGE, "UNSET_ACCESSED_BY"), facts(a, PAGE)]
    yield "newer, taken back by the older", [advise(a, PAGE, "SET_PREFERRED_LOCATION", "host"), facts(a, PAGE),
                                             older("UNSET_PREFERRED_LOCATION", 0), facts(a, PAGE)]
    yield "the host", [older("SET_PREFERRED_LOCATION", 0xFFFFFFFF), facts(a, PAGE)]
    yield "a device that is not", [older("SET_PREFERRED_LOCATION", 7), older("SET_READ_MOSTLY", 7),
                                   older("UNSET_ACCESSED_BY", 7), facts(a, PAGE)]


@question("what was advised for a block is told in another context, and taken back there")
def other_context():
    a, context = fresh(), must(cu.cuCtxGetCurrent())
    sure(advise(a, PAGE, "SET_READ_MOSTLY"))
    other_context = new_context()
    yield "told", facts(a, PAGE)
    yield "more", [advise(a, 2 * PAGE, "SET_ACCESSED_BY"), prefetch(a, PAGE, "host"), ask(cu.cuCtxSynchronize()),
                   facts(a, PAGE), facts(a + PAGE, PAGE)]
    yield "it ends", [ask(cu.cuCtxDestroy(other_context)), ask(cu.cuCtxSetCurrent(context)), facts(a, PAGE)]
    yield "taken back", [advise(a, 4 * MIB, "UNSET_READ_MOSTLY"), advise(a, 4 * MIB, "UNSET_ACCESSED_BY"),
                         facts(a, 4 * MIB)]


@question("a batch of prefetches over three blocks says of each piece what a single prefetch would say")
def batch_of_three():
    blocks, s = [fresh(), fresh(2 * MIB), fresh(3 * MIB)], stream()
    yield "one place for all", [batch(mm.PREFETCH, blocks, [PAGE, 2 * MIB, MIB], ["device"], stream=s),
                                ask(cu.cuStreamSynchronize(s)),
                                [attribute(mm.PREFETCHED, a, size) for a, size in zip(blocks, (PAGE, 2 * MIB, MIB))]]
    yield "beyond them", [attribute(mm.PREFETCHED, blocks[0], 2 * PAGE), attribute(mm.PREFETCHED, blocks[2], 3 * MIB)]
    yield "the last elsewhere", [batch(mm.PREFETCH, blocks, [PAGE] * 3, ["device", "host"], [0, 2], stream=s),
                                 ask(cu.cuStreamSynchronize(s)),
                                 [facts(a, PAGE) for a in blocks]]
    yield "one block twice", [batch(mm.PREFETCH, [blocks[1], blocks[1]], [PAGE, 2 * PAGE], ["host", "device"],
                                    stream=s),
                              ask(cu.cuStreamSynchronize(s)), by_page(blocks[1], 3, mm.PREFETCHED)]
