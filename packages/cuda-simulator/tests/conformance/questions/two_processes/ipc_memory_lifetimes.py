"""Who keeps memory that an IPC handle passed on: its owner frees or dies, its opener closes or dies, a context goes."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import address_range, available, destroy_context, fill, free, kernel_byte, look, number, put, stable_available, take
from ...helpers.calls import ask, must, new_context, using
from ...helpers.ipc_memory import shared_memory
from ...helpers.pointer_attributes import get_attribute
from ...helpers.processes import OtherProcess, answer_items, remembered
from ...helpers.shareable import close_memory, export_status, ipc_handle, open_memory


@question("after closing, the address is unknown until the handle is opened again")
def after_closing():
    opener = shared_memory()
    yield "close", opener.ask(close_memory, "b")
    yield "close again", opener.ask(close_memory, "b")
    yield "copy", opener.ask(look, "b")
    yield "range", opener.ask(address_range, "b")
    yield "open again", [opener.ask(open_memory, "c", ipc_handle("a")), opener.ask(look, "c")]
    yield "close that", opener.ask(close_memory, "c")
    yield "kernel", opener.ask(kernel_byte, "b")


@question("the owner may free first: the opener reads on until it closes", varies={"open the old handle": "not defined", "open the new one": "not defined"})
def freed_first():
    opener = shared_memory(3 << 20)
    handle = ipc_handle("a")
    yield "free", free("a")
    yield "free again", free("a")
    yield "opener: copy", opener.ask(look, "b")
    yield "opener: kernel", opener.ask(kernel_byte, "b")
    yield "opener: write", opener.ask(put, "b", 5)
    take("c", 3 << 20, 8)
    yield "memory that the owner takes then is another", [opener.ask(look, "b"), look("c")]
    yield "opener: close", opener.ask(close_memory, "b")
    yield "opener: copy then", opener.ask(look, "b")
    yield "open the old handle", OtherProcess().ask(open_memory, "b", handle)
    yield "open the new one", OtherProcess().ask(open_memory, "b", ipc_handle("c"))


@question("memory that its owner freed stays taken until it is closed", quiet=True)
def held_by_opener():
    opener = OtherProcess()
    free_before = available()
    take("a", 64 << 20)
    yield "allocated", free_before - available()
    opener.ask(open_memory, "b", ipc_handle("a"))
    yield "opened", free_before - available()
    yield "freed", [free("a"), free_before - available()]
    yield "content", opener.ask(look, "b")
    yield "closed", [opener.ask(close_memory, "b"), free_before - available()]


@question("memory that its owner freed stays taken until its opener dies", quiet=True)
def held_by_the_dead():
    process = OtherProcess()
    third = OtherProcess()
    take("a", 64 << 20)
    free_before = available()
    yield "opened twice", [process.ask(open_memory, "b", ipc_handle("a")), third.ask(open_memory, "b", ipc_handle("a"))]
    yield "freed", [free("a"), free_before - available()]
    for opener in (process, third):
        opener.kill()
    free_after = stable_available()
    yield "both dead: as much is free as before, and more", free_after - free_before >= 64 << 20


@question("an owner dies: its opener keeps the memory")
def owner_dies():
    for how in ("kill", "leave"):
        owner, third = OtherProcess(), OtherProcess()
        owner.ask(take, "a")
        handle = owner.ask(ipc_handle, "a")
        yield f"{how}: open", open_memory("b", handle)
        getattr(owner, how)()
        yield f"{how}: copy", look("b")
        yield f"{how}: kernel", kernel_byte("b")
        yield f"{how}: a third process opens it", third.ask(open_memory, "b", handle)
        yield f"{how}: memset", ask(cu.cuMemsetD8(number("b"), 3, 16))
        yield f"{how}: content", look("b")
        yield f"{how}: close", [close_memory("b"), close_memory("b")]
        yield f"{how}: open again", open_memory("c", handle)


@question("an owner destroys its context: its opener keeps the memory")
def owner_leaves():
    owner = OtherProcess()
    owner.ask(take, "a")
    handle = owner.ask(ipc_handle, "a")
    yield "open", open_memory("b", handle)
    yield "destroy", owner.ask(destroy_context)
    yield "copy", look("b")
    yield "close", close_memory("b")
    yield "open again", open_memory("c", handle)


@question("an opener dies: its owner notices nothing")
def opener_dies():
    opener = shared_memory()
    handle = ipc_handle("a")
    opener.kill()
    yield "content", look("a")
    yield "another opens it", [(third := OtherProcess()).ask(open_memory, "b", handle), third.ask(look, "b")]
    third.kill()
    yield "free", free("a")


@question("a handle of what was freed is not opened")
def freed_before():
    take("a", 3 << 20)
    handle = ipc_handle("a")
    yield "free", free("a")
    yield "a handle of it", export_status(ipc_handle("a"))
    yield "open", OtherProcess().ask(open_memory, "b", handle)


def opener_contexts(handle):
    """Opened in one context of a process, used from a second one."""
    context = remembered["context"]
    answers = {"open": open_memory("b", handle)}
    second = new_context()
    answers["second: copy"] = look("b")
    answers["second: kernel"] = fill("b", 9)
    answers["second: context of the memory"] = {int(context): "first", int(second): "second"}.get(get_attribute(1, number("b"))[1],
                                                                                                  "another")
    answers["second: open"] = open_memory("c", handle)
    answers["the same address"] = "c" in remembered and number("c") == number("b")
    answers["second: close"] = close_memory("b")
    answers["second: copy then"] = look("b")
    with using(context):
        answers["first: copy then"] = look("b")
        answers["first: close"] = close_memory("b")
        answers["first: open again"] = open_memory("d", handle)
    answers["destroy the second"] = ask(cu.cuCtxDestroy(second))
    answers["first: content"] = look("d")
    answers["destroy the first"] = ask(cu.cuCtxDestroy(context))
    new_context()
    answers["third: content"] = look("d")
    answers["third: open"] = open_memory("e", handle)
    return answers


@question("what one context of a process opened belongs to that context")
def contexts():
    take("a")
    answers = OtherProcess().ask(opener_contexts, ipc_handle("a"))
    yield from answer_items(answers)
    yield "the owner's content", look("a")


@question("handles want a current context")
def without_context():
    take("a")
    handle = ipc_handle("a")
    opener = shared_memory()
    must(cu.cuCtxPopCurrent())
    yield "get", export_status(ipc_handle("a"))
    yield "close", close_memory("a")
    idle = OtherProcess(None)
    yield "open in a process without cuInit", idle.ask(open_memory, "b", handle)
    opener.ask(pop)
    yield "open without a context", opener.ask(open_memory, "c", handle)
    yield "close what is open, without a context", opener.ask(close_memory, "b")


def pop():
    return ask(cu.cuCtxPopCurrent())
