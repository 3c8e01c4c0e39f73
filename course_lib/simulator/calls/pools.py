"""Stream-ordered allocation (cuda.h: Stream Ordered Memory Allocator), in its simple form: memory of a pool is taken
and given back in the order of a stream."""
import ctypes

from .. import handles
from ..library import INITIALIZED, call, handle, i32, pointer, size
from ..memory import Kind, memory
from ..output import load, store
from ..results import CudaError, Result
from ..state import current, driver
from .streams import stream_of
from .virtual_memory import Location

_ALLOCATION_TYPE_PINNED = 1
(REUSE_EVENTS, REUSE_OPPORTUNISTIC, REUSE_INTERNAL, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT,
 USED_HIGH) = range(1, 9)    # CUmemPool_attribute
_WIDE = {RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT, USED_HIGH}    # 64-bit values


class Pool:
    """A memory pool of a device."""

    def __init__(self, device):
        self.device, self.destroyed = device, False
        self.attributes = dict.fromkeys(range(1, 9), 0) | {REUSE_EVENTS: 1, REUSE_OPPORTUNISTIC: 1, REUSE_INTERNAL: 1}
        handles.give(self)

    def add(self, size_):
        """Memory was taken (or, negative, given back)."""
        self.attributes[USED_CURRENT] += size_
        self.attributes[USED_HIGH] = max(self.attributes[USED_HIGH], self.attributes[USED_CURRENT])


class PoolProps(ctypes.Structure):
    """CUmemPoolProps."""
    _fields_ = [("allocType", ctypes.c_int), ("handleTypes", ctypes.c_int), ("location", Location),
                ("win32SecurityAttributes", ctypes.c_void_p), ("maxSize", ctypes.c_size_t),
                ("usage", ctypes.c_ushort), ("reserved", ctypes.c_ubyte * 54)]


def _default(device):
    if not hasattr(device, "default_pool"):
        device.default_pool = device.current_pool = Pool(device)
    return device.default_pool


def _current(device):
    _default(device)
    return device.current_pool


@call("cuDeviceGetDefaultMemPool", needs=INITIALIZED)
def device_get_default_mem_pool(target: pointer, ordinal: i32):
    store(target, ctypes.c_size_t, _default(driver.device(ordinal)).handle)


@call("cuDeviceGetMemPool", needs=INITIALIZED)
def device_get_mem_pool(target: pointer, ordinal: i32):
    store(target, ctypes.c_size_t, _current(driver.device(ordinal)).handle)


@call("cuDeviceSetMemPool", needs=INITIALIZED)
def device_set_mem_pool(ordinal: i32, number: handle):
    device, pool = driver.device(ordinal), _pool(number)
    _default(device)
    device.current_pool = pool


def _pool(number):
    return handles.find(number, Pool, Result.INVALID_VALUE)


@call("cuMemPoolCreate", needs=INITIALIZED)
def mem_pool_create(target: pointer, properties: pointer):
    props = load(properties, PoolProps)
    if props.allocType != _ALLOCATION_TYPE_PINNED or props.location.type != 1:
        raise CudaError(Result.INVALID_VALUE, "a pool of pinned memory on a device")
    store(target, ctypes.c_size_t, Pool(driver.device(props.location.id)).handle)


@call("cuMemPoolDestroy", needs=INITIALIZED)
def mem_pool_destroy(number: handle):
    pool = _pool(number)
    if pool is _default(pool.device):
        raise CudaError(Result.INVALID_VALUE, "the default pool of a device stays")
    if pool.device.current_pool is pool:
        pool.device.current_pool = pool.device.default_pool
    handles.forget(pool)


def _attribute(attribute):
    if attribute not in range(1, 9):
        raise CudaError(Result.INVALID_VALUE, f"there is no pool attribute {attribute}")
    return ctypes.c_uint64 if attribute in _WIDE else ctypes.c_int


@call("cuMemPoolGetAttribute", needs=INITIALIZED)
def mem_pool_get_attribute(number: handle, attribute: i32, value: pointer):
    store(value, _attribute(attribute), _pool(number).attributes[attribute])


@call("cuMemPoolSetAttribute", needs=INITIALIZED)
def mem_pool_set_attribute(number: handle, attribute: i32, value: pointer):
    pool, new = _pool(number), load(value, _attribute(attribute)).value
    if attribute in (RESERVED_CURRENT, USED_CURRENT) or attribute in (RESERVED_HIGH, USED_HIGH) and new:
        raise CudaError(Result.INVALID_VALUE, "only a high-water mark can be set, and only to 0")
    pool.attributes[attribute] = new


@call("cuMemPoolTrimTo", needs=INITIALIZED)
def mem_pool_trim_to(number: handle, keep: size):
    """Nothing is kept back that could be trimmed."""
    _pool(number)


def _take(target, bytesize, pool, stream):
    stream_of(stream)
    if bytesize == 0:
        return store(target, ctypes.c_size_t, 0)
    allocation = memory.add_device(bytesize, current(), maker="cuMemAllocAsync", pool=pool)
    pool.add(bytesize)
    store(target, ctypes.c_size_t, allocation.start)


@call("cuMemAllocAsync")
def mem_alloc_async(target: pointer, bytesize: size, stream: handle):
    _take(target, bytesize, _current(current().device), stream)


@call("cuMemAllocFromPoolAsync")
def mem_alloc_from_pool_async(target: pointer, bytesize: size, number: handle, stream: handle):
    _take(target, bytesize, _pool(number), stream)


@call("cuMemFreeAsync")
def mem_free_async(address: pointer, stream: handle):
    allocation = memory.at(address)
    if allocation is None or allocation.start != address or allocation.kind is not Kind.DEVICE:
        raise CudaError(Result.INVALID_VALUE, "this is not the start of an allocation of device memory")

    def give_back(work):
        memory.free(allocation)
        if allocation.pool is not None:
            allocation.pool.add(-allocation.size)
    stream_of(stream).submit(give_back)
