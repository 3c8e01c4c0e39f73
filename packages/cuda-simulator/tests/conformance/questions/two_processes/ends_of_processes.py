"""How one process's end shows in another: a fault, an exit, a reset, in the owner and in who has its memory."""
import functools
import os

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.between import copied, fill, free, left_context, look, number, put, seen, take
from ...helpers.calls import ask, must, name, new_context
from ...helpers.ipc_events import SHORT
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE
from ...helpers.others import Other
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.shareable import (
    awaited,
    closed,
    descriptor,
    event,
    given,
    hidden,
    imported,
    offered,
    offered_event,
    opened,
    opened_event,
    passed,
    physical,
    recorded,
    released,
    shown,
    state,
)
from ...helpers.shared_pools import (
    drawn,
    freed,
    imported_pointer,
    pointer_data,
    pool,
    pool_descriptor,
    pool_destroyed,
    pool_passed,
)

asked = functools.partial(question, others=True)
LARGER = 3 << 20


def all_of_it():
    """Memory of the three kinds that are handed on: "a" by IPC, "v" physical, "x" of a pool; and an event "e"."""
    take("a", LARGER), physical("h"), shown("v", "h"), put("v", 2, 16), pool("o"), drawn("x", "o", LARGER, 3)
    return event("e")


def handles():
    return [offered("a"), pointer_data("x"), offered_event("e")]


def received(owner, other):
    """Let `other` open and import all of it; the codes."""
    code = pool_passed(other, "p", owner.ask(pool_descriptor, "o"))    # before that no pointer is given out
    handle, data, event_handle = owner.ask(handles)
    return [code, other.ask(imported_pointer, "y", "p", data), other.ask(opened, "b", handle),
            passed(other, "k", owner.ask(descriptor, "h")), other.ask(shown, "w", "k"),
            other.ask(opened_event, "f", event_handle)]


def used_all():
    """Copies from and to each, and a kernel on each."""
    return [[look(label), put(label, 5), fill(label, 0x41, 4, 8), seen(label, 8), look(label, 4, 8)] for label in ("b", "w", "y")]


def told_all():
    return [[name(get_attribute(ATTRIBUTES[attribute], number(label))[0])
             for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "RANGE_SIZE")]
            for label in ("b", "w", "y")]


def given_back():
    return [[closed("b"), copied("b")], [hidden("w"), released("k"), copied("w")],
            [freed("y"), pool_destroyed("p"), copied("y")]]


def fault():
    return ask(kernels.run("poke", 0, i32(1)))


@asked("a fault in the owner leaves all that it handed on")
def owner_faults():
    owner, other = Other(), Other()
    owner.ask(all_of_it)
    yield "received", received(owner, other)
    yield "the fault", [owner.ask(fault), owner.ask(look, "a"), owner.ask(take, "more")]
    yield "used", other.ask(used_all)
    yield "the event", [other.ask(state, "f"), other.ask(recorded, "f"), other.ask(awaited, "f", patience=SHORT)]
    yield "offered by the broken one", [given(label) for label in owner.ask(handles)]
    yield "exported by it", [given(owner.ask(descriptor, "h")), given(owner.ask(pool_descriptor, "o"))]
    yield "its end", [owner.leave(), other.ask(used_all)]
    yield "given back", other.ask(given_back)


@asked("a fault in who has another's memory is no matter of the owner or of a third")
def holder_faults():
    owner, other, third = Other(), Other(), Other()
    owner.ask(all_of_it)
    yield "received", [received(owner, other) == received(owner, third), other.ask(fault)]
    yield "there", [other.ask(look, label) for label in ("b", "w", "y")]
    yield "give back there", other.ask(given_back)
    yield "a third", [third.ask(used_all), owner.ask(look, "a", 4, 8), owner.ask(look, "v", 4, 8),
                      owner.ask(look, "x", 4, 8)]
    yield "a new one", [(new := Other()).begun, received(owner, new), new.ask(look, "b")]
    yield "the owner gives back", [third.kill(), owner.ask(free, "a"), owner.ask(freed, "x"), owner.ask(hidden, "v"),
                                   owner.ask(released, "h")]


@asked("the owner frees in order, after its importers, and nothing is left")
def in_order():
    owner, other = Other(), Other()
    owner.ask(all_of_it)
    received(owner, other)
    yield "importers", other.ask(given_back)
    yield "unknown there", other.ask(told_all)
    yield "the owner", [owner.ask(free, "a"), owner.ask(hidden, "v"), owner.ask(released, "h"), owner.ask(freed, "x"),
                        owner.ask(pool_destroyed, "o")]
    yield "unknown here", [owner.ask(copied, label) for label in ("a", "v", "x")]
    yield "all again", [owner.ask(all_of_it), received(owner, other), other.ask(used_all)]


@asked("the owner frees all of it first: what is physical stays, and all may be given back in the importer")
def owner_first():
    owner, other = Other(), Other()
    owner.ask(all_of_it)
    received(owner, other)
    yield "the owner", [owner.ask(hidden, "v"), owner.ask(released, "h"), owner.ask(free, "a")]
    yield "the importer's", [other.ask(look, "b"), other.ask(look, "w"), other.ask(told_all)]
    yield "its pool", [owner.ask(pool_destroyed, "o"), other.ask(look, "y"), owner.ask(look, "x")]
    yield "exported once more", [given(other.ask(descriptor, "k")), given(other.ask(offered, "b"))]
    yield "given back", [other.ask(given_back), owner.ask(freed, "x")]


def primary_all():
    must(cu.cuInit(0))
    must(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))
    return all_of_it()


def begin_primary():
    must(cu.cuInit(0))
    return ask(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))


def reset():
    code = ask(cu.cuDevicePrimaryCtxReset(0))
    return [code, ask(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))]


@asked("the owner's primary context is reset: what was physical or of a pool is the owner's still")
def owner_resets():
    owner, other = Other(None), Other()
    yield "taken", owner.ask(primary_all)
    yield "received", received(owner, other)
    yield "reset", owner.ask(reset)
    yield "the owner's", [owner.ask(copied, "a"), owner.ask(look, "v"), owner.ask(look, "x")]
    yield "the importer's", [other.ask(told_all), other.ask(used_all)]
    yield "the event", [other.ask(recorded, "f"), other.ask(awaited, "f", patience=SHORT)]
    yield "offered, exported", [owner.ask(given_all)]
    yield "given back there", other.ask(given_back)


def given_all():
    return [given(offered("a")), given(descriptor("h")), given(pool_descriptor("o")), given(pointer_data("x"))]


@asked("the importer's primary context is reset: what it opened is gone, what it imported is not")
def importer_resets():
    owner, other = Other(), Other(None)
    owner.ask(all_of_it), other.ask(begin_primary)
    yield "received", received(owner, other)
    yield "reset", other.ask(reset)
    yield "there", [other.ask(told_all), other.ask(copied, "b"), other.ask(look, "w"), other.ask(look, "y")]
    yield "the owner's", [owner.ask(look, "a"), owner.ask(look, "v"), owner.ask(look, "x")]
    yield "opened again", [other.ask(opened, "c", owner.ask(offered, "a")), other.ask(look, "c"),
                           other.ask(closed, "c")]
    yield "by a kernel", [other.ask(seen, "w"), other.ask(seen, "y")]
    yield "given back", [other.ask(hidden, "w"), other.ask(released, "k"), other.ask(freed, "y"),
                         other.ask(pool_destroyed, "p")]


@asked("the owner's context is destroyed, and made again: what it handed on, and what it has of it")
def owner_again():
    owner, other = Other(), Other()
    owner.ask(all_of_it)
    received(owner, other)
    yield "destroyed, made again", [owner.ask(left_context), owner.ask(context_again)]
    yield "the owner's", [owner.ask(copied, "a"), owner.ask(look, "v"), owner.ask(look, "x")]
    yield "used there", other.ask(used_all)
    yield "the owner sees it", [owner.ask(look, "v"), owner.ask(look, "x")]
    yield "the owner offers", owner.ask(given_all)
    yield "the owner frees", [owner.ask(free, "a"), owner.ask(freed, "x"), owner.ask(hidden, "v")]


def context_again():
    new_context()
    return "made"


def waits(label):
    return [ask(kernels.run("wait_for", number(label), number(label) + 4)), look(label, 4, 4)]


@asked("a kernel waits on memory whose owner dies, and is let go by a third process", alone=True)
def waits_on_the_dead():
    owner, other, third = Other(), Other(), Other()
    owner.ask(take, "a"), owner.ask(zeroed, "a")
    handle = owner.ask(offered, "a")
    yield "open", [other.ask(opened, "b", handle), third.ask(opened, "b", handle), other.ask(fill, "b", 0, 1, 64),
                   third.ask(fill, "b", 0, 1, 64)]
    other.start(waits, "b")
    yield "the owner dies", [owner.kill(), third.ask(look, "b", 4, 4)]
    yield "written by the third", [third.ask(fill, "b", 7, 1), other.finish(), third.ask(look, "b", 4, 4)]


def zeroed(label):
    return [ask(cu.cuMemsetD8(number(label), 0, 128)), ask(cu.cuCtxSynchronize())]


@asked("a process that ends by an error of Python, or by an exit without destructors, ends like others")
def ways_to_end():
    for how in ("os._exit", "an abort"):
        owner, other = Other(), Other()
        owner.ask(all_of_it)
        yield f"{how}: received", received(owner, other)
        owner.start(ended_by, how)
        yield f"{how}: ended", owner.finish()
        yield f"{how}: used", other.ask(used_all)
        yield f"{how}: given back", other.ask(given_back)


def ended_by(how):
    os._exit(3) if how == "os._exit" else os.abort()


@asked("the descriptors of the dead are as good as those of the living, while somebody holds them")
def descriptors_of_the_dead():
    owner = Other()
    owner.ask(all_of_it)
    fd, pool_fd, data = owner.ask(descriptor, "h"), owner.ask(pool_descriptor, "o"), owner.ask(pointer_data, "x")
    owner.kill()
    other = Other()
    yield "physical", [other.ask(imported, "k", fds=[fd]), other.ask(shown, "w", "k"), other.ask(look, "w"),
                       other.ask(put, "w", 6)]
    third = Other()
    yield "once more", [passed(third, "k", fd), third.ask(shown, "w", "k", LARGE, "read"), third.ask(look, "w"),
                        third.ask(put, "w", 6)]
    yield "the pool", pool_passed(other, "p", pool_fd)
    yield "a pointer into it", other.ask(imported_pointer, "y", "p", data) if other.end is None else other.end
