"""What is refused between processes: wrong bytes, wrong descriptors, wrong kinds, wrong order, null outputs."""
import ctypes
import functools
import os
import socket

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import copy_code, free, look, number, put, take, take_kind
from ...helpers.calls import ask, name, raw
from ...helpers.ipc_memory import shared_memory
from ...helpers.memory_kinds import LARGE, SMALL
from ...helpers.processes import OtherProcess, answer_items
from ...helpers.shareable import (
    close_memory,
    create_event,
    create_physical,
    descriptor,
    event_handle,
    export_status,
    import_in,
    import_memory,
    ipc_handle,
    map_memory,
    open_event,
    open_memory,
    release_handle,
)
from ...helpers.shared_pools import (
    free_in_stream,
    import_pointer,
    import_pool,
    import_pool_in,
    pointer_data,
    pool,
    pool_descriptor,
    take_from_pool,
)


def other_files():
    """Descriptors that are not CUDA's, by what they are."""
    yield "/dev/null", lambda: os.open("/dev/null", os.O_RDWR)
    yield "/dev/zero", lambda: os.open("/dev/zero", os.O_RDWR)
    yield "a folder", lambda: os.open("/", os.O_RDONLY)
    yield "a socket", lambda: socket.socket(socket.AF_UNIX).detach()
    yield "an empty memory file", lambda: os.memfd_create("empty")
    yield "a file", lambda: os.open(__file__, os.O_RDONLY)
    yield "an event counter", lambda: os.eventfd(0)


@question("descriptors of other things are not imported as memory")
def other_descriptors():
    process = OtherProcess()
    for label, make in other_files():
        yield label, import_in(process, "k", make())
    create_physical("h"), map_memory("a", "h"), put("a", 1)
    yield "memory then", [import_in(process, "k", descriptor("h")), process.ask(map_memory, "b", "k"), process.ask(look, "b")]


@question("descriptors of other things are not imported as pools")
def other_descriptors_as_pools():
    process = OtherProcess()
    for label, make in other_files():
        yield label, import_pool_in(process, "p", make())
    pool("o"), take_from_pool("a", "o")
    yield "a pool then", [import_pool_in(process, "p", pool_descriptor("o")),
                          process.ask(import_pointer, "b", "p", pointer_data("a")), process.ask(look, "b")]


@question("what says where a pool's pointer is opens no memory, and the handle of memory is no pool's pointer", stricter={
    "opened as an event": "the H200's driver takes these bytes for an event's handle; here they are refused"})
def exchanged_bytes():
    take("a"), create_event("e"), pool("o"), take_from_pool("x", "o")
    fd = pool_descriptor("o")
    yield "a pool's pointer opened as memory", OtherProcess().ask(open_memory, "b", pointer_data("x"))
    yield "opened as an event", OtherProcess().ask(open_event, "f", pointer_data("x"))
    yield "an event's handle as memory", OtherProcess().ask(open_memory, "b", event_handle("e"))
    for label, data in (("memory's handle", ipc_handle("a")), ("an event's handle", event_handle("e"))):
        process = OtherProcess()
        yield f"{label} as a pool's pointer", [process.ask(import_pool, "p", fds=[fd]),
                                               process.ask(import_pointer, "b", "p", data)]
    os.close(fd)


class Bytes(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * 64)]


def null_outputs(handle):
    given_handle = Bytes.from_buffer_copy(handle)
    return {"open": name(ctypes.CDLL("libcuda.so.1").cuIpcOpenMemHandle_v2(None, given_handle, ctypes.c_uint(1))),
            "open with flags 0": name(ctypes.CDLL("libcuda.so.1").cuIpcOpenMemHandle_v2(None, given_handle,
                ctypes.c_uint(0)))}


@question("opening into nothing is refused")
def no_output():
    take("a")
    yield from answer_items(OtherProcess().ask(null_outputs, ipc_handle("a")))
    yield "the owner's", look("a")


def refused_before(handle, event_handle):
    """A process that has not called cuInit."""
    return {"open": open_memory("b", handle), "open an event": open_event("f", event_handle),
            "close": ask(cu.cuIpcCloseMemHandle(4096)),
            "offer": ask(cu.cuIpcGetMemHandle(4096)), "offer an event": raw("cuIpcGetEventHandle",
                ctypes.byref(Bytes()), 0),
            "create": ask(cu.cuMemCreate(LARGE, cu.CUmemAllocationProp(), 0)),
            "reserve": ask(cu.cuMemAddressReserve(LARGE, 0, 0, 0)),
            "export": ask(cu.cuMemExportToShareableHandle(0, cu.CUmemAllocationHandleType(1), 0)),
            "make a pool": ask(cu.cuMemPoolCreate(cu.CUmemPoolProps())),
            "register": ask(cu.cuMemHostRegister(4096, 4096, 0))}


@question("before cuInit nothing is opened, offered, made or registered")
def before_init():
    take("a"), create_event("e")
    yield from answer_items(OtherProcess(None).ask(refused_before, ipc_handle("a"), event_handle("e")))


def wrong_calls(kind):
    take_kind("a", kind)
    return [export_status(ipc_handle("a")), export_status(pointer_data("a")), close_memory("a")]


@question("memory of several kinds is offered, exported and imported by the wrong calls")
def wrong_kinds():
    for kind in ("pinned", "registered", "managed", "stream-ordered", "mapped", "reserved only", "module variable",
                 "constant variable",
                 "kernel heap", "pageable", "null", "freed device", "mapped, on the host", "device, 3 MiB"):
        yield kind, functools.partial(wrong_calls, kind)


@question("an opener gives back by calls that are not for opened memory, and closes at last")
def wrong_ends():
    process = shared_memory(3 << 20)
    yield from answer_items(process.ask(wrong_ends_of, "b"))
    yield "the owner closes, then frees", [close_memory("a"), free("a"), free("a"), close_memory("a")]
    yield "the opener", [process.ask(close_memory, "b"), process.ask(close_memory, "b"), process.ask(free, "b"),
                         process.ask(copy_code, "b")]


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


@question("the owner offers what it has freed, taken again, or never had")
def stale_offers():
    take("a", 24 << 20), take("neighbour", 24 << 20)
    handle = ipc_handle("a")
    yield "freed", [free("a"), export_status(ipc_handle("a")), export_status(ipc_handle("a", 4096))]
    yield "opened by a handle from before", OtherProcess().ask(open_memory, "b", handle)
    yield "the neighbour", [export_status(ipc_handle("neighbour")), OtherProcess().ask(open_memory, "b", ipc_handle("neighbour"))]
    yield "addresses that are nobody's", [ask(cu.cuIpcGetMemHandle(address)) for address in (1, 4096, 1 << 47, (1 << 64) - 1)]


@question("a pool's pointer is offered and imported after its end, and refused, or not")
def stale_pointers():
    pool("o"), take_from_pool("a", "o", 4096), take_from_pool("keep", "o", 4096, 2)
    process, fd = OtherProcess(), pool_descriptor("o")
    data = pointer_data("a")
    yield "freed, then exported", [free_in_stream("a"), export_status(pointer_data("a")), export_status(pointer_data("a", 100))]
    yield "imported by data from before", [import_pool_in(process, "p", fd), process.ask(import_pointer, "b", "p", data)]
    yield "what is there still", [process.ask(import_pointer, "c", "p", pointer_data("keep")), process.ask(look, "c")]


@question("handles that were released are exported no more, and what was exported before is imported all the same")
def stale_exports():
    create_physical("h"), map_memory("a", "h"), put("a", 2)
    fd, process = descriptor("h"), OtherProcess()
    yield "release, and import what was exported", [release_handle("h"), import_in(process, "k", fd), process.ask(map_memory, "b", "k"),
                                                    process.ask(look, "b")]
    yield "release there twice", [process.ask(release_handle, "k"), process.ask(release_handle, "k")]
    yield "release here again", release_handle("h")
    yield "content", [process.ask(look, "b"), look("a")]


@question("descriptors that no file has are not imported by a process that has memory of its own")
def numbers():
    process = OtherProcess()
    yield "numbers", [[number_, process.ask(by_number, number_)] for number_ in (-1, 500, 1023, 65536)]
    yield "its memory then", [process.ask(take, "a"), process.ask(look, "a")]


def by_number(fd):
    kind = cu.CUmemAllocationHandleType(1)
    value = ctypes.c_uint64()
    fd64 = fd & (1 << 64) - 1
    return [raw("cuMemImportFromShareableHandle", ctypes.byref(value), fd64, ctypes.c_int(int(kind))),
            raw("cuMemPoolImportFromShareableHandle", ctypes.byref(value), fd64, ctypes.c_int(int(kind)), 0)]


@question("a descriptor is exported, closed by its owner, and its number used for something else")
def reused_number():
    create_physical("h")
    fd, null = int(descriptor("h")), os.open("/dev/null", os.O_RDWR)
    os.dup2(null, fd)
    yield "imported here", import_memory("k", fd)
    os.close(null)
    yield "exported again", import_in(OtherProcess(), "k", descriptor("h"))
