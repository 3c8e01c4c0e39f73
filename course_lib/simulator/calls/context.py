"""Contexts (cuda.h: Context Management)."""
import ctypes

from .. import context as contexts
from ..context import Context
from ..library import INITIALIZED, call, i32, pointer, size, u32
from ..output import store
from ..results import CudaError, Result
from ..state import current, current_or_none, driver

_KNOWN_FLAGS = 0xFF & ~0x40    # CU_CTX_FLAGS_MASK of cuda.h, less the bits that it leaves out
_SCHEDULES = (0, 1, 2, 4)      # automatic, spin, yield, blocking synchronisation: one of them
_HEAP_LIMIT = 2                # CU_LIMIT_MALLOC_HEAP_SIZE
API_VERSION = 3020


def _create(target, flags, ordinal):
    device = driver.device(ordinal)
    if flags & ~_KNOWN_FLAGS or flags & 7 not in _SCHEDULES:
        raise CudaError(Result.INVALID_VALUE, f"flags {flags:#x} are not those of a context")
    if driver.fault is not None:
        raise CudaError(driver.fault)
    context = Context(device, flags)
    store(target, ctypes.c_size_t, context.handle)
    contexts.push(context)


@call("cuCtxCreate_v2", needs=INITIALIZED)
def ctx_create_v2(target: pointer, flags: u32, device: i32):
    _create(target, flags, device)


@call("cuCtxCreate_v4", needs=INITIALIZED)
def ctx_create_v4(target: pointer, parameters: pointer, flags: u32, device: i32):
    if parameters:
        raise CudaError(Result.NOT_SUPPORTED, "execution affinity and CIG contexts are not simulated")
    _create(target, flags, device)


@call("cuCtxDestroy_v2", needs=INITIALIZED)
def ctx_destroy(handle: pointer):
    context = contexts.find(handle)
    if current_or_none() is context:
        contexts.pop()
    context.destroy()


@call("cuCtxPushCurrent_v2", needs=INITIALIZED)
def ctx_push_current(handle: pointer):
    contexts.push(contexts.find(handle))


@call("cuCtxPopCurrent_v2", needs=INITIALIZED)
def ctx_pop_current(target: pointer):
    context = contexts.pop()
    if target:
        store(target, ctypes.c_size_t, context.handle)


@call("cuCtxSetCurrent", needs=INITIALIZED)
def ctx_set_current(handle: pointer):
    contexts.set_current(contexts.find(handle) if handle else None)


@call("cuCtxGetCurrent", needs=INITIALIZED)
def ctx_get_current(target: pointer):
    context = current_or_none()
    store(target, ctypes.c_size_t, context.handle if context else 0)


@call("cuCtxGetDevice", needs=INITIALIZED)
def ctx_get_device(target: pointer):
    store(target, ctypes.c_int, current().device.ordinal)


@call("cuCtxGetDevice_v2", needs=INITIALIZED)
def ctx_get_device_v2(target: pointer, handle: pointer):
    context = contexts.find(handle) if handle else current()
    store(target, ctypes.c_int, context.device.ordinal)


@call("cuCtxGetFlags", needs=INITIALIZED)
def ctx_get_flags(target: pointer):
    store(target, ctypes.c_uint, current().flags)


@call("cuCtxGetId", needs=INITIALIZED)
def ctx_get_id(handle: pointer, target: pointer):
    context = contexts.find(handle) if handle else current()
    store(target, ctypes.c_uint64, context.id)


@call("cuCtxGetApiVersion", needs=INITIALIZED)
def ctx_get_api_version(handle: pointer, target: pointer):
    if handle:
        contexts.find(handle)
    store(target, ctypes.c_uint, API_VERSION)


@call("cuCtxSynchronize")
def ctx_synchronize():
    current().synchronize()


@call("cuCtxSynchronize_v2")
def ctx_synchronize_v2(handle: pointer):
    (contexts.find(handle) if handle else current()).synchronize()


@call("cuCtxAttach", needs=INITIALIZED)
def ctx_attach(target: pointer, flags: u32):
    context = current()
    context.retained += 1
    store(target, ctypes.c_size_t, context.handle)


@call("cuCtxDetach", needs=INITIALIZED)
def ctx_detach(handle: pointer):
    context = contexts.find(handle)
    context.retained -= 1
    if not context.retained:
        if current_or_none() is context:
            contexts.pop()
        context.destroy()


# -- limits and preferences ---------------------------------------------------------------------------------------

def _check(limit, context):
    if limit not in context.limits:
        raise CudaError(Result.INVALID_VALUE, f"there is no limit {limit}")
    if context.limits[limit] is None:
        raise CudaError(Result.UNSUPPORTED_LIMIT, f"the device has no limit {limit}")


@call("cuCtxSetLimit")
def ctx_set_limit(limit: i32, value: size):
    context = current()
    _check(limit, context)
    if limit == _HEAP_LIMIT:
        context.heap.set_limit(value)
    context.limits[limit] = value


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
    current().cache_config = config


@call("cuCtxGetSharedMemConfig")
def ctx_get_shared_mem_config(target: pointer):
    store(target, ctypes.c_int, 1)    # four-byte banks: Hopper has no others


@call("cuCtxSetSharedMemConfig")
def ctx_set_shared_mem_config(config: i32):
    """Accepted and without effect, as on a Hopper."""


@call("cuCtxGetStreamPriorityRange")
def ctx_get_stream_priority_range(least: pointer, greatest: pointer):
    if least:
        store(least, ctypes.c_int, 0)
    if greatest:
        store(greatest, ctypes.c_int, -5)


