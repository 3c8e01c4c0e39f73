"""Memory and events for other processes (cuda.h: cuIpc*, exports and imports of pools), and a range as a descriptor.

What a range's descriptor is for, drivers of other devices, there are none of here. So what has none is refused as an H200
refuses it, and the rest answers NOT_SUPPORTED: a descriptor that nobody can use would be a false success.

Not here: physical memory by a file descriptor (virtual_memory.py).
"""
import ctypes

from ..device.interprocess_events import SIZE as EVENT_HANDLE, InterprocessEvent
from ..device.streams import Event
from ..libcuda import handles
from ..libcuda.lacking import not_simulated
from ..libcuda.library import HEALTHY, INITIALIZED, call, handle, i32, pointer, size, u32, u64
from ..libcuda.output import load, store, store_bytes
from ..libcuda.results import CallError, Result
from ..libcuda.state import current, current_or_none
from ..memory import interprocess, shared_pools
from ..memory.allocations import AllocationKind, memory
from ..memory.virtual import MappedRange
from .events import DISABLE_TIMING, INTERPROCESS, give_event
from .pools import own_pool, pool_of

POSIX_FILE_DESCRIPTOR = DMA_BUF = 1    # CUmemAllocationHandleType; CUmemRangeHandleType
LAZY_ENABLE_PEER_ACCESS = 1            # CUipcMem_flags


def _only_if(holds, why, refused=Result.INVALID_VALUE):
    if not holds:
        raise CallError(refused, why)


# -- IPC handles --------------------------------------------------------------------------------------------------

@call("cuIpcGetMemHandle", not_null={"target": Result.INVALID_VALUE})
def ipc_get_mem_handle(target: pointer, address: pointer):
    allocation = memory.at(address)
    _only_if(allocation and allocation.kind is AllocationKind.DEVICE and not allocation.pool, "memory of cuMemAlloc only")
    store_bytes(target, interprocess.handle_of(allocation))


class MemHandle(ctypes.Structure):
    """CUipcMemHandle, which C passes by value."""
    _fields_ = [("bytes", ctypes.c_ubyte * interprocess.SIZE)]


@call("cuIpcOpenMemHandle", "cuIpcOpenMemHandle_v2")
def ipc_open_mem_handle(target: pointer, handle_: MemHandle, flags: u32):
    _only_if(flags & LAZY_ENABLE_PEER_ACCESS, "the flag CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS is wanted")
    allocation = interprocess.open_handle(bytes(handle_), current())
    store(target, ctypes.c_size_t, allocation.start)


@call("cuIpcCloseMemHandle")
def ipc_close_mem_handle(address: pointer):
    interprocess.close(address)


@call("cuIpcGetEventHandle", needs=HEALTHY, not_null={"target": Result.INVALID_VALUE, "number": Result.INVALID_VALUE})
def ipc_get_event_handle(target: pointer, number: handle):
    event = handles.find(number, Event)
    _only_if(event.flags & INTERPROCESS and not event.opened, "the event was not created here with CU_EVENT_INTERPROCESS",
             Result.INVALID_HANDLE)
    _only_if(event.context is current_or_none(), "not the event's context: a crash, on an H200", Result.INVALID_HANDLE)
    store_bytes(target, event.handle_for_others())


class EventHandle(ctypes.Structure):
    """CUipcEventHandle, which C passes by value."""
    _fields_ = [("bytes", ctypes.c_ubyte * EVENT_HANDLE)]


@call("cuIpcOpenEventHandle")
def ipc_open_event_handle(target: pointer, handle_: EventHandle):
    give_event(target, InterprocessEvent.opened_by(bytes(handle_), current(), INTERPROCESS | DISABLE_TIMING))


# -- pools --------------------------------------------------------------------------------------------------------

@call("cuMemPoolExportToShareableHandle", needs=INITIALIZED, not_null={"target": Result.INVALID_VALUE})
def mem_pool_export_to_shareable_handle(target: pointer, number: handle, kind: i32, flags: u64):
    pool = own_pool(number)
    _only_if(pool.handle_types & kind and not flags, "the pool was not created for that type of handle, or flags")
    if not shared_pools.may_be_shared(pool):
        raise not_simulated("cuMemPoolExportToShareableHandle (pools for a fabric)")
    store(target, ctypes.c_int, shared_pools.export(pool))


@call("cuMemPoolImportFromShareableHandle", needs=INITIALIZED, not_null={"target": Result.INVALID_VALUE})
def mem_pool_import_from_shareable_handle(target: pointer, descriptor: size, kind: i32, flags: u64):
    """The descriptor itself is passed where C has a pointer."""
    _only_if(kind == POSIX_FILE_DESCRIPTOR and not flags, "a file descriptor, and no flags")
    pool = shared_pools.import_from(ctypes.c_int(descriptor).value)
    store(target, ctypes.c_size_t, pool.handle)


class PointerData(ctypes.Structure):
    """CUmemPoolPtrExportData."""
    _fields_ = [("bytes", ctypes.c_ubyte * shared_pools.SIZE)]


@call("cuMemPoolExportPointer", needs=INITIALIZED, not_null={"target": Result.INVALID_VALUE})
def mem_pool_export_pointer(target: pointer, address: pointer):
    store_bytes(target, shared_pools.pointer_data(address))


@call("cuMemPoolImportPointer", needs=INITIALIZED, not_null={"target": Result.INVALID_VALUE})
def mem_pool_import_pointer(target: pointer, number: handle, data: pointer):
    allocation = shared_pools.import_pointer(pool_of(number), bytes(load(data, PointerData)))
    store(target, ctypes.c_size_t, allocation.start)


# -- a range ------------------------------------------------------------------------------------------------------

@call("cuMemGetHandleForAddressRange", needs=INITIALIZED)
def mem_get_handle_for_address_range(target: pointer, address: pointer, bytesize: size, kind: i32, flags: u64):
    allocation = memory.at(address)
    on_device = allocation and (allocation.kind is AllocationKind.DEVICE
                                or isinstance(allocation, MappedRange) and not allocation.physical.on_host)
    _only_if(on_device and kind == DMA_BUF, "memory that is located on a device only")
    raise not_simulated("cuMemGetHandleForAddressRange (a descriptor for drivers of other devices)")
