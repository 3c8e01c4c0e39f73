"""Memory and events for other processes and other devices (cuda.h: cuIpc*, cuMemGetHandleForAddressRange, exports of
pools). There are no others here. So what can not be shared is refused as an H200 refuses it, and what could be shared
answers NOT_SUPPORTED: a handle that nobody can open would be a false success.

Not here: sharing physical memory by a file descriptor within the process, which works (memory/virtual.py).
"""
from ..device.streams import Event
from ..libcuda import handles
from ..libcuda.library import HEALTHY, INITIALIZED, call, handle, i32, pointer, size, u64
from ..libcuda.results import CudaError, Result
from ..memory.allocations import Kind, memory
from ..memory.pools import Pool
from ..memory.virtual import Mapping
from .events import INTERPROCESS

POSIX_FILE_DESCRIPTOR = DMA_BUF = 1    # CUmemAllocationHandleType; CUmemRangeHandleType


def _only_if(shareable, why, refused=Result.INVALID_VALUE):
    """End a call: refused, or not supported here."""
    if not shareable:
        raise CudaError(refused, why)
    raise CudaError(Result.NOT_SUPPORTED, "the simulated driver shares nothing with other processes or devices")


@call("cuIpcGetMemHandle", needs=HEALTHY)
def ipc_get_mem_handle(target: pointer, address: pointer):
    allocation = memory.at(address)
    _only_if(allocation and allocation.kind is Kind.DEVICE and not allocation.pool, "memory of cuMemAlloc only")


@call("cuIpcCloseMemHandle", needs=HEALTHY)
def ipc_close_mem_handle(address: pointer):
    raise CudaError(Result.INVALID_VALUE, "nothing was opened here")


@call("cuIpcGetEventHandle", needs=HEALTHY)
def ipc_get_event_handle(target: pointer, number: handle):
    event = handles.find(number, Event)
    _only_if(event.flags & INTERPROCESS, "the event was not created with CU_EVENT_INTERPROCESS", Result.INVALID_HANDLE)


@call("cuMemGetHandleForAddressRange", needs=INITIALIZED)
def mem_get_handle_for_address_range(target: pointer, address: pointer, bytesize: size, kind: i32, flags: u64):
    allocation = memory.at(address)
    on_device = allocation and (allocation.kind is Kind.DEVICE
                                or isinstance(allocation, Mapping) and not allocation.physical.on_host)
    _only_if(on_device and kind == DMA_BUF, "memory that is located on a device only")


@call("cuMemPoolExportToShareableHandle", needs=INITIALIZED)
def mem_pool_export_to_shareable_handle(target: pointer, number: handle, kind: i32, flags: u64):
    _only_if(handles.find(number, Pool).handle_types & kind, "the pool was not created for that type of handle")


@call("cuMemPoolExportPointer", needs=INITIALIZED)
def mem_pool_export_pointer(target: pointer, address: pointer):
    allocation = memory.at(address)
    _only_if(allocation and allocation.pool and allocation.pool.handle_types, "not memory of a pool that is shareable")
