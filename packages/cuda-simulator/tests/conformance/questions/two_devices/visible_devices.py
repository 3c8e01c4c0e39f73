"""Processes that see one of two devices, or none: which numbers they may use, and how they share."""
import functools
import os

from cuda.bindings import driver as cu

from ...asking import NOTHING, two_device_question
from ...helpers.between import fill, host_bytes, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.host_pages import map_in, memory_file, register_pages
from ...helpers.ipc_events import use_event
from ...helpers.managed_memory import PAGE, advise, facts, fresh, prefetch
from ...helpers.memory_kinds import LARGE, access, create, location, properties, reserve
from ...helpers.processes import OtherProcess, answer_items
from ...helpers.shareable import (
    create_event,
    create_physical,
    descriptor,
    event_handle,
    import_in,
    import_memory,
    map_memory,
    open_event,
    record_event,
)
from ...helpers.shared_pools import import_pointer, import_pool, import_pool_in, pointer_data, pool, pool_descriptor, take_from_pool

question = functools.partial(two_device_question, processes=True)


def numbers_of_the_hidden(number):
    """Every kind of call that takes a device's number, with one that may be hidden."""
    base = reserve()
    must(cu.cuMemMap(base, LARGE, 0, create(), 0))
    must(cu.cuMemSetAccess(base, LARGE, [access("read and write")], 1))
    a = fresh()
    default = must(cu.cuDeviceGetDefaultMemPool(0))
    props = cu.CUmemPoolProps()
    props.allocType, props.location = cu.CUmemAllocationType(1), location(ordinal=number)
    return {
        "device": ask(cu.cuDeviceGet(number)), "name": ask(cu.cuDeviceGetName(64, number)),
        "memory": ask(cu.cuDeviceTotalMem(number)),
        "context": ask(cu.cuCtxCreate(None, 0, number)) if number else None,
        "primary context": ask(cu.cuDevicePrimaryCtxRetain(number)),
        "peer": [ask(cu.cuDeviceCanAccessPeer(0, number)), ask(cu.cuDeviceCanAccessPeer(number, 0))],
        "attribute of the pair": ask(cu.cuDeviceGetP2PAttribute(cu.CUdevice_P2PAttribute(2), 0, number)),
        "physical memory": ask(cu.cuMemCreate(LARGE, properties(ordinal=number), 0)),
        "granularity": ask(cu.cuMemGetAllocationGranularity(properties(ordinal=number),
                                                            cu.CUmemAllocationGranularity_flags(0))),
        "rights": ask(cu.cuMemSetAccess(base, LARGE, [access("read", ordinal=number)], 1)),
        "rights told": outcome(cu.cuMemGetAccess(location(ordinal=number), base)),
        "pool": ask(cu.cuMemPoolCreate(props)), "default pool": ask(cu.cuDeviceGetDefaultMemPool(number)),
        "a pool's rights": ask(cu.cuMemPoolSetAccess(default, [access("read", ordinal=number)], 1)),
        "a pool's rights told": outcome(cu.cuMemPoolGetAccess(default, location(ordinal=number))),
        "prefetch": prefetch(a, PAGE, "device 1" if number else "device"),
        "preferred": advise(a, PAGE, "SET_PREFERRED_LOCATION", "device 1" if number else "device"),
        "accessed by": advise(a, PAGE, "SET_ACCESSED_BY", "device 1" if number else "device"), "said": facts(a, PAGE)}


@question("a device that is hidden has no number in any call")
def hidden():
    for visible in ("1", "0,1"):
        process = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible)
        for label, answer in answer_items(process.ask(numbers_of_the_hidden, 1)):
            yield f"visible {visible}: {label}", answer
        process.kill()


def with_no_device():
    return {"cuInit": ask(cu.cuInit(0)), "again": ask(cu.cuInit(0)), "count": outcome(cu.cuDeviceGetCount()),
            "device": ask(cu.cuDeviceGet(0)),
            "version": ask(cu.cuDriverGetVersion()), "error's name": cu.cuGetErrorName(cu.CUresult(100))[1].decode(),
            "context": ask(cu.cuCtxCreate(None, 0, 0)),
            "current": ask(cu.cuCtxGetCurrent()), "memory": ask(cu.cuMemAlloc(64)),
            "pinned": ask(cu.cuMemHostAlloc(64, 0)),
            "reserve": ask(cu.cuMemAddressReserve(LARGE, 0, 0, 0)), "flags": ask(cu.cuInit(1)),
            "free null": ask(cu.cuMemFree(0)),
            "primary context": ask(cu.cuDevicePrimaryCtxRetain(0)),
            "by bus": ask(cu.cuDeviceGetByPCIBusId(b"0000:00:00.0"))}


@question("where no device is visible, what is answered", needs=NOTHING)
def none():
    for visible in ("", "-1", "7"):
        process = OtherProcess(None, CUDA_VISIBLE_DEVICES=visible)
        for label, answer in answer_items(process.ask(with_no_device)):
            yield f"{visible!r}: {label}", answer
        process.kill()


@question("two processes that see one device each share what is the host's, and not what is their devices'")
def one_each():
    first, second = OtherProcess(0, CUDA_VISIBLE_DEVICES="0"), OtherProcess(0, CUDA_VISIBLE_DEVICES="1")
    fd = memory_file()
    copy = os.dup(fd)
    yield "a file", [map_in(first, "f", fd), map_in(second, "f", copy), first.ask(register_pages, "f"),
                     second.ask(register_pages, "f")]
    yield "a kernel of one, of the other", [first.ask(fill, "f", 0x21), second.ask(kernel_byte, "f"),
                                            second.ask(fill, "f", 0x41), first.ask(host_bytes, "f"),
                                            first.ask(kernel_byte, "f")]
    for place in ("device", "host numa"):
        first.ask(create_physical, "h", LARGE, place)
        yield f"physical memory, {place}", [import_in(second, "k", first.ask(descriptor, "h")),
                                            second.ask(map_memory, "v", "k"), second.ask(put, "v", 3)]
    first.ask(pool, "o"), first.ask(take_from_pool, "x", "o")
    yield "a pool", (code := import_pool_in(second, "p", first.ask(pool_descriptor, "o")))
    yield "its pointer", second.ask(import_pointer, "y", "p",
                                    first.ask(pointer_data, "x")) if code == "SUCCESS" else code
    first.ask(create_event, "e")
    yield "an event", [second.ask(open_event, "g", first.ask(event_handle, "e"))]
    yield "both work on", [first.ask(take, "a"), second.ask(take, "a"), first.ask(look, "a"), second.ask(kernel_byte, "a")]


@question("a process that sees both exchanged shares with one that sees them in order, by all ways")
def exchanged():
    process = OtherProcess(1, CUDA_VISIBLE_DEVICES="1,0")
    process.ask(create_event, "e"), process.ask(create_physical, "h", LARGE, "device", 1), process.ask(pool, "o", "device",
        1), process.ask(take_from_pool, "x", "o")
    yield "an event of its device 1", [open_event("f", process.ask(event_handle, "e")), use_event("f")]
    yield "physical memory of its device 1", [import_memory("k", process.ask(descriptor, "h")), map_memory("v", "k"), put("v", 5),
                                              kernel_byte("v"),
                                              process.ask(map_memory, "v", "h"), process.ask(look, "v")]
    yield "its rights here", [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), number("v"))) for ordinal in (0, 1)]
    yield "a pool of its device 1", [import_here(process), look("y"), kernel_byte("y"), process.ask(record_event, "e")]


def import_here(process):
    fd = process.ask(pool_descriptor, "o")
    return [import_pool("p", fd) if isinstance(fd, int) else fd,
            import_pointer("y", "p", process.ask(pointer_data, "x"))]


@question("the list is inherited by children and changed for one of them alone")
def inherited():
    for visible in ("0", "1"):
        process = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible)
        yield visible, [process.ask(count_again), OtherProcess(None, CUDA_VISIBLE_DEVICES=None).ask(count_new)]
        process.kill()
    yield "here", outcome(cu.cuDeviceGetCount())


def count_again():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
    return [outcome(cu.cuDeviceGetCount()), ask(cu.cuInit(0)), outcome(cu.cuDeviceGetCount()), new_context() is not None]


def count_new():
    return [ask(cu.cuInit(0)), outcome(cu.cuDeviceGetCount())]
