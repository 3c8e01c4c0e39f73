"""IPC handles of device memory: opened in another process, closed, refused."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import address_range, attributes, copy_code, distance, fill, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, new_context, raw
from ...helpers.ipc_memory import shared_memory
from ...helpers.memory_kinds import SMALL
from ...helpers.processes import OtherProcess, answer_items, same_number
from ...helpers.shareable import close_memory, export_status, ipc_handle, open_memory

ADDRESS = {"address": "the driver's choice"}


@question("an IPC handle opened in another process gives the same bytes", varies=ADDRESS)
def same_bytes():
    take("a")
    opener = OtherProcess()
    yield "open", opener.ask(open_memory, "b", ipc_handle("a"))
    yield "address", same_number(number("a"), opener.ask(number, "b"))
    yield "a copy finds what the owner wrote", opener.ask(look, "b")
    yield "a kernel too", opener.ask(kernel_byte, "b", 1)
    yield "what it writes by a copy", [opener.ask(put, "b", 7), look("a")]
    yield "by a kernel", [opener.ask(fill, "b", 0x30), look("a"), kernel_byte("a", 2)]
    yield "what the owner writes by a kernel then", [fill("a", 0x50), opener.ask(look, "b"), opener.ask(kernel_byte, "b", 3)]
    yield "by a memset", [ask(cu.cuMemsetD8(number("a"), 0x77, 16)), ask(cu.cuCtxSynchronize()), opener.ask(look, "b")]
    yield "close", opener.ask(close_memory, "b")
    yield "the owner's stays", look("a")


@question("memory is opened in any process but its owner's")
def who_may_open():
    take("a")
    handle = ipc_handle("a")
    yield "its owner", open_memory("b", handle)
    context = must(cu.cuCtxGetCurrent())
    new_context()
    yield "its owner, in another context", open_memory("b", handle)
    must(cu.cuCtxSetCurrent(context))
    for label in ("a second process", "a third"):
        opener = OtherProcess()
        yield label, [opener.ask(open_memory, "b", handle), opener.ask(look, "b"), opener.ask(put, "b", len(label)), look("a")]


@question("a handle opened again in the same process is counted")
def opened_again():
    opener = shared_memory()
    handle = ipc_handle("a")
    yield "again", [opener.ask(open_memory, "c", handle), same_number(opener.ask(number, "b"), opener.ask(number, "c"))]
    yield "from a second handle of the same memory", [opener.ask(open_memory, "d", ipc_handle("a")), same_number(opener.ask(number, "b"), opener.ask(number, "d"))]
    for time in range(4):
        yield f"close {time}", [opener.ask(close_memory, "b"), opener.ask(look, "b")]


@question("the handle of an address inside an allocation is that of its start")
def inside():
    take("a")
    put("a", 9, 8, 512)
    yield "handles alike", ipc_handle("a") == ipc_handle("a", 512)
    opener = OtherProcess()
    yield "opened", [opener.ask(open_memory, "b", ipc_handle("a", 512)), opener.ask(look, "b"), opener.ask(look, "b", 4, 512)]
    yield "range there", opener.ask(address_range, "b")
    yield "one past the end", export_status(ipc_handle("a", SMALL))


@question("the handle of an allocation's end is that of what begins there, or there is none", alone=True)
def ends():
    for size in (512, 4096, 64 << 10, 1 << 20, 2 << 20, 3 << 20):
        for label in ("a", "b", "c"):
            take(label, size)
        at_end = ipc_handle("a", size)
        beside = [label for label in ("b", "c") if number(label) == number("a") + size]
        yield f"{size}: one begins there", bool(beside)
        yield f"{size}: the handle of the end", export_status(at_end)
        yield f"{size}: whose it is", next((whose for whose in ("a", "b", "c") if at_end == ipc_handle(whose)), "nobody's")
        must(cu.cuMemFree(number("c")))
        for whose in ("b", "c"):
            yield f"{size}: the end of {whose}, c freed", export_status(ipc_handle(whose, size))


@question("the handle of a byte between a small allocation's end and the next one, and of what is behind the last", alone=True)
def gaps():
    for size in (1, 100, 513, 5000):
        for label in ("a", "b"):
            take(label, size)
        step = number("b") - number("a")
        yield f"{size}: apart", step if abs(step) < 1 << 21 else "far"
        for offset in (size - 1, size, (size + 511) // 512 * 512 - 1, (size + 511) // 512 * 512):
            handle = ipc_handle("a", offset)
            yield f"{size}: byte {offset}", [export_status(handle), handle == ipc_handle("a"), handle == ipc_handle("b")]
        yield f"{size}: behind b, the end of its step", export_status(ipc_handle("b", (size + 511) // 512 * 512))
        yield f"{size}: 1 MiB behind b", export_status(ipc_handle("b", 1 << 20))


@question("two blocks that the driver cut from one piece have handles of their own")
def one_piece():
    take("a", 512, 1)
    take("b", 512, 2)
    yield "handles alike", ipc_handle("a") == ipc_handle("b")
    opener = OtherProcess()
    yield "open both", [opener.ask(open_memory, "x", ipc_handle("a")), opener.ask(open_memory, "y", ipc_handle("b"))]
    yield "content", [opener.ask(look, "x"), opener.ask(look, "y")]
    yield "as far apart as at their owner", opener.ask(distance, "x", "y") == distance("a", "b")
    yield "ranges", [opener.ask(address_range, "x"), opener.ask(address_range, "y")]
    yield "a copy beyond the first one's end", opener.ask(copy_code, "x", 4, 512)
    yield "close the first", [opener.ask(close_memory, "x"), opener.ask(look, "y")]
    yield "close the second", [opener.ask(close_memory, "y"), opener.ask(look, "y")]


@question("opened memory has the size that it was allocated with")
def sizes():
    opener = OtherProcess()
    for size in (1, 100, 512, 4096, 1 << 20, 2 << 20, (2 << 20) + 1, 3 << 20, 5 << 20):
        take("a", size)
        yield f"{size}", [opener.ask(open_memory, "b", ipc_handle("a")), address_range("a"), opener.ask(address_range, "b"),
                          opener.ask(close_memory, "b")]


@question("opened memory says of itself what device memory does")
def opened_attributes():
    opener = shared_memory()
    yield from answer_items(opener.ask(attributes, "b"))
    take("c")
    yield "as the owner's", [attributes("a") == opener.ask(attributes, "b"), attributes("a") == attributes("c")]


def refused_calls(label):
    """What else takes the address, in the opener."""
    a = number(label)
    return {
        "cuMemFree": ask(cu.cuMemFree(a)), "cuMemFreeAsync": ask(cu.cuMemFreeAsync(a, 0)), "cuMemFreeHost": ask(cu.cuMemFreeHost(a)),
        "cuIpcGetMemHandle": ask(cu.cuIpcGetMemHandle(a)), "closed from inside": close_memory(label, 512), "cuMemHostGetFlags": ask(cu.cuMemHostGetFlags(a)),
        "cuMemHostGetDevicePointer": ask(cu.cuMemHostGetDevicePointer(a, 0)), "cuMemHostRegister": ask(cu.cuMemHostRegister(a, 4096, 0)),
        "cuMemRetainAllocationHandle": ask(cu.cuMemRetainAllocationHandle(a)), "cuMemUnmap": ask(cu.cuMemUnmap(a, 2 << 20)),
        "cuMemPoolExportPointer": ask(cu.cuMemPoolExportPointer(a)),
        "SYNC_MEMOPS": ask(cu.cuPointerSetAttribute(True, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, a)),
        "content then": look(label), "close null": ask(cu.cuIpcCloseMemHandle(0)), "close": close_memory(label)}


@question("opened memory is closed, not freed")
def not_freed():
    opener = shared_memory()
    answers = opener.ask(refused_calls, "b")
    yield from answer_items(answers)
    yield "the owner's content", look("a")
    yield "close memory of one's own", close_memory("a")
    yield "close null", ask(cu.cuIpcCloseMemHandle(0))


@question("bytes that are no handle are not opened")
def wrong_handles():
    take("a")
    handle = ipc_handle("a")
    wrong = {"zeros": bytes(64), "ones": b"\xff" * 64}
    if not isinstance(handle, str):
        wrong |= {"the first byte changed": bytes([handle[0] ^ 1]) + handle[1:], "half of it": handle[:32] + bytes(32)}
    for label, content in wrong.items():
        yield label, OtherProcess().ask(open_memory, "b", content)
    opener = OtherProcess()
    for flags in (0, 2, 3, 1 << 31):
        yield f"flags {flags}", opener.ask(open_memory, "b", handle, flags)
    yield "a handle into nothing", raw("cuIpcGetMemHandle", None, number("a"))


@question("opened memory may be passed on by its handle alone")
def passed_on():
    opener = shared_memory()
    handle = opener.ask(ipc_handle, "b")
    yield "the opener's handle", [export_status(handle), handle == ipc_handle("a")]
    third = OtherProcess()
    yield "open the opener's", third.ask(open_memory, "c", handle)
    yield "open the owner's", third.ask(open_memory, "d", ipc_handle("a"))
    yield "three processes", [third.ask(put, "d", 3), opener.ask(look, "b"), look("a")]


@question("copies know the borders of opened memory, whichever side it is on")
def borders():
    opener = shared_memory(5000)
    for label, size, offset in (("all", 5000, 0), ("a byte more", 5001, 0), ("the last", 1, 4999), ("over the end", 2, 4999), ("one past it", 1, 5000)):
        yield label, opener.ask(copy_code, "b", size, offset)
    opener.ask(take, "own", 8192)
    for label, size in (("to its own", 5000), ("too many to its own", 5001)):
        yield label, opener.ask(between_two, "own", "b", size)
        yield f"{label}, back", opener.ask(between_two, "b", "own", size)


def between_two(to, source, size):
    answers = [ask(call(number(to), number(source), size)) for call in (cu.cuMemcpyDtoD, cu.cuMemcpy)]
    return [*answers, ask(cu.cuCtxSynchronize())]


def waiting(flag):
    """A kernel that waits until a cell is not 0, in memory that was opened."""
    code = ask(kernels.run("wait_for", number(flag), number(flag) + 4))
    return [code, look(flag, 4, 4)]


@question("a kernel that runs in one process sees what another process writes meanwhile")
def meanwhile():
    take("a")
    must(cu.cuMemsetD8(number("a"), 0, 64))
    must(cu.cuCtxSynchronize())
    opener = OtherProcess()
    yield "open", opener.ask(open_memory, "b", ipc_handle("a"))
    opener.start(waiting, "b")
    yield "write", ask(cu.cuMemsetD32(number("a"), 41, 1))
    yield "the kernel's end", opener.finish()
    yield "its answer here", look("a", 4, 4)
