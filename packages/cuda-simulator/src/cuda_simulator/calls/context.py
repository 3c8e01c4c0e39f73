"""Contexts (cuda.h: Context Management): made, made current, asked, ended.

Not here: their limits (limits.py), the primary context of a device (primary_context.py).
"""
import ctypes

from ..device import context as contexts
from ..device.context import Context
from ..libcuda.lacking import not_simulated
from ..libcuda.library import INITIALIZED, call, i32, pointer, u32
from ..libcuda.output import load, store
from ..libcuda.results import CallError, Result
from ..libcuda.state import contexts as living, current, current_or_none, driver, thread
from ..memory import pools

_SCHEDULES = (0, 1, 2, 4)      # automatic, spin, yield, blocking synchronisation: one of them
MAP_HOST = 8                   # always on under unified addressing, whether it is reported or not
_COREDUMP, _USER_COREDUMP = 0x20, 0x40
_FLAGS = 7 | MAP_HOST | 0x10 | _COREDUMP | _USER_COREDUMP | 0x80    # CUctx_flags
API_VERSION = 3020


def checked_flags(flags, allowed=_FLAGS):
    """The flags that a context reports when these were asked for; INVALID_VALUE where they make no sense."""
    if flags & ~allowed or flags & 7 not in _SCHEDULES:
        raise CallError(Result.INVALID_VALUE, f"flags {flags:#x} are not those of a context")
    if flags & _USER_COREDUMP:
        flags = flags & ~_USER_COREDUMP | _COREDUMP
    return flags


def _create(target, flags, ordinal):
    device = driver.device(ordinal)
    flags = checked_flags(flags)
    if driver.fault is not None:
        raise CallError(driver.fault)
    context = Context(device, flags)
    store(target, ctypes.c_size_t, context.handle)
    thread.contexts.append(context.handle)


@call("cuCtxCreate_v2", needs=INITIALIZED)
def ctx_create_v2(target: pointer, flags: u32, device: i32):
    _create(target, flags, device)


@call("cuCtxCreate_v3", needs=INITIALIZED)
def ctx_create_v3(target: pointer, affinities: pointer, count: i32, flags: u32, device: i32):
    if count:
        raise not_simulated("cuCtxCreate (execution affinity)")
    _create(target, flags, device)


@call("cuCtxCreate_v4", needs=INITIALIZED)
def ctx_create_v4(target: pointer, parameters: pointer, flags: u32, device: i32):
    # CUctxCreateParams: an array of execution affinities, how many they are, and what a CIG context shares. CUDA's samples pass zeros.
    if parameters and any(load(parameters, ctypes.c_size_t * 3)):
        raise not_simulated("cuCtxCreate (execution affinity, CIG contexts)")
    _create(target, flags, device)


def _end(context):
    if current_or_none() is context:
        contexts.pop()
    context.destroy()


@call("cuCtxDestroy", "cuCtxDestroy_v2", needs=INITIALIZED, not_null={"handle": Result.INVALID_VALUE})
def ctx_destroy(handle: pointer):
    context = contexts.find(handle)
    if context is context.device.primary:
        raise CallError(Result.INVALID_CONTEXT, "a primary context is released, not destroyed")
    _end(context)


# What is made current is not checked, here as on an H200: only using it fails.

@call("cuCtxPushCurrent", "cuCtxPushCurrent_v2", needs=INITIALIZED)
def ctx_push_current(handle: pointer):
    if not handle:
        raise CallError(Result.INVALID_VALUE, "null is no context")
    thread.contexts.append(handle)


@call("cuCtxPopCurrent", "cuCtxPopCurrent_v2", needs=INITIALIZED)
def ctx_pop_current(target: pointer):
    handle = contexts.pop()
    if target:
        store(target, ctypes.c_size_t, handle)


@call("cuCtxSetCurrent", needs=INITIALIZED)
def ctx_set_current(handle: pointer):
    if thread.contexts:
        thread.contexts.pop()
    if handle:
        thread.contexts.append(handle)


@call("cuCtxGetCurrent", needs=INITIALIZED)
def ctx_get_current(target: pointer):
    store(target, ctypes.c_size_t, thread.contexts[-1] if thread.contexts else 0)


def _current_or_destroyed():
    return current_or_none() or current()


@call("cuCtxGetDevice", needs=INITIALIZED)
def ctx_get_device(target: pointer):
    store(target, ctypes.c_int, _current_or_destroyed().device.ordinal)


@call("cuCtxGetDevice_v2", needs=INITIALIZED)
def ctx_get_device_v2(target: pointer, handle: pointer):
    context = contexts.find(handle) if handle else current()
    store(target, ctypes.c_int, context.device.ordinal)


@call("cuCtxGetFlags", needs=INITIALIZED)
def ctx_get_flags(target: pointer):
    context = _current_or_destroyed()
    store(target, ctypes.c_uint, 0 if context.destroyed else context.flags)


@call("cuCtxGetId", needs=INITIALIZED)
def ctx_get_id(handle: pointer, target: pointer):
    context = contexts.find(handle) if handle else current()
    store(target, ctypes.c_uint64, context.id)


@call("cuCtxGetApiVersion", needs=INITIALIZED)
def ctx_get_api_version(handle: pointer, target: pointer):
    if handle and (handle not in living or living[handle].destroyed):
        raise CallError(Result.INVALID_CONTEXT, f"{handle:#x} is no context")
    if not handle:
        current()
    store(target, ctypes.c_uint, API_VERSION)


@call("cuCtxSynchronize")
def ctx_synchronize():
    _synchronize(current())


@call("cuCtxSynchronize_v2")
def ctx_synchronize_v2(handle: pointer):
    _synchronize(contexts.find(handle) if handle else current())


def _synchronize(context):
    orders = [stream.order for stream in (context.null_stream, *context.streams)]
    context.synchronize()
    for order in orders:
        pools.waited_for(order)


@call("cuCtxAttach", needs=INITIALIZED)
def ctx_attach(target: pointer, flags: u32):
    if flags:
        raise CallError(Result.INVALID_VALUE, "no flags are defined")
    context = current()
    context.retained += 1
    store(target, ctypes.c_size_t, context.handle)


@call("cuCtxDetach", needs=INITIALIZED)
def ctx_detach(handle: pointer):
    if not handle:
        raise CallError(Result.INVALID_CONTEXT, "null is no context")
    context = contexts.find(handle)
    context.retained -= 1
    if not context.retained and context is not context.device.primary:
        _end(context)
