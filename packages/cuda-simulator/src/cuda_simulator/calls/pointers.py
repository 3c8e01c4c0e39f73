"""What the driver knows of an address (cuda.h: Unified Addressing)."""
import ctypes

from ..libcuda.lacking import not_answered
from ..libcuda.library import INITIALIZED, call, i32, pointer, u32
from ..libcuda.output import load, load_array, store
from ..libcuda.process_memory import PAGE, round_up
from ..libcuda.results import CallError, Result
from ..libcuda.state import current, current_or_none
from ..memory.allocations import MANAGED_KINDS, ON_HOST, AllocationKind, memory
from ..memory.views import UNIFIED
from ..memory.virtual import MappedRange, reservations
from ..memory.windows import GRANULARITY
from ..systems import current_system

HOST, DEVICE = 1, 2    # CUmemorytype
_NO_DEVICE = -2        # CU_DEVICE_INVALID

(CONTEXT, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, P2P_TOKENS, SYNC_MEMOPS, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL,
 IS_LEGACY_IPC_CAPABLE, RANGE_START, RANGE_SIZE, MAPPED, ALLOWED_HANDLE_TYPES, IS_RDMA_CAPABLE, ACCESS_FLAGS,
 MEMPOOL_HANDLE, MAPPING_SIZE, MAPPING_BASE, BLOCK_ID, IS_DECOMPRESS_CAPABLE) = range(1, 22)

# The C type of each attribute's answer. The header calls some of them boolean; the driver writes four bytes.
TYPES = {attribute: ctypes.c_uint for attribute in range(1, 22)}
TYPES.update(dict.fromkeys([CONTEXT, DEVICE_POINTER, HOST_POINTER, P2P_TOKENS, BUFFER_ID, RANGE_START, RANGE_SIZE,
                            ALLOWED_HANDLE_TYPES, MEMPOOL_HANDLE, MAPPING_SIZE, MAPPING_BASE, BLOCK_ID],
                           ctypes.c_size_t))
TYPES[DEVICE_ORDINAL] = ctypes.c_int


def _unknown(address):
    return CallError(Result.INVALID_VALUE, f"the driver has no answer for {address:#x}")


def _on_host(allocation):
    return allocation.kind in ON_HOST or isinstance(allocation, MappedRange) and allocation.physical.on_host


def _device_pointer(allocation, address):
    device = current().device
    if not allocation.mapped_for(device) or not allocation.readable(device):
        raise _unknown(address)
    return address


def _host_pointer(allocation, address):
    host = allocation.host_pointer(address)
    if host is None:
        raise _unknown(address)
    return host


def _p2p_tokens(allocation, address):
    """No other device asks for them; but asking orders copies, on an H200."""
    if _on_host(allocation):
        raise _unknown(address)
    allocation.sync_memops = True
    return 0


def _whole(allocation, address):
    """For a mapping, range attributes speak of the reservation that the address lies in: None where it reaches beyond one."""
    return reservations.at(address) if isinstance(allocation, MappedRange) else allocation


def _access(allocation):
    """What the current device may do, peer access or not; of device memory, also of a pool, what its own device may. So it is
    where no context is current."""
    context = current_or_none()    # a destroyed one has a device, too
    if allocation.kind is AllocationKind.DEVICE:
        return 3
    device = context.device if context else allocation.device
    return 3 if allocation.writable(device) else 1 if allocation.readable(device) else 0


def _mapping(allocation):
    """(start, size) of the pages or granules that an allocation lies in."""
    if allocation.block is not None:
        return allocation.block.start, allocation.block.size
    if allocation.kind is AllocationKind.REGISTERED:
        start = allocation.start // PAGE * PAGE
        return start, round_up(allocation.end, PAGE) - start
    return allocation.start, round_up(allocation.size, GRANULARITY)


def _range_start(allocation, address):
    """An address; of memory of a host's pool, as on an H200, the offset in the mapping."""
    if allocation.pool and _on_host(allocation) and allocation.kind not in MANAGED_KINDS:
        return allocation.start - _mapping(allocation)[0]
    return getattr(_whole(allocation, address), "start", None)


def _handle_types(allocation):
    """By which types of handle its pool or its physical memory may be shared."""
    if isinstance(allocation, MappedRange):
        return int(allocation.physical.shareable)    # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR is 1, and there is no other
    return allocation.pool.handle_types if allocation.pool else 0


def _is_plain(allocation):
    """From cuMemAlloc and its like: what older ways of sharing memory know."""
    return allocation.kind is AllocationKind.DEVICE and allocation.pool is None


# How each attribute is answered for an address inside an allocation.
ANSWERS = {
    CONTEXT: lambda allocation, address: 0 if allocation.pool or not allocation.context else allocation.context.handle,
    MEMORY_TYPE: lambda allocation, address: HOST if _on_host(allocation) else DEVICE,
    DEVICE_POINTER: _device_pointer,
    HOST_POINTER: _host_pointer,
    P2P_TOKENS: _p2p_tokens,
    SYNC_MEMOPS: lambda allocation, address: allocation.sync_memops,
    BUFFER_ID: lambda allocation, address: allocation.buffer_id,
    IS_MANAGED: lambda allocation, address: allocation.kind in MANAGED_KINDS,
    DEVICE_ORDINAL: lambda allocation, address: allocation.device.ordinal,
    IS_LEGACY_IPC_CAPABLE: lambda allocation, address: _is_plain(allocation),
    RANGE_START: _range_start,
    RANGE_SIZE: lambda allocation, address: getattr(_whole(allocation, address), "size", None),
    MAPPED: lambda allocation, address: True,
    ALLOWED_HANDLE_TYPES: lambda allocation, address: _handle_types(allocation),
    IS_RDMA_CAPABLE: lambda allocation, address: _is_plain(allocation),
    ACCESS_FLAGS: lambda allocation, address: _access(allocation),
    MEMPOOL_HANDLE: lambda allocation, address: allocation.pool.handle if allocation.pool else 0,
    MAPPING_SIZE: lambda allocation, address: _mapping(allocation)[1],
    MAPPING_BASE: lambda allocation, address: _mapping(allocation)[0],
    BLOCK_ID: lambda allocation, address: (allocation.physical.handle if isinstance(allocation, MappedRange)
                                           else allocation.buffer_id),
    IS_DECOMPRESS_CAPABLE: lambda allocation, address: _is_plain(allocation),
}


def _of_two_numbers(attribute, allocation, address):
    """An attribute of host memory that has a number for the host and another for the device, by either of them."""
    original = allocation.original
    host, view = address + allocation.shift, original.views[UNIFIED]
    if attribute == DEVICE_POINTER:
        return _device_pointer(original, host) - view.shift
    if attribute == RANGE_START:
        if allocation is original:
            raise not_answered("cuda.h says what RANGE_START_ADDR is of a device pointer, and not of the host's other number")
        return view.start
    if attribute not in (CONTEXT, MEMORY_TYPE, HOST_POINTER, SYNC_MEMOPS, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL, RANGE_SIZE, MAPPED):
        raise not_answered(f"no document says what pointer attribute {attribute} is of memory with two numbers")
    return ANSWERS[attribute](original, host)


def answer(attribute, address):
    """The value of one attribute of an address; None where an H200 succeeds and leaves the caller's variable as it was.
    INVALID_VALUE where the driver has no answer."""
    allocation = memory.at(address)
    if allocation is not None and allocation.original.views:
        return _of_two_numbers(attribute, allocation, address)
    if allocation is None or attribute not in ANSWERS:
        raise _unknown(address)
    return ANSWERS[attribute](allocation, address)


@call("cuPointerGetAttribute", needs=INITIALIZED)
def pointer_get_attribute(data: pointer, attribute: i32, address: pointer):
    value = answer(attribute, address)
    if value is not None:
        store(data, TYPES[attribute], value)


@call("cuPointerGetAttributes", needs=INITIALIZED)
def pointer_get_attributes(count: u32, attributes: pointer, data: pointer, address: pointer):
    """Succeeds for an address that the driver does not know: type 0, and the address itself as the host's. A trap."""
    for attribute, target in zip(load_array(attributes, count, ctypes.c_int), load_array(data, count)):
        if attribute not in TYPES or attribute == P2P_TOKENS:
            raise CallError(Result.INVALID_VALUE, f"there is no pointer attribute {attribute} to ask for here")
        value = _answer_for_any(attribute, address)
        if value is not None:
            store(target, TYPES[attribute], value)


def _answer_for_any(attribute, address):
    """The value of an attribute, whatever the address; None where an H200 leaves the caller's variable as it was."""
    if memory.at(address) is None:
        if attribute == DEVICE_POINTER and current_system().pageable_access:
            raise not_answered("of the device pointer of pageable memory, cuda.h says null at cuPointerGetAttributes, and the "
                               "runtime's manual what the device may access")
        reservation = reservations.at(address)
        if attribute in (RANGE_START, RANGE_SIZE):
            return reservation and (reservation.start if attribute == RANGE_START else reservation.size)
        return {HOST_POINTER: address, DEVICE_ORDINAL: _NO_DEVICE}.get(attribute, 0)
    try:
        return answer(attribute, address)
    except CallError:
        return 0


@call("cuPointerSetAttribute", needs=INITIALIZED)
def pointer_set_attribute(value: pointer, attribute: i32, address: pointer):
    """The one attribute that can be set changes when copies return; here they always have happened by then."""
    allocation = memory.at(address)
    if isinstance(allocation, MappedRange):
        raise CallError(Result.NOT_SUPPORTED, "mapped reservations have no attribute to set")
    if attribute != SYNC_MEMOPS or allocation is None:
        raise _unknown(address)
    allocation.sync_memops = load(value, ctypes.c_uint).value != 0
