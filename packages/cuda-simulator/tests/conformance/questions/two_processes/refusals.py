"""What is refused between processes: wrong bytes, wrong descriptors, wrong kinds, wrong order, null outputs."""
import ctypes
import functools
import os
import socket

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import copied, free, look, number, put, take, take_kind
from ...helpers.calls import ask, name, raw
from ...helpers.ipc_memory import shared
from ...helpers.memory_kinds import LARGE, SMALL
from ...helpers.others import Other, listed
from ...helpers.shareable import (
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
    released,
    shown,
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

asked = functools.partial(question, others=True)


def other_files():
    """Descriptors that are not CUDA's, by what they are."""
    yield "/dev/null", lambda: os.open("/dev/null", os.O_RDWR)
    yield "/dev/zero", lambda: os.open("/dev/zero", os.O_RDWR)
    yield "a folder", lambda: os.open("/", os.O_RDONLY)
    yield "a socket", lambda: socket.socket(socket.AF_UNIX).detach()
    yield "an empty memory file", lambda: os.memfd_create("empty")
    yield "a file", lambda: os.open(__file__, os.O_RDONLY)
    yield "an event counter", lambda: os.eventfd(0)


@asked("descriptors of other things are not imported as memory")
def other_descriptors():
    other = Other()
    for label, make in other_files():
        yield label, passed(other, "k", make())
    physical("h"), shown("a", "h"), put("a", 1)
    yield "memory then", [passed(other, "k", descriptor("h")), other.ask(shown, "b", "k"), other.ask(look, "b")]


@asked("descriptors of other things are not imported as pools")
def other_descriptors_as_pools():
    other = Other()
    for label, make in other_files():
        yield label, pool_passed(other, "p", make())
    pool("o"), drawn("a", "o")
    yield "a pool then", [pool_passed(other, "p", pool_descriptor("o")),
                          other.ask(imported_pointer, "b", "p", pointer_data("a")), other.ask(look, "b")]


@asked("what says where a pool's pointer is opens no memory, and the handle of memory is no pool's pointer", stricter={
    "opened as an event": "the H200's driver takes these bytes for an event's handle; here they are refused"})
def exchanged_bytes():
    take("a"), event("e"), pool("o"), drawn("x", "o")
    fd = pool_descriptor("o")
    yield "a pool's pointer opened as memory", Other().ask(opened, "b", pointer_data("x"))
    yield "opened as an event", Other().ask(opened_event, "f", pointer_data("x"))
    yield "an event's handle as memory", Other().ask(opened, "b", offered_event("e"))
    for label, data in (("memory's handle", offered("a")), ("an event's handle", offered_event("e"))):
        other = Other()
        yield f"{label} as a pool's pointer", [other.ask(imported_pool, "p", fds=[fd]),
                                               other.ask(imported_pointer, "b", "p", data)]
    os.close(fd)


class Bytes(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * 64)]


def null_outputs(handle):
    given_handle = Bytes.from_buffer_copy(handle)
    return {"open": name(ctypes.CDLL("libcuda.so.1").cuIpcOpenMemHandle_v2(None, given_handle, ctypes.c_uint(1))),
            "open with flags 0": name(ctypes.CDLL("libcuda.so.1").cuIpcOpenMemHandle_v2(None, given_handle,
                ctypes.c_uint(0)))}


@asked("opening into nothing is refused")
def no_output():
    take("a")
    yield from listed(Other().ask(null_outputs, offered("a")))
    yield "the owner's", look("a")


def refused_before(handle, event_handle):
    """A process that has not called cuInit."""
    return {"open": opened("b", handle), "open an event": opened_event("f", event_handle),
            "close": ask(cu.cuIpcCloseMemHandle(4096)),
            "offer": ask(cu.cuIpcGetMemHandle(4096)), "offer an event": raw("cuIpcGetEventHandle",
                ctypes.byref(Bytes()), 0),
            "create": ask(cu.cuMemCreate(LARGE, cu.CUmemAllocationProp(), 0)),
            "reserve": ask(cu.cuMemAddressReserve(LARGE, 0, 0, 0)),
            "export": ask(cu.cuMemExportToShareableHandle(0, cu.CUmemAllocationHandleType(1), 0)),
            "make a pool": ask(cu.cuMemPoolCreate(cu.CUmemPoolProps())),
            "register": ask(cu.cuMemHostRegister(4096, 4096, 0))}


@asked("before cuInit nothing is opened, offered, made or registered")
def before_init():
    take("a"), event("e")
    yield from listed(Other(None).ask(refused_before, offered("a"), offered_event("e")))


def wrong_calls(kind):
    take_kind("a", kind)
    return [given(offered("a")), given(pointer_data("a")), closed("a")]


@asked("memory of several kinds is offered, exported and imported by the wrong calls")
def wrong_kinds():
    for kind in ("pinned", "registered", "managed", "stream-ordered", "mapped", "reserved only", "module variable",
                 "constant variable",
                 "kernel heap", "pageable", "null", "freed device", "mapped, on the host", "device, 3 MiB"):
        yield kind, functools.partial(wrong_calls, kind)


@asked("an opener gives back by calls that are not for opened memory, and closes at last")
def wrong_ends():
    other = shared(3 << 20)
    yield from listed(other.ask(wrong_ends_of, "b"))
    yield "the owner closes, then frees", [closed("a"), free("a"), free("a"), closed("a")]
    yield "the opener", [other.ask(closed, "b"), other.ask(closed, "b"), other.ask(free, "b"), other.ask(copied, "b")]


def wrong_ends_of(label):
    a = number(label)
    calls = {"in the middle": lambda: cu.cuIpcCloseMemHandle(a + SMALL),
             "at its end": lambda: cu.cuIpcCloseMemHandle(a + (3 << 20)),
             "one byte on": lambda: cu.cuIpcCloseMemHandle(a + 1), "before it": lambda: cu.cuIpcCloseMemHandle(a - 1),
             "cuMemFree in the middle": lambda: cu.cuMemFree(a + SMALL), "cuMemFreeHost": lambda: cu.cuMemFreeHost(a),
             "cuMemAddressFree": lambda: cu.cuMemAddressFree(a, 4 << 20),
             "cuMemUnmap": lambda: cu.cuMemUnmap(a, 4 << 20),
             "cuMemHostUnregister": lambda: cu.cuMemHostUnregister(a)}
    return {label_: ask(call()) for label_, call in calls.items()} | {"content": look(label)}


@asked("the owner offers what it has freed, taken again, or never had")
def stale_offers():
    take("a", 24 << 20), take("neighbour", 24 << 20)
    handle = offered("a")
    yield "freed", [free("a"), given(offered("a")), given(offered("a", 4096))]
    yield "opened by a handle from before", Other().ask(opened, "b", handle)
    yield "the neighbour", [given(offered("neighbour")), Other().ask(opened, "b", offered("neighbour"))]
    yield "addresses that are nobody's", [ask(cu.cuIpcGetMemHandle(address)) for address in (1, 4096, 1 << 47, (1 << 64) - 1)]


@asked("a pool's pointer is offered and imported after its end, and refused, or not")
def stale_pointers():
    pool("o"), drawn("a", "o", 4096), drawn("keep", "o", 4096, 2)
    other, fd = Other(), pool_descriptor("o")
    data = pointer_data("a")
    yield "freed, then exported", [freed("a"), given(pointer_data("a")), given(pointer_data("a", 100))]
    yield "imported by data from before", [pool_passed(other, "p", fd), other.ask(imported_pointer, "b", "p", data)]
    yield "what is there still", [other.ask(imported_pointer, "c", "p", pointer_data("keep")), other.ask(look, "c")]


@asked("handles that were released are exported no more, and what was exported before is imported all the same")
def stale_exports():
    physical("h"), shown("a", "h"), put("a", 2)
    fd, other = descriptor("h"), Other()
    yield "release, and import what was exported", [released("h"), passed(other, "k", fd), other.ask(shown, "b", "k"),
                                                    other.ask(look, "b")]
    yield "release there twice", [other.ask(released, "k"), other.ask(released, "k")]
    yield "release here again", released("h")
    yield "content", [other.ask(look, "b"), look("a")]


@asked("descriptors that no file has are not imported by a process that has memory of its own")
def numbers():
    other = Other()
    yield "numbers", [[number_, other.ask(by_number, number_)] for number_ in (-1, 500, 1023, 65536)]
    yield "its memory then", [other.ask(take, "a"), other.ask(look, "a")]


def by_number(fd):
    kind = cu.CUmemAllocationHandleType(1)
    value = ctypes.c_uint64()
    fd64 = fd & (1 << 64) - 1
    return [raw("cuMemImportFromShareableHandle", ctypes.byref(value), fd64, ctypes.c_int(int(kind))),
            raw("cuMemPoolImportFromShareableHandle", ctypes.byref(value), fd64, ctypes.c_int(int(kind)), 0)]


@asked("a descriptor is exported, closed by its owner, and its number used for something else")
def reused_number():
    physical("h")
    fd, null = int(descriptor("h")), os.open("/dev/null", os.O_RDWR)
    os.dup2(null, fd)
    yield "imported here", imported("k", fd)
    os.close(null)
    yield "exported again", passed(Other(), "k", descriptor("h"))
