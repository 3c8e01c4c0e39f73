"""Device memory (cuda.h: Memory Management): allocate, free, ask; managed memory, at the level of addresses."""
import ctypes

from ..device.exclusive import ATTACHED_TO_HOST
from ..libcuda.lacking import not_answered
from ..libcuda.library import CONTEXT, INITIALIZED, NO_DEAD_CONTEXT, call, pointer, require, size, u32
from ..libcuda.output import store
from ..libcuda.process_memory import round_up
from ..libcuda.results import CallError, Result
from ..libcuda.state import current, current_or_none, driver
from ..memory.allocations import AllocationKind, memory
from ..memory.virtual import mapping_at
from ..systems import current_system

FREED_BY_CU_MEM_FREE = AllocationKind.DEVICE, AllocationKind.MANAGED, AllocationKind.HOST_POOL, AllocationKind.MANAGED_POOL
ATTACH_HOST = 2    # CU_MEM_ATTACH_HOST
PITCH_ALIGNMENT = 512    # of cuMemAllocPitch's rows on an H200


def _nothing(size_):
    if size_ == 0:
        raise CallError(Result.INVALID_VALUE, "there is no allocation of 0 bytes")


def _number(allocation):
    """Where an allocation starts, as its context counts."""
    return current().space.number(allocation.start)


def _inside(number):
    """Where the current context's number of device memory leads; without a context, the number."""
    context = current_or_none()
    return context.space.inside(number) if context else number


@call("cuMemAlloc_v2")
def mem_alloc(target: pointer, bytesize: size):
    store(target, ctypes.c_size_t, 0)
    _nothing(bytesize)
    store(target, ctypes.c_size_t, _number(memory.add_device(bytesize, current())))


@call("cuMemAllocPitch_v2")
def mem_alloc_pitch(target: pointer, pitch: pointer, width: size, height: size, element: u32):
    if element not in (4, 8, 16):
        raise CallError(Result.INVALID_VALUE, "elements have 4, 8 or 16 bytes")
    _nothing(width * height)
    row = round_up(width, PITCH_ALIGNMENT)
    if row * height >= 1 << 64:
        raise CallError(Result.INVALID_VALUE, "more bytes than a size can count")
    store(pitch, ctypes.c_size_t, row)
    store(target, ctypes.c_size_t, _number(memory.add_device(row * height, current(), maker="cuMemAllocPitch")))


@call("cuMemAllocManaged", needs=INITIALIZED)
def mem_alloc_managed(target: pointer, bytesize: size, flags: u32):
    store(target, ctypes.c_size_t, 0)   # what an H200 leaves there if it refuses
    if flags not in (1, 2):
        raise CallError(Result.INVALID_VALUE, "attach to the global (1) or to the host's (2) streams")
    _nothing(bytesize)
    require(CONTEXT)
    allocation = memory.add_managed(bytesize, current())
    if flags == ATTACH_HOST:
        allocation.attached = ATTACHED_TO_HOST if not current_system().concurrent_managed_access else None
    store(target, ctypes.c_size_t, allocation.start)


@call("cuMemFree_v2", needs=INITIALIZED)
def mem_free(address: pointer):
    address = _inside(address)
    allocation = memory.at(address)
    if allocation is None and address and driver.fault:     # an H200 finds out before it looks at what broke
        raise CallError(Result.INVALID_VALUE, "no memory is at this address any more")
    require(NO_DEAD_CONTEXT)
    if address == 0:
        return
    if allocation is None or allocation.start != address or allocation.kind not in FREED_BY_CU_MEM_FREE:
        raise CallError(Result.INVALID_VALUE, "this is not the start of an allocation of device memory")
    if allocation.context is not None:
        for user in allocation.context.users():
            user.synchronize()
    memory.free(allocation)
    if allocation.pool is not None:
        allocation.pool.give(allocation)


@call("cuMemGetInfo_v2")
def mem_get_info(free: pointer, total: pointer):
    device = current().device
    if free:
        store(free, ctypes.c_size_t, device.free_memory)
    if total:
        store(total, ctypes.c_size_t, device.total_memory)


@call("cuMemGetAddressRange_v2")
def mem_get_address_range(base: pointer, length: pointer, address: pointer):
    """As an H200: a place that is given is written, with 0 where there is no answer; without any the address may be anything."""
    address = _inside(address)
    allocation = memory.at(address)
    if allocation is not None and allocation.original.views:
        raise not_answered("cuMemGetAddressRange is documented for device memory, not for host memory with another number")
    mapping = mapping_at(address)
    device = current().device
    reachable = allocation is not None and allocation.mapped_for(device) and (allocation.pool is None or allocation.readable(device))
    if base:
        # An H200 gives no base for memory that is located on the host.
        store(base, ctypes.c_size_t, _number(allocation) if reachable and not (mapping and mapping.physical.on_host) else 0)
    if length:
        store(length, ctypes.c_size_t, allocation.size if reachable else 0)
    if not reachable and (base or length):
        raise CallError(Result.NOT_FOUND, "no allocation that the current device reaches holds this address")


