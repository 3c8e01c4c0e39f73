"""IPC handles of device memory: opened in another process, closed, refused."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.between import attributes, copied, distance, fill, look, measured, number, put, seen, take
from ...helpers.calls import ask, must, new_context, raw
from ...helpers.ipc_memory import shared
from ...helpers.memory_kinds import SMALL
from ...helpers.others import Other, listed, same
from ...helpers.shareable import closed, given, offered, opened

asked = functools.partial(question, others=True)
ADDRESS = {"address": "the driver's choice"}


@asked("an IPC handle opened in another process gives the same bytes", varies=ADDRESS)
def same_bytes():
    take("a")
    other = Other()
    yield "open", other.ask(opened, "b", offered("a"))
    yield "address", same(number("a"), other.ask(number, "b"))
    yield "a copy finds what the owner wrote", other.ask(look, "b")
    yield "a kernel too", other.ask(seen, "b", 1)
    yield "what it writes by a copy", [other.ask(put, "b", 7), look("a")]
    yield "by a kernel", [other.ask(fill, "b", 0x30), look("a"), seen("a", 2)]
    yield "what the owner writes by a kernel then", [fill("a", 0x50), other.ask(look, "b"), other.ask(seen, "b", 3)]
    yield "by a memset", [ask(cu.cuMemsetD8(number("a"), 0x77, 16)), ask(cu.cuCtxSynchronize()), other.ask(look, "b")]
    yield "close", other.ask(closed, "b")
    yield "the owner's stays", look("a")


@asked("memory is opened in any process but its owner's")
def who_may_open():
    take("a")
    handle = offered("a")
    yield "its owner", opened("b", handle)
    first = must(cu.cuCtxGetCurrent())
    new_context()
    yield "its owner, in another context", opened("b", handle)
    must(cu.cuCtxSetCurrent(first))
    for which in ("a second process", "a third"):
        other = Other()
        yield which, [other.ask(opened, "b", handle), other.ask(look, "b"), other.ask(put, "b", len(which)), look("a")]


@asked("a handle opened again in the same process is counted")
def opened_again():
    other = shared()
    handle = offered("a")
    yield "again", [other.ask(opened, "c", handle), same(other.ask(number, "b"), other.ask(number, "c"))]
    yield "from a second handle of the same memory", [other.ask(opened, "d", offered("a")), same(other.ask(number, "b"), other.ask(number, "d"))]
    for time in range(4):
        yield f"close {time}", [other.ask(closed, "b"), other.ask(look, "b")]


@asked("the handle of an address inside an allocation is that of its start")
def inside():
    take("a")
    put("a", 9, 8, 512)
    yield "handles alike", offered("a") == offered("a", 512)
    other = Other()
    yield "opened", [other.ask(opened, "b", offered("a", 512)), other.ask(look, "b"), other.ask(look, "b", 4, 512)]
    yield "range there", other.ask(measured, "b")
    yield "one past the end", given(offered("a", SMALL))


@asked("the handle of an allocation's end is that of what begins there, or there is none", alone=True)
def ends():
    for size in (512, 4096, 64 << 10, 1 << 20, 2 << 20, 3 << 20):
        for label in ("a", "b", "c"):
            take(label, size)
        at_end = offered("a", size)
        beside = [label for label in ("b", "c") if number(label) == number("a") + size]
        yield f"{size}: one begins there", bool(beside)
        yield f"{size}: the handle of the end", given(at_end)
        yield f"{size}: whose it is", next((whose for whose in ("a", "b", "c") if at_end == offered(whose)), "nobody's")
        must(cu.cuMemFree(number("c")))
        for whose in ("b", "c"):
            yield f"{size}: the end of {whose}, c freed", given(offered(whose, size))


@asked("the handle of a byte between a small allocation's end and the next one, and of what is behind the last", alone=True)
def gaps():
    for size in (1, 100, 513, 5000):
        for label in ("a", "b"):
            take(label, size)
        step = number("b") - number("a")
        yield f"{size}: apart", step if abs(step) < 1 << 21 else "far"
        for where in (size - 1, size, (size + 511) // 512 * 512 - 1, (size + 511) // 512 * 512):
            handle = offered("a", where)
            yield f"{size}: byte {where}", [given(handle), handle == offered("a"), handle == offered("b")]
        yield f"{size}: behind b, the end of its step", given(offered("b", (size + 511) // 512 * 512))
        yield f"{size}: 1 MiB behind b", given(offered("b", 1 << 20))


@asked("two blocks that the driver cut from one piece have handles of their own")
def one_piece():
    take("a", 512, 1)
    take("b", 512, 2)
    yield "handles alike", offered("a") == offered("b")
    other = Other()
    yield "open both", [other.ask(opened, "x", offered("a")), other.ask(opened, "y", offered("b"))]
    yield "content", [other.ask(look, "x"), other.ask(look, "y")]
    yield "as far apart as at their owner", other.ask(distance, "x", "y") == distance("a", "b")
    yield "ranges", [other.ask(measured, "x"), other.ask(measured, "y")]
    yield "a copy beyond the first one's end", other.ask(copied, "x", 4, 512)
    yield "close the first", [other.ask(closed, "x"), other.ask(look, "y")]
    yield "close the second", [other.ask(closed, "y"), other.ask(look, "y")]


@asked("opened memory has the size that it was allocated with")
def sizes():
    other = Other()
    for size in (1, 100, 512, 4096, 1 << 20, 2 << 20, (2 << 20) + 1, 3 << 20, 5 << 20):
        take("a", size)
        yield f"{size}", [other.ask(opened, "b", offered("a")), measured("a"), other.ask(measured, "b"), other.ask(closed, "b")]


@asked("opened memory says of itself what device memory does")
def opened_attributes():
    other = shared()
    yield from listed(other.ask(attributes, "b"))
    take("c")
    yield "as the owner's", [attributes("a") == other.ask(attributes, "b"), attributes("a") == attributes("c")]


def refused_calls(label):
    """What else takes the address, in the opener."""
    a = number(label)
    return {
        "cuMemFree": ask(cu.cuMemFree(a)), "cuMemFreeAsync": ask(cu.cuMemFreeAsync(a, 0)), "cuMemFreeHost": ask(cu.cuMemFreeHost(a)),
        "cuIpcGetMemHandle": ask(cu.cuIpcGetMemHandle(a)), "closed from inside": closed(label, 512), "cuMemHostGetFlags": ask(cu.cuMemHostGetFlags(a)),
        "cuMemHostGetDevicePointer": ask(cu.cuMemHostGetDevicePointer(a, 0)), "cuMemHostRegister": ask(cu.cuMemHostRegister(a, 4096, 0)),
        "cuMemRetainAllocationHandle": ask(cu.cuMemRetainAllocationHandle(a)), "cuMemUnmap": ask(cu.cuMemUnmap(a, 2 << 20)),
        "cuMemPoolExportPointer": ask(cu.cuMemPoolExportPointer(a)),
        "SYNC_MEMOPS": ask(cu.cuPointerSetAttribute(True, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, a)),
        "content then": look(label), "close null": ask(cu.cuIpcCloseMemHandle(0)), "close": closed(label)}


@asked("opened memory is closed, not freed")
def not_freed():
    other = shared()
    answers = other.ask(refused_calls, "b")
    yield from listed(answers)
    yield "the owner's content", look("a")
    yield "close memory of one's own", closed("a")
    yield "close null", ask(cu.cuIpcCloseMemHandle(0))


@asked("bytes that are no handle are not opened")
def wrong_handles():
    take("a")
    handle = offered("a")
    wrong = {"zeros": bytes(64), "ones": b"\xff" * 64}
    if not isinstance(handle, str):
        wrong |= {"the first byte changed": bytes([handle[0] ^ 1]) + handle[1:], "half of it": handle[:32] + bytes(32)}
    for label, content in wrong.items():
        yield label, Other().ask(opened, "b", content)
    other = Other()
    for flags in (0, 2, 3, 1 << 31):
        yield f"flags {flags}", other.ask(opened, "b", handle, flags)
    yield "a handle into nothing", raw("cuIpcGetMemHandle", None, number("a"))


@asked("opened memory may be passed on by its handle alone")
def passed_on():
    other = shared()
    again = other.ask(offered, "b")
    yield "the opener's handle", [given(again), again == offered("a")]
    third = Other()
    yield "open the opener's", third.ask(opened, "c", again)
    yield "open the owner's", third.ask(opened, "d", offered("a"))
    yield "three processes", [third.ask(put, "d", 3), other.ask(look, "b"), look("a")]


@asked("copies know the borders of opened memory, whichever side it is on")
def borders():
    other = shared(5000)
    for label, size, offset in (("all", 5000, 0), ("a byte more", 5001, 0), ("the last", 1, 4999), ("over the end", 2, 4999), ("one past it", 1, 5000)):
        yield label, other.ask(copied, "b", size, offset)
    other.ask(take, "own", 8192)
    for label, size in (("to its own", 5000), ("too many to its own", 5001)):
        yield label, other.ask(between_two, "own", "b", size)
        yield f"{label}, back", other.ask(between_two, "b", "own", size)


def between_two(to, source, size):
    answers = [ask(call(number(to), number(source), size)) for call in (cu.cuMemcpyDtoD, cu.cuMemcpy)]
    return [*answers, ask(cu.cuCtxSynchronize())]


def waiting(flag):
    """A kernel that waits until a cell is not 0, in memory that was opened."""
    code = ask(kernels.run("wait_for", number(flag), number(flag) + 4))
    return [code, look(flag, 4, 4)]


@asked("a kernel that runs in one process sees what another process writes meanwhile")
def meanwhile():
    take("a")
    must(cu.cuMemsetD8(number("a"), 0, 64))
    must(cu.cuCtxSynchronize())
    other = Other()
    yield "open", other.ask(opened, "b", offered("a"))
    other.start(waiting, "b")
    yield "write", ask(cu.cuMemsetD32(number("a"), 41, 1))
    yield "the kernel's end", other.finish()
    yield "its answer here", look("a", 4, 4)
