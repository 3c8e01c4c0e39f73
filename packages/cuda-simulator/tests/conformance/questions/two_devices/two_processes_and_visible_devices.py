"""Processes that see one of two devices, or both exchanged: what they are passed of either device."""
import functools

from cuda.bindings import driver as cu

from ...asking import NOTHING, question
from ...helpers.between import fill, look, number, put, seen, take
from ...helpers.calls import ask, must, outcome
from ...helpers.ipc_events import SHORT, use
from ...helpers.memory_kinds import LARGE, access, location
from ...helpers.others import Other
from ...helpers.peers import all_devices, ordinal_of, visible
from ...helpers.shareable import (
    closed,
    descriptor,
    event,
    imported,
    offered,
    offered_event,
    opened,
    opened_event,
    passed,
    physical,
    shown,
)
from ...helpers.shared_pools import drawn, imported_pointer, pointer_data, pool, pool_descriptor, pool_passed

asked = functools.partial(question, devices=2, others=True)
PLACES = ("0", "1", "1,0")      # of CUDA_VISIBLE_DEVICES


@asked("memory is opened by its IPC handle in a process that sees its device, under the number that it has there")
def visible_memory():
    owners = {0: take("a") and "a", 1: None}
    owner = Other(1)
    owner.ask(take, "a")
    handles = {0: offered(owners[0]), 1: owner.ask(offered, "a")}
    for where in PLACES:
        for device, handle in handles.items():
            other = Other(0, CUDA_VISIBLE_DEVICES=where)
            code = other.ask(opened, "b", handle)
            yield f"memory of {device}, visible {where}: open", code
            if code == "SUCCESS":
                yield f"memory of {device}, visible {where}: use", [other.ask(ordinal_of, "b"), other.ask(look, "b"),
                                                                    other.ask(seen, "b"), other.ask(closed, "b")]


@asked("an event is opened by its handle in a process that sees its device, or does not")
def visible_events():
    event("e")
    owner = Other(1)
    owner.ask(event, "e")
    handles = {0: offered_event("e"), 1: owner.ask(offered_event, "e")}
    for where in PLACES:
        for device, handle in handles.items():
            other = Other(0, CUDA_VISIBLE_DEVICES=where)
            code = other.ask(opened_event, "f", handle)
            yield f"event of {device}, visible {where}: open", code
            if code == "SUCCESS":
                yield f"event of {device}, visible {where}: use", other.ask(use, "f", patience=SHORT)


@asked("a pool is imported in a process that sees its device, or does not")
def visible_pools():
    for device in (0, 1):
        owner = Other(device)
        owner.ask(pool, "o", "device", device), owner.ask(drawn, "a", "o")
        for where in PLACES:
            other = Other(0, CUDA_VISIBLE_DEVICES=where)
            code = pool_passed(other, "p", owner.ask(pool_descriptor, "o"))
            yield f"pool of {device}, visible {where}: import", code
            if code == "SUCCESS":
                data = owner.ask(pointer_data, "a")
                yield f"pool of {device}, visible {where}: pointer", other.ask(imported_pointer, "b", "p", data)
                yield f"pool of {device}, visible {where}: access", other.ask(pool_access, "p")
                yield f"pool of {device}, visible {where}: use", [other.ask(look, "b"), other.ask(ordinal_of, "b"),
                                                                  other.ask(fill, "b", 0x20)]


def pool_access(label):
    pool = number(label)
    rights = [access("read and write")]
    return [outcome(cu.cuMemPoolGetAccess(pool, location())), ask(cu.cuMemPoolSetAccess(pool, rights, 1)),
            outcome(cu.cuMemPoolGetAccess(pool, location()))]


@asked("physical memory of a device that its importer does not see takes rights for the devices that are seen")
def visible_physical():
    owner = Other(0, CUDA_VISIBLE_DEVICES="1")
    owner.ask(physical, "h"), owner.ask(shown, "a", "h"), owner.ask(put, "a", 1, 64)
    for where in ("0", "1", "0,1", "1,0"):
        other = Other(0, CUDA_VISIBLE_DEVICES=where)
        yield f"visible {where}: import", passed(other, "k", owner.ask(descriptor, "h"))
        yield f"visible {where}: located on", other.ask(located, "k")
        yield f"visible {where}: map", [other.ask(shown, "b", "k"), other.ask(ordinal_of, "b")]
        yield f"visible {where}: use", [other.ask(look, "b"), other.ask(seen, "b")]


def located(handle):
    result = cu.cuMemGetAllocationPropertiesFromHandle(number(handle))
    return ask(result) if int(result[0]) else [int(result[1].location.type), int(result[1].location.id)]


@asked("lists of visible devices with unusual numbers and signs", needs=NOTHING,
       varies={"'MIG-0'": "the digits of the devices' UUIDs decide whether one of them begins so"})
def visible_lists():
    names = all_devices()
    for text in ("00", "001", "+0", "-0", "1,00", "0,01", "2,1", "0,1,2", "1,0,2", "0,,1", "0,1,", "0:1", "0|1",
                 "1,0x0", "1e0", "0\n1", "0 ,1", "0, 1 ",
                 "cuda:1", "1,nothing", "4294967296", "4294967297", "-1,0", "1,-2", "GPU-,1", "MIG-0", "0/1", "1-0",
                 "(1)", "1\t,0"):
        other = Other(None, CUDA_VISIBLE_DEVICES=text)
        yield repr(text), other.ask(visible, names)
        other.kill()


@asked("a device that is not visible is not found by its bus, its UUID or its number")
def hidden_devices():
    buses = [must(cu.cuDeviceGetPCIBusId(64, ordinal)).split(b"\0")[0] for ordinal in (0, 1)]
    for where in ("1", "0", "1,0"):
        other = Other(0, CUDA_VISIBLE_DEVICES=where)
        yield where, other.ask(find, buses)


def find(buses):
    return [[outcome(cu.cuDeviceGetByPCIBusId(bus)) for bus in buses], [ask(cu.cuDeviceGet(ordinal)) for ordinal in (0, 1, 2)],
            outcome(cu.cuDeviceGetCount()),
            ask(cu.cuDeviceCanAccessPeer(0, 1)), ask(cu.cuCtxCreate(None, 0, 1))]


@asked("a process that sees the devices exchanged has its memory on the other one of its neighbour's names")
def exchanged():
    other = Other(0, CUDA_VISIBLE_DEVICES="1,0")
    other.ask(take, "a")
    yield "open what it calls 0", [opened("b", other.ask(offered, "a")), ordinal_of("b"), look("b")]
    yield "whose kernels reach it", [seen("b"), closed("b")]
    yield "virtual memory on what it calls 1", [other.ask(physical, "h", LARGE, "device", 1),
                                                imported("k", other.ask(descriptor, "h")), located("k")]
