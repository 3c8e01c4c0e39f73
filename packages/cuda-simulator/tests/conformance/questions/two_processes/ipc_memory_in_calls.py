"""What a process does with memory that it opened by an IPC handle: copies, fills, addresses inside, what is freed."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import attributes, copied, distance, free, look, measured, number, put, take
from ...helpers.calls import ask, must, name, new_context, outcome, using, where
from ...helpers.ipc_memory import every_copy, every_fill, shared
from ...helpers.memory_kinds import SMALL, make
from ...helpers.others import Other, listed, remembered
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.shareable import closed, given, offered, opened

asked = functools.partial(question, others=True)
MIB = 1 << 20


@asked("opened memory is either side of every copy")
def copies():
    other = shared()
    yield from listed(other.ask(every_copy, "b"))
    yield "the owner's", look("a", 8, 64)


@asked("opened memory is filled as device memory is")
def fills():
    other = shared()
    yield from listed(other.ask(every_fill, "b"))
    yield "the owner's", [look("a", 8), look("a", 1, SMALL - 1)]


def told_inside(label, size):
    a, answers = number(label), {}
    for offset in (1, 4096, size - 1, size):
        for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "RANGE_START_ADDR", "RANGE_SIZE", "MAPPED",
                          "IS_LEGACY_CUDA_IPC_CAPABLE"):
            code, value, _ = get_attribute(ATTRIBUTES[attribute], a + offset)
            shown = value - a if attribute in ("DEVICE_POINTER", "RANGE_START_ADDR") else value & 0xFFFFFF
            answers[f"{attribute} at {offset}"] = name(code) if code else shown
        answers[f"range at {offset}"] = outcome(cu.cuMemGetAddressRange(a + offset), as_=lambda value: int(value) - a
                                                if int(value) >= a else int(value))
        answers[f"read {offset}"] = copied(label, 1, offset)
    return answers


@asked("an address inside opened memory is known up to its last byte")
def inside():
    other = shared(3 * MIB)
    yield from listed(other.ask(told_inside, "b", 3 * MIB))


def pitched():
    address, pitch = must(cu.cuMemAllocPitch(100, 10, 4))
    remembered["a"] = int(address)
    put("a", 4, 100, 9 * pitch)
    return pitch


@asked("memory with a pitch is opened like other memory")
def with_pitch():
    pitch = pitched()
    other = Other()
    yield "open", other.ask(opened, "b", offered("a"))
    yield "size", [other.ask(measured, "b") == measured("a"), measured("a")[1] == 10 * pitch]
    yield "the last row", other.ask(look, "b", 8, 9 * pitch) == look("a", 8, 9 * pitch)
    yield "its handle from the last row", offered("a", 9 * pitch) == offered("a")


@asked("only what was opened is closed")
def closing():
    for kind in ("device", "device, 3 MiB", "pinned", "registered", "managed", "stream-ordered", "mapped",
                 "reserved only", "module variable",
                 "pageable", "never allocated", "freed device"):
        yield kind, lambda: ask(cu.cuIpcCloseMemHandle(make(kind).address))


@asked("what the owner has freed says of itself what it said before, as long as it is open")
def freed_attributes():
    other = shared(3 * MIB)
    before = other.ask(attributes, "b")
    yield "free", free("a")
    yield from listed(other.ask(attributes, "b"))
    yield "as before", other.ask(attributes, "b") == before
    yield "range", other.ask(measured, "b")
    yield "its handle", given(other.ask(offered, "b"))


@asked("of two blocks of one piece, the owner frees one: the other is as it was")
def neighbour_freed():
    take("a", 512, 1), take("b", 512, 2)
    other = Other()
    yield "open", [other.ask(opened, "x", offered("a")), other.ask(opened, "y", offered("b"))]
    yield "free the first", [free("a"), other.ask(look, "x"), other.ask(look, "y")]
    yield "close it", [other.ask(closed, "x"), other.ask(look, "y"), other.ask(put, "y", 3), look("b")]
    yield "the second", [free("b"), other.ask(look, "y"), other.ask(closed, "y"), other.ask(look, "y")]


@asked("a handle is the memory's: its bytes depend on neither content nor the context that asks")
def handle_bytes():
    take("a")
    handle = offered("a")
    yield "after a write", [put("a", 9), offered("a") == handle]
    with using(new_context()):
        second = offered("a")
        yield "asked in a second context", given(second) if isinstance(second, str) else second == handle
    yield "other memory's", [take("b"), offered("b") == handle]
    yield "when that was freed and taken again", [free("b"), take("b"), offered("b") == handle]
    other = Other()
    yield "opened", [other.ask(opened, "x", handle), other.ask(opened, "y", offered("b")),
                     other.ask(distance, "x", "y") == distance("a", "b")]


@asked("an opened address is the same in every context of its process, and is not given to anything else")
def address_is_taken():
    take("a", 3 * MIB)
    other = Other()
    other.ask(opened, "b", offered("a"))
    yield "memory taken afterwards", other.ask(taken_beside, "b")
    second = Other()
    yield "a second opener", [second.ask(opened, "b", offered("a")), second.ask(look, "b")]


def taken_beside(label):
    """Does anything that is allocated lie in the opened range?"""
    a = number(label)
    addresses = [int(must(cu.cuMemAlloc(3 * MIB))) for _ in range(8)]
    reserved = int(must(cu.cuMemAddressReserve(4 * MIB, 0, a & -(2 * MIB), 0)))
    return [all(abs(address - a) >= 3 * MIB for address in addresses), where(reserved, wanted=a & -(2 * MIB)) == "wanted"]
