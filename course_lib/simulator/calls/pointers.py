"""What the driver knows of an address (cuda.h: Unified Addressing)."""
import ctypes

from ..library import INITIALIZED, call, i32, pointer, u32
from ..memory import HOST_KINDS, Kind, memory
from ..output import load, store
from ..results import CudaError, Result
from ..state import current, driver
from ..virtual_memory import Mapping, reservations

HOST, DEVICE = 1, 2    # CUmemorytype

(CONTEXT, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, P2P_TOKENS, SYNC_MEMOPS, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL,
 IS_LEGACY_IPC_CAPABLE, RANGE_START, RANGE_SIZE, MAPPED, ALLOWED_HANDLE_TYPES, IS_RDMA_CAPABLE, ACCESS_FLAGS,
 MEMPOOL_HANDLE, MAPPING_SIZE, MAPPING_BASE, BLOCK_ID, IS_DECOMPRESS_CAPABLE) = range(1, 22)

# The C type of each attribute's answer.
TYPES = {attribute: ctypes.c_uint for attribute in range(1, 22)}
TYPES.update(dict.fromkeys([CONTEXT, DEVICE_POINTER, HOST_POINTER, RANGE_START, RANGE_SIZE, MEMPOOL_HANDLE, MAPPING_SIZE,
                            MAPPING_BASE], ctypes.c_size_t))
TYPES.update(dict.fromkeys([BUFFER_ID, ALLOWED_HANDLE_TYPES, BLOCK_ID], ctypes.c_uint64))
TYPES[DEVICE_ORDINAL] = ctypes.c_int
TYPES.update(dict.fromkeys([SYNC_MEMOPS, IS_MANAGED, IS_LEGACY_IPC_CAPABLE, MAPPED, IS_RDMA_CAPABLE,
                            IS_DECOMPRESS_CAPABLE], ctypes.c_bool))


def _unknown(address):
    return CudaError(Result.INVALID_VALUE, f"the driver has no answer for {address:#x}")


def _host_pointer(allocation, address):
    host = allocation.host_pointer(address)
    if host is None:
        raise _unknown(address)
    return host


def _whole(allocation):
    """For a mapping, range attributes speak of the reservation that it lies in."""
    return allocation.reservation if isinstance(allocation, Mapping) else allocation


# How each attribute is answered for an address inside an allocation.
ANSWERS = {
    CONTEXT: lambda allocation, address: allocation.context.handle if allocation.context else 0,
    MEMORY_TYPE: lambda allocation, address: HOST if allocation.kind in HOST_KINDS else DEVICE,
    DEVICE_POINTER: lambda allocation, address: address,
    HOST_POINTER: _host_pointer,
    SYNC_MEMOPS: lambda allocation, address: allocation.sync_memops,
    BUFFER_ID: lambda allocation, address: allocation.buffer_id,
    IS_MANAGED: lambda allocation, address: allocation.kind is Kind.MANAGED,
    DEVICE_ORDINAL: lambda allocation, address: allocation.device.ordinal,
    IS_LEGACY_IPC_CAPABLE: lambda allocation, address: allocation.kind is Kind.DEVICE and allocation.pool is None,
    RANGE_START: lambda allocation, address: _whole(allocation).start,
    RANGE_SIZE: lambda allocation, address: _whole(allocation).size,
    MAPPED: lambda allocation, address: True,
    ALLOWED_HANDLE_TYPES: lambda allocation, address: 0,
    IS_RDMA_CAPABLE: lambda allocation, address: allocation.kind is Kind.DEVICE,
    ACCESS_FLAGS: lambda allocation, address: _access(allocation),
    MEMPOOL_HANDLE: lambda allocation, address: allocation.pool.handle if allocation.pool else 0,
    MAPPING_SIZE: lambda allocation, address: allocation.size,
    MAPPING_BASE: lambda allocation, address: allocation.start,
    BLOCK_ID: lambda allocation, address: (allocation.physical.handle if isinstance(allocation, Mapping)
                                           else allocation.buffer_id),
    IS_DECOMPRESS_CAPABLE: lambda allocation, address: False,
}


def answer(attribute, address):
    """The value of one attribute of an address; INVALID_VALUE where the driver has none."""
    if attribute not in ANSWERS:
        raise CudaError(Result.INVALID_VALUE, f"there is no pointer attribute {attribute}")
    allocation = memory.at(address)
    if allocation is None:
        return _answer_for_reserved(attribute, address)
    return ANSWERS[attribute](allocation, address)


def _access(allocation):
    device = current().device
    return 3 if allocation.writable(device) else 1 if allocation.readable(device) else 0


def _answer_for_reserved(attribute, address):
    """Addresses with nothing behind them: the driver knows the range and that nothing is mapped."""
    reservation = reservations.at(address)
    if reservation is not None and attribute in (RANGE_START, RANGE_SIZE, MAPPED):
        return {RANGE_START: reservation.start, RANGE_SIZE: reservation.size, MAPPED: False}[attribute]
    raise _unknown(address)


@call("cuPointerGetAttribute", needs=INITIALIZED)
def pointer_get_attribute(data: pointer, attribute: i32, address: pointer):
    if driver.fault is not None:
        raise CudaError(driver.fault)
    value = answer(attribute, address)
    store(data, TYPES[attribute], value)


@call("cuPointerGetAttributes", needs=INITIALIZED)
def pointer_get_attributes(count: u32, attributes: pointer, data: pointer, address: pointer):
    """Succeeds for an address that the driver does not know: type 0, and the address itself as the host's. A trap."""
    if not 0 < count <= 64:
        raise CudaError(Result.INVALID_VALUE, "1 to 64 attributes")
    for attribute, target in zip(load(attributes, ctypes.c_int * count), load(data, ctypes.c_size_t * count)):
        if attribute not in TYPES:
            raise CudaError(Result.INVALID_VALUE, f"there is no pointer attribute {attribute}")
        try:
            value = answer(attribute, address)
        except CudaError:
            value = address if attribute == HOST_POINTER and memory.at(address) is None else 0
        store(target, TYPES[attribute], value)


@call("cuPointerSetAttribute")
def pointer_set_attribute(value: pointer, attribute: i32, address: pointer):
    allocation = memory.at(address)
    if attribute != SYNC_MEMOPS or allocation is None:
        raise _unknown(address)
    allocation.sync_memops = bool(load(value, ctypes.c_uint).value)


