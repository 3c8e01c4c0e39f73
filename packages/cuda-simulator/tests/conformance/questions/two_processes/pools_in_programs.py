"""Pools handed on, and what is done with their pointers: copies, streams, several importers, what the owner counts."""
import functools
import os

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import copied, fill, keep, look, number, put, seen
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.ipc_events import done
from ...helpers.ipc_memory import every_copy, every_fill
from ...helpers.kernels import i32, launch
from ...helpers.memory_kinds import SMALL, access, location
from ...helpers.others import Other, listed, remembered
from ...helpers.shareable import POSIX, awaited, event, given, offered_event, opened_event, recorded
from ...helpers.shared_pools import (
    ATTRIBUTES,
    drawn,
    freed,
    imported_pointer,
    imported_pool,
    pointer_data,
    pool,
    pool_access,
    pool_descriptor,
    pool_destroyed,
    pool_passed,
    used,
)

asked = functools.partial(question, others=True)


def handed(size=SMALL):
    """Pool "o" with memory "a" of this process, and another that has them as "p" and "b"."""
    pool("o"), drawn("a", "o", size)
    other = Other()
    pool_passed(other, "p", pool_descriptor("o"))
    other.ask(imported_pointer, "b", "p", pointer_data("a"))
    return other


@asked("an imported pointer is either side of every copy")
def copies():
    other = handed()
    yield from listed(other.ask(every_copy, "b"))
    yield "the exporter's", look("a", 8, 64)


@asked("an imported pointer is filled as device memory is")
def fills():
    other = handed()
    yield from listed(other.ask(every_fill, "b"))
    yield "the exporter's", [look("a", 8), look("a", 1, SMALL - 1)]


@asked("a device's own pool is not exported, nor what is taken from it, whichever pool is current")
def own_pool():
    remembered["default"] = int(must(cu.cuDeviceGetDefaultMemPool(0)))
    yield "the default pool", given(pool_descriptor("default"))
    yield "its memory", [keep("a", cu.cuMemAllocAsync(4096, 0)), given(pointer_data("a"))]
    pool("o")
    yield "a pool for export made current", ask(cu.cuDeviceSetMemPool(0, number("o")))
    yield "memory taken then", [keep("b", cu.cuMemAllocAsync(4096, 0)), put("b", 3), given(pointer_data("b"))]
    other = Other()
    yield "it is imported", [pool_passed(other, "p", pool_descriptor("o")),
                             other.ask(imported_pointer, "c", "p", pointer_data("b")),
                             other.ask(look, "c")]
    yield "the default again", [ask(cu.cuDeviceSetMemPool(0, number("default"))), keep("d", cu.cuMemAllocAsync(64, 0)),
                                given(pointer_data("d"))]
    yield "destroy it", lambda: ask(cu.cuMemPoolDestroy(number("default")))


@asked("two importers have one pointer, and each gives it back for itself, the exporter last")
def two_importers():
    first = handed()
    second = Other()
    yield "the second", [pool_passed(second, "p", pool_descriptor("o")),
                         second.ask(imported_pointer, "b", "p", pointer_data("a"))]
    yield "one memory", [first.ask(put, "b", 3), second.ask(look, "b"), second.ask(fill, "b", 0x50),
                         first.ask(look, "b"), look("a")]
    yield "used", used("o")
    yield "the first gives back", [first.ask(freed, "b"), first.ask(look, "b"), second.ask(look, "b"), look("a"),
                                   used("o")]
    yield "the second gives back", [second.ask(freed, "b"), second.ask(look, "b"), look("a"), used("o")]
    yield "the exporter", [freed("a"), used("o"), copied("a")]
    yield "again", [drawn("c", "o", SMALL, 6), first.ask(imported_pointer, "d", "p", pointer_data("c")),
                    first.ask(look, "d")]


@asked("what one pointer's data says is imported by every process that has the pool, and by none that has not")
def data_alone():
    first = handed()
    data = pointer_data("a")
    second, third = Other(), Other()
    second.ask(pool, "mine")
    yield "into a pool of the importer's own", second.ask(imported_pointer, "b", "mine", data)
    yield "with the pool", [pool_passed(third, "p", pool_descriptor("o")), third.ask(imported_pointer, "b", "p", data),
                            third.ask(look, "b")]
    yield "the same data again in the first", [first.ask(imported_pointer, "c", "p", data), first.ask(look, "c")]
    yield "data asked for twice", pointer_data("a") == data
    yield "its length", len(data)


def work(label, event_label):
    stream = must(cu.cuStreamCreate(1))
    codes = [keep(label, cu.cuMemAllocFromPoolAsync(SMALL, number("o"), stream)),
             ask(launch("fill", number(label), i32(0x30), i32(64), stream=stream)), recorded(event_label, stream)]
    return [*codes, ask(cu.cuStreamSynchronize(stream))]


def copy_behind(event_label, source):
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    remembered["own"] = int(must(cu.cuMemAlloc(4096)))
    return [ask(cu.cuStreamWaitEvent(stream, number(event_label), 0)),
            ask(cu.cuMemcpyDtoDAsync(number("own"), number(source), 64, stream))]


@asked("memory is taken and filled in a stream, and an event tells its importer's stream")
def with_event():
    pool("o"), event("e")
    other = Other()
    pool_passed(other, "p", pool_descriptor("o"))
    yield "the event", other.ask(opened_event, "f", offered_event("e"))
    yield "take, fill, record", work("a", "e")
    yield "the importer's stream", [other.ask(imported_pointer, "b", "p", pointer_data("a")),
                                    other.ask(copy_behind, "f", "b"), other.ask(done)]
    yield "give back there, then here", [other.ask(freed, "b"), awaited("e"), freed("a"), used("o")]


def attribute(name):
    return outcome(cu.cuMemPoolGetAttribute(number("o"), ATTRIBUTES[name]))


@asked("the owner of a pool counts what is taken, whoever has imported it")
def counting():
    pool("o")
    other = Other()
    pool_passed(other, "p", pool_descriptor("o"))
    yield "nothing", [used("o"), attribute("RESERVED_MEM_CURRENT")]
    for n, size in enumerate((4096, 1 << 20, 3 << 20)):
        drawn(f"a{n}", "o", size)
        yield f"{size} taken", [used("o"), other.ask(imported_pointer, f"b{n}", "p", pointer_data(f"a{n}")), used("o")]
    yield "reserved", attribute("RESERVED_MEM_CURRENT") >= 4096 + (4 << 20)
    yield "the importer's count", other.ask(used, "p")
    for n in (1, 0, 2):
        yield f"{n} given back", [other.ask(freed, f"b{n}"), used("o"), freed(f"a{n}"), used("o")]
    yield "trimmed", [ask(cu.cuMemPoolTrimTo(number("o"), 0)), attribute("RESERVED_MEM_CURRENT")]
    yield "taken again", [drawn("c", "o", 4096, 3), other.ask(imported_pointer, "d", "p", pointer_data("c")),
                          other.ask(look, "d")]


@asked("a pool that keeps nothing, or all, gives its memory to an importer all the same")
def threshold():
    for keeps in (0, 1 << 40):
        pool("o")
        yield f"{keeps}: set", ask(cu.cuMemPoolSetAttribute(number("o"), ATTRIBUTES["RELEASE_THRESHOLD"],
                                                            cu.cuuint64_t(keeps)))
        other = Other()
        pool_passed(other, "p", pool_descriptor("o"))
        for n in range(3):
            yield f"{keeps}: {n}", [drawn("a", "o", 3 << 20, n + 1),
                                    other.ask(imported_pointer, "b", "p", pointer_data("a")),
                                    other.ask(look, "b"), other.ask(freed, "b"), freed("a"), ask(cu.cuCtxSynchronize())]
        yield f"{keeps}: destroy", [pool_destroyed("o"), other.ask(pool_destroyed, "p")]


def context_goes():
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    answers = [copied("b")]
    new_context()
    return [*answers, look("b"), seen("b"), put("b", 4), freed("b"), pool_destroyed("p")]


@asked("a context goes in the importer, then in the exporter: pools and pointers stay")
def contexts_go():
    other = handed(3 << 20)
    yield "the importer's", other.ask(context_goes)
    yield "here", look("a")
    yield "the exporter's", lambda: exporter_context()


def exporter_context():
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    new_context()
    other = Other()
    return [look("a"), seen("a"), drawn("c", "o", 4096, 2), pool_passed(other, "p", pool_descriptor("o")),
            other.ask(imported_pointer, "b", "p", pointer_data("c")), other.ask(look, "b"), freed("a"), freed("c")]


def before_context(data, fd):
    code = imported_pool("none", os.dup(fd))
    must(cu.cuInit(0))
    answers = {"before cuInit": code, "pool, with cuInit alone": imported_pool("p", fd)}
    if "p" not in remembered:
        return answers
    answers |= {"pointer without a context": imported_pointer("b", "p", data),
                "rights told": outcome(cu.cuMemPoolGetAccess(number("p"), location()))}
    new_context()
    return answers | {"pointer with a context": imported_pointer("c", "p", data),
                      "content": [look("c"), fill("c", 0x15), look("c")]}


@asked("a pool is imported without a context, or wants one")
def without_context():
    pool("o"), drawn("a", "o")
    fd = pool_descriptor("o")
    yield from listed(Other(None).ask(before_context, pointer_data("a"), fds=[fd]))
    yield "the exporter's", look("a")


@asked("what is given back in the importer is unknown there, and the exporter's as before")
def given_back():
    other = handed(3 << 20)
    yield "give back", other.ask(freed, "b")
    yield "there", other.ask(after, "b")
    yield "here", [look("a"), seen("a"), put("a", 5), used("o")]
    yield "its data again", [other.ask(imported_pointer, "c", "p", pointer_data("a")), other.ask(look, "c")]


def after(label):
    a = number(label)
    return [copied(label), put(label, 1), ask(cu.cuMemGetAddressRange(a)), ask(cu.cuMemFreeAsync(a, 0)),
            ask(cu.cuMemFree(a)),
            ask(cu.cuMemsetD8(a, 1, 4)), given(pointer_data(label))]


@asked("rights of a pool are asked and set in both processes, with right and wrong lists")
def rights():
    other = handed()
    yield "here, there", [pool_access("o"), other.ask(pool_access, "p")]
    lists = {"none": [access("none")], "read": [access("read")], "twice": [access("read"), access("read and write")],
             "the host": [access("read and write", "host")], "a node": [access("read", "host numa")],
             "device 7": [access("read", ordinal=7)],
             "device -1": [access("read", ordinal=-1)], "nobody": []}
    for label, entries in lists.items():
        yield f"{label}: here", [ask(cu.cuMemPoolSetAccess(number("o"), entries, len(entries))),
                                 outcome(cu.cuMemPoolGetAccess(number("o"), location()))]
    yield "content", [look("a"), other.ask(look, "b")]


@asked("pools of every type of handle are made, and exported as every type")
def handle_types():
    for handle_type in (0, 1, 2, 4, 8):
        code = pool("o", handle_type=handle_type)
        yield f"type {handle_type}", [code, given(pool_descriptor("o", POSIX))] if code == "SUCCESS" else code
        remembered.pop("o", None)
