"""Stream-ordered allocation (cuda.h: Stream Ordered Memory Allocator): memory of a pool, taken and given back in the
order of a stream.

Not here: pools (pools.py).
"""
import ctypes

from ..examination.session import current as examined
from ..libcuda.library import HEALTHY, call, handle, pointer, size
from ..libcuda.output import store
from ..libcuda.results import CudaError, Result
from ..memory import pools
from ..memory.allocations import Kind, memory
from ..memory.places import DEVICE
from .pools import own_pool
from .streams import stream_of

FREED_BY_CU_MEM_FREE_ASYNC = Kind.DEVICE, Kind.HOST_POOL, Kind.MANAGED_POOL


def _take(target, bytesize, pool, queue):
    store(target, ctypes.c_size_t, 0)
    if bytesize == 0:
        return
    pool.check_room(bytesize)
    if pool.kind == pools.MANAGED:
        allocation = memory.add_to_managed_pool(bytesize, pool)
    elif pool.on_host:
        allocation = memory.add_to_host_pool(bytesize, pool)
    else:
        allocation = memory.add_device(bytesize, None, maker="cuMemAllocAsync", pool=pool)
    pool.add(bytesize)
    if session := examined():
        session.call(queue.submit().stamp, "cuMemAllocAsync", (), [(allocation.start + allocation.delta, bytesize)], verb="allocates")
    store(target, ctypes.c_size_t, allocation.start)


@call("cuMemAllocAsync", needs=HEALTHY)
def mem_alloc_async(target: pointer, bytesize: size, stream: handle):
    queue = stream_of(stream)
    _take(target, bytesize, pools.current(pools.PINNED, (DEVICE, queue.context.device.ordinal)), queue)


@call("cuMemAllocFromPoolAsync", needs=HEALTHY)
def mem_alloc_from_pool_async(target: pointer, bytesize: size, number: handle, stream: handle):
    store(target, ctypes.c_size_t, 0)   # what an H200 leaves there if it refuses
    queue = stream_of(stream)
    _take(target, bytesize, own_pool(number), queue)


@call("cuMemFreeAsync", needs=HEALTHY)
def mem_free_async(address: pointer, stream: handle):
    queue = stream_of(stream)
    if address == 0:
        return
    allocation = memory.at(address)
    if allocation is not None and allocation.kind is Kind.MANAGED and allocation.start == address:
        raise CudaError(Result.NOT_SUPPORTED, "managed memory is freed by cuMemFree")
    if allocation is None or allocation.start != address or allocation.kind not in FREED_BY_CU_MEM_FREE_ASYNC:
        raise CudaError(Result.INVALID_VALUE, "this is not the start of an allocation of device memory or of a pool")

    def give_back(work):
        memory.free(allocation)
        if allocation.pool is not None:
            allocation.pool.add(-allocation.size)
    if session := examined():   # before it is given back: whose memory it was is told by the allocation
        used = [(allocation.start + allocation.delta, allocation.size)]
        session.call(queue.submit().stamp, "cuMemFreeAsync", (), used, verb="frees")
    queue.submit(give_back)
