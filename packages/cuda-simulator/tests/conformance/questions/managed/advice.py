"""cuMemAdvise: which pages advice is for, which places it may name, what ends it."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, raw, read
from ...helpers.kernels import i32
from ...helpers.managed_memory import (
    ADVICE,
    MIB,
    PAGE,
    PLACES,
    advise,
    attribute,
    by_page,
    facts,
    fresh,
    host_write,
    prefetch_and_wait,
    sure,
)

PARTS = ((0, 100), (100, 100), (0, PAGE), (1, PAGE), (PAGE - 100, 200), (PAGE - 1, 1), (PAGE, 1), (PAGE - 1, 2), (100, 3 * PAGE))


@question("advice for some bytes is for every page that they touch")
def by_bytes():
    for offset, size in PARTS:
        a = fresh()
        sure(advise(a + offset, size, "SET_READ_MOSTLY"))
        sure(advise(a + offset, size, "SET_PREFERRED_LOCATION", "host"))
        sure(advise(a + offset, size, "SET_ACCESSED_BY", "device"))
        for number in (mm.MOSTLY, mm.PREFERRED, mm.ACCESSED_BY):
            yield f"{size} bytes at {offset}: {mm.ATTRIBUTES[number]}", by_page(a, 5, number)


@question("advice taken back for some bytes is taken from every page that they touch")
def taken_back_by_bytes():
    for offset, size in PARTS:
        a = fresh()
        sure(advise(a, 5 * PAGE, "SET_READ_MOSTLY"))
        sure(advise(a, 5 * PAGE, "SET_PREFERRED_LOCATION", "device"))
        sure(advise(a, 5 * PAGE, "SET_ACCESSED_BY", "device"))
        for advice in ("UNSET_READ_MOSTLY", "UNSET_PREFERRED_LOCATION", "UNSET_ACCESSED_BY"):
            sure(advise(a + offset, size, advice))
        for number in (mm.MOSTLY, mm.PREFERRED, mm.ACCESSED_BY):
            yield f"{size} bytes at {offset}: {mm.ATTRIBUTES[number]}", by_page(a, 5, number)


@question("advice given twice is taken back once, and may be taken back where there is none")
def twice():
    for advice in ("READ_MOSTLY", "PREFERRED_LOCATION", "ACCESSED_BY"):
        a = fresh()
        yield f"{advice}: taken back first", [advise(a, PAGE, f"UNSET_{advice}"), facts(a, PAGE)]
        yield f"{advice}: given twice", [advise(a, PAGE, f"SET_{advice}"), advise(a, PAGE, f"SET_{advice}"), facts(a, PAGE)]
        yield f"{advice}: taken back", [advise(a, PAGE, f"UNSET_{advice}"), facts(a, PAGE)]
        yield f"{advice}: taken back again", [advise(a, PAGE, f"UNSET_{advice}"), facts(a, PAGE)]


@question("a preferred place is a device that is there or the host; a node of the host is taken and changes nothing")
def places():
    for advice in ADVICE:
        for place in PLACES:
            a = fresh()
            yield f"{advice}, {place}", lambda: [advise(a, PAGE, advice, place), facts(a, PAGE)]


@question("the older call names the host by -1", alone=True)
def older_call():
    for advice, number in ADVICE.items():
        for device in (0, -1, -2, 1, 5):
            a = fresh()
            yield f"{advice}, device {device}", lambda: [raw("cuMemAdvise", a, PAGE, number, device), facts(a, PAGE)]


@question("advice that does not exist is refused")
def unknown_advice():
    a = fresh()
    for number in (0, 7, 8, 100, -1):
        yield f"advice {number}", lambda: [advise(a, PAGE, number), raw("cuMemAdvise", a, PAGE, number, 0)]
    yield "what it says", facts(a, PAGE)


@question("a newer preferred place replaces the older, unless it is a node of the host, and is taken back in any place's name")
def preferred_replaced():
    a = fresh()
    for place in ("device", "host", "host numa", "host numa current", "device"):
        yield f"then {place}", [advise(a, PAGE, "SET_PREFERRED_LOCATION", place), facts(a, PAGE)]
    yield "taken back from the host", [advise(a, PAGE, "UNSET_PREFERRED_LOCATION", "host"), facts(a, PAGE)]
    sure(advise(a, PAGE, "SET_PREFERRED_LOCATION", "host"))
    yield "a place that is refused changes nothing", [advise(a, PAGE, "SET_PREFERRED_LOCATION", "device 7"), facts(a, PAGE)]


@question("who accesses it is taken back by name")
def accessed_by_name():
    a = fresh()
    sure(advise(a, PAGE, "SET_ACCESSED_BY", "device"))
    yield "the host, who was not named", [advise(a, PAGE, "UNSET_ACCESSED_BY", "host"), attribute(mm.ACCESSED_BY, a, PAGE, 12, 3)]
    sure(advise(a, PAGE, "SET_ACCESSED_BY", "host"))
    yield "both named", attribute(mm.ACCESSED_BY, a, PAGE, 12, 3)
    yield "the device", [advise(a, PAGE, "UNSET_ACCESSED_BY", "device"), attribute(mm.ACCESSED_BY, a, PAGE, 12, 3)]
    yield "the host", [advise(a, PAGE, "UNSET_ACCESSED_BY", "host"), attribute(mm.ACCESSED_BY, a, PAGE, 12, 3)]


@question("each kind of advice leaves the others as they were")
def independent():
    a = fresh()
    order = ("SET_READ_MOSTLY", "SET_ACCESSED_BY", "SET_PREFERRED_LOCATION", "UNSET_READ_MOSTLY", "UNSET_PREFERRED_LOCATION",
             "SET_READ_MOSTLY", "UNSET_ACCESSED_BY")
    for step, advice in enumerate(order):
        sure(advise(a, PAGE, advice))
        yield f"{step}: after {advice}", facts(a, PAGE)


@question("memory that was freed and allocated again remembers no advice", varies={
    "the same address": "which address the driver gives"})
def freed_and_new():
    for size in (PAGE, 4 * MIB):
        a = fresh(size)
        for advice in ("SET_READ_MOSTLY", "SET_PREFERRED_LOCATION", "SET_ACCESSED_BY"):
            sure(advise(a, size, advice))
        prefetch_and_wait(a, size)
        must(cu.cuMemFree(a))
        b = fresh(size)
        yield f"{size}: what the new one says", facts(b, size)
        if size > PAGE:
            yield "the same address", a == b


@question("read-mostly memory has its content wherever it was prefetched, and takes writes from both sides")
def read_mostly_content():
    a = fresh()
    host_write(a, 7)
    sure(advise(a, PAGE, "SET_READ_MOSTLY"))
    for place in ("device", "host", "device"):
        prefetch_and_wait(a, PAGE, place)
    yield "prefetched", [read(a, 4).hex(), ctypes.string_at(a, 4).hex(), facts(a, PAGE)]
    host_write(a, 8, 2)
    yield "written by the host", [read(a, 4).hex(), ctypes.string_at(a, 4).hex(), facts(a, PAGE)]
    yield "written by a kernel", [ask(kernels.run("fill", a + 1, i32(20), i32(2))), read(a, 4).hex(), ctypes.string_at(a, 4).hex(),
                                  facts(a, PAGE)]
    sure(advise(a, PAGE, "UNSET_READ_MOSTLY"))
    yield "taken back", [read(a, 4).hex(), ctypes.string_at(a, 4).hex(), facts(a, PAGE)]


@question("advice changes no content, whatever the place and whoever writes next")
def content():
    for advice in ADVICE:
        for place in ("device", "host"):
            a = fresh()
            host_write(a, 7)
            must(kernels.run("fill", a + 4, i32(1), i32(4)))
            code = advise(a, 4 * MIB, advice, place)
            content = ctypes.string_at(a, 12).hex()
            must(kernels.run("fill", a + 2, i32(40), i32(2)))
            host_write(a, 9, 1)
            yield f"{advice}, {place}", [code, content, read(a, 12).hex(), ctypes.string_at(a, 12).hex()]


@question("advice is for bytes within one managed allocation", varies={
    "over two neighbours": "whether the driver puts two allocations side by side"})
def borders():
    a = fresh()
    for label, offset, size in (("all", 0, 4 * MIB), ("a byte more", 0, 4 * MIB + 1), ("over the end", 4 * MIB - 1, 2),
                                ("no bytes", 0, 0), ("a terabyte", 0, 1 << 40), ("wraps around", PAGE, (1 << 64) - PAGE)):
        yield label, [advise(a + offset, size, "SET_READ_MOSTLY"), attribute(mm.MOSTLY, a, 4 * MIB)]
        sure(advise(a, 4 * MIB, "UNSET_READ_MOSTLY"))
    several = sorted(fresh(2 * MIB) for _ in range(8))
    neighbours = [address for address in several if address + 2 * MIB in several]
    yield "over two neighbours", advise(neighbours[0], 4 * MIB, "SET_READ_MOSTLY") if neighbours else "none are neighbours"
    small = fresh(100)
    for size in (99, 100, 101, PAGE):
        yield f"{size} bytes of 100", advise(small, size, "SET_READ_MOSTLY")
    must(cu.cuMemFree(a))
    yield "freed", advise(a, PAGE, "SET_READ_MOSTLY")
    yield "freed, taken back", advise(a, PAGE, "UNSET_READ_MOSTLY")


@question("two small blocks of one page have its advice together", varies="in which page the driver puts a small block")
def shared_page():
    blocks = sorted(fresh(100) for _ in range(16))
    pairs = [(x, y) for x, y in zip(blocks, blocks[1:]) if x // PAGE == y // PAGE]
    yield "there are such", bool(pairs)
    if pairs:
        x, y = pairs[0]
        sure(advise(x, 100, "SET_READ_MOSTLY"))
        yield "advised, its neighbour", [attribute(mm.MOSTLY, x, 100), attribute(mm.MOSTLY, y, 100)]
        must(cu.cuMemFree(x))
        yield "the neighbour, after that one is freed", attribute(mm.MOSTLY, y, 100)


@question("advice needs a context, and outlives the one it was given in")
def contexts():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    must(cu.cuCtxSetCurrent(0))
    for advice in ("SET_READ_MOSTLY", "SET_PREFERRED_LOCATION", "SET_ACCESSED_BY"):
        yield f"no context: {advice}", advise(a, PAGE, advice)
    second = new_context()
    yield "given in a second context", [advise(a + PAGE, PAGE, advice) for advice in ("SET_READ_MOSTLY", "SET_ACCESSED_BY")]
    must(cu.cuCtxDestroy(second))
    must(cu.cuCtxSetCurrent(first))
    yield "what it says", [facts(a, PAGE), facts(a + PAGE, PAGE)]
