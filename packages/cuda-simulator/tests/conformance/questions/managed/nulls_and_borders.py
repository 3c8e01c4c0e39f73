"""Odd corners of managed memory: nulls and noughts, ends of ranges, two mistakes at once, batches, discards."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, raw, where
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach, range_attributes
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, batch, facts, fresh, host_byte, host_write, prefetch
from ...helpers.managed_pools import pool_block, pool_of
from ...helpers.managed_variables import load, variable
from ...helpers.memory_kinds import make
from ...helpers.streams import LEGACY, PER_THREAD, stream


@question("null is refused as a range by each call, with a size and without")
def null_ranges():
    s = stream()
    for size in (0, PAGE, 1 << 40):
        yield f"{size}", [advise(0, size, "SET_READ_MOSTLY"), prefetch(0, size), attribute(mm.MOSTLY, 0, size),
                          attach(s, 0, size, 1),
                          batch(mm.DISCARD, [0], [size], stream=s)]
    yield "memset, copy", [ask(cu.cuMemsetD8(0, 1, 0)), ask(cu.cuMemsetD8(0, 1, 1)), ask(cu.cuMemcpy(0, 0, 0))]


@question("a range that begins just before a block or ends just behind it is no range")
def just_beside():
    a = fresh()
    for label, at, size in (("a byte before", a - 1, PAGE), ("a page before", a - PAGE, 2 * PAGE),
                            ("a byte behind", a + 4 * MIB - 1, 2),
                            ("just behind", a + 4 * MIB, 0)):
        yield label, [advise(at, size, "SET_ACCESSED_BY"), attach(stream(), at, size, 1)]
    yield "the block", facts(a, 4 * MIB)
    yield "its last byte", [advise(a + 4 * MIB - 1, 1, "SET_ACCESSED_BY"),
                            attribute(mm.ACCESSED_BY, a + 4 * MIB - PAGE, PAGE)]


@question("numbers of attributes on either side of those that there are")
def numbers_of_attributes():
    a = fresh()
    for number in (0, 9, 10, -1, 1 << 20):
        yield f"{number}", [attribute(number, a, PAGE), range_attributes([mm.MOSTLY, number], a, PAGE)]


@question("numbers of advice on either side of those that there are, with a good place and a wrong one")
def numbers_of_advice():
    a = fresh()
    for number in (0, 7, 8, 9, 255):
        yield f"{number}", [advise(a, PAGE, number, "device"), advise(a, PAGE, number, "device 7"),
                            advise(a, 5 * MIB, number)]
    yield "what it says", facts(a, PAGE)


@question("advice that needs no place takes any, and each that needs one refuses the same places")
def places_of_advice():
    a = fresh()
    for place in ("nowhere", "type 5", "device -1", "host -1", "host numa 9", "host numa current"):
        yield place, [advise(a, PAGE, name, place) for name in ("SET_READ_MOSTLY", "UNSET_READ_MOSTLY",
                                                                "UNSET_PREFERRED_LOCATION",
                                                                "SET_ACCESSED_BY", "UNSET_ACCESSED_BY")]
    yield "what it says", facts(a, PAGE)


@question("a discard refuses what a discard with a prefetch refuses", alone=True)
def discards_refused():
    a, d, s = fresh(), make("device").address, stream()
    mistakes = {"flags": {"flags": 1}, "device memory": {"addresses": [d]}, "past the end": {"sizes": [5 * MIB]},
                "nothing": {"count": 0},
                "the second null": {"addresses": [a, 0], "sizes": [PAGE, PAGE]},
                "the thread's stream": {"stream": PER_THREAD},
                "the legacy stream": {"stream": LEGACY}}
    for label, wrong in mistakes.items():
        values = {"addresses": [a], "sizes": [2 * MIB], "stream": s} | wrong
        yield label, lambda: [batch(mm.DISCARD, **values), batch(mm.BOTH, **values, places=["device"]),
                              batch(mm.PREFETCH, **values, places=["device"])]


@question("a batch's places are looked at even where they are for nothing, and their indices in order", alone=True)
def indices():
    a, s = fresh(), stream()
    arguments = {"addresses": [a, a + 2 * MIB], "sizes": [MIB, MIB], "stream": s}
    for label, places, at in (("begins at 1", ["device"], [1]), ("twice 0", ["device", "host"], [0, 0]),
                              ("falls", ["host", "device"], [1, 0]),
                              ("past the ranges", ["host", "device"], [0, 2]),
                              ("a wrong one last", ["host", "device 7"], [0, 1]),
                              ("three for two", ["host", "device", "host"], [0, 1, 2])):
        yield label, lambda: [batch(mm.PREFETCH, places=places, indices=at, **arguments),
                              batch(mm.BOTH, places=places, indices=at, **arguments)]
    yield "what came of it", lambda: [ask(cu.cuStreamSynchronize(s)), attribute(mm.PREFETCHED, a, MIB),
                                      attribute(mm.PREFETCHED, a + 2 * MIB, MIB)]


@question("two mistakes in one memset or copy of managed memory", alone=True)
def copies_twice_wrong():
    a = fresh()
    yield "not aligned, too much", [ask(cu.cuMemsetD16(a + 1, 1, 4 * MIB)), ask(cu.cuMemsetD32(a + 2, 1, 4 * MIB))]
    yield "not aligned, none", [ask(cu.cuMemsetD16(a + 1, 1, 0)), ask(cu.cuMemsetD32(a + 2, 1, 0)),
                                ask(cu.cuMemsetD32Async(a + 1, 1, 0, stream()))]
    yield "a pitch too small, no rows", [ask(cu.cuMemsetD2D8(a, 4, 1, 8, 0)), ask(cu.cuMemsetD2D8(a, 4, 1, 8, 2)),
                                         ask(cu.cuMemsetD2D8(a, 4, 1, 0, 2))]
    must(cu.cuMemFree(b := fresh()))
    yield "freed, none", [ask(cu.cuMemcpyDtoD(b, a, 0)), ask(cu.cuMemcpyDtoD(a, b, 0)), ask(cu.cuMemsetD8(b, 1, 0)),
                          ask(cu.cuMemcpy(a, b, 0))]
    yield "to itself", [ask(cu.cuMemcpyDtoD(a, a, 64)), ask(cu.cuMemcpy(a, a, 64)),
                        ask(cu.cuMemcpyDtoD(a + 1, a, 64)), ask(cu.cuCtxSynchronize())]


@question("what the host wrote beside a discarded range is there, and what is written after the discard in it as well")
def beside_the_discarded():
    a, s = fresh(8 * MIB), stream()
    host_write(a, 1, 8 * MIB)
    yield "discarded", [batch(mm.DISCARD, [a + 2 * MIB, a + 6 * MIB], [2 * MIB, MIB], stream=s),
                        ask(cu.cuStreamSynchronize(s))]
    yield "beside", [host_byte(a + at) for at in (0, 2 * MIB - 1, 4 * MIB, 6 * MIB - 1, 7 * MIB, 8 * MIB - 1)]
    host_write(a + 2 * MIB, 7, PAGE)
    yield "written by the host", [host_byte(a + 2 * MIB), ask(kernels.run("copy", a, a + 2 * MIB, i32(2))),
                                  ctypes.string_at(a, 3).hex()]
    yield "written by a kernel", [ask(kernels.run("fill", a + 6 * MIB, i32(3), i32(3))),
                                  ctypes.string_at(a + 6 * MIB, 3).hex()]
    yield "attributes", [facts(a + 2 * MIB, 2 * MIB), where(must(cu.cuMemGetAddressRange(a + 6 * MIB + 1))[0], a=a)]


@question("managed memory of a pool and of a module is discarded, attached and advised, or refused")
def other_managed():
    s, module = stream(), load()
    for label, a in (("a pool's", pool_block(must(pool_of()))), ("a module's", variable(module, "big")[0])):
        yield f"{label}: prefetched", [prefetch(a, MIB, "host", 0, s),
                                       batch(mm.PREFETCH, [a], [MIB], ["device"], stream=s),
                                       ask(cu.cuStreamSynchronize(s)), attribute(mm.PREFETCHED, a, MIB)]
        yield f"{label}: advised", [advise(a, MIB, "SET_READ_MOSTLY"), advise(a, MIB, "SET_ACCESSED_BY"),
                                    attribute(mm.MOSTLY, a, MIB)]
        yield f"{label}: attached", [attach(s, a), attach(s, a, MIB), attach(s, a, 0, 1), attach(s, a + 4)]
        yield f"{label}: discarded", [batch(mm.DISCARD, [a], [MIB], stream=s), ask(cu.cuStreamSynchronize(s)),
                                      ask(kernels.run("fill", a, i32(4), i32(2))), ctypes.string_at(a, 2).hex()]


@question("attachments with a wrong length, flag or stream at once, in either order of making them right", alone=True)
def attachments():
    a, s = fresh(), stream()
    for label, at, size, flags in (("length and flag", a, 1, 0), ("address and flag", a + 8, 0, 3),
                                   ("address and length", a + PAGE, 4 * MIB, 1),
                                   ("length", a, 4 * MIB - 1, 1), ("flag", a, 0, 8), ("nothing", a, 4 * MIB, 1)):
        yield label, [attach(s, at, size, flags), attach(0, at, size, flags)]
    context = must(cu.cuCtxGetCurrent())
    other_context = new_context()
    yield "another context's stream", lambda: [attach(s, a, 0, 1), attach(s, a, 1, 4),
                                               ask(cu.cuCtxDestroy(other_context)),
                                               ask(cu.cuCtxSetCurrent(context))]


@question("places for results that are null are refused by each query about managed memory")
def null_places():
    a = fresh()
    yield "one attribute", [raw("cuMemRangeGetAttribute", None, 4, mm.MOSTLY, a, PAGE),
                            raw("cuMemRangeGetAttribute", None, 0, mm.MOSTLY, a, PAGE),
                            raw("cuMemRangeGetAttribute", None, 4, mm.MOSTLY, a, 5 * MIB)]
    yield "a pointer's", [raw("cuPointerGetAttribute", None, 2, a), raw("cuPointerGetAttribute", None, 99, a),
                          raw("cuPointerGetAttribute", None, 2, 0)]
    yield "several", [raw("cuMemRangeGetAttributes", None, None, None, 0, a, PAGE),
                      raw("cuMemRangeGetAttributes", None, None, None, 1, a, PAGE)]
    yield "set", [raw("cuPointerSetAttribute", None, 6, a), raw("cuPointerSetAttribute", None, 1, a)]
