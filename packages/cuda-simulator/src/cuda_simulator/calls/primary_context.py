"""The primary context of a device (cuda.h: Primary Context Management), which its users share and count."""
import ctypes

from ..device.context import Context
from ..libcuda.library import INITIALIZED, call, i32, pointer, u32
from ..libcuda.output import store
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver, lock
from .context import MAP_HOST, checked_flags


@call("cuDevicePrimaryCtxRetain", needs=INITIALIZED)
def device_primary_ctx_retain(target: pointer, ordinal: i32):
    with lock:
        device = driver.device(ordinal)
        if driver.fault is not None:
            raise CallError(driver.fault)
        if device.primary is None:
            device.primary = Context(device, device.primary_flags | MAP_HOST, device.primary_handle)
            device.primary_handle = device.primary.handle
        store(target, ctypes.c_size_t, device.primary.handle)
        device.primary_retained += 1


@call("cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", needs=INITIALIZED)
def device_primary_ctx_release(ordinal: i32):
    with lock:
        device = driver.device(ordinal)
        if not device.primary_retained:
            raise CallError(Result.INVALID_CONTEXT, "the primary context is not retained")
        device.primary_retained -= 1
        if not device.primary_retained:
            _end_primary(device)    # unless it was reset since


@call("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2", needs=INITIALIZED)
def device_primary_ctx_reset(ordinal: i32):
    _end_primary(driver.device(ordinal))


def _end_primary(device):
    """End it, if it has not ended before. Its flags are forgotten."""
    device.primary_flags = 0
    if device.primary is not None:
        device.primary.destroy()
        device.primary = None


@call("cuDevicePrimaryCtxGetState", needs=INITIALIZED)
def device_primary_ctx_get_state(ordinal: i32, flags: pointer, active: pointer):
    device = driver.device(ordinal)
    store(flags, ctypes.c_uint, device.primary_flags)
    store(active, ctypes.c_int, device.primary is not None)


@call("cuDevicePrimaryCtxSetFlags", "cuDevicePrimaryCtxSetFlags_v2", needs=INITIALIZED)
def device_primary_ctx_set_flags(ordinal: i32, flags: u32):
    device = driver.device(ordinal)
    device.primary_flags = checked_flags(flags, allowed=7 | 0x10 | 0x80)
    if device.primary is not None:
        device.primary.flags = device.primary_flags | MAP_HOST
