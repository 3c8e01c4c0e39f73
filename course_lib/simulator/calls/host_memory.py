"""Page-locked host memory (cuda.h: cuMemHostAlloc, cuMemHostRegister and what belongs to them)."""
import ctypes

from .. import process_memory
from ..library import call, pointer, size, u32
from ..memory import HOST_KINDS, READ_ONLY, Kind, memory
from ..output import store
from ..results import CudaError, Result
from ..state import current, lock

PORTABLE, DEVICE_MAP, WRITE_COMBINED = 1, 2, 4    # CU_MEMHOSTALLOC_*
REGISTER_IO_MEMORY = 4                            # CU_MEMHOSTREGISTER_IOMEMORY; PORTABLE, DEVICEMAP as above


def _invalid(why):
    return CudaError(Result.INVALID_VALUE, why)


def _allocate(target, bytesize, flags, maker):
    if not target:
        raise _invalid("no place for the address")
    store(target, ctypes.c_size_t, 0)
    if flags & ~(PORTABLE | DEVICE_MAP | WRITE_COMBINED):
        raise _invalid(f"flags {flags:#x} are not those of cuMemHostAlloc")
    if bytesize == 0:
        raise _invalid("there is no allocation of 0 bytes")
    # Under unified addressing every page-locked allocation is mapped: the flag reads back as set, asked for or not.
    allocation = memory.add_pinned(bytesize, current(), flags | DEVICE_MAP, maker)
    store(target, ctypes.c_size_t, allocation.start)


@call("cuMemHostAlloc")
def mem_host_alloc(target: pointer, bytesize: size, flags: u32):
    _allocate(target, bytesize, flags, "cuMemHostAlloc")


@call("cuMemAllocHost_v2")
def mem_alloc_host(target: pointer, bytesize: size):
    _allocate(target, bytesize, 0, "cuMemAllocHost")


@call("cuMemFreeHost")
def mem_free_host(address: pointer):
    allocation = memory.at(address)
    if allocation is None or allocation.start != address or allocation.kind is not Kind.PINNED:
        raise _invalid("this is not the start of memory that cuMemHostAlloc gave")
    allocation.context.synchronize()
    memory.free(allocation)


def _host_memory(address):
    """The page-locked or registered memory that holds `address`."""
    allocation = memory.at(address)
    if allocation is None or allocation.kind not in HOST_KINDS:
        raise _invalid(f"{address:#x} is in no page-locked or registered memory")
    return allocation


@call("cuMemHostGetDevicePointer_v2")
def mem_host_get_device_pointer(target: pointer, address: pointer, flags: u32):
    if flags:
        raise _invalid("no flags are defined")
    _host_memory(address)
    store(target, ctypes.c_size_t, address)    # unified addressing: the device uses the host's address


@call("cuMemHostGetFlags")
def mem_host_get_flags(target: pointer, address: pointer):
    store(target, ctypes.c_uint, _host_memory(address).flags)


@call("cuMemHostRegister_v2")
def mem_host_register(address: pointer, bytesize: size, flags: u32):
    if flags & ~(PORTABLE | DEVICE_MAP | REGISTER_IO_MEMORY | READ_ONLY) or flags & REGISTER_IO_MEMORY:
        raise _invalid(f"flags {flags:#x}: unknown, or I/O memory, which a simulation has none of")
    if bytesize == 0 or address == 0:
        raise _invalid("nothing to register")
    with lock:
        for other in memory.allocations.overlapping(address, address + bytesize):
            if other.kind is Kind.REGISTERED:
                raise CudaError(Result.HOST_MEMORY_ALREADY_REGISTERED, "some of these bytes are registered")
            raise _invalid("some of these bytes are memory that CUDA allocated")
        try:
            process_memory.check(address, bytesize, write=not flags & READ_ONLY)
        except process_memory.BadAddress as error:
            raise _invalid(str(error)) from None
        memory.add_registered(address, bytesize, current(), flags | DEVICE_MAP)


@call("cuMemHostUnregister")
def mem_host_unregister(address: pointer):
    allocation = memory.at(address)
    if allocation is None:
        raise CudaError(Result.HOST_MEMORY_NOT_REGISTERED, f"{address:#x} is not registered")
    if allocation.kind is not Kind.REGISTERED or allocation.start != address:
        raise _invalid("this is not the start of memory that was registered")
    allocation.context.synchronize()
    memory.free(allocation)
