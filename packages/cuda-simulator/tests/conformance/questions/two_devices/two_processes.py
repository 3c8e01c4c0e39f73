"""Two processes, one on each device: what is passed from one to the other, by every way."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import attributes, copied, fill, look, measured, number, put, seen, take
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.ipc_events import done, late, let_go, pending
from ...helpers.memory_kinds import LARGE, access, location, make
from ...helpers.others import Other, listed, remembered
from ...helpers.peers import enable, ordinal_of
from ...helpers.shareable import (
    awaited,
    closed,
    descriptor,
    event,
    given,
    imported,
    offered,
    offered_event,
    opened,
    opened_event,
    passed,
    physical,
    recorded,
    shown,
    state,
    with_rights,
)
from ...helpers.shared_pools import (
    drawn,
    freed,
    imported_pointer,
    imported_pool,
    pointer_data,
    pool,
    pool_descriptor,
    pool_passed,
)

asked = functools.partial(question, devices=2, others=True)
PLACES = ("0", "1", "1,0")      # of CUDA_VISIBLE_DEVICES


@asked("an event of one device is waited for and recorded by a process that works on the other")
def events():
    owner, other = Other(0), Other(1)
    owner.ask(event, "e")
    yield "open", other.ask(opened_event, "f", owner.ask(offered_event, "e"))
    yield "never recorded", [other.ask(state, "f"), other.ask(awaited, "f")]
    yield "recorded by the owner", [owner.ask(recorded, "e"), owner.ask(awaited, "e"), other.ask(state, "f"),
                                    other.ask(awaited, "f")]
    yield "recorded by the opener", [other.ask(recorded, "f"), other.ask(state, "f")]


@asked("a stream of the other device, in another process, waits for an event")
def event_orders():
    owner, other = Other(0), Other(1)
    owner.ask(event, "e"), other.ask(take, "own")
    other.ask(opened_event, "f", owner.ask(offered_event, "e"))
    yield "pending", [owner.ask(pending, "e"), other.ask(state, "f")]
    yield "behind it", other.ask(late, "f")
    yield "let go", [owner.ask(let_go), other.ask(done)]


@asked("memory opened on the other device is copied, filled and closed there like a peer's")
def used_across():
    take("a")
    other = Other(1)
    yield "open", other.ask(opened, "b", offered("a"))
    yield from listed(other.ask(uses, "b"))
    yield "the owner's", [look("a"), seen("a")]
    yield "attributes as the owner's", other.ask(attributes, "b") == attributes("a")
    yield "range", other.ask(measured, "b")
    yield "opened again with a context of its device", other.ask(opened_in_zero, offered("a"))


def uses(label):
    a, own = number(label), make("device").address
    context = must(cu.cuCtxGetCurrent())
    return {"to its own": [ask(cu.cuMemcpyDtoD(own, a, 16)), ask(cu.cuCtxSynchronize())],
            "from its own": [ask(cu.cuMemcpyDtoD(a + 64, own, 16)), ask(cu.cuCtxSynchronize())],
            "by cuMemcpyPeer": [ask(cu.cuMemcpyPeer(own, context, a, context, 16)), ask(cu.cuCtxSynchronize())],
            "filled": [ask(cu.cuMemsetD8(a, 0x31, 4)), ask(cu.cuCtxSynchronize()), look(label)],
            "by a kernel": fill(label, 0x50, 4, 8),
            "past its end": copied(label, 1, 64 << 10)}


def opened_in_zero(handle):
    """The same memory, with a context of its own device beside it."""
    own = must(cu.cuCtxGetCurrent())
    zero = new_context()
    answers = [opened("c", handle), look("c"), seen("c"), remembered.get("c") == number("b")]
    must(cu.cuCtxSetCurrent(own))
    return [*answers, seen("b"), enable(zero), closed("b"), look("c")]


@asked("physical memory of one device, imported by a process on the other, has rights for each device in each process")
def physical_rights():
    physical("h"), shown("a", "h"), put("a", 1, 64)
    other = Other(1)
    yield "import, map", [passed(other, "k", descriptor("h")), other.ask(shown, "b", "k", LARGE, None)]
    for label, entries in {"1 to read": {1: "read"}, "1 to write": {1: "read and write"}, "0 as well": {0: "read"},
                           "1 no more": {1: "none"}}.items():
        yield label, other.ask(with_rights, "b", entries)
    yield "here", [outcome(cu.cuMemGetAccess(location(ordinal=who), number("a"))) for who in (0, 1)]


@asked("a kernel of a device without a right to imported memory faults, and its exporter goes on")
def fault_across():
    physical("h"), shown("a", "h"), put("a", 1, 64)
    other = Other(1)
    passed(other, "k", descriptor("h"))
    yield "with a right for device 0 alone", [other.ask(shown, "b", "k"), other.ask(seen, "b"), other.ask(look, "b")]
    yield "the exporter", [look("a"), seen("a"), fill("a", 0x44)]
    third = Other(1)
    yield "a new process", [passed(third, "k", descriptor("h")), third.ask(shown, "b", "k"),
                            third.ask(with_rights, "b", {1: "read and write"}), third.ask(seen, "b")]


@asked("a pool's rights are each process's own, for each device")
def pool_rights():
    pool("o"), drawn("a", "o")
    other = Other(1)
    yield "import", [pool_passed(other, "p", pool_descriptor("o")),
                     other.ask(imported_pointer, "b", "p", pointer_data("a"))]
    yield "rights there", other.ask(pool_rights_told, "p")
    yield "a copy there", other.ask(look, "b")
    yield "given here for 1", [ask(cu.cuMemPoolSetAccess(number("o"), [access("read and write", ordinal=1)], 1)),
                               pool_rights_told("o"),
                              other.ask(pool_rights_told, "p"), other.ask(look, "b")]
    yield "given there for 1", [other.ask(pool_right, "p", 1), other.ask(pool_rights_told, "p"), other.ask(look, "b"),
                                other.ask(seen, "b")]
    yield "taken there again", [other.ask(pool_right, "p", 1, "none"), other.ask(look, "b"), look("a")]
    yield "of a pool of device 1", of_the_other()


def pool_rights_told(label):
    return [outcome(cu.cuMemPoolGetAccess(number(label), location(ordinal=who))) for who in (0, 1)]


def pool_right(label, who, right="read and write"):
    return ask(cu.cuMemPoolSetAccess(number(label), [access(right, ordinal=who)], 1))


def of_the_other():
    """A pool on device 1 that this process, which works on device 0, makes for a process on device 1."""
    answers = [pool("q", "device", 1), drawn("x", "q"), pool_right("q", 0), drawn("y", "q")]
    other = Other(1)
    answers.append(pool_passed(other, "p", pool_descriptor("q")))
    answers.append(other.ask(imported_pointer, "b", "p", pointer_data("y")))
    return [*answers, other.ask(look, "b"), other.ask(fill, "b", 0x20), look("y")]


@asked("an exporter on the other device dies: what it shared by any way stays")
def exporter_dies():
    for how in ("kill", "leave"):
        owner = Other(1)
        owner.ask(take, "a"), owner.ask(physical, "h", LARGE, "device", 1)
        owner.ask(pool, "o", "device", 1), owner.ask(drawn, "x", "o")
        answers = [opened("b", owner.ask(offered, "a")), imported("k", owner.ask(descriptor, "h")), shown("v", "k")]
        fd = owner.ask(pool_descriptor, "o")
        answers += [imported_pool("p", fd) if isinstance(fd, int) else fd,
                    imported_pointer("y", "p", owner.ask(pointer_data, "x"))]
        yield f"{how}: open and import", answers
        getattr(owner, how)()
        yield f"{how}: IPC memory", [look("b"), seen("b"), put("b", 4), closed("b")]
        yield f"{how}: physical memory", [put("v", 4), seen("v"), given(descriptor("k"))]
        yield f"{how}: the pool's", [look("y"), ordinal_of("y"), freed("y")]


@asked("three processes on two devices share memory of one, and it stays as long as anybody has it")
def chain():
    first, second, third = Other(0), Other(1), Other(0)
    first.ask(physical, "h"), first.ask(shown, "a", "h"), first.ask(put, "a", 1, 64)
    fd = first.ask(descriptor, "h")
    yield "the second", [passed(second, "k", fd, closing=False), second.ask(shown, "b", "k"),
                         second.ask(with_rights, "b", {1: "read and write"})]
    yield "the third", [passed(third, "l", fd, closing=False), third.ask(shown, "c", "l"), third.ask(look, "c")]
    yield "the first is killed", [first.kill(), third.ask(fill, "c", 0x30), second.ask(look, "b")]
    yield "the second is killed", [second.kill(), third.ask(look, "c"), third.ask(seen, "c", 1)]
    yield "the third is killed", third.kill()
    yield "here, from the descriptor", [imported("m", fd), shown("d", "m"), look("d")] if isinstance(fd, int) else fd
