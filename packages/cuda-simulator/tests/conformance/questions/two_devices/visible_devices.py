"""Processes that see one of two devices, or none: which numbers they may use, and how they share."""
import functools
import os

from cuda.bindings import driver as cu

from ...asking import NOTHING, question
from ...helpers.between import fill, host_bytes, look, number, put, seen, take
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.host_pages import mapped_in, memory_file, registered
from ...helpers.ipc_events import use
from ...helpers.managed_memory import PAGE, advise, facts, fresh, prefetch
from ...helpers.memory_kinds import LARGE, access, create, location, properties, reserve
from ...helpers.others import Other, listed
from ...helpers.shareable import descriptor, event, imported, offered_event, opened_event, passed, physical, recorded, shown
from ...helpers.shared_pools import drawn, imported_pointer, imported_pool, pointer_data, pool, pool_descriptor, pool_passed

asked = functools.partial(question, devices=2, others=True)


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


@asked("a device that is hidden has no number in any call")
def hidden():
    for visible in ("1", "0,1"):
        other = Other(0, CUDA_VISIBLE_DEVICES=visible)
        for label, answer in listed(other.ask(numbers_of_the_hidden, 1)):
            yield f"visible {visible}: {label}", answer
        other.kill()


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


@asked("where no device is visible, what is answered", needs=NOTHING)
def none():
    for visible in ("", "-1", "7"):
        other = Other(None, CUDA_VISIBLE_DEVICES=visible)
        for label, answer in listed(other.ask(with_no_device)):
            yield f"{visible!r}: {label}", answer
        other.kill()


@asked("two processes that see one device each share what is the host's, and not what is their devices'")
def one_each():
    first, second = Other(0, CUDA_VISIBLE_DEVICES="0"), Other(0, CUDA_VISIBLE_DEVICES="1")
    fd = memory_file()
    copy = os.dup(fd)
    yield "a file", [mapped_in(first, "f", fd), mapped_in(second, "f", copy), first.ask(registered, "f"),
                     second.ask(registered, "f")]
    yield "a kernel of one, of the other", [first.ask(fill, "f", 0x21), second.ask(seen, "f"),
                                            second.ask(fill, "f", 0x41), first.ask(host_bytes, "f"),
                                            first.ask(seen, "f")]
    for place in ("device", "host numa"):
        first.ask(physical, "h", LARGE, place)
        yield f"physical memory, {place}", [passed(second, "k", first.ask(descriptor, "h")),
                                            second.ask(shown, "v", "k"), second.ask(put, "v", 3)]
    first.ask(pool, "o"), first.ask(drawn, "x", "o")
    yield "a pool", (code := pool_passed(second, "p", first.ask(pool_descriptor, "o")))
    yield "its pointer", second.ask(imported_pointer, "y", "p",
                                    first.ask(pointer_data, "x")) if code == "SUCCESS" else code
    first.ask(event, "e")
    yield "an event", [second.ask(opened_event, "g", first.ask(offered_event, "e"))]
    yield "both work on", [first.ask(take, "a"), second.ask(take, "a"), first.ask(look, "a"), second.ask(seen, "a")]


@asked("a process that sees both exchanged shares with one that sees them in order, by all ways")
def exchanged():
    other = Other(1, CUDA_VISIBLE_DEVICES="1,0")
    other.ask(event, "e"), other.ask(physical, "h", LARGE, "device", 1), other.ask(pool, "o", "device",
        1), other.ask(drawn, "x", "o")
    yield "an event of its device 1", [opened_event("f", other.ask(offered_event, "e")), use("f")]
    yield "physical memory of its device 1", [imported("k", other.ask(descriptor, "h")), shown("v", "k"), put("v", 5),
                                              seen("v"),
                                              other.ask(shown, "v", "h"), other.ask(look, "v")]
    yield "its rights here", [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), number("v"))) for ordinal in (0, 1)]
    yield "a pool of its device 1", [import_here(other), look("y"), seen("y"), other.ask(recorded, "e")]


def import_here(other):
    fd = other.ask(pool_descriptor, "o")
    return [imported_pool("p", fd) if isinstance(fd, int) else fd,
            imported_pointer("y", "p", other.ask(pointer_data, "x"))]


@asked("the list is inherited by children and changed for one of them alone")
def inherited():
    for visible in ("0", "1"):
        other = Other(0, CUDA_VISIBLE_DEVICES=visible)
        yield visible, [other.ask(count_again), Other(None, CUDA_VISIBLE_DEVICES=None).ask(count_new)]
        other.kill()
    yield "here", outcome(cu.cuDeviceGetCount())


def count_again():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
    return [outcome(cu.cuDeviceGetCount()), ask(cu.cuInit(0)), outcome(cu.cuDeviceGetCount()), new_context() is not None]


def count_new():
    return [ask(cu.cuInit(0)), outcome(cu.cuDeviceGetCount())]
