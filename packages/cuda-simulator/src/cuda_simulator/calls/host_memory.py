"""Page-locked host memory (cuda.h: cuMemHostAlloc, cuMemHostRegister and what belongs to them)."""
import ctypes

from ..libcuda import process_memory
from ..libcuda.lacking import not_answered
from ..libcuda.library import NO_DEAD_CONTEXT, call, pointer, size, u32
from ..libcuda.output import store
from ..libcuda.results import CallError, Result
from ..libcuda.state import current, lock
from ..memory import heap, views
from ..memory.allocations import DEVICE_MAP, HOST_KINDS, WRITE_COMBINED, AllocationKind, memory
from ..memory.blocks import PinnedBlock
from ..memory.views import UNIFIED
from ..memory.virtual import mapping_at
from ..systems import current_system
from .context import MAP_HOST

PORTABLE = 1                            # CU_MEMHOSTALLOC_PORTABLE, and of CU_MEMHOSTREGISTER the same
REGISTER_IO_MEMORY, READ_ONLY = 4, 8    # CU_MEMHOSTREGISTER_*


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


def _allocate(target, bytesize, flags, maker):
    if not target:
        raise _invalid("no place for the address")
    store(target, ctypes.c_size_t, 0)
    if flags & ~(PORTABLE | DEVICE_MAP | WRITE_COMBINED):
        raise _invalid(f"flags {flags:#x} are not those of cuMemHostAlloc")
    if bytesize == 0:
        return    # as on an H200: no error, and a null pointer
    # Under unified addressing every page-locked allocation is mapped: the flag reads back as set, asked for or not.
    # Without it, the flag is the program's to give.
    allocation = memory.add_pinned(bytesize, current(), flags | DEVICE_MAP if current_system().unified_addressing else flags, maker)
    store(target, ctypes.c_size_t, allocation.start)


@call("cuMemHostAlloc")
def mem_host_alloc(target: pointer, bytesize: size, flags: u32):
    _allocate(target, bytesize, flags, "cuMemHostAlloc")


@call("cuMemAllocHost_v2")
def mem_alloc_host(target: pointer, bytesize: size):
    _allocate(target, bytesize, 0, "cuMemAllocHost")


@call("cuMemFreeHost", needs=NO_DEAD_CONTEXT)
def mem_free_host(address: pointer):
    if address == 0:
        return
    allocation = _allocation_at(address)
    if allocation is None or allocation.start != address or allocation.kind is not AllocationKind.PINNED:
        raise _invalid("this is not the start of memory that cuMemHostAlloc gave")
    allocation.context.synchronize()
    memory.free(allocation)


def _allocation_at(address):
    """The allocation that holds the host's number `address`, or None."""
    allocation = memory.at(address)
    if allocation is not None and allocation.original is not allocation:
        raise not_answered("this is the device's number of host memory: cuda.h says of the host's alone what this call answers")
    return allocation


def _host_memory(address):
    """The page-locked or registered memory that holds `address`."""
    allocation = _allocation_at(address)
    if allocation is None or allocation.kind not in HOST_KINDS:
        raise _invalid(f"{address:#x} is in no page-locked or registered memory")
    return allocation


def _mapped_for_one_context(address, context):
    """The number that a context with addresses of its own has for page-locked memory, which it gets when it first asks."""
    allocation = _host_memory(address)
    if not allocation.flags & DEVICE_MAP or not context.flags & MAP_HOST:
        raise _invalid("mapped memory wants the allocation's DEVICEMAP and the context's MAP_HOST")
    if allocation.context is not context and not allocation.flags & PORTABLE:
        raise _invalid("another context's memory, and not portable")
    if address != allocation.start:
        raise not_answered("the documents of CUDA 3.2 and 2011 speak of the pointer that cuMemHostAlloc gave, and not of what is inside")
    with lock:
        return context.space.number(views.add(allocation, memory.allocations, context.space).start)


@call("cuMemHostGetDevicePointer_v2")
def mem_host_get_device_pointer(target: pointer, address: pointer, flags: u32):
    if flags:
        raise _invalid("no flags are defined")
    if current().space.own:
        return store(target, ctypes.c_size_t, _mapped_for_one_context(address, current()))
    mapping = mapping_at(address)
    if mapping is not None and mapping.readable(current().device):
        # An H200 takes mapped reservations for host memory as well, and answers with their start.
        return store(target, ctypes.c_size_t, mapping.start)
    allocation = _host_memory(address)
    # Unified addressing: the device uses the host's address, but on systems where registered memory has another.
    store(target, ctypes.c_size_t, address - allocation.views[UNIFIED].shift if UNIFIED in allocation.views else address)


@call("cuMemHostGetFlags")
def mem_host_get_flags(target: pointer, address: pointer):
    mapping, allocation = mapping_at(address), memory.at(address)
    if mapping is not None and mapping.readable(current().device):
        return store(target, ctypes.c_uint, PORTABLE | DEVICE_MAP)
    if allocation is None or allocation.kind not in (AllocationKind.MANAGED, AllocationKind.MANAGED_VARIABLE):
        allocation = _host_memory(address)
    store(target, ctypes.c_uint, allocation.flags)


@call("cuMemHostRegister_v2")
def mem_host_register(address: pointer, bytesize: size, flags: u32):
    if flags & ~(PORTABLE | DEVICE_MAP | REGISTER_IO_MEMORY | READ_ONLY):
        raise _invalid(f"flags {flags:#x} are not those of cuMemHostRegister")
    if bytesize == 0 or address == 0:
        raise _invalid("nothing to register")
    if address + bytesize >= 1 << 64:
        raise _invalid("more bytes than there are addresses")
    if address + bytesize > process_memory.END:
        raise CallError(Result.OUT_OF_MEMORY if address < process_memory.END else Result.NOT_SUPPORTED, "no address of the host")
    read_only = flags & READ_ONLY != 0
    with lock:
        for allocation in memory.allocations.overlapping(address, address + bytesize):
            if allocation.kind is AllocationKind.REGISTERED:
                raise CallError(Result.HOST_MEMORY_ALREADY_REGISTERED, "some of these bytes are registered")
            raise _invalid("some of these bytes are memory that CUDA allocated")
        start = address // process_memory.PAGE * process_memory.PAGE
        end = process_memory.round_up(address + bytesize, process_memory.PAGE)
        for allocation in memory.allocations.overlapping(start, end):
            if allocation.kind is AllocationKind.REGISTERED and allocation.read_only != read_only:
                raise _invalid("other bytes of the same page are registered with the other right to write")
        block = memory.block_at(address)    # of which something else is allocated still
        if isinstance(block, PinnedBlock):
            raise CallError(Result.HOST_MEMORY_ALREADY_REGISTERED, "freed, and page-locked still")
        if block is not None or flags & REGISTER_IO_MEMORY:
            raise _invalid("not host memory, or RAM that is declared to be a device's on the bus")
        mapped = list(process_memory.mappings(address, address + bytesize))
        if not process_memory.allows(address, bytesize, "r" if read_only else "w", mapped):
            raise _invalid("some of these bytes are not there, or cannot be written")
        if not read_only and process_memory.is_written_back(mapped):
            raise _invalid("some of these bytes are shared with a file on disk, which a device may only read")
        if not read_only:
            process_memory.make_own(address, bytesize, mapped)    # a device that may write has the pages that a write makes
        memory.add_registered(address, bytesize, current(), flags & PORTABLE | DEVICE_MAP, read_only, mapped)


@call("cuMemHostUnregister", needs=NO_DEAD_CONTEXT)
def mem_host_unregister(address: pointer):
    allocation = _allocation_at(address)
    if allocation is None and (address == 0 or heap.blocks.at(address)):
        raise _invalid("this is no host memory")
    if allocation is None:
        raise CallError(Result.HOST_MEMORY_NOT_REGISTERED, f"{address:#x} is not registered")
    if allocation.kind is not AllocationKind.REGISTERED or allocation.start != address:
        raise _invalid("this is not the start of memory that was registered")
    allocation.context.synchronize()
    memory.free(allocation)
