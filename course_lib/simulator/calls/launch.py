"""Launches (cuda.h: Execution Control, Occupancy)."""
import ctypes

from .. import execution, handles
from ..library import call, handle, i32, pointer, size, u32
from ..modules import Function
from ..output import load, store
from ..process_memory import BadAddress, read
from ..results import CudaError, Result
from ..state import current
from .streams import stream_of

MOST_THREADS, MOST_BLOCK, MOST_GRID = 1024, (1024, 1024, 64), (0x7FFFFFFF, 65535, 65535)    # every CUDA device
END, BUFFER, BUFFER_SIZE = 0, 1, 2    # CU_LAUNCH_PARAM_*
MOST_PARAMETER_BYTES = 32764


def _invalid(why):
    return CudaError(Result.INVALID_VALUE, why)


def _from_array(kernel, array):
    """Parameters as an array of pointers to values."""
    data = bytearray(kernel.parameter_bytes)
    if kernel.parameters:
        for parameter, place in zip(kernel.parameters, load(array, ctypes.c_size_t * len(kernel.parameters))):
            data[parameter.offset:parameter.offset + parameter.size] = _bytes(place, parameter.size)
    return bytes(data)


def _from_buffer(extra):
    """Parameters as one packed buffer, in a list of keys and values that ends with END."""
    found, place = {}, extra
    while (key := load(place, ctypes.c_size_t).value) != END:
        if key not in (BUFFER, BUFFER_SIZE):
            raise _invalid(f"{key} is no CU_LAUNCH_PARAM")
        found[key] = load(place + 8, ctypes.c_size_t).value
        place += 16
    if found.keys() != {BUFFER, BUFFER_SIZE}:
        raise _invalid("a buffer of parameters and its size, both or none")
    length = load(found[BUFFER_SIZE], ctypes.c_size_t).value
    if length > MOST_PARAMETER_BYTES:
        raise _invalid(f"{length} bytes of parameters are more than any kernel takes")
    return _bytes(found[BUFFER], length)


def _bytes(address, length):
    try:
        return read(address, length)
    except BadAddress:
        raise _invalid("a parameter cannot be read") from None


def launch(number, grid, block, shared_bytes, stream, parameters, extra):
    """A launch with its parameters given in one of two ways."""
    function = handles.find(number, Function)
    if parameters and extra:
        raise _invalid("parameters one way or the other, not both")
    kernel = function.kernel
    data = _from_buffer(extra) if extra else _from_array(kernel, parameters)
    launch_packed(function, grid, block, shared_bytes, stream, data)


def launch_packed(function, grid, block, shared_bytes, stream, data):
    """Check a launch as the driver does, and queue it."""
    context, kernel = current(), function.kernel
    if function.module.context is not context:
        raise CudaError(Result.INVALID_HANDLE, "the kernel belongs to another context")
    threads = block[0] * block[1] * block[2]
    if not all(0 < n <= most for n, most in zip((*grid, *block), (*MOST_GRID, *MOST_BLOCK))):
        raise _invalid(f"grid {grid} or block {block} is out of range")
    if threads > MOST_THREADS or threads > (kernel.max_threads_per_block or MOST_THREADS):
        raise _invalid(f"{threads} threads in a block are too many")
    if shared_bytes > function.most_dynamic_shared:
        raise _invalid(f"{shared_bytes} bytes of dynamic shared memory are too many")
    if len(data) < kernel.parameter_bytes:
        raise _invalid(f"{len(data)} bytes of parameters; the kernel takes {kernel.parameter_bytes}")
    stream_of(stream).submit(
        lambda work: execution.run(work, context, function, grid, block, data, shared_bytes), background=True)


@call("cuLaunchKernel")
def launch_kernel(number: handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
                  shared_bytes: u32, stream: handle, parameters: pointer, extra: pointer):
    launch(number, (grid_x, grid_y, grid_z), (block_x, block_y, block_z), shared_bytes, stream, parameters, extra)


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("sharedMemBytes", ctypes.c_uint),
                ("hStream", ctypes.c_size_t), ("attrs", ctypes.c_size_t), ("numAttrs", ctypes.c_uint)]


@call("cuLaunchKernelEx")
def launch_kernel_ex(config: pointer, number: handle, parameters: pointer, extra: pointer):
    config = load(config, LaunchConfig)
    if config.numAttrs:
        raise CudaError(Result.NOT_SUPPORTED, "launch attributes (clusters, cooperative launches) are not simulated")
    launch(number, tuple(config.grid), tuple(config.block), config.sharedMemBytes, config.hStream, parameters, extra)


@call("cuOccupancyMaxActiveBlocksPerMultiprocessor")
def occupancy(target: pointer, number: handle, block: i32, shared_bytes: size):
    _occupancy(target, number, block, shared_bytes)


@call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def occupancy_with_flags(target: pointer, number: handle, block: i32, shared_bytes: size, flags: u32):
    _occupancy(target, number, block, shared_bytes)


def _occupancy(target, number, block, shared_bytes):
    """Blocks that fit a multiprocessor of an H200 by threads, blocks and shared memory; registers are not known."""
    kernel = handles.find(number, Function).kernel
    if not 0 < block <= MOST_THREADS:
        raise _invalid(f"a block of {block} threads")
    warps = -(-block // 32)
    shared = kernel.static_shared_bytes + shared_bytes + 1024    # the system keeps 1 KiB of each block's
    store(target, ctypes.c_int, min(32, 64 // warps, 228 * 1024 // shared))
