"""What calls about managed memory refuse, and which of two mistakes they name; no context, nulls, odd numbers."""
import ctypes
import itertools

from cuda.bindings import driver as cu

from ...asking import DRIVER, NOTHING, question
from ...helpers import managed_memory as mm
from ...helpers.calls import ask, must, name, raw, where
from ...helpers.managed_calls import every_call, free_one
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, batch, facts, fresh, host_write
from ...helpers.memory_kinds import make
from ...helpers.pointer_attributes import ATTRIBUTES

WRONG_ADDRESSES = {"null": lambda: 0, "pageable": lambda: make("pageable").address,
                   "pinned": lambda: make("pinned").address,
                   "freed": free_one}
WRONG_SIZES = {"no bytes": 0, "too many bytes": 1 << 40}
WRONG_PLACES = ("nowhere", "device 7", "host numa 9", "type 99")


def two_wrong(call, **wrong):
    """(label, code) for every two mistakes in the arguments that `wrong` names; `call` has the others' right values."""
    for (first_argument, first_ways), (second_argument, second) in itertools.combinations(wrong.items(), 2):
        for a, x in first_ways.items():
            for b, y in second.items():
                yield f"{a}, {b}", lambda: call(**{first_argument: x() if callable(x) else x, second_argument: y() if callable(y) else y})


@question("advice with two mistakes is refused for one of them")
def advice_twice_wrong():
    right = fresh()
    def call(address=right, size=PAGE, advice="SET_PREFERRED_LOCATION", place="device"):
        return advise(address, size, advice, place)
    yield from two_wrong(call, address=WRONG_ADDRESSES, size=WRONG_SIZES, advice={"advice 0": 0, "advice 7": 7},
                         place={place: place for place in WRONG_PLACES})


@question("a prefetch with two mistakes is refused for one of them")
def prefetch_twice_wrong():
    right = fresh()
    def call(address=right, size=PAGE, place="device", flags=0):
        return mm.prefetch(address, size, place, flags)
    yield from two_wrong(call, address=WRONG_ADDRESSES, size=WRONG_SIZES,
                         place={place: place for place in WRONG_PLACES}, flags={"flags 1": 1})


@question("a question about a range with two mistakes is refused for one of them")
def range_twice_wrong():
    right = fresh()
    def call(address=right, size=PAGE, number=mm.PREFERRED, room=4):
        return attribute(number, address, size, room, 4)
    yield from two_wrong(call, address=WRONG_ADDRESSES, size=WRONG_SIZES, number={"attribute 0": 0, "attribute 99": 99},
                         room={"no room": 0, "room for two": 8})


@question("an attachment with two mistakes is refused for one of them")
def attach_twice_wrong():
    right, s = fresh(), must(cu.cuStreamCreate(1))
    def call(address=right, length=0, flags=4, stream=s):
        return raw("cuStreamAttachMemAsync", int(stream), address, length, flags)
    yield from two_wrong(call, address=WRONG_ADDRESSES | {"inside": right + PAGE},
                         length={"a page of it": PAGE, "a terabyte": 1 << 40},
                         flags={"flags 3": 3, "flags 8": 8}, stream={"NULL stream": 0})


@question("an allocation with two mistakes is refused for one of them")
def allocation_twice_wrong():
    for size in (0, PAGE):
        for flags in (0, 1, 4, 99):
            out = ctypes.c_uint64(77)
            for label, to in (("null", None), ("a place", ctypes.byref(out))):
                yield f"{size} bytes, flags {flags}, {label}", lambda: [raw("cuMemAllocManaged", to, size, flags),
                                                                        out.value != 77]


@question("before cuInit no call about managed memory is possible", needs=NOTHING)
def nothing_initialised():
    for label, call in every_call(0x7F0000000000).items():
        if not label.startswith("copy"):    # whose host side would be read first
            yield label, call


@question("without a context, most calls about managed memory that is there are refused")
def no_context():
    context, a = must(cu.cuCtxGetCurrent()), fresh()
    def without(call):
        must(cu.cuCtxSetCurrent(0))
        code = call()
        must(cu.cuCtxSetCurrent(context))
        return code
    for label, call in every_call(a).items():
        yield label, lambda: without(call)


@question("with no context ever, calls about memory that is not there are refused", needs=DRIVER)
def never_a_context():
    yield from every_call(0x7F0000000000).items()


@question("calls refuse managed memory that was freed")
def freed_before():
    for label in every_call(0):
        if not label.startswith("register"):    # pages of the host may be there by now
            yield label, lambda: every_call(free_one())[label]()


@question("calls refuse addresses at the ends of what there is")
def ends_of_addresses():
    for address in (1, PAGE - 1, 1 << 47, 1 << 63, (1 << 64) - PAGE, (1 << 64) - 1):
        for size in (1, PAGE, 1 << 63, (1 << 64) - 1):
            yield f"{size:#x} bytes at {address:#x}: advise, prefetch, range", lambda: [
                advise(address, size, "SET_READ_MOSTLY"), mm.prefetch(address, size),
                attribute(mm.MOSTLY, address, size)]
        yield f"{address:#x}: attach", lambda: raw("cuStreamAttachMemAsync", 0, address, 0, 1)


@question("a place's kind and number are looked at as far as they matter")
def odd_places():
    largest = 0x7FFFFFFF
    for kind in (0, 1, 2, 3, 4, 5, largest):
        for ordinal in (0, 1, -1, largest, -largest - 1):
            place, a = kind | (ordinal & 0xFFFFFFFF) << 32, fresh()
            yield f"{kind}, {ordinal}: each advice", lambda: [
                raw("cuMemAdvise_v2", a, PAGE, advice, place) for advice in (1, 2, 3, 4, 5, 6, 3)]
            yield f"{kind}, {ordinal}: prefetch", lambda: raw("cuMemPrefetchAsync_v2", a, PAGE, place, 0, 0)
            yield f"{kind}, {ordinal}: said", lambda: facts(a, PAGE)


@question("a range's answer needs a place to go to", alone=True)
def null_data():
    a = fresh()
    for number in (mm.MOSTLY, mm.ACCESSED_BY, mm.PREFETCHED, 99):
        for room in (0, 4):
            yield f"attribute {number}, null, room {room}", lambda: raw(
                "cuMemRangeGetAttribute", None, room, number, a, PAGE)
    cells = (ctypes.c_ubyte * 16)(*[0xA5] * 16)
    for offset in (1, 2, 3):
        yield f"a place {offset} bytes off", lambda: [
            raw("cuMemRangeGetAttribute", ctypes.byref(cells, offset), 4, mm.PREFERRED, a, PAGE), bytes(cells).hex()]


@question("several pointer attributes of managed memory, among them unknown ones, are told or refused together",
          alone=True)
def pointer_attributes():
    a = fresh()
    def attributes(*numbers, at=a, count=None):
        outs = [(ctypes.c_uint64 * 2)(1, 1) for _ in numbers]
        code = raw("cuPointerGetAttributes", len(numbers) if count is None else count,
                   (ctypes.c_int * max(len(numbers), 1))(*numbers),
                   (ctypes.c_void_p * max(len(numbers), 1))(*map(ctypes.addressof, outs)), at)
        return [code, *(where(out[0], a=a) if out[0] > 1 << 32 else out[0] & 0xFFFFFFFF for out in outs)]
    kinds = [ATTRIBUTES[title] for title in ("MEMORY_TYPE", "IS_MANAGED", "DEVICE_POINTER", "HOST_POINTER",
                                             "RANGE_START_ADDR", "RANGE_SIZE",
                                             "DEVICE_ORDINAL", "MAPPED")]
    yield "eight", attributes(*kinds)
    yield "eight, inside", attributes(*kinds, at=a + 100)
    yield "eight, of the last byte", attributes(*kinds, at=a + 4 * MIB - 1)
    yield "the same twice", attributes(2, 2)
    yield "the first of two", attributes(2, 8, count=1)
    for label, numbers in (("unknown last", (2, 99)), ("unknown first", (99, 2)), ("zero", (0, 2)),
                           ("access flags", (17, 8)), ("none", ())):
        yield label, lambda: attributes(*numbers)
    yield "of null", lambda: attributes(2, 8, at=0)
    b = free_one()
    yield "of what was freed", lambda: attributes(2, 8, at=b)


@question("of managed memory's attributes one can be set")
def set_attributes():
    a = fresh()
    for title, number in (*ATTRIBUTES.items(), ("number 0", 0), ("number 99", 99)):
        for value in (0, 1, 2):
            yield f"{title}: {value}", lambda: name(ctypes.CDLL("libcuda.so.1").cuPointerSetAttribute(
                ctypes.byref(ctypes.c_uint64(value)), ctypes.c_int(number), ctypes.c_uint64(a)))
    yield "from null", lambda: raw("cuPointerSetAttribute", None, ATTRIBUTES["SYNC_MEMOPS"], a)


@question("a range's start and size are asked for together or alone")
def range_outputs():
    a, cells = fresh(5 * MIB), (ctypes.c_uint64 * 2)(1, 1)
    for label, base, size in (("both", 0, 1), ("the start", 0, None), ("the size", None, 1), ("neither", None, None)):
        def places():
            return [None if place is None else ctypes.byref(cells, 8 * place) for place in (base, size)]
        yield label, lambda: [raw("cuMemGetAddressRange_v2", *places(), a + MIB), where(cells[0], a=a), cells[1]]
        yield f"{label}: of null", lambda: raw("cuMemGetAddressRange_v2", *places(), 0)


@question("a batch of many ranges is taken, and one of no bytes among them refuses it", alone=True)
def large_batches():
    s, a = must(cu.cuStreamCreate(1)), fresh()
    host_write(a, 7)
    for verb in (mm.PREFETCH, mm.DISCARD, mm.BOTH):
        for count in (1, 2, 64, 500):
            yield f"{verb}: {count} ranges", lambda: [batch(verb, [a + PAGE * number for number in range(count)],
                                                            [PAGE] * count, ["device"], stream=s),
                                                     ask(cu.cuStreamSynchronize(s))]
        yield f"{verb}: no bytes in the middle", lambda: [batch(verb, [a, a + PAGE, a], [PAGE, 0, PAGE], ["device"],
                                                                stream=s),
                                                         ask(cu.cuStreamSynchronize(s))]
        yield f"{verb}: another kind in the middle", lambda: [
            batch(verb, [a, make("device").address, a], [PAGE] * 3, ["device"], stream=s),
            ask(cu.cuStreamSynchronize(s))]
        for place in WRONG_PLACES:
            yield f"{verb}: {place} for the last", lambda: [
                batch(verb, [a, a + PAGE], [PAGE] * 2, ["device", place], stream=s), ask(cu.cuStreamSynchronize(s)),
                attribute(mm.PREFETCHED, a, PAGE)]
