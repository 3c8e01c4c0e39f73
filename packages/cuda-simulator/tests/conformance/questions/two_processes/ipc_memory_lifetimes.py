"""Who keeps memory that an IPC handle passed on: its owner frees or dies, its opener closes or dies, a context goes."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import available, fill, free, left_context, look, measured, number, put, seen, settled, take
from ...helpers.calls import ask, must, new_context, using
from ...helpers.ipc_memory import shared
from ...helpers.others import Other, listed, remembered
from ...helpers.pointer_attributes import get_attribute
from ...helpers.shareable import closed, given, offered, opened

asked = functools.partial(question, others=True)


@asked("after closing, the address is unknown until the handle is opened again")
def after_closing():
    other = shared()
    yield "close", other.ask(closed, "b")
    yield "close again", other.ask(closed, "b")
    yield "copy", other.ask(look, "b")
    yield "range", other.ask(measured, "b")
    yield "open again", [other.ask(opened, "c", offered("a")), other.ask(look, "c")]
    yield "close that", other.ask(closed, "c")
    yield "kernel", other.ask(seen, "b")


@asked("the owner may free first: the opener reads on until it closes", varies={"open the old handle": "not defined", "open the new one": "not defined"})
def freed_first():
    other = shared(3 << 20)
    handle = offered("a")
    yield "free", free("a")
    yield "free again", free("a")
    yield "opener: copy", other.ask(look, "b")
    yield "opener: kernel", other.ask(seen, "b")
    yield "opener: write", other.ask(put, "b", 5)
    take("c", 3 << 20, 8)
    yield "memory that the owner takes then is another", [other.ask(look, "b"), look("c")]
    yield "opener: close", other.ask(closed, "b")
    yield "opener: copy then", other.ask(look, "b")
    yield "open the old handle", Other().ask(opened, "b", handle)
    yield "open the new one", Other().ask(opened, "b", offered("c"))


@asked("memory that its owner freed stays taken until it is closed", quiet=True)
def held_by_opener():
    other = Other()
    before = available()
    take("a", 64 << 20)
    yield "allocated", before - available()
    other.ask(opened, "b", offered("a"))
    yield "opened", before - available()
    yield "freed", [free("a"), before - available()]
    yield "content", other.ask(look, "b")
    yield "closed", [other.ask(closed, "b"), before - available()]


@asked("memory that its owner freed stays taken until its opener dies", quiet=True)
def held_by_the_dead():
    other = Other()
    third = Other()
    take("a", 64 << 20)
    before = available()
    yield "opened twice", [other.ask(opened, "b", offered("a")), third.ask(opened, "b", offered("a"))]
    yield "freed", [free("a"), before - available()]
    for opener in (other, third):
        opener.kill()
    after = settled()
    yield "both dead: as much is free as before, and more", after - before >= 64 << 20


@asked("an owner dies: its opener keeps the memory")
def owner_dies():
    for how in ("kill", "leave"):
        owner, third = Other(), Other()
        owner.ask(take, "a")
        handle = owner.ask(offered, "a")
        yield f"{how}: open", opened("b", handle)
        getattr(owner, how)()
        yield f"{how}: copy", look("b")
        yield f"{how}: kernel", seen("b")
        yield f"{how}: a third process opens it", third.ask(opened, "b", handle)
        yield f"{how}: memset", ask(cu.cuMemsetD8(number("b"), 3, 16))
        yield f"{how}: content", look("b")
        yield f"{how}: close", [closed("b"), closed("b")]
        yield f"{how}: open again", opened("c", handle)


@asked("an owner destroys its context: its opener keeps the memory")
def owner_leaves():
    owner = Other()
    owner.ask(take, "a")
    handle = owner.ask(offered, "a")
    yield "open", opened("b", handle)
    yield "destroy", owner.ask(left_context)
    yield "copy", look("b")
    yield "close", closed("b")
    yield "open again", opened("c", handle)


@asked("an opener dies: its owner notices nothing")
def opener_dies():
    other = shared()
    handle = offered("a")
    other.kill()
    yield "content", look("a")
    yield "another opens it", [(third := Other()).ask(opened, "b", handle), third.ask(look, "b")]
    third.kill()
    yield "free", free("a")


@asked("a handle of what was freed is not opened")
def freed_before():
    take("a", 3 << 20)
    handle = offered("a")
    yield "free", free("a")
    yield "a handle of it", given(offered("a"))
    yield "open", Other().ask(opened, "b", handle)


def opener_contexts(handle):
    """Opened in one context of a process, used from a second one."""
    first = remembered["context"]
    answers = {"open": opened("b", handle)}
    second = new_context()
    answers["second: copy"] = look("b")
    answers["second: kernel"] = fill("b", 9)
    answers["second: context of the memory"] = {int(first): "first", int(second): "second"}.get(get_attribute(1, number("b"))[1], "another")
    answers["second: open"] = opened("c", handle)
    answers["the same address"] = "c" in remembered and number("c") == number("b")
    answers["second: close"] = closed("b")
    answers["second: copy then"] = look("b")
    with using(first):
        answers["first: copy then"] = look("b")
        answers["first: close"] = closed("b")
        answers["first: open again"] = opened("d", handle)
    answers["destroy the second"] = ask(cu.cuCtxDestroy(second))
    answers["first: content"] = look("d")
    answers["destroy the first"] = ask(cu.cuCtxDestroy(first))
    new_context()
    answers["third: content"] = look("d")
    answers["third: open"] = opened("e", handle)
    return answers


@asked("what one context of a process opened belongs to that context")
def contexts():
    take("a")
    answers = Other().ask(opener_contexts, offered("a"))
    yield from listed(answers)
    yield "the owner's content", look("a")


@asked("handles want a current context")
def without_context():
    take("a")
    handle = offered("a")
    other = shared()
    must(cu.cuCtxPopCurrent())
    yield "get", given(offered("a"))
    yield "close", closed("a")
    idle = Other(None)
    yield "open in a process without cuInit", idle.ask(opened, "b", handle)
    other.ask(pop)
    yield "open without a context", other.ask(opened, "c", handle)
    yield "close what is open, without a context", other.ask(closed, "b")


def pop():
    return ask(cu.cuCtxPopCurrent())
