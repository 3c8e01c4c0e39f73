"""cuMemRangeGetAttribute and cuMemRangeGetAttributes: what a range of managed memory says of itself, and what they refuse."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import managed_memory as mm
from ...helpers.calls import must, new_context, outcome, raw
from ...helpers.managed_calls import range_attributes
from ...helpers.managed_memory import ATTRIBUTES, MIB, PAGE, advise, attribute, by_page, facts, fresh, prefetch_and_wait, sure
from ...helpers.memory_kinds import location, make


@question("a fresh range of any size says nothing: no advice, never prefetched, accessed by nobody")
def says_nothing():
    for size in (1, 100, PAGE, 3 * PAGE + 7, 2 * MIB, 4 * MIB):
        for flags in (1, 2):
            yield f"{size} bytes, flags {flags}", facts(fresh(size, flags), size)
    a = fresh()
    for offset, size in ((0, 1), (5, 100), (PAGE - 1, 2), (4 * MIB - 1, 1)):
        yield f"{size} bytes at {offset} of 4 MiB", facts(a + offset, size)


@question("a range is read mostly only where all its pages are")
def mixed_read_mostly():
    a = fresh()
    sure(advise(a + PAGE, PAGE, "SET_READ_MOSTLY"))
    yield "pages", by_page(a, 4, mm.MOSTLY)
    for label, offset, size in (("both", 0, 2 * PAGE), ("from it on", PAGE, 2 * PAGE), ("a byte of each", 2 * PAGE - 1, 2),
                                ("its last byte", 2 * PAGE - 1, 1), ("the byte after", 2 * PAGE, 1), ("all", 0, 4 * MIB)):
        yield label, attribute(mm.MOSTLY, a + offset, size)


@question("pages with different preferred places have none together")
def mixed_preferred():
    a = fresh()
    for page, place in enumerate(("device", "host", "host numa", "host")):
        sure(advise(a + page * PAGE, PAGE, "SET_PREFERRED_LOCATION", place))
    for number in (mm.PREFERRED, mm.PREFERRED_TYPE, mm.PREFERRED_ID):
        yield f"pages: {ATTRIBUTES[number]}", by_page(a, 5, number)
        for label, start, count in (("device and host", 0, 2), ("host and its node 0", 1, 2), ("node 0 and host", 2, 2),
                                    ("host and nothing", 3, 2), ("nothing twice", 4, 2), ("all five", 0, 5)):
            yield f"{label}: {ATTRIBUTES[number]}", attribute(number, a + start * PAGE, count * PAGE)


@question("pages prefetched to different places have no last place together")
def mixed_prefetched():
    a = fresh()
    for page, place in enumerate(("device", "host", "host numa", "host")):
        prefetch_and_wait(a + page * PAGE, PAGE, place)
    for number in (mm.PREFETCHED, mm.PREFETCHED_TYPE, mm.PREFETCHED_ID):
        yield f"pages: {ATTRIBUTES[number]}", by_page(a, 5, number)
        for label, start, count in (("device and host", 0, 2), ("host and its node 0", 1, 2), ("host and never", 3, 2),
                                    ("never twice", 4, 2), ("all five", 0, 5)):
            yield f"{label}: {ATTRIBUTES[number]}", attribute(number, a + start * PAGE, count * PAGE)


@question("a range is accessed by those who were named for all its pages")
def mixed_accessed_by():
    a = fresh()
    sure(advise(a, 2 * PAGE, "SET_ACCESSED_BY", "device"))
    sure(advise(a + PAGE, 2 * PAGE, "SET_ACCESSED_BY", "host"))
    for label, start, count in (("device's page", 0, 1), ("page of both", 1, 1), ("host's page", 2, 1), ("nobody's page", 3, 1),
                                ("device's and both's", 0, 2), ("both's and host's", 1, 2), ("device's to host's", 0, 3), ("all", 0, 4)):
        yield label, attribute(mm.ACCESSED_BY, a + start * PAGE, count * PAGE, 12, 3)


@question("the list of who accesses a range fills the room that is given, -2 after the last")
def accessed_by_room():
    for label, places in (("nobody", ()), ("device", ("device",)), ("host", ("host",)), ("device, host", ("device", "host")),
                          ("host, device", ("host", "device")), ("device twice", ("device", "device"))):
        a = fresh()
        for place in places:
            sure(advise(a, PAGE, "SET_ACCESSED_BY", place))
        for room in (0, 1, 3, 4, 6, 8, 12, 16):
            yield f"{label}: room of {room} bytes", lambda: attribute(mm.ACCESSED_BY, a, PAGE, room, 5)


@question("each attribute but the list wants room for exactly one int")
def data_sizes():
    a = fresh()
    for number in ATTRIBUTES:
        if number != mm.ACCESSED_BY:
            for room in (0, 1, 2, 3, 4, 5, 8, 12):
                yield f"{ATTRIBUTES[number]}: {room} bytes", lambda: attribute(number, a, PAGE, room, 3)


@question("range attributes that do not exist are refused")
def unknown_attributes():
    a = fresh()
    for number in (0, 9, 10, 100, -1):
        yield f"number {number}", lambda: attribute(number, a, PAGE)


@question("a range must lie within one managed allocation, but a size that wraps around is overlooked", varies={
    "over two neighbours": "whether the driver puts two allocations side by side"})
def borders():
    a = fresh()
    for label, offset, size in (("all", 0, 4 * MIB), ("a byte more", 0, 4 * MIB + 1), ("the last byte", 4 * MIB - 1, 1),
                                ("over the end", 4 * MIB - 1, 2), ("no bytes", 0, 0), ("no bytes inside", 100, 0),
                                ("a terabyte", 0, 1 << 40), ("wraps around", PAGE, (1 << 64) - PAGE), ("largest size", 0, (1 << 64) - 1)):
        yield label, lambda: attribute(mm.MOSTLY, a + offset, size)
    small = fresh(100)
    for size in (99, 100, 101, PAGE, 2 * MIB):
        yield f"{size} bytes of 100", attribute(mm.MOSTLY, small, size)
    several = sorted(fresh(2 * MIB) for _ in range(8))
    neighbours = [address for address in several if address + 2 * MIB in several]
    yield "over two neighbours", attribute(mm.MOSTLY, neighbours[0], 4 * MIB) if neighbours else "none are neighbours"
    must(cu.cuMemFree(a))
    yield "freed", attribute(mm.MOSTLY, a, PAGE)


@question("several attributes of a range are told by one call")
def several():
    a = fresh()
    sure(advise(a, PAGE, "SET_READ_MOSTLY"))
    sure(advise(a, PAGE, "SET_ACCESSED_BY"))
    prefetch_and_wait(a, PAGE, "host")
    yield "all eight", range_attributes(list(ATTRIBUTES), a, PAGE)
    yield "of a range with two answers", range_attributes(list(ATTRIBUTES), a, 2 * PAGE)
    yield "the same twice", range_attributes([1, 1], a, PAGE)
    yield "the first of two", range_attributes([1, 4], a, PAGE, count=1)


@question("one attribute that is refused refuses the whole call", alone=True)
def several_refused():
    a = fresh()
    yield "none", lambda: range_attributes([], a, PAGE)
    yield "unknown last", lambda: range_attributes([1, 99], a, PAGE)
    yield "unknown first", lambda: range_attributes([99, 1], a, PAGE)
    yield "wrong room last", lambda: range_attributes([1, 4], a, PAGE, [4, 8])
    yield "wrong room first", lambda: range_attributes([1, 4], a, PAGE, [8, 4])
    yield "over the end", lambda: range_attributes([1, 4], a, 4 * MIB + 1)
    yield "no bytes", lambda: range_attributes([1, 4], a, 0)
    value = (ctypes.c_int * 1)(1)
    yield "null sizes", lambda: raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 1)(ctypes.addressof(value)), None, value, 1, a, PAGE)
    yield "null attributes", lambda: raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 1)(ctypes.addressof(value)),
                                         (ctypes.c_size_t * 1)(4), None, 1, a, PAGE)
    yield "null data", lambda: raw("cuMemRangeGetAttributes", None, (ctypes.c_size_t * 1)(4), value, 1, a, PAGE)
    yield "data that is a null", lambda: raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 1)(None), (ctypes.c_size_t * 1)(4), value, 1, a, PAGE)


@question("what a range says does not depend on the current context")
def contexts():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    sure(advise(a, PAGE, "SET_PREFERRED_LOCATION"))
    second = new_context()
    yield "a second context", facts(a, PAGE)
    yield "advice from there", [advise(a, PAGE, "SET_READ_MOSTLY"), facts(a, PAGE)]
    must(cu.cuCtxSetCurrent(0))
    yield "no context", facts(a, PAGE)
    yield "no context, several", range_attributes([1, 2], a, PAGE)
    must(cu.cuCtxSetCurrent(second))
    must(cu.cuCtxDestroy(first))
    yield "its context was destroyed", facts(a, PAGE)


@question("several range attributes in one call, and the devices that were said to use a range")
def users_of_a_range():
    a = make("managed").address
    Range, Advice = cu.CUmem_range_attribute, cu.CUmem_advise
    must(cu.cuMemAdvise(a, 4096, Advice(5), location()))
    def told_devices(room):
        out = (ctypes.c_int * 8)(*[77] * 8)
        return [raw("cuMemRangeGetAttribute", out, room, ctypes.c_int(3), a, 4096), list(out)]
    for room in (0, 4, 8, 16, 6):
        yield f"accessed by, room for {room} bytes", lambda: told_devices(room)
    must(cu.cuMemAdvise(a, 4096, Advice(5), location("host")))
    yield "the host too", told_devices(16)
    must(cu.cuMemAdvise(a, 4096, Advice(6), location()))
    yield "the device no more", told_devices(16)
    must(cu.cuMemAdvise(a + 8192, 4096, Advice(1), location()))
    yield "read mostly over a part only", [outcome(cu.cuMemRangeGetAttribute(4, Range(1), a + 8192, 4096)),
                                           outcome(cu.cuMemRangeGetAttribute(4, Range(1), a, 16384)), outcome(cu.cuMemRangeGetAttribute(4, Range(1), a, 4096))]
    must(cu.cuMemPrefetchAsync(a, 65536, location(), 0, 0))
    must(cu.cuCtxSynchronize())
    first, second = ctypes.c_int(77), ctypes.c_int(77)
    yield "two attributes", lambda: [raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 2)(ctypes.addressof(first), ctypes.addressof(second)),
                                         (ctypes.c_size_t * 2)(4, 4), (ctypes.c_int * 2)(1, 4), 2, a + 8192, 4096), first.value, second.value]
    yield "no attributes", lambda: raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 1)(0), (ctypes.c_size_t * 1)(4), (ctypes.c_int * 1)(1), 0, a, 4096)
    yield "unknown attribute", lambda: raw("cuMemRangeGetAttribute", ctypes.byref(first), 4, ctypes.c_int(99), a, 4096)
