"""Memory pools (cuda.h: Stream Ordered Memory Allocator): made, asked, chosen, destroyed.

Not here: taking memory from them (stream_ordered.py).
"""
import ctypes

from ..libcuda import handles
from ..libcuda.library import INITIALIZED, call, handle, i32, pointer, size
from ..libcuda.output import load, load_array, store
from ..libcuda.process_memory import round_up
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver
from ..memory import pools
from ..memory.blocks import PoolBlock
from ..memory.places import DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT, NONE, NOWHERE, WHOLE_HOST
from ..memory.pools import (
    MANAGED,
    PINNED,
    RELEASE_THRESHOLD,
    RESERVED_CURRENT,
    RESERVED_HIGH,
    USED_CURRENT,
    USED_HIGH,
    ManagedPool,
    Pool,
)
from .managed import checked_place
from .virtual_memory import FABRIC, POSIX_FILE_DESCRIPTOR, AccessDesc, Location

_WIDE = {RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT, USED_HIGH}    # 64-bit values


class PoolProps(ctypes.Structure):
    """CUmemPoolProps."""
    _fields_ = [("allocType", ctypes.c_int), ("handleTypes", ctypes.c_int), ("location", Location),
                ("win32SecurityAttributes", ctypes.c_void_p), ("maxSize", ctypes.c_size_t),
                ("usage", ctypes.c_ushort), ("reserved", ctypes.c_ubyte * 54)]


def _of_device(ordinal, missing=Result.INVALID_VALUE):
    """What cuDevice* calls mean: the pools of device memory that a device has; `missing` is the error for one that is not there."""
    return PINNED, checked_place((DEVICE, ordinal), missing)


@call("cuDeviceGetDefaultMemPool", needs=INITIALIZED)
def device_get_default_mem_pool(target: pointer, ordinal: i32):
    store(target, ctypes.c_size_t, pools.default(*_of_device(ordinal, Result.INVALID_DEVICE)).handle)


@call("cuDeviceGetMemPool", needs=INITIALIZED)
def device_get_mem_pool(target: pointer, ordinal: i32):
    store(target, ctypes.c_size_t, pools.current(*_of_device(ordinal)).handle)


@call("cuDeviceSetMemPool", needs=INITIALIZED)
def device_set_mem_pool(ordinal: i32, number: handle):
    """As an H200, also takes a managed pool; that becomes the current one of its own kind and place."""
    kind_and_place, pool = _of_device(ordinal), own_pool(number)
    if pool.kind != MANAGED and not pool.on_host and pool.place != kind_and_place[1]:
        raise CallError(Result.INVALID_VALUE, "a pool of another device")
    pools.choose(*((MANAGED, pool.place) if pool.kind == MANAGED else kind_and_place), pool)


def _place_at(location, kind):
    """(kind, place) of a CUmemLocation that has pools of that kind."""
    location = load(location, Location)
    if kind == MANAGED:
        if location.type == HOST_NUMA_CURRENT:
            raise CallError(Result.NOT_SUPPORTED, "the node of whoever asks has no pool of managed memory")
        place = _preferred_place(location)
        return kind, (HOST, 0) if place[0] == HOST else place
    if not (_has_device(location) or _is_on_host(location)) or kind != PINNED:
        raise CallError(Result.INVALID_VALUE, f"no pools at location type {location.type}, id {location.id}")
    return kind, WHOLE_HOST if _is_on_host(location) else (DEVICE, location.id)


def _preferred_place(location):
    """The place that a pool of managed memory prefers, perhaps nowhere."""
    return NOWHERE if location.type == NONE else checked_place((location.type, location.id))


@call("cuMemGetDefaultMemPool", needs=INITIALIZED)
def mem_get_default_mem_pool(target: pointer, location: pointer, kind: i32):
    store(target, ctypes.c_size_t, pools.default(*_place_at(location, kind)).handle)


@call("cuMemGetMemPool", needs=INITIALIZED)
def mem_get_mem_pool(target: pointer, location: pointer, kind: i32):
    store(target, ctypes.c_size_t, pools.current(*_place_at(location, kind)).handle)


@call("cuMemSetMemPool", needs=INITIALIZED)
def mem_set_mem_pool(location: pointer, kind: i32, number: handle):
    (kind, place), pool = _place_at(location, kind), own_pool(number)
    if pool.kind != kind or (kind == MANAGED or place[0] == pool.place[0] == DEVICE) and pool.place != place:
        raise CallError(Result.INVALID_VALUE, "a pool of another kind, or one that prefers another place")
    pools.choose(kind, place, pool)


def pool_of(number):
    """The living pool of that handle."""
    return handles.find(number, Pool)


def own_pool(number):
    """The same, which has to be this process's own: an imported one gives no memory, and has no attributes."""
    pool = pool_of(number)
    if pool.imported:
        raise CallError(Result.INVALID_VALUE, "another process's pool, imported here")
    return pool


@call("cuMemPoolCreate", needs=INITIALIZED)
def mem_pool_create(target: pointer, properties: pointer):
    props = load(properties, PoolProps)
    if props.allocType == MANAGED:
        if props.handleTypes or props.maxSize or props.usage:
            raise CallError(Result.INVALID_VALUE, "a pool of managed memory has no handles, no largest size and no usage")
        if props.location.type not in (NONE, DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT):
            raise CallError(Result.NOT_SUPPORTED, f"no place of type {props.location.type}")
        pool = ManagedPool(_preferred_place(props.location))
    else:
        pool = _pool_that_stays(props)
    store(target, ctypes.c_size_t, pool.handle)


def _pool_that_stays(props):
    """A pool of memory of a device or of the host."""
    location = props.location
    on_host = _is_on_host(location)
    if props.allocType != PINNED or not on_host and not _has_device(location):
        raise CallError(Result.INVALID_VALUE, "a pool of pinned memory on a device or on the host")
    kinds = {HOST: (0,), DEVICE: (0, POSIX_FILE_DESCRIPTOR, FABRIC)}.get(location.type, (0, POSIX_FILE_DESCRIPTOR))
    if props.handleTypes not in kinds:
        raise CallError(Result.INVALID_VALUE, f"no handles of type {props.handleTypes}")
    device = driver.devices[0 if on_host else location.id]
    if props.maxSize > device.total_memory:
        raise CallError(Result.OUT_OF_MEMORY, f"{props.maxSize} bytes are more than the device has")
    largest = round_up(props.maxSize, PoolBlock.GRANULE) if props.maxSize else None
    return Pool(device, props.handleTypes, largest, on_host)


def _is_on_host(location):
    """Is a CUmemLocation the host, or its one NUMA node, 0?"""
    return location.type == HOST or location.type == HOST_NUMA and location.id == 0


def _has_device(location):
    return location.type == DEVICE and 0 <= location.id < len(driver.devices)


@call("cuMemPoolGetAccess", needs=INITIALIZED)
def mem_pool_get_access(target: pointer, number: handle, location: pointer):
    pool, location = pool_of(number), load(location, Location)
    if location.type == DEVICE and not _has_device(location):
        raise CallError(Result.INVALID_VALUE, f"there is no device {location.id}")
    store(target, ctypes.c_int, pool.access.get((location.type, location.id), 0))


@call("cuMemPoolSetAccess", needs=INITIALIZED)
def mem_pool_set_access(number: handle, descriptions: pointer, count: size):
    pool = pool_of(number)
    for description in load_array(descriptions, count, AccessDesc):
        pool.set_access((description.location.type, description.location.id), description.flags)


@call("cuMemPoolDestroy", needs=INITIALIZED)
def mem_pool_destroy(number: handle):
    pools.forget(pool_of(number))


def _attribute(attribute):
    if attribute not in range(1, 9):
        raise CallError(Result.INVALID_VALUE, f"there is no pool attribute {attribute}")
    return ctypes.c_uint64 if attribute in _WIDE else ctypes.c_int


@call("cuMemPoolGetAttribute", needs=INITIALIZED)
def mem_pool_get_attribute(number: handle, attribute: i32, value: pointer):
    store(value, _attribute(attribute), own_pool(number).attributes[attribute])


@call("cuMemPoolSetAttribute", needs=INITIALIZED)
def mem_pool_set_attribute(number: handle, attribute: i32, value: pointer):
    pool, value = own_pool(number), load(value, _attribute(attribute)).value
    if attribute in (RESERVED_CURRENT, USED_CURRENT) or attribute in (RESERVED_HIGH, USED_HIGH) and value:
        raise CallError(Result.INVALID_VALUE, "only a high-water mark can be set, and only to 0")
    if attribute in (RESERVED_HIGH, USED_HIGH):
        value = pool.attributes[attribute - 1]    # of what there is now
    pool.attributes[attribute] = value if attribute in _WIDE else int(value != 0)


@call("cuMemPoolTrimTo", needs=INITIALIZED)
def mem_pool_trim_to(number: handle, keep: size):
    own_pool(number).trim(keep)
