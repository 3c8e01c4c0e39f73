"""Two processes and two devices: what is handed from one device's process to the other's, used by every call."""
import ctypes
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.between import copied, fill, free, left_context, look, number, put, seen, take
from ...helpers.calls import ask, must, new_context, outcome, using
from ...helpers.host_pages import mapped_in, memory_file, registered, seen_file
from ...helpers.ipc_events import SHORT, done, late, let_go, pending
from ...helpers.ipc_memory import every_copy, every_fill
from ...helpers.memory_kinds import LARGE, SMALL, access, location
from ...helpers.others import Other, listed, remembered
from ...helpers.peers import enable
from ...helpers.shareable import (
    awaited,
    closed,
    descriptor,
    event,
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
    with_rights,
)
from ...helpers.shared_pools import (
    drawn,
    freed,
    imported_pointer,
    imported_pool,
    pointer_data,
    pool,
    pool_access,
    pool_descriptor,
    pool_passed,
)

asked = functools.partial(question, devices=2, others=True)


@asked("memory that was opened on the other device is either side of every copy there")
def copies():
    take("a")
    other = Other(1)
    yield "open", other.ask(opened, "b", offered("a"))
    yield from listed(other.ask(every_copy, "b"))
    yield "the owner's", look("a", 8, 64)


@asked("memory that was opened on the other device is filled there by every call")
def fills():
    take("a")
    other = Other(1)
    yield "open", other.ask(opened, "b", offered("a"))
    yield from listed(other.ask(every_fill, "b"))
    yield "the owner's", [look("a", 8), look("a", 1, SMALL - 1)]


def begin_both():
    """A second context, of the other device, beside the process's own."""
    remembered["own"] = int(must(cu.cuCtxGetCurrent()))
    remembered["second"] = int(new_context(ordinal=1 - int(must(cu.cuCtxGetDevice()))))
    must(cu.cuCtxPopCurrent())
    return "SUCCESS"


def with_second(word, *arguments):
    with using(remembered["second"]):
        return globals()[word](*arguments)


@asked("two processes have contexts of both devices: each opens the other's memory with either")
def both_on_both():
    take("a"), begin_both()
    with_second("take", "x")
    other = Other(1)
    other.ask(begin_both)
    yield "with the context of its device", [other.ask(with_second, "opened", "b", offered("a")),
                                             other.ask(with_second, "seen", "b")]
    yield "with that of the other device", [other.ask(with_second, "opened", "y", with_second("offered", "x")),
                                            other.ask(with_second, "look", "y")]
    yield "write there, look here", [other.ask(with_second, "put", "b", 5), look("a"),
                                     other.ask(with_second, "put", "y", 6), with_second("look", "x")]
    yield "opened with the other context, too", [other.ask(opened, "z", with_second("offered", "x")),
                                                 other.ask(look, "z")]
    yield "close", [other.ask(closed, "z"), other.ask(with_second, "closed", "y"),
                    other.ask(with_second, "closed", "b")]
    yield "opened with the context of 0, a kernel of 1", [other.ask(with_second, "opened", "y",
                                                                    with_second("offered", "x")), other.ask(seen, "y")]
    yield "free", [free("a"), with_second("free", "x")]


@asked("a process opens memory of one device with contexts of both, and closes it in the order of its choice")
def closing_orders():
    take("a")
    handle = offered("a")
    for label, steps in {"as opened": ("first", "second"), "the other way round": ("second", "first"),
                         "one twice": ("first", "first", "second")}.items():
        other = Other(1)
        other.ask(begin_both)
        yield f"{label}: open", [other.ask(opened, "b", handle), other.ask(with_second, "opened", "c", handle),
                                 other.ask(same_address)]
        for n, step in enumerate(steps):
            yield f"{label}: close {n}, {step}", [other.ask(closed, "b") if step == "first"
                                                  else other.ask(with_second, "closed", "c"),
                                                  other.ask(look, "b"), other.ask(with_second, "look", "c")]
        other.kill()


def same_address():
    return number("b") == number("c") if "b" in remembered and "c" in remembered else None


@asked("an event goes round: recorded on one device, waited for on the other, answered by an event of that one")
def events():
    owner, other = Other(0), Other(1)
    owner.ask(event, "e"), other.ask(event, "g"), owner.ask(take, "own"), other.ask(take, "own")
    yield "open", [other.ask(opened_event, "f", owner.ask(offered_event, "e")),
                   owner.ask(opened_event, "h", other.ask(offered_event, "g"))]
    yield "ready", [owner.ask(fill, "own", 1), other.ask(fill, "own", 1)]
    yield "pending on 0", [owner.ask(pending, "e"), other.ask(late, "f")]
    yield "let go", [owner.ask(let_go), other.ask(done), other.ask(state, "f")]
    yield "pending on 1", [other.ask(pending, "g"), owner.ask(late, "h")]
    yield "let go there", [other.ask(let_go), owner.ask(done), owner.ask(state, "h")]
    yield "each records the other's", [owner.ask(recorded, "h"), other.ask(recorded, "f")]
    yield "one dies", [owner.kill(), other.ask(recorded, "g"), other.ask(awaited, "g", patience=SHORT)]


@asked("physical memory of both devices goes to a process of either, and is used by who has a right")
def physical_both():
    others = [Other(0), Other(1)]
    for place in (0, 1):
        remembered.clear()
        physical(f"h{place}", LARGE, "device", place)
        for which, other in enumerate(others):
            label = f"on {place}, for {which}"
            yield f"{label}: import", [passed(other, f"k{place}", descriptor(f"h{place}")),
                                       other.ask(shown, f"v{place}", f"k{place}", LARGE, None)]
            yield f"{label}: a right for its own device", other.ask(with_rights, f"v{place}", {which: "read and write"})
            yield f"{label}: written by a kernel", [other.ask(fill, f"v{place}", 0x10 * (which + 1)),
                                                    other.ask(look, f"v{place}")]
        yield f"on {place}: both see the last", [other.ask(seen, f"v{place}") for other in others]
        yield f"on {place}: released here", [released(f"h{place}"), [other.ask(look, f"v{place}") for other in others]]
    yield "unmapped", [[other.ask(hidden, f"v{place}") for place in (0, 1)] for other in others]


@asked("pools of both devices go to a process of either")
def pools_both():
    for place in (0, 1):
        owner = Other(place)
        owner.ask(pool, "o", "device", place), owner.ask(drawn, "a", "o")
        for which in (0, 1):
            other = Other(which)
            yield f"of {place}, for {which}: import", [pool_passed(other, "p", owner.ask(pool_descriptor, "o")),
                                                       other.ask(imported_pointer, "b", "p",
                                                                 owner.ask(pointer_data, "a"))]
            yield f"of {place}, for {which}: rights", other.ask(rights_of_pool, "p")
            yield f"of {place}, for {which}: copies", [other.ask(look, "b"), other.ask(put, "b", which + 4),
                                                       owner.ask(look, "a")]
            yield f"of {place}, for {which}: a right for its device, a kernel", [other.ask(right_of_pool, "p", which),
                other.ask(fill, "b", 0x33), owner.ask(look, "a")]
            yield f"of {place}, for {which}: freed", [other.ask(freed, "b"), owner.ask(look, "a")]
            other.kill()


def rights_of_pool(label):
    return [outcome(cu.cuMemPoolGetAccess(number(label), location(ordinal=who))) for who in (0, 1)]


def right_of_pool(label, who):
    return [ask(cu.cuMemPoolSetAccess(number(label), [access("read and write", ordinal=who)], 1)),
            rights_of_pool(label)]


@asked("kernels of two processes on two devices count in pages of one file")
def file_of_both():
    other, fd = Other(1), memory_file()
    yield "map, register", [mapped_in(other, "b", fd), seen_file("a", fd), registered("a"), other.ask(registered, "b")]
    yield "count", [counted("a", 2), other.ask(counted, "b", 3), counted("a", 1), look_at("a"), other.ask(look_at, "b")]
    yield "one ends", [other.leave(), counted("a", 1), look_at("a")]


def counted(label, times):
    for _ in range(times):
        must(kernels.run("count_threads", number(label), grid=2, block=10))
    return "counted"


def look_at(label):
    return ctypes.c_int.from_address(number(label)).value


@asked("the owner on the other device frees, faults or goes while its memory is open here")
def owner_ends():
    for how in ("frees", "faults", "destroys its context", "leaves"):
        owner = Other(1)
        owner.ask(take, "a", 3 << 20)
        yield f"{how}: open", [opened("b", owner.ask(offered, "a")), look("b"), seen("b")]
        yield how, {"frees": lambda: owner.ask(free, "a"), "faults": lambda: owner.ask(poke_null),
                    "destroys its context": lambda: owner.ask(left_context), "leaves": owner.leave}[how]()
        yield f"{how}: then", [copied("b"), look("b"), closed("b"), copied("b")]


def poke_null():
    return ask(kernels.run("poke", 0, kernels.i32(1)))


@asked("memory that was opened here from the other device's process is not a peer's, whatever is enabled")
def opened_and_enabled():
    owner = Other(1)
    owner.ask(take, "a", 3 << 20)
    begin_both()
    second = remembered["second"]
    yield "open", [opened("b", owner.ask(offered, "a")), seen("b")]
    yield "enable between the contexts", [enable(second), seen("b")]
    yield "disable", [ask(cu.cuCtxDisablePeerAccess(second)), ask(cu.cuCtxDisablePeerAccess(second))]
    yield "a kernel still", lambda: seen("b")
    yield "a kernel of 1", lambda: with_second("seen", "b")
    yield "close with 1, with 0", [with_second("closed", "b"), closed("b"), copied("b")]


@asked("memory of device 1 comes by three ways to a process of device 0, which copies from one to the next")
def three_ways():
    owner = Other(1)
    owner.ask(take, "a"), owner.ask(physical, "h", LARGE, "device", 1), owner.ask(pool, "o", "device",
        1), owner.ask(drawn, "x", "o")
    fd = owner.ask(pool_descriptor, "o")
    yield "received", [opened("b", owner.ask(offered, "a")), imported("k", owner.ask(descriptor, "h")), shown("v", "k"),
                       imported_pool("p", fd) if isinstance(fd, int) else fd,
                       imported_pointer("y", "p", owner.ask(pointer_data, "x"))]
    yield "a right for 0 in the pool", pool_access("p")
    for to, source in (("v", "b"), ("y", "v"), ("b", "y")):
        put(source, 3 + ord(to) % 5, 16)
        yield f"from {source} to {to}", [ask(cu.cuMemcpyDtoD(number(to), number(source), 16)),
                                         ask(cu.cuCtxSynchronize()), look(to)]
        yield f"from {source} to {to} by a kernel", lambda: ask(kernels.run("copy", number(to) + 32, number(source),
            kernels.i32(8)))
    yield "the owner's", [owner.ask(look, "a"), owner.ask(look, "x")]
    yield "given back", [closed("b"), hidden("v"), freed("y")]
