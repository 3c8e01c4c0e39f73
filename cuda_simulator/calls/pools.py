"""Memory pools (cuda.h: Stream Ordered Memory Allocator): made, asked, chosen, destroyed. Pools of managed memory are
not simulated.

Not here: taking memory from them (stream_ordered.py).
"""
import ctypes

from ..libcuda import handles
from ..libcuda.library import INITIALIZED, call, handle, i32, pointer, size
from ..libcuda.output import load, store
from ..libcuda.process_memory import round_up
from ..libcuda.results import CudaError, Result
from ..libcuda.state import driver
from ..memory import pools
from ..memory.blocks import PoolBlock
from ..memory.physical import DEVICE, HOST, HOST_NUMA
from ..memory.pools import READ_WRITE, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT, USED_HIGH, Pool
from .virtual_memory import AccessDesc, Location

_ALLOCATION_TYPE_PINNED, _ALLOCATION_TYPE_MANAGED = 1, 2
_POSIX_FILE_DESCRIPTOR = 1    # CUmemAllocationHandleType
_WIDE = {RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT, USED_HIGH}    # 64-bit values


class PoolProps(ctypes.Structure):
    """CUmemPoolProps."""
    _fields_ = [("allocType", ctypes.c_int), ("handleTypes", ctypes.c_int), ("location", Location),
                ("win32SecurityAttributes", ctypes.c_void_p), ("maxSize", ctypes.c_size_t),
                ("usage", ctypes.c_ushort), ("reserved", ctypes.c_ubyte * 54)]


@call("cuDeviceGetDefaultMemPool", needs=INITIALIZED)
def device_get_default_mem_pool(target: pointer, ordinal: i32):
    store(target, ctypes.c_size_t, pools.default(driver.device(ordinal)).handle)


@call("cuDeviceGetMemPool", needs=INITIALIZED)
def device_get_mem_pool(target: pointer, ordinal: i32):
    store(target, ctypes.c_size_t, pools.current(driver.device(ordinal)).handle)


@call("cuDeviceSetMemPool", needs=INITIALIZED)
def device_set_mem_pool(ordinal: i32, number: handle):
    device, pool = driver.device(ordinal), pool_of(number)
    pools.default(device)
    device.current_pool = pool


def _place_at(location, kind):
    """What has the pools of a CUmemLocation: a device, or the host."""
    where = load(location, Location)
    if kind == _ALLOCATION_TYPE_MANAGED:
        raise CudaError(Result.NOT_SUPPORTED, "pools of managed memory are not simulated")
    if not (_has_device(where) or _is_on_host(where)) or kind != _ALLOCATION_TYPE_PINNED:
        raise CudaError(Result.INVALID_VALUE, f"no pools at location type {where.type}, id {where.id}")
    return pools.HOST if _is_on_host(where) else driver.devices[where.id]


@call("cuMemGetDefaultMemPool", needs=INITIALIZED)
def mem_get_default_mem_pool(target: pointer, location: pointer, kind: i32):
    store(target, ctypes.c_size_t, pools.default(_place_at(location, kind)).handle)


@call("cuMemGetMemPool", needs=INITIALIZED)
def mem_get_mem_pool(target: pointer, location: pointer, kind: i32):
    store(target, ctypes.c_size_t, pools.current(_place_at(location, kind)).handle)


@call("cuMemSetMemPool", needs=INITIALIZED)
def mem_set_mem_pool(location: pointer, kind: i32, number: handle):
    place, pool = _place_at(location, kind), pool_of(number)
    pools.default(place)
    place.current_pool = pool


def pool_of(number):
    """The living pool of that handle."""
    return handles.find(number, Pool)


@call("cuMemPoolCreate", needs=INITIALIZED)
def mem_pool_create(target: pointer, properties: pointer):
    props = load(properties, PoolProps)
    where = props.location
    on_host = _is_on_host(where)
    known = props.allocType in (_ALLOCATION_TYPE_PINNED, _ALLOCATION_TYPE_MANAGED)
    if not known or not on_host and not _has_device(where):
        raise CudaError(Result.INVALID_VALUE, "a pool of pinned memory on a device or on the host")
    if props.handleTypes not in (0, _POSIX_FILE_DESCRIPTOR):
        raise CudaError(Result.INVALID_VALUE, f"no handles of type {props.handleTypes}")
    if props.allocType == _ALLOCATION_TYPE_MANAGED:
        raise CudaError(Result.NOT_SUPPORTED, "pools of managed memory are not simulated")
    device = driver.devices[0 if on_host else where.id]
    if props.maxSize > device.total_memory:
        raise CudaError(Result.OUT_OF_MEMORY, f"{props.maxSize} bytes are more than the device has")
    largest = round_up(props.maxSize, PoolBlock.GRANULE) if props.maxSize else None
    store(target, ctypes.c_size_t, Pool(device, props.handleTypes, largest, on_host).handle)


def _is_on_host(location):
    return location.type == HOST or location.type == HOST_NUMA and location.id == 0


def _has_device(location):
    return location.type == DEVICE and 0 <= location.id < len(driver.devices)


@call("cuMemPoolGetAccess", needs=INITIALIZED)
def mem_pool_get_access(target: pointer, number: handle, location: pointer):
    pool, where = pool_of(number), load(location, Location)
    store(target, ctypes.c_int, pool.access.get(where.id, 0) if where.type == DEVICE else 0)


@call("cuMemPoolSetAccess", needs=INITIALIZED)
def mem_pool_set_access(number: handle, descriptions: pointer, count: size):
    pool = pool_of(number)
    if not 0 < count <= 64:
        raise CudaError(Result.INVALID_VALUE, "1 to 64 access descriptions")
    for one in load(descriptions, AccessDesc * count):
        own = not pool.on_host and one.location.id == pool.device.ordinal
        if not _has_device(one.location) or own and one.flags != READ_WRITE:
            raise CudaError(Result.INVALID_DEVICE, "a pool's own device keeps its access; there is nobody else here")
        pool.access[one.location.id] = one.flags


@call("cuMemPoolDestroy", needs=INITIALIZED)
def mem_pool_destroy(number: handle):
    pool = pool_of(number)
    place = pools.HOST if pool.on_host else pool.device
    if pool is pools.default(place):
        raise CudaError(Result.INVALID_VALUE, "the default pool of a device stays")
    if place.current_pool is pool:
        place.current_pool = place.default_pool
    handles.forget(pool)


def _attribute(attribute):
    if attribute not in range(1, 9):
        raise CudaError(Result.INVALID_VALUE, f"there is no pool attribute {attribute}")
    return ctypes.c_uint64 if attribute in _WIDE else ctypes.c_int


@call("cuMemPoolGetAttribute", needs=INITIALIZED)
def mem_pool_get_attribute(number: handle, attribute: i32, value: pointer):
    store(value, _attribute(attribute), pool_of(number).attributes[attribute])


@call("cuMemPoolSetAttribute", needs=INITIALIZED)
def mem_pool_set_attribute(number: handle, attribute: i32, value: pointer):
    pool, new = pool_of(number), load(value, _attribute(attribute)).value
    if attribute in (RESERVED_CURRENT, USED_CURRENT) or attribute in (RESERVED_HIGH, USED_HIGH) and new:
        raise CudaError(Result.INVALID_VALUE, "only a high-water mark can be set, and only to 0")
    pool.attributes[attribute] = new if attribute in _WIDE else int(new != 0)


@call("cuMemPoolTrimTo", needs=INITIALIZED)
def mem_pool_trim_to(number: handle, keep: size):
    pool_of(number).trim(keep)
