"""Launches (cuda.h: Execution Control, Occupancy)."""
import ctypes

from .. import execution, handles
from ..device_facts import ATTRIBUTES, MULTIPROCESSORS
from ..library import HEALTHY, NO_DEAD_CONTEXT, call, handle, i32, pointer, size, u32
from ..modules import Function
from ..output import load, store
from ..process_memory import BadAddress, read
from ..results import CudaError, Result
from ..state import thread
from .libraries import LibraryKernel
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
    function = handles.find(number, (Function, LibraryKernel))
    if isinstance(function, LibraryKernel):
        function = function.function()
    if parameters and extra:
        raise _invalid("parameters one way or the other, not both")
    kernel = function.kernel
    data = _from_buffer(extra) if extra else _from_array(kernel, parameters)
    launch_packed(function, grid, block, shared_bytes, stream, data)


def launch_packed(function, grid, block, shared_bytes, stream, data):
    """Check a launch as the driver does, and queue it."""
    queue, kernel = stream_of(stream), function.kernel
    context = queue.context
    if function.module.context is not context:
        raise CudaError(Result.INVALID_HANDLE, "the kernel and the stream belong to different contexts")
    threads = block[0] * block[1] * block[2]
    if not all(0 < n <= most for n, most in zip((*grid, *block), (*MOST_GRID, *MOST_BLOCK))):
        raise _invalid(f"grid {grid} or block {block} is out of range")
    if threads > MOST_THREADS or threads > (kernel.max_threads_per_block or MOST_THREADS):
        raise _invalid(f"{threads} threads in a block are too many")
    if shared_bytes > function.most_dynamic_shared:
        raise _invalid(f"{shared_bytes} bytes of dynamic shared memory are too many")
    if len(data) < kernel.parameter_bytes:
        raise _invalid(f"{len(data)} bytes of parameters; the kernel takes {kernel.parameter_bytes}")
    if len(data) > kernel.parameter_bytes:
        raise CudaError(Result.LAUNCH_OUT_OF_RESOURCES, "more bytes of parameters than the kernel takes")
    observer = thread.observer
    queue.submit(lambda work: execution.run(work, context, function, grid, block, data, shared_bytes, observer),
                 background=True)


@call("cuLaunchKernel", needs=NO_DEAD_CONTEXT)
def launch_kernel(number: handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
                  shared_bytes: u32, stream: handle, parameters: pointer, extra: pointer):
    launch(number, (grid_x, grid_y, grid_z), (block_x, block_y, block_z), shared_bytes, stream, parameters, extra)


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("sharedMemBytes", ctypes.c_uint),
                ("hStream", ctypes.c_size_t), ("attrs", ctypes.c_size_t), ("numAttrs", ctypes.c_uint)]


@call("cuLaunchKernelEx", needs=HEALTHY)
def launch_kernel_ex(config: pointer, number: handle, parameters: pointer, extra: pointer):
    config = load(config, LaunchConfig)
    if config.numAttrs:
        raise CudaError(Result.NOT_SUPPORTED, "launch attributes (clusters, cooperative launches) are not simulated")
    launch(number, tuple(config.grid), tuple(config.block), config.sharedMemBytes, config.hStream, parameters, extra)


@call("cuLaunchCooperativeKernel", needs=HEALTHY)
def launch_cooperative_kernel(number: handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32,
                              block_z: u32, shared_bytes: u32, stream: handle, parameters: pointer):
    """All blocks must fit the device at once. Blocks that meet (grid.sync) are refused when the module is loaded."""
    function = handles.find(number, Function)
    threads = block_x * block_y * block_z
    if 0 < threads <= MOST_THREADS:
        at_once = blocks_at_once(function, threads, shared_bytes) * ATTRIBUTES[MULTIPROCESSORS]
        if grid_x * grid_y * grid_z > at_once:
            raise CudaError(Result.COOPERATIVE_LAUNCH_TOO_LARGE, f"{at_once} such blocks fit at once")
    launch(number, (grid_x, grid_y, grid_z), (block_x, block_y, block_z), shared_bytes, stream, parameters, 0)


# -- occupancy ----------------------------------------------------------------------------------------------------

MULTIPROCESSOR_THREADS, MULTIPROCESSOR_BLOCKS, MULTIPROCESSOR_SHARED = 39, 106, 81    # CUdevice_attribute
SYSTEM_SHARED = 111    # kept of each block's shared memory by the system


def blocks_at_once(function, threads, shared_bytes):
    """Blocks that fit one multiprocessor, by threads, blocks and shared memory; registers are not known here."""
    warps = -(-threads // 32)
    shared = function.kernel.static_shared_bytes + shared_bytes + ATTRIBUTES[SYSTEM_SHARED]
    return min(ATTRIBUTES[MULTIPROCESSOR_BLOCKS], ATTRIBUTES[MULTIPROCESSOR_THREADS] // 32 // warps,
               ATTRIBUTES[MULTIPROCESSOR_SHARED] // shared)


@call("cuOccupancyMaxActiveBlocksPerMultiprocessor", needs=HEALTHY)
def occupancy(target: pointer, number: handle, threads: i32, shared_bytes: size):
    _occupancy(target, number, threads, shared_bytes)


@call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", needs=HEALTHY)
def occupancy_with_flags(target: pointer, number: handle, threads: i32, shared_bytes: size, flags: u32):
    _occupancy(target, number, threads, shared_bytes)


def _occupancy(target, number, threads, shared_bytes):
    function = handles.find(number, Function)
    if threads <= 0:
        raise _invalid(f"a block of {threads} threads")
    store(target, ctypes.c_int, blocks_at_once(function, threads, shared_bytes) if threads <= MOST_THREADS else 0)


@call("cuOccupancyMaxPotentialBlockSize", needs=HEALTHY)
def occupancy_max_potential_block_size(grid: pointer, block: pointer, number: handle, shared_of_block: pointer,
                                       shared_bytes: size, limit: i32):
    """The block size with the most threads at once, and the grid that fills the device with such blocks."""
    function = handles.find(number, Function)
    most = min(function.kernel.max_threads_per_block or MOST_THREADS, limit or MOST_THREADS)
    if shared_of_block:
        raise CudaError(Result.NOT_SUPPORTED, "shared memory that depends on the block size")
    sizes = range(32, most + 1, 32) if most >= 32 else [most]
    best = max(sizes, key=lambda threads: (threads * blocks_at_once(function, threads, shared_bytes), threads))
    store(block, ctypes.c_int, best)
    store(grid, ctypes.c_int, blocks_at_once(function, best, shared_bytes) * ATTRIBUTES[MULTIPROCESSORS])
