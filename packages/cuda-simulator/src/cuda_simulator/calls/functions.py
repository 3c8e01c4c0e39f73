"""Functions (cuda.h: Execution Control): what a kernel needs, and what is set for its launches; the same of a library's
kernels, which have a function in each context.

Not here: launching them (launch.py), how many fit the device (occupancy.py).
"""
import ctypes

from ..device.modules import Function
from ..libcuda import handles
from ..libcuda.library import HEALTHY, call, handle, i32, pointer, size
from ..libcuda.output import store
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver
from .libraries import LibraryKernel

(MAX_THREADS, SHARED_BYTES, CONST_BYTES, LOCAL_BYTES, REGISTERS, PTX_VERSION, BINARY_VERSION, CACHE_MODE_CA,
 MAX_DYNAMIC_SHARED, CARVEOUT) = range(10)
CLUSTER_SIZES, CLUSTER_NON_PORTABLE, CLUSTER_POLICY = (11, 12, 13), 14, 15
_MOST_DYNAMIC_SHARED = 227 * 1024    # of a block, opted in, on an H200


def _attributes(function):
    kernel, module = function.kernel, function.module
    constants = [v.size for v in module.program.variables.values() if v.space == "const"]
    return {MAX_THREADS: kernel.max_threads_per_block, SHARED_BYTES: kernel.static_shared_bytes,
            CONST_BYTES: sum(constants), LOCAL_BYTES: ctypes.c_int(kernel.local_bytes).value, REGISTERS: kernel.registers,
            PTX_VERSION: module.version, BINARY_VERSION: 90, CACHE_MODE_CA: 0,
            MAX_DYNAMIC_SHARED: function.most_dynamic_shared, CARVEOUT: function.carveout,
            **function.clusters}


def _get(target, attribute, function):
    attributes = _attributes(function)
    if attribute not in attributes:
        raise CallError(Result.INVALID_VALUE, f"there is no function attribute {attribute}")
    store(target, ctypes.c_int, attributes[attribute])


def _set(function, attribute, value):
    if attribute == MAX_DYNAMIC_SHARED and 0 <= value <= _MOST_DYNAMIC_SHARED - function.kernel.static_shared_bytes:
        function.most_dynamic_shared = value
    elif attribute == CARVEOUT and -1 <= value <= 100:
        function.carveout = value
    elif attribute in CLUSTER_SIZES and value >= 0 or attribute == CLUSTER_POLICY and 0 <= value <= 2:
        function.clusters[attribute] = value
    elif attribute == CLUSTER_NON_PORTABLE:
        function.clusters[attribute] = value != 0
    else:
        raise CallError(Result.INVALID_VALUE, f"attribute {attribute} can not be set to {value}")


def _set_cache(function, config):
    if not 0 <= config <= 3:
        raise CallError(Result.INVALID_VALUE, f"there is no cache configuration {config}")
    function.cache_config = config


_names = {}    # C strings of kernel names that callers keep pointers to


def _get_name(target, name):
    text = _names.setdefault(name, ctypes.create_string_buffer(name.encode()))
    store(target, ctypes.c_size_t, ctypes.addressof(text))


def _get_parameter(kernel, index, offset, bytesize):
    if index >= len(kernel.parameters):
        raise CallError(Result.INVALID_VALUE, f"the kernel has {len(kernel.parameters)} parameters")
    store(offset, ctypes.c_size_t, kernel.parameters[index].offset)
    if bytesize:
        store(bytesize, ctypes.c_size_t, kernel.parameters[index].size)


# -- of a context -------------------------------------------------------------------------------------------------

@call("cuFuncGetAttribute", needs=HEALTHY, not_null={"number": Result.INVALID_HANDLE})
def func_get_attribute(target: pointer, attribute: i32, number: handle):
    _get(target, attribute, handles.find(number, Function))


@call("cuFuncSetAttribute", needs=HEALTHY)
def func_set_attribute(number: handle, attribute: i32, value: i32):
    _set(handles.find(number, Function), attribute, value)


@call("cuFuncSetCacheConfig", needs=HEALTHY)
def func_set_cache_config(number: handle, config: i32):
    _set_cache(handles.find(number, Function), config)


@call("cuFuncSetSharedMemConfig", needs=HEALTHY)
def func_set_shared_mem_config(number: handle, config: i32):
    """Accepted and without effect, as on a Hopper."""
    handles.find(number, Function)


@call("cuFuncGetName", needs=HEALTHY, not_null={"number": Result.INVALID_VALUE})
def func_get_name(target: pointer, number: handle):
    _get_name(target, handles.find(number, Function).name)


@call("cuFuncGetModule", needs=HEALTHY)
def func_get_module(target: pointer, number: handle):
    store(target, ctypes.c_size_t, handles.find(number, Function).module.handle)


@call("cuFuncGetParamInfo", needs=HEALTHY, not_null={"number": Result.INVALID_VALUE})
def func_get_param_info(number: handle, index: size, offset: pointer, bytesize: pointer):
    _get_parameter(handles.find(number, Function).kernel, index, offset, bytesize)


@call("cuFuncIsLoaded", needs=HEALTHY)
def func_is_loaded(state: pointer, number: handle):
    """Whoever got a function by its name finds it loaded, even before it was launched. (An H200's answer.)"""
    store(state, ctypes.c_int, handles.find(number, Function).loaded)


@call("cuFuncLoad", needs=HEALTHY)
def func_load(number: handle):
    handles.find(number, Function).load()


# -- of a library -------------------------------------------------------------------------------------------------

def _of_library(number, device):
    """The functions of a library's kernel on a device."""
    return handles.find(number, LibraryKernel).functions(driver.device(device))


@call("cuKernelGetAttribute", needs=HEALTHY)
def kernel_get_attribute(target: pointer, attribute: i32, number: handle, device: i32):
    _get(target, attribute, _of_library(number, device)[0])


@call("cuKernelSetAttribute", needs=HEALTHY)
def kernel_set_attribute(attribute: i32, value: i32, number: handle, device: i32):
    for function in _of_library(number, device):
        _set(function, attribute, value)


@call("cuKernelSetCacheConfig", needs=HEALTHY)
def kernel_set_cache_config(number: handle, config: i32, device: i32):
    for function in _of_library(number, device):
        _set_cache(function, config)


@call("cuKernelGetName", needs=HEALTHY, not_null={"number": Result.INVALID_VALUE})
def kernel_get_name(target: pointer, number: handle):
    _get_name(target, handles.find(number, LibraryKernel).name)


@call("cuKernelGetParamInfo", needs=HEALTHY)
def kernel_get_param_info(number: handle, index: size, offset: pointer, bytesize: pointer):
    _get_parameter(handles.find(number, LibraryKernel).function().kernel, index, offset, bytesize)
