"""Limits and preferences of a context (cuda.h: Context Management)."""
import ctypes

from ..device import device_facts
from ..device.context import HEAP_LIMIT
from ..device.printed import FIFO_LIMIT
from ..libcuda.library import call, i32, pointer, size
from ..libcuda.output import store
from ..libcuda.results import CallError, Result
from ..libcuda.state import current

STACK_LIMIT = 0    # CU_LIMIT_STACK_SIZE


def _check(limit, context):
    if limit not in context.limits:
        raise CallError(Result.INVALID_VALUE, f"there is no limit {limit}")
    if context.limits[limit] is None:
        raise CallError(Result.UNSUPPORTED_LIMIT, f"the device has no limit {limit}")


@call("cuCtxSetLimit")
def ctx_set_limit(limit: i32, value: size):
    context = current()
    _check(limit, context)
    if limit == HEAP_LIMIT:
        context.synchronize()    # a kernel under way may be the one that uses the heap first
    if limit == HEAP_LIMIT and context.heap.in_use:
        raise CallError(Result.INVALID_VALUE, "set the heap's size before the first kernel that uses it")
    if limit == FIFO_LIMIT and "vprintf" in context.prepared:
        raise CallError(Result.INVALID_VALUE, "set the size of printf's buffer before the first launch of a kernel that prints")
    rounded = device_facts.limit(limit, value)
    # A stack that is as large already stays, and the limit reads back as it was asked for.
    context.limits[limit] = value if limit == STACK_LIMIT and rounded == context.limits[limit] else rounded


@call("cuCtxGetLimit")
def ctx_get_limit(target: pointer, limit: i32):
    context = current()
    _check(limit, context)
    store(target, ctypes.c_size_t, context.limits[limit])


@call("cuCtxGetCacheConfig")
def ctx_get_cache_config(target: pointer):
    store(target, ctypes.c_int, current().cache_config)


@call("cuCtxSetCacheConfig")
def ctx_set_cache_config(config: i32):
    if not 0 <= config <= 3:
        raise CallError(Result.INVALID_VALUE, f"there is no cache configuration {config}")
    current().cache_config = config


@call("cuCtxGetSharedMemConfig")
def ctx_get_shared_mem_config(target: pointer):
    store(target, ctypes.c_int, 1)    # four-byte banks: Hopper has no others


@call("cuCtxSetSharedMemConfig")
def ctx_set_shared_mem_config(config: i32):
    """Accepted and without effect, as on a Hopper."""
    if not 0 <= config <= 2:
        raise CallError(Result.INVALID_VALUE, f"there is no bank size {config}")


@call("cuCtxResetPersistingL2Cache")
def ctx_reset_persisting_l2_cache():
    """There is no cache to reset."""


@call("cuCtxGetStreamPriorityRange")
def ctx_get_stream_priority_range(least: pointer, greatest: pointer):
    if least:
        store(least, ctypes.c_int, 0)
    if greatest:
        store(greatest, ctypes.c_int, -5)
