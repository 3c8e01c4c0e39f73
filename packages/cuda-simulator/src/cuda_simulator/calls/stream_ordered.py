"""Stream-ordered allocation (cuda.h: Stream Ordered Memory Allocator): memory of a pool, taken and given back in the
order of a stream.

Not here: pools (pools.py).
"""
import ctypes

from ..examination.session import current_session
from ..libcuda.library import HEALTHY, call, handle, pointer, size
from ..libcuda.output import store
from ..libcuda.results import CallError, Result
from ..memory import pools
from ..memory.allocations import AllocationKind, memory
from ..memory.places import DEVICE
from .pools import own_pool
from .streams import stream_of

FREED_BY_CU_MEM_FREE_ASYNC = AllocationKind.DEVICE, AllocationKind.HOST_POOL, AllocationKind.MANAGED_POOL


def _take(target, bytesize, pool, queue):
    store(target, ctypes.c_size_t, 0)
    if bytesize == 0:
        return
    if pool.on_host:
        memory.require_room(bytesize, "take")
    allocation, after = memory.add_to_pool(bytesize, pool, queue)
    if after:    # another stream's memory: what this one is given now waits for it
        queue.submit(after=after)
    if session := current_session():
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
    if allocation is not None and allocation.kind is AllocationKind.MANAGED and allocation.start == address:
        raise CallError(Result.NOT_SUPPORTED, "managed memory is freed by cuMemFree")
    if allocation is None or allocation.start != address or allocation.kind not in FREED_BY_CU_MEM_FREE_ASYNC:
        raise CallError(Result.INVALID_VALUE, "this is not the start of an allocation of device memory or of a pool")

    if session := current_session():    # before it is given back: whose memory it was is told by the allocation
        used = [(allocation.start + allocation.delta, allocation.size)]
        session.call(queue.submit().stamp, "cuMemFreeAsync", (), used, verb="frees")
    if allocation.pool is None:    # of cuMemAlloc: it lives until the stream comes to it
        queue.submit(lambda work: allocation.freed or memory.free(allocation))
        return
    memory.leave(allocation)
    allocation.pool.give(allocation, queue.submit(lambda work: memory.free(allocation)))
