"""What a process does with memory that it opened by an IPC handle: copies, fills, addresses inside, what is freed."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import address_range, attributes, copy_code, distance, free, look, number, put, take
from ...helpers.calls import ask, must, name, new_context, outcome, using, where
from ...helpers.ipc_memory import every_copy, every_fill, shared_memory
from ...helpers.memory_kinds import SMALL, make
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess, answer_items, remembered
from ...helpers.shareable import close_memory, export_status, ipc_handle, open_memory

MIB = 1 << 20


@question("opened memory is either side of every copy")
def copies():
    opener = shared_memory()
    yield from answer_items(opener.ask(every_copy, "b"))
    yield "the owner's", look("a", 8, 64)


@question("opened memory is filled as device memory is")
def fills():
    opener = shared_memory()
    yield from answer_items(opener.ask(every_fill, "b"))
    yield "the owner's", [look("a", 8), look("a", 1, SMALL - 1)]


def attributes_inside(label, size):
    a, answers = number(label), {}
    for offset in (1, 4096, size - 1, size):
        for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "RANGE_START_ADDR", "RANGE_SIZE", "MAPPED",
                          "IS_LEGACY_CUDA_IPC_CAPABLE"):
            code, value, _ = get_attribute(ATTRIBUTES[attribute], a + offset)
            number_ = value - a if attribute in ("DEVICE_POINTER", "RANGE_START_ADDR") else value & 0xFFFFFF
            answers[f"{attribute} at {offset}"] = name(code) if code else number_
        answers[f"range at {offset}"] = outcome(cu.cuMemGetAddressRange(a + offset), as_=lambda value: int(value) - a
                                                if int(value) >= a else int(value))
        answers[f"read {offset}"] = copy_code(label, 1, offset)
    return answers


@question("an address inside opened memory is known up to its last byte")
def inside():
    opener = shared_memory(3 * MIB)
    yield from answer_items(opener.ask(attributes_inside, "b", 3 * MIB))


def take_with_pitch():
    address, pitch = must(cu.cuMemAllocPitch(100, 10, 4))
    remembered["a"] = int(address)
    put("a", 4, 100, 9 * pitch)
    return pitch


@question("memory with a pitch is opened like other memory")
def with_pitch():
    pitch = take_with_pitch()
    opener = OtherProcess()
    yield "open", opener.ask(open_memory, "b", ipc_handle("a"))
    yield "size", [opener.ask(address_range, "b") == address_range("a"), address_range("a")[1] == 10 * pitch]
    yield "the last row", opener.ask(look, "b", 8, 9 * pitch) == look("a", 8, 9 * pitch)
    yield "its handle from the last row", ipc_handle("a", 9 * pitch) == ipc_handle("a")


@question("only what was opened is closed")
def closing():
    for kind in ("device", "device, 3 MiB", "pinned", "registered", "managed", "stream-ordered", "mapped",
                 "reserved only", "module variable",
                 "pageable", "never allocated", "freed device"):
        yield kind, lambda: ask(cu.cuIpcCloseMemHandle(make(kind).address))


@question("what the owner has freed says of itself what it said before, as long as it is open")
def freed_attributes():
    opener = shared_memory(3 * MIB)
    attributes_before = opener.ask(attributes, "b")
    yield "free", free("a")
    yield from answer_items(opener.ask(attributes, "b"))
    yield "as before", opener.ask(attributes, "b") == attributes_before
    yield "range", opener.ask(address_range, "b")
    yield "its handle", export_status(opener.ask(ipc_handle, "b"))


@question("of two blocks of one piece, the owner frees one: the other is as it was")
def neighbour_freed():
    take("a", 512, 1), take("b", 512, 2)
    opener = OtherProcess()
    yield "open", [opener.ask(open_memory, "x", ipc_handle("a")), opener.ask(open_memory, "y", ipc_handle("b"))]
    yield "free the first", [free("a"), opener.ask(look, "x"), opener.ask(look, "y")]
    yield "close it", [opener.ask(close_memory, "x"), opener.ask(look, "y"), opener.ask(put, "y", 3), look("b")]
    yield "the second", [free("b"), opener.ask(look, "y"), opener.ask(close_memory, "y"), opener.ask(look, "y")]


@question("a handle is the memory's: its bytes depend on neither content nor the context that asks")
def handle_bytes():
    take("a")
    handle = ipc_handle("a")
    yield "after a write", [put("a", 9), ipc_handle("a") == handle]
    with using(new_context()):
        second = ipc_handle("a")
        yield "asked in a second context", export_status(second) if isinstance(second, str) else second == handle
    yield "other memory's", [take("b"), ipc_handle("b") == handle]
    yield "when that was freed and taken again", [free("b"), take("b"), ipc_handle("b") == handle]
    opener = OtherProcess()
    yield "opened", [opener.ask(open_memory, "x", handle), opener.ask(open_memory, "y", ipc_handle("b")),
                     opener.ask(distance, "x", "y") == distance("a", "b")]


@question("an opened address is the same in every context of its process, and is not given to anything else")
def address_is_taken():
    take("a", 3 * MIB)
    opener = OtherProcess()
    opener.ask(open_memory, "b", ipc_handle("a"))
    yield "memory taken afterwards", opener.ask(taken_beside, "b")
    second = OtherProcess()
    yield "a second opener", [second.ask(open_memory, "b", ipc_handle("a")), second.ask(look, "b")]


def taken_beside(label):
    """Does anything that is allocated lie in the opened range?"""
    a = number(label)
    addresses = [int(must(cu.cuMemAlloc(3 * MIB))) for _ in range(8)]
    reserved = int(must(cu.cuMemAddressReserve(4 * MIB, 0, a & -(2 * MIB), 0)))
    return [all(abs(address - a) >= 3 * MIB for address in addresses), where(reserved, wanted=a & -(2 * MIB)) == "wanted"]
