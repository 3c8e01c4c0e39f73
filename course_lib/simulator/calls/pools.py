"""Stream-ordered allocation (cuda.h: Stream Ordered Memory Allocator), in its simple form: memory of a pool is taken
and given back in the order of a stream. Pools are on a device."""
import ctypes

from .. import handles
from ..library import HEALTHY, INITIALIZED, call, handle, i32, pointer, size
from ..memory import Kind, PoolBlock, memory
from ..output import load, store
from ..physical_memory import DEVICE, HOST, HOST_NUMA
from ..process_memory import round_up
from ..results import CudaError, Result
from ..state import driver
from ..virtual_memory import READ_WRITE
from .streams import stream_of
from .virtual_memory import AccessDesc, Location

_ALLOCATION_TYPE_PINNED, _ALLOCATION_TYPE_MANAGED = 1, 2
_POSIX_FILE_DESCRIPTOR = 1    # CUmemAllocationHandleType
(REUSE_EVENTS, REUSE_OPPORTUNISTIC, REUSE_INTERNAL, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT,
 USED_HIGH) = range(1, 9)    # CUmemPool_attribute
_WIDE = {RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT, USED_HIGH}    # 64-bit values


class Pool:
    """A memory pool of a device."""
    stale = null = Result.INVALID_VALUE

    def __init__(self, device, handle_types=0, largest=None):
        self.device, self.destroyed = device, False
        self.handle_types, self.largest = handle_types, largest    # largest: bytes, or None
        self.blocks = {}    # of small allocations, as a context has them
        self.access = {device.ordinal: READ_WRITE}
        self.attributes = dict.fromkeys(range(1, 9), 0) | {REUSE_EVENTS: 1, REUSE_OPPORTUNISTIC: 1, REUSE_INTERNAL: 1}
        handles.give(self)

    def check_room(self, size_):
        """OUT_OF_MEMORY where the pool may not grow so far."""
        if self.largest is not None and self.attributes[USED_CURRENT] + size_ > self.largest:
            raise CudaError(Result.OUT_OF_MEMORY, f"the pool may have at most {self.largest} bytes")

    def add(self, size_):
        """Memory was taken (or, negative, given back). A pool reserves it in pieces of 32 MiB, and keeps some."""
        used = self.attributes[USED_CURRENT] + size_
        kept = min(self.attributes[RESERVED_CURRENT], round_up(self.attributes[RELEASE_THRESHOLD], PoolBlock.GRANULE))
        self._count(used, max(round_up(used, PoolBlock.GRANULE), kept))

    def trim(self, keep):
        """Give back what is reserved beyond `keep` bytes and not used."""
        used = self.attributes[USED_CURRENT]
        kept = min(self.attributes[RESERVED_CURRENT], round_up(keep, PoolBlock.GRANULE))
        self._count(used, max(round_up(used, PoolBlock.GRANULE), kept))

    def _count(self, used, reserved):
        for current_, high, value in ((USED_CURRENT, USED_HIGH, used), (RESERVED_CURRENT, RESERVED_HIGH, reserved)):
            self.attributes[current_] = value
            self.attributes[high] = max(self.attributes[high], value)


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


def _device_at(location, kind):
    """The device of a CUmemLocation, for pools of device memory."""
    where = load(location, Location)
    if where.type in (HOST, HOST_NUMA) or kind == _ALLOCATION_TYPE_MANAGED:
        raise CudaError(Result.NOT_SUPPORTED, "only pools of device memory are simulated")
    if not _has_device(where) or kind != _ALLOCATION_TYPE_PINNED:
        raise CudaError(Result.INVALID_VALUE, f"no pools at location type {where.type}, id {where.id}")
    return driver.devices[where.id]


@call("cuMemGetDefaultMemPool", needs=INITIALIZED)
def mem_get_default_mem_pool(target: pointer, location: pointer, kind: i32):
    store(target, ctypes.c_size_t, _default(_device_at(location, kind)).handle)


@call("cuMemGetMemPool", needs=INITIALIZED)
def mem_get_mem_pool(target: pointer, location: pointer, kind: i32):
    store(target, ctypes.c_size_t, _current(_device_at(location, kind)).handle)


@call("cuMemSetMemPool", needs=INITIALIZED)
def mem_set_mem_pool(location: pointer, kind: i32, number: handle):
    device, pool = _device_at(location, kind), _pool(number)
    _default(device)
    device.current_pool = pool


def _pool(number):
    return handles.find(number, Pool)


@call("cuMemPoolCreate", needs=INITIALIZED)
def mem_pool_create(target: pointer, properties: pointer):
    props = load(properties, PoolProps)
    where = props.location
    on_host = where.type == HOST or where.type == HOST_NUMA and where.id == 0
    known = props.allocType in (_ALLOCATION_TYPE_PINNED, _ALLOCATION_TYPE_MANAGED)
    if not known or not on_host and not _has_device(where):
        raise CudaError(Result.INVALID_VALUE, "a pool of pinned memory on a device or on the host")
    if props.handleTypes not in (0, _POSIX_FILE_DESCRIPTOR):
        raise CudaError(Result.INVALID_VALUE, f"no handles of type {props.handleTypes}")
    if on_host or props.allocType == _ALLOCATION_TYPE_MANAGED:
        raise CudaError(Result.NOT_SUPPORTED, "only pools of device memory are simulated")
    device = driver.devices[where.id]
    if props.maxSize > device.total_memory:
        raise CudaError(Result.OUT_OF_MEMORY, f"{props.maxSize} bytes are more than the device has")
    largest = round_up(props.maxSize, PoolBlock.GRANULE) if props.maxSize else None
    store(target, ctypes.c_size_t, Pool(device, props.handleTypes, largest).handle)


def _has_device(location):
    return location.type == DEVICE and 0 <= location.id < len(driver.devices)


@call("cuMemPoolGetAccess", needs=INITIALIZED)
def mem_pool_get_access(target: pointer, number: handle, location: pointer):
    pool, where = _pool(number), load(location, Location)
    store(target, ctypes.c_int, pool.access.get(where.id, 0) if where.type == DEVICE else 0)


@call("cuMemPoolSetAccess", needs=INITIALIZED)
def mem_pool_set_access(number: handle, descriptions: pointer, count: size):
    pool = _pool(number)
    if not 0 < count <= 64:
        raise CudaError(Result.INVALID_VALUE, "1 to 64 access descriptions")
    for one in load(descriptions, AccessDesc * count):
        if not _has_device(one.location) or one.location.id == pool.device.ordinal and one.flags != READ_WRITE:
            raise CudaError(Result.INVALID_DEVICE, "a pool's own device keeps its access; there is nobody else here")
        pool.access[one.location.id] = one.flags


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
    pool.attributes[attribute] = new if attribute in _WIDE else int(new != 0)


@call("cuMemPoolTrimTo", needs=INITIALIZED)
def mem_pool_trim_to(number: handle, keep: size):
    _pool(number).trim(keep)


def _take(target, bytesize, pool):
    if bytesize == 0:
        return store(target, ctypes.c_size_t, 0)
    pool.check_room(bytesize)
    allocation = memory.add_device(bytesize, None, maker="cuMemAllocAsync", pool=pool)
    pool.add(bytesize)
    store(target, ctypes.c_size_t, allocation.start)


@call("cuMemAllocAsync", needs=HEALTHY)
def mem_alloc_async(target: pointer, bytesize: size, stream: handle):
    _take(target, bytesize, _current(stream_of(stream).context.device))


@call("cuMemAllocFromPoolAsync", needs=HEALTHY)
def mem_alloc_from_pool_async(target: pointer, bytesize: size, number: handle, stream: handle):
    stream_of(stream)
    _take(target, bytesize, _pool(number))


@call("cuMemFreeAsync", needs=HEALTHY)
def mem_free_async(address: pointer, stream: handle):
    queue = stream_of(stream)
    if address == 0:
        return
    allocation = memory.at(address)
    if allocation is not None and allocation.kind is Kind.MANAGED and allocation.start == address:
        raise CudaError(Result.NOT_SUPPORTED, "managed memory is freed by cuMemFree")
    if allocation is None or allocation.start != address or allocation.kind is not Kind.DEVICE:
        raise CudaError(Result.INVALID_VALUE, "this is not the start of an allocation of device memory")

    def give_back(work):
        memory.free(allocation)
        if allocation.pool is not None:
            allocation.pool.add(-allocation.size)
    queue.submit(give_back)
