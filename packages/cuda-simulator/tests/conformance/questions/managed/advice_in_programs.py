"""Advice and prefetches as programs give them: by rows, by halves, in any order; what is read back of each range."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, raw
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach, range_attributes
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait, sure
from ...helpers.memory_kinds import make
from ...helpers.streams import stream

ROW = 3 * PAGE


def by_rows(a, rows, number):
    return [attribute(number, a + row * ROW, ROW) for row in range(rows)]


@question("a matrix is advised by rows, and each row says its own")
def rows():
    a = fresh()
    for row in range(0, 8, 2):
        sure(advise(a + row * ROW, ROW, "SET_PREFERRED_LOCATION", "device" if row % 4 else "host"))
        sure(advise(a + (row + 1) * ROW, ROW, "SET_ACCESSED_BY"))
    yield "preferred", by_rows(a, 9, mm.PREFERRED)
    yield "accessed by", by_rows(a, 9, mm.ACCESSED_BY)
    yield "two rows", [attribute(mm.PREFERRED, a, 2 * ROW), attribute(mm.ACCESSED_BY, a + ROW, 2 * ROW)]
    yield "a row from its middle on", [attribute(mm.PREFERRED, a + ROW // 2, ROW),
                                       attribute(mm.PREFERRED, a + ROW // 2, ROW // 2)]
    for row in range(8):
        sure(advise(a + row * ROW, ROW, "SET_PREFERRED_LOCATION", "device"))
    yield "all rows preferred on the device", [by_rows(a, 8, mm.PREFERRED), attribute(mm.PREFERRED, a, 8 * ROW),
                                               attribute(mm.PREFERRED, a, 9 * ROW)]


@question("a matrix whose rows are prefetched in turn to device and host has no last place as a whole, and then one")
def rows_prefetched():
    a = fresh()
    for row in range(6):
        prefetch_and_wait(a + row * ROW, ROW, ("device", "host")[row % 2])
    yield "rows", by_rows(a, 7, mm.PREFETCHED)
    yield "all", [facts(a, 6 * ROW), facts(a + ROW, ROW)]
    for row in range(0, 6, 2):
        prefetch_and_wait(a + row * ROW + 50, ROW - 100, "host")
    yield "the other rows but for some bytes", [by_rows(a, 7, mm.PREFETCHED), attribute(mm.PREFETCHED, a, 6 * ROW)]
    yield "and a row more", [prefetch(a + 6 * ROW, 1, "host"), attribute(mm.PREFETCHED, a, 6 * ROW + 1),
                             attribute(mm.PREFETCHED, a, 7 * ROW)]


@question("the host is named first, the device after it, and each advice is read back as it is left")
def host_first():
    a = fresh()
    steps = (("SET_ACCESSED_BY", "host"), ("SET_PREFERRED_LOCATION", "device"), ("SET_ACCESSED_BY", "device"),
             ("UNSET_ACCESSED_BY", "host"), ("SET_PREFERRED_LOCATION", "host"), ("SET_READ_MOSTLY", "host"),
             ("UNSET_PREFERRED_LOCATION", "device"))
    for at, (advice, place) in enumerate(steps):
        sure(advise(a, 5 * PAGE, advice, place))
        yield f"{at}: {advice}, {place}", facts(a, 5 * PAGE)


@question("ranges that begin and end within pages are told as the pages are")
def within_pages():
    a = fresh()
    sure(advise(a + 123, 7777, "SET_PREFERRED_LOCATION", "host"))
    prefetch_and_wait(a + 9000, 7777, "device")
    for offset, size in ((0, 1), (123, 7777), (2 * PAGE - 1, 1), (2 * PAGE - 1, 2), (9000, 7777), (9000 - 808, 9000),
                         (4 * PAGE + 391, 1),
                         (5 * PAGE, 1)):
        yield f"{size} at {offset}", [attribute(mm.PREFERRED, a + offset, size),
                                      attribute(mm.PREFETCHED, a + offset, size)]


@question("memory whose size is no whole number of pages is advised and prefetched to its last byte, and no further")
def small():
    size = 100_000
    a = fresh(size)    # alone: two of such a size may share a page
    yield "advised", [advise(a, size, "SET_READ_MOSTLY"), advise(a, size, "SET_PREFERRED_LOCATION", "host"),
                      facts(a, size)]
    yield "prefetched", [prefetch(a + size - 1, 1), ask(cu.cuCtxSynchronize()),
                         attribute(mm.PREFETCHED, a + size - 1, 1),
                         attribute(mm.PREFETCHED, a, 1), attribute(mm.PREFETCHED, a, size)]
    yield "all of it", [prefetch(a, size, "host"), ask(cu.cuCtxSynchronize()), facts(a, size), facts(a + size - 1, 1)]
    for surplus in (1, PAGE, size):
        yield f"{surplus} bytes more", [advise(a, size + surplus, "UNSET_READ_MOSTLY"), prefetch(a, size + surplus),
                                     attribute(mm.MOSTLY, a, size + surplus), attribute(mm.MOSTLY, a, size)]


@question("several attributes are told by one call for ranges that share a page")
def several():
    a = fresh()
    sure(advise(a, 2 * PAGE, "SET_READ_MOSTLY"))
    sure(advise(a + PAGE, 2 * PAGE, "SET_ACCESSED_BY", "host"))
    prefetch_and_wait(a + PAGE, PAGE, "device")
    numbers = [mm.PREFETCHED, mm.MOSTLY, mm.ACCESSED_BY, mm.PREFETCHED_TYPE]
    for page, count in ((0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (0, 3)):
        yield f"{count} pages from {page}", range_attributes(numbers, a + page * PAGE, count * PAGE)
    yield "room for three in the list", range_attributes([mm.ACCESSED_BY, mm.MOSTLY], a + PAGE, PAGE, [12, 4])


@question("what uses managed memory takes no advice from it")
def advice_stays():
    s, d = stream(), make("device").address
    uses = {"host": lambda a: host_write(a, 1), "kernel": lambda a: ask(kernels.run("fill", a, i32(1), i32(9))),
            "memset": lambda a: ask(cu.cuMemsetD8(a, 1, PAGE)),
            "copied from": lambda a: ask(cu.cuMemcpyDtoD(d, a, PAGE)),
            "copied to": lambda a: ask(cu.cuMemcpyDtoD(a, d, PAGE)),
            "attached": lambda a: [attach(s, a), ask(cu.cuStreamSynchronize(s)), attach(s, a, 0, 1)],
            "prefetched": lambda a: prefetch(a, PAGE, "device"),
            "asked about": lambda a: ask(cu.cuMemGetAddressRange(a))}
    for label, use in uses.items():
        a = fresh()
        for advice in ("SET_READ_MOSTLY", "SET_PREFERRED_LOCATION", "SET_ACCESSED_BY"):
            sure(advise(a, 2 * PAGE, advice, "host"))
        yield label, [use(a), ask(cu.cuCtxSynchronize()), facts(a, 2 * PAGE)]


@question("a byte of every page is prefetched, and so all pages are")
def a_byte_of_each():
    for place in ("device", "host"):
        a = fresh()
        for page in range(16):
            sure(prefetch(a + page * PAGE + 37 * page, 1, place))
        must(cu.cuCtxSynchronize())
        yield f"{place}: sixteen", facts(a, 16 * PAGE)
        yield f"{place}: seventeen", facts(a, 17 * PAGE)
        yield f"{place}: the last", mm.by_page(a + 14 * PAGE, 3, mm.PREFETCHED)


@question("memory that was allocated for the host takes each advice, and is prefetched")
def for_the_host():
    for advice in mm.ADVICE:
        a = fresh(flags=2)
        host_write(a, 7)
        yield advice, [advise(a, PAGE, advice, "host"), advise(a + PAGE, PAGE, advice), facts(a, PAGE),
                       facts(a + PAGE, PAGE), host_byte(a)]
    a = fresh(3 * MIB, 2)
    yield "prefetched", [prefetch(a + MIB, MIB), ask(cu.cuCtxSynchronize()),
                         [attribute(mm.PREFETCHED, a + at * MIB, MIB) for at in range(3)]]


@question("the first page of every 2 MiB is advised, and the rest of a large block is not")
def every_large_page():
    a = fresh(64 * MIB)
    for at in range(0, 64, 2):
        sure(advise(a + at * MIB, PAGE, "SET_READ_MOSTLY"))
    for label, at, size in (("first pages", 30 * MIB, PAGE), ("two pages", 30 * MIB, 2 * PAGE),
                            ("the last first page", 62 * MIB, 1),
                            ("the last page", 64 * MIB - PAGE, PAGE), ("all", 0, 64 * MIB)):
        yield label, attribute(mm.MOSTLY, a + at, size)
    yield "all of it advised", [advise(a, 64 * MIB, "SET_READ_MOSTLY"), attribute(mm.MOSTLY, a, 64 * MIB)]
    yield "half of it taken back", [advise(a + 32 * MIB, 32 * MIB, "UNSET_READ_MOSTLY"),
                                    attribute(mm.MOSTLY, a, 64 * MIB),
                                    attribute(mm.MOSTLY, a, 32 * MIB), attribute(mm.MOSTLY, a + 32 * MIB - 1, 2)]


@question("advice and prefetches of the older calls are read back beside those of the newer", alone=True)
def older_and_newer():
    a = fresh()
    for label, call in {"preferred on the device": lambda: raw("cuMemAdvise", a, PAGE, 3, 0),
                        "preferred on the host, newer": lambda: advise(a, 2 * PAGE, "SET_PREFERRED_LOCATION", "host"),
                        "accessed by the host": lambda: raw("cuMemAdvise", a, PAGE, 5, -1),
                        "accessed by the host, newer, taken back": lambda: advise(a, PAGE, "UNSET_ACCESSED_BY", "host"),
                        "prefetched to the host": lambda: raw("cuMemPrefetchAsync", a, PAGE, -1, 0),
                        "prefetched to the host's node, newer": lambda: prefetch(a, PAGE, "host numa"),
                        "no preferred place, older": lambda: raw("cuMemAdvise", a, PAGE, 4, -1)}.items():
        yield label, [call(), ask(cu.cuCtxSynchronize()), facts(a, PAGE)]
    cells = (ctypes.c_int * 2)(9, 9)
    yield "the page beside it", [raw("cuMemRangeGetAttribute", cells, 4, mm.PREFERRED, a + PAGE, PAGE), list(cells)]
