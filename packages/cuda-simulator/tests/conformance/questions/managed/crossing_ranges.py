"""Parts of managed memory: advice and prefetches whose ranges cross, join, leave holes; what other ranges then say."""
import random

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import managed_memory as mm
from ...helpers.calls import ask, must
from ...helpers.managed_calls import range_attributes
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, batch, by_page, facts, fresh, prefetch_and_wait, sure

HALF = 2 * MIB
ADVISED = {"READ_MOSTLY": mm.MOSTLY, "PREFERRED_LOCATION": mm.PREFERRED, "ACCESSED_BY": mm.ACCESSED_BY}
FOUR = (mm.MOSTLY, mm.PREFERRED, mm.ACCESSED_BY, mm.PREFETCHED)


def four(address, size):
    """Read mostly, preferred, the first who accesses it, prefetched."""
    return [attribute(number, address, size) for number in FOUR]


@question("advice for half a block is told of what lies in that half, and not of what reaches over its border")
def halves():
    for advice, number in ADVISED.items():
        a = fresh()
        sure(advise(a, HALF, f"SET_{advice}"))
        for offset, size in ((0, 1), (HALF - 1, 1), (HALF - 1, 2), (HALF, 1), (HALF - 100, 50), (HALF - 100, 100),
                             (HALF - 100, 101),
                             (100, HALF - 100), (100, HALF), (HALF - PAGE, 2 * PAGE), (0, 4 * MIB), (3 * MIB + 5, 7)):
            yield f"{advice}: {size} bytes at {offset}", attribute(number, a + offset, size)


@question("a prefetch of half a block is told of what lies in that half, and not of what reaches over its border")
def half_prefetched():
    for place in ("device", "host", "host numa"):
        a = fresh()
        prefetch_and_wait(a + HALF, HALF, place)
        for offset, size in ((0, 1), (HALF - 1, 1), (HALF - 1, 2), (HALF, 1), (HALF + 1, HALF - 1),
                             (HALF - PAGE, 2 * PAGE), (0, 4 * MIB)):
            yield f"{place}: {size} bytes at {offset}", [attribute(number, a + offset, size) for number in (
                mm.PREFETCHED, mm.PREFETCHED_TYPE, mm.PREFETCHED_ID)]


@question("of pages that have advice in turn, none is lost, and a range of several has none")
def checkerboard():
    for advice, number in ADVISED.items():
        a = fresh()
        for page in range(0, 8, 2):
            sure(advise(a + page * PAGE, PAGE, f"SET_{advice}"))
        yield f"{advice}: pages", by_page(a, 9, number)
        yield f"{advice}: pairs", [attribute(number, a + page * PAGE, 2 * PAGE) for page in range(8)]
        yield f"{advice}: eight", attribute(number, a, 8 * PAGE)
        sure(advise(a + PAGE, 5 * PAGE, f"SET_{advice}"))
        yield f"{advice}: filled up to the sixth", [by_page(a, 9, number), attribute(number, a, 6 * PAGE),
                                                  attribute(number, a, 8 * PAGE)]
        sure(advise(a, 8 * PAGE, f"UNSET_{advice}"))
        yield f"{advice}: all taken back", [by_page(a, 9, number), attribute(number, a, 8 * PAGE)]


@question("advice that is taken back in the middle leaves a hole of just these pages")
def hole():
    for advice, number in ADVISED.items():
        for page, count in ((3, 1), (3, 3), (1, 6)):
            a = fresh()
            sure(advise(a, 8 * PAGE, f"SET_{advice}"))
            sure(advise(a + page * PAGE, count * PAGE, f"UNSET_{advice}"))
            yield f"{advice}: {count} pages from {page}", [
                by_page(a, 9, number), attribute(number, a, page * PAGE), attribute(number, a, 8 * PAGE),
                attribute(number, a + (page + count) * PAGE, (8 - page - count) * PAGE)]


@question("advice for a block of which a part has it already is advice for the whole block")
def filled():
    for advice, number in ADVISED.items():
        for page, count in ((0, 1), (5, 2), (512, 1), (1023, 1)):
            a = fresh()
            sure(advise(a + page * PAGE, count * PAGE, f"SET_{advice}"))
            sure(advise(a, 4 * MIB, f"SET_{advice}"))
            yield f"{advice}: {count} pages from {page} had it", [
                attribute(number, a, 4 * MIB), by_page(a, 8, number), attribute(number, a + 3 * MIB, MIB)]
            sure(advise(a, 4 * MIB, f"UNSET_{advice}"))
            yield f"{advice}: {count} pages from {page}, taken back", [
                attribute(number, a, 4 * MIB), by_page(a, 8, number)]


@question("three kinds of advice whose ranges cross are told apart in every piece")
def crossing():
    a = fresh()
    sure(advise(a, 4 * PAGE, "SET_READ_MOSTLY"))
    sure(advise(a + 2 * PAGE, 4 * PAGE, "SET_PREFERRED_LOCATION", "host"))
    sure(advise(a + 3 * PAGE, 5 * PAGE, "SET_ACCESSED_BY"))
    yield "each page", [four(a + page * PAGE, PAGE) for page in range(9)]
    for page, count in ((0, 2), (0, 4), (2, 2), (2, 4), (3, 3), (3, 5), (0, 8), (6, 3)):
        yield f"{count} pages from {page}", four(a + page * PAGE, count * PAGE)
    prefetch_and_wait(a + PAGE, 4 * PAGE)
    yield "each page, four of them prefetched", [four(a + page * PAGE, PAGE) for page in range(9)]
    for page, count in ((0, 2), (1, 4), (2, 3), (0, 9)):
        yield f"{count} pages from {page}, four prefetched", four(a + page * PAGE, count * PAGE)


@question("an allocation of any size takes advice up to its last byte, and says nothing of what follows in that page")
def odd_sizes():
    for size in (HALF + 1, 3 * MIB - 7, 4 * MIB + 100, 5 * MIB + 12345, 6 * MIB + PAGE - 1):
        a = fresh(size)
        yield f"{size}: all of it", [advise(a, size, f"SET_{advice}") for advice in ADVISED]
        yield f"{size}: told of all of it", facts(a, size)
        yield f"{size}: its last byte", facts(a + size - 1, 1)
        yield f"{size}: a byte more", [advise(a, size + 1, "SET_READ_MOSTLY"), facts(a, size + 1)]
        yield f"{size}: the rest of its last page", [advise(a + size - 1, 2, "UNSET_READ_MOSTLY"),
                                                     facts(a + size - 1, 2)]
        yield f"{size}: its last page", facts(a + (size - 1) // PAGE * PAGE, (size - 1) % PAGE + 1)


@question("an allocation of any size is prefetched up to its last byte")
def odd_sizes_prefetched():
    for size in (HALF + 1, 3 * MIB - 7, 4 * MIB + 100, 6 * MIB + PAGE - 1):
        for place in ("device", "host"):
            a = fresh(size)
            yield f"{size} to the {place}", [mm.prefetch(a, size, place), ask(cu.cuCtxSynchronize()), facts(a, size),
                                             attribute(mm.PREFETCHED, a + size - 1, 1)]
            yield f"{size} to the {place}: a byte more", mm.prefetch(a, size + 1, place)
        b = fresh(size)
        prefetch_and_wait(b + size - 1, 1)
        yield f"{size}: its last byte alone", [by_page(b + (size - 1) // PAGE * PAGE - 2 * PAGE, 2, mm.PREFETCHED),
                                               attribute(mm.PREFETCHED, b + size - 1, 1),
                                               attribute(mm.PREFETCHED, b, size)]


@question("a preferred place in the middle of another is the middle's own, and all are taken back at once")
def preferred_within():
    for outer, inner in (("device", "host"), ("host", "device")):
        a = fresh()
        sure(advise(a, 8 * PAGE, "SET_PREFERRED_LOCATION", outer))
        sure(advise(a + 3 * PAGE, 2 * PAGE, "SET_PREFERRED_LOCATION", inner))
        for number in (mm.PREFERRED, mm.PREFERRED_TYPE, mm.PREFERRED_ID):
            yield f"{inner} in {outer}: {mm.ATTRIBUTES[number]}", [
                by_page(a, 9, number), *(attribute(number, a, count * PAGE) for count in (3, 4, 8))]
        sure(advise(a, 8 * PAGE, "UNSET_PREFERRED_LOCATION", inner))
        yield f"{inner} in {outer}: taken back in the inner's name", by_page(a, 9, mm.PREFERRED)


@question("who accesses a range is taken back in its middle for one and stays for the other")
def accessed_within():
    for removed, stays in (("device", "host"), ("host", "device")):
        a = fresh()
        for place in (removed, stays):
            sure(advise(a, 8 * PAGE, "SET_ACCESSED_BY", place))
        sure(advise(a + 3 * PAGE, 2 * PAGE, "UNSET_ACCESSED_BY", removed))
        yield f"{removed}: each page", [attribute(mm.ACCESSED_BY, a + page * PAGE, PAGE, 12, 3) for page in range(8)]
        for page, count in ((0, 3), (2, 2), (3, 2), (4, 2), (0, 8)):
            who = attribute(mm.ACCESSED_BY, a + page * PAGE, count * PAGE, 12, 3)
            yield f"{removed}: {count} pages from {page}", who


@question("a prefetch of a block of which a part was prefetched elsewhere is the last one of all its pages")
def prefetched_over():
    for first_place, second_place in (("host", "device"), ("device", "host"), ("host numa", "host"), ("host", "host numa")):
        a = fresh()
        prefetch_and_wait(a + 5 * PAGE, 3 * PAGE, first_place)
        attributes_before = [attribute(mm.PREFETCHED, a, 4 * MIB), attribute(mm.PREFETCHED_TYPE, a + 5 * PAGE, 3 * PAGE)]
        prefetch_and_wait(a, 4 * MIB, second_place)
        yield f"{first_place}, then {second_place}", [attributes_before, facts(a, 4 * MIB), by_page(a + 4 * PAGE, 5, mm.PREFETCHED_TYPE)]


@question("the pages of a batch's ranges in one block are prefetched each to its place, and no others are")
def batch_in_one_block():
    s, a = must(cu.cuStreamCreate(1)), fresh()
    code = batch(mm.PREFETCH, [a, a + 4 * PAGE, a + 6 * PAGE], [2 * PAGE, PAGE, 100], ["device", "host", "device"],
                 stream=s)
    yield "three ranges", [code, ask(cu.cuStreamSynchronize(s)), by_page(a, 8, mm.PREFETCHED)]
    code = batch(mm.PREFETCH, [a + PAGE, a + PAGE + 100], [4 * PAGE, 50], ["host", "device"], stream=s)
    yield "overlapping, to different places", [code, ask(cu.cuStreamSynchronize(s)), by_page(a, 8, mm.PREFETCHED)]
    code = batch(mm.PREFETCH, [a + page * PAGE for page in range(100)], [PAGE] * 100, ["host", "device"], [0, 50],
                 stream=s)
    yield "a hundred pages", [code, ask(cu.cuStreamSynchronize(s)), attribute(mm.PREFETCHED, a, 50 * PAGE),
                              attribute(mm.PREFETCHED, a + 50 * PAGE, 50 * PAGE),
                              attribute(mm.PREFETCHED, a, 100 * PAGE)]


@question("advice for a single byte is told of any other byte of its page, and of no byte beside the page")
def single_bytes():
    for at in (0, 1, 2047, PAGE - 1, PAGE, 5 * PAGE + 77, HALF - 1, 4 * MIB - 1):
        a, page = fresh(), at // PAGE * PAGE
        sure(advise(a + at, 1, "SET_READ_MOSTLY"))
        yield f"{at}", [attribute(mm.MOSTLY, a + other, 1) for other in (page, page + 33, page + PAGE - 1)] + [
            attribute(mm.MOSTLY, a + other, 1) for other in (page - 1, page + PAGE) if 0 <= other < 4 * MIB]


@question("several attributes of pages that differ are told by one call as by one call each")
def several_of_mixed():
    a = fresh()
    sure(advise(a, 3 * PAGE, "SET_READ_MOSTLY"))
    sure(advise(a + PAGE, 3 * PAGE, "SET_PREFERRED_LOCATION"))
    sure(advise(a + 2 * PAGE, PAGE, "SET_ACCESSED_BY", "host"))
    prefetch_and_wait(a + 2 * PAGE, 2 * PAGE, "host")
    for page, count in ((0, 1), (1, 1), (2, 1), (3, 1), (1, 2), (0, 3), (2, 2), (0, 5)):
        yield f"{count} pages from {page}", [range_attributes(list(mm.ATTRIBUTES), a + page * PAGE, count * PAGE),
                                              facts(a + page * PAGE, count * PAGE)]


@question("advice for many ranges one after the other is told as the last word on each page has it")
def rounds():
    for seed in range(12):
        chosen, a = random.Random(seed), fresh()
        for _ in range(10):
            start = chosen.randrange(12 * PAGE)
            size = chosen.choice((1, 100, PAGE, 2 * PAGE, 5 * PAGE))
            if chosen.random() < 0.25:
                prefetch_and_wait(a + start, size, chosen.choice(("device", "host")))
            else:
                sure(advise(a + start, size, chosen.choice(list(mm.ADVICE)), chosen.choice(("device", "host"))))
        yield f"{seed}: each page", [four(a + page * PAGE, PAGE) for page in range(17)]
        for turn in range(4):
            page, count = chosen.randrange(12), chosen.choice((2, 3, 6))
            yield f"{seed}, {turn}: {count} pages from {page}", four(a + page * PAGE, count * PAGE)
