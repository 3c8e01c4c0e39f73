"""Processes that see one of two devices, or both exchanged: what they are passed of either device."""
import functools

from cuda.bindings import driver as cu

from ...asking import NOTHING, two_device_question
from ...helpers.between import fill, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, outcome
from ...helpers.ipc_events import SHORT, use_event
from ...helpers.memory_kinds import LARGE, access, location
from ...helpers.peers import all_devices, init_and_devices, ordinal_of
from ...helpers.processes import OtherProcess
from ...helpers.shareable import (
    close_memory,
    create_event,
    create_physical,
    descriptor,
    event_handle,
    import_in,
    import_memory,
    ipc_handle,
    map_memory,
    open_event,
    open_memory,
)
from ...helpers.shared_pools import import_pointer, import_pool_in, pointer_data, pool, pool_descriptor, take_from_pool

question = functools.partial(two_device_question, processes=True)
PLACES = ("0", "1", "1,0")      # of CUDA_VISIBLE_DEVICES


@question("memory is opened by its IPC handle in a process that sees its device, under the number that it has there")
def visible_memory():
    owners = {0: take("a") and "a", 1: None}
    owner = OtherProcess(1)
    owner.ask(take, "a")
    handles = {0: ipc_handle(owners[0]), 1: owner.ask(ipc_handle, "a")}
    for visible_list in PLACES:
        for device, handle in handles.items():
            process = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible_list)
            code = process.ask(open_memory, "b", handle)
            yield f"memory of {device}, visible {visible_list}: open", code
            if code == "SUCCESS":
                yield f"memory of {device}, visible {visible_list}: use", [process.ask(ordinal_of, "b"), process.ask(look, "b"),
                                                                    process.ask(kernel_byte, "b"), process.ask(close_memory, "b")]


@question("an event is opened by its handle in a process that sees its device, or does not")
def visible_events():
    create_event("e")
    owner = OtherProcess(1)
    owner.ask(create_event, "e")
    handles = {0: event_handle("e"), 1: owner.ask(event_handle, "e")}
    for visible_list in PLACES:
        for device, handle in handles.items():
            process = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible_list)
            code = process.ask(open_event, "f", handle)
            yield f"event of {device}, visible {visible_list}: open", code
            if code == "SUCCESS":
                yield f"event of {device}, visible {visible_list}: use", process.ask(use_event, "f", patience=SHORT)


@question("a pool is imported in a process that sees its device, or does not")
def visible_pools():
    for device in (0, 1):
        owner = OtherProcess(device)
        owner.ask(pool, "o", "device", device), owner.ask(take_from_pool, "a", "o")
        for visible_list in PLACES:
            process = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible_list)
            code = import_pool_in(process, "p", owner.ask(pool_descriptor, "o"))
            yield f"pool of {device}, visible {visible_list}: import", code
            if code == "SUCCESS":
                data = owner.ask(pointer_data, "a")
                yield f"pool of {device}, visible {visible_list}: pointer", process.ask(import_pointer, "b", "p", data)
                yield f"pool of {device}, visible {visible_list}: access", process.ask(pool_access, "p")
                yield f"pool of {device}, visible {visible_list}: use", [process.ask(look, "b"), process.ask(ordinal_of, "b"),
                                                                  process.ask(fill, "b", 0x20)]


def pool_access(label):
    pool = number(label)
    rights = [access("read and write")]
    return [outcome(cu.cuMemPoolGetAccess(pool, location())), ask(cu.cuMemPoolSetAccess(pool, rights, 1)),
            outcome(cu.cuMemPoolGetAccess(pool, location()))]


@question("physical memory of a device that its importer does not see takes rights for the devices that are seen")
def visible_physical():
    owner = OtherProcess(0, CUDA_VISIBLE_DEVICES="1")
    owner.ask(create_physical, "h"), owner.ask(map_memory, "a", "h"), owner.ask(put, "a", 1, 64)
    for visible_list in ("0", "1", "0,1", "1,0"):
        process = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible_list)
        yield f"visible {visible_list}: import", import_in(process, "k", owner.ask(descriptor, "h"))
        yield f"visible {visible_list}: located on", process.ask(location_of, "k")
        yield f"visible {visible_list}: map", [process.ask(map_memory, "b", "k"), process.ask(ordinal_of, "b")]
        yield f"visible {visible_list}: use", [process.ask(look, "b"), process.ask(kernel_byte, "b")]


def location_of(handle):
    result = cu.cuMemGetAllocationPropertiesFromHandle(number(handle))
    return ask(result) if int(result[0]) else [int(result[1].location.type), int(result[1].location.id)]


@question("lists of visible devices with unusual numbers and signs", needs=NOTHING,
          varies={"'MIG-0'": "the digits of the devices' UUIDs decide whether one of them begins so"})
def visible_lists():
    names = all_devices()
    for text in ("00", "001", "+0", "-0", "1,00", "0,01", "2,1", "0,1,2", "1,0,2", "0,,1", "0,1,", "0:1", "0|1",
                 "1,0x0", "1e0", "0\n1", "0 ,1", "0, 1 ",
                 "cuda:1", "1,nothing", "4294967296", "4294967297", "-1,0", "1,-2", "GPU-,1", "MIG-0", "0/1", "1-0",
                 "(1)", "1\t,0"):
        process = OtherProcess(None, CUDA_VISIBLE_DEVICES=text)
        yield repr(text), process.ask(init_and_devices, names)
        process.kill()


@question("a device that is not visible is not found by its bus, its UUID or its number")
def hidden_devices():
    buses = [must(cu.cuDeviceGetPCIBusId(64, ordinal)).split(b"\0")[0] for ordinal in (0, 1)]
    for visible_list in ("1", "0", "1,0"):
        process = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible_list)
        yield visible_list, process.ask(find, buses)


def find(buses):
    return [[outcome(cu.cuDeviceGetByPCIBusId(bus)) for bus in buses], [ask(cu.cuDeviceGet(ordinal)) for ordinal in (0, 1, 2)],
            outcome(cu.cuDeviceGetCount()),
            ask(cu.cuDeviceCanAccessPeer(0, 1)), ask(cu.cuCtxCreate(None, 0, 1))]


@question("a process that sees the devices exchanged has its memory on the other one of its neighbour's names")
def exchanged():
    process = OtherProcess(0, CUDA_VISIBLE_DEVICES="1,0")
    process.ask(take, "a")
    yield "open what it calls 0", [open_memory("b", process.ask(ipc_handle, "a")), ordinal_of("b"), look("b")]
    yield "whose kernels reach it", [kernel_byte("b"), close_memory("b")]
    yield "virtual memory on what it calls 1", [process.ask(create_physical, "h", LARGE, "device", 1),
                                                import_memory("k", process.ask(descriptor, "h")), location_of("k")]
