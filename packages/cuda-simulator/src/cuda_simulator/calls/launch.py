"""Launches (cuda.h: Execution Control).

Not here: how many blocks fit the device (occupancy.py).
"""
import ctypes

from ..device import borrowed, exclusive, execution
from ..device.device_facts import ATTRIBUTES, MULTIPROCESSORS
from ..device.modules import Function
from ..examination.session import current_session
from ..examination.streams import CallSite, caller
from ..libcuda import handles, reasons
from ..libcuda.lacking import not_simulated
from ..libcuda.library import HEALTHY, NO_DEAD_CONTEXT, call, handle, pointer, u32
from ..libcuda.output import load, load_array
from ..libcuda.process_memory import BadAddress, read
from ..libcuda.results import CallError, Result
from ..libcuda.state import thread
from ..systems import current_system
from .libraries import function_of
from .occupancy import LARGEST_CLUSTER, blocks_at_once
from .streams import stream_of

MOST_THREADS, MOST_BLOCK, MOST_GRID = 1024, (1024, 1024, 64), (0x7FFFFFFF, 65535, 65535)    # every CUDA device
END, BUFFER, BUFFER_SIZE = 0, 1, 2    # CU_LAUNCH_PARAM_*
MOST_PARAMETER_BYTES = 32764


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


def _from_array(kernel, array):
    """Parameters as an array of pointers to values."""
    data = bytearray(kernel.parameter_bytes)
    if kernel.parameters:
        if not array:
            raise _invalid(f"no parameters are given; the kernel takes {len(kernel.parameters)}")
        for parameter, place in zip(kernel.parameters, load(array, ctypes.c_size_t * len(kernel.parameters))):
            data[parameter.offset:parameter.offset + parameter.size] = _bytes(place, parameter.size)
    return bytes(data)


def _from_buffer(extra):
    """Parameters as one packed buffer, in a list of keys and values that ends with END."""
    values, place = {}, extra
    while (key := load(place, ctypes.c_size_t).value) != END:
        if key not in (BUFFER, BUFFER_SIZE):
            raise _invalid(f"{key} is no CU_LAUNCH_PARAM")
        values[key] = load(place + 8, ctypes.c_size_t).value
        place += 16
    if values.keys() != {BUFFER, BUFFER_SIZE}:
        raise _invalid("a buffer of parameters and its size, both or none")
    length = load(values[BUFFER_SIZE], ctypes.c_size_t).value
    if length > MOST_PARAMETER_BYTES:
        raise _invalid(f"{length} bytes of parameters are more than any kernel takes")
    return _bytes(values[BUFFER], length)


def _bytes(address, length):
    try:
        return read(address, length)
    except BadAddress:
        raise _invalid("a parameter cannot be read") from None


def launch(number, grid, block, shared_bytes, stream, parameters, extra, cooperative=False):
    """A launch with its parameters given in one of two ways."""
    function = function_of(number)
    if parameters and extra:
        raise _invalid("parameters one way or the other, not both")
    kernel = function.kernel
    data = _from_buffer(extra) if extra else _from_array(kernel, parameters)
    launch_packed(function, grid, block, shared_bytes, stream, data, cooperative)


def launch_packed(function, grid, block, shared_bytes, stream, data, cooperative=False):
    """Check a launch as the driver does, and queue it."""
    queue, kernel = stream_of(stream), function.kernel
    context = queue.context
    if function.module.context is not context:
        raise CallError(Result.INVALID_HANDLE, "the kernel and the stream belong to different contexts")
    threads = block[0] * block[1] * block[2]
    if not all(0 < n <= most for n, most in zip((*grid, *block), (*MOST_GRID, *MOST_BLOCK))):
        raise _invalid(f"grid {grid} or block {block} is out of range")
    if threads > min(MOST_THREADS, kernel.max_threads_per_block):
        raise _invalid(f"{threads} threads in a block are too many")
    if shared_bytes > function.most_dynamic_shared:
        raise _invalid(f"{shared_bytes} bytes of dynamic shared memory are too many")
    if kernel.parameter_bytes and not data:
        raise _invalid(f"no parameters are given; the kernel takes {kernel.parameter_bytes} bytes")
    if len(data) > kernel.parameter_bytes:
        raise CallError(Result.LAUNCH_OUT_OF_RESOURCES, f"{len(data)} bytes of parameters; the kernel takes {kernel.parameter_bytes}")
    if len(data) < kernel.parameter_bytes:    # an H200 runs it
        reasons.remark("cuLaunchKernel", f"{len(data)} bytes of parameters; the kernel takes {kernel.parameter_bytes}: it finds "
                       "zeros in the rest, and on a GPU what an earlier launch left there")
        data = data.ljust(kernel.parameter_bytes, b"\0")
    if function.too_much_local:
        raise _invalid(f"{kernel.local_bytes} bytes of local memory for each thread are too many")
    function.load()
    context.prepare(kernel.builtins)
    observer, session = thread.observer, current_session()
    site = session and CallSite(caller())
    def submit():
        return queue.submit(lambda work: execution.run(work, context, function, grid, block, data, shared_bytes, observer, session, site,
                                                       cooperative), background=True)
    work = submit() if current_system().concurrent_managed_access else exclusive.launch(submit)
    work.launch = function, data
    if session is not None:
        session.note_launch(work.stamp, function, site.place)
    borrowed.lend(function, work, data)


@call("cuLaunchKernel", needs=NO_DEAD_CONTEXT)
def launch_kernel(number: handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
                  shared_bytes: u32, stream: handle, parameters: pointer, extra: pointer):
    launch(number, (grid_x, grid_y, grid_z), (block_x, block_y, block_z), shared_bytes, stream, parameters, extra)


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("sharedMemBytes", ctypes.c_uint),
                ("hStream", ctypes.c_size_t), ("attrs", ctypes.c_size_t), ("numAttrs", ctypes.c_uint)]


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute: what it says, and 64 bytes of a union."""
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_int * 16)]


# CUlaunchAttributeID
IGNORE, COOPERATIVE, SYNCHRONIZATION, CLUSTER, PRIORITY, DOMAIN_MAP, DOMAIN = 0, 2, 3, 4, 8, 9, 10


def _check_attribute(attribute, grid):
    """Attributes say how a device is to schedule blocks, which is all one here; those that could matter are refused."""
    if attribute.id == CLUSTER:
        shape = attribute.value[:3]
        blocks = shape[0] * shape[1] * shape[2]
        if not 0 < blocks <= LARGEST_CLUSTER or any(n % m for n, m in zip(grid, shape)):
            raise CallError(Result.INVALID_CLUSTER_SIZE, f"clusters of {shape} for a grid of {tuple(grid)}")
    elif attribute.id not in (IGNORE, COOPERATIVE, SYNCHRONIZATION, PRIORITY, DOMAIN_MAP, DOMAIN):
        raise not_simulated(f"cuLaunchKernelEx (launch attribute {attribute.id})")


@call("cuLaunchKernelEx", needs=HEALTHY)
def launch_kernel_ex(config: pointer, number: handle, parameters: pointer, extra: pointer):
    config = load(config, LaunchConfig)
    cooperative = False
    for attribute in load_array(config.attrs, config.numAttrs, LaunchAttribute) if config.numAttrs else ():
        _check_attribute(attribute, config.grid)
        cooperative = cooperative or attribute.id == COOPERATIVE and attribute.value[0] != 0
    if cooperative:
        _fits_at_once(function_of(number), tuple(config.grid), tuple(config.block), config.sharedMemBytes)
    launch(number, tuple(config.grid), tuple(config.block), config.sharedMemBytes, config.hStream, parameters, extra, cooperative)


@call("cuLaunchCooperativeKernel", needs=HEALTHY)
def launch_cooperative_kernel(number: handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32,
                              block_z: u32, shared_bytes: u32, stream: handle, parameters: pointer):
    """All blocks must fit the device at once: then they may wait for each other (grid.sync)."""
    grid, block = (grid_x, grid_y, grid_z), (block_x, block_y, block_z)
    _fits_at_once(handles.find(number, Function), grid, block, shared_bytes)
    launch(number, grid, block, shared_bytes, stream, parameters, 0, cooperative=True)


def _fits_at_once(function, grid, block, shared_bytes):
    threads = block[0] * block[1] * block[2]
    if 0 < threads <= MOST_THREADS:
        at_once = blocks_at_once(function, threads, shared_bytes) * ATTRIBUTES[MULTIPROCESSORS]
        if grid[0] * grid[1] * grid[2] > at_once:
            raise CallError(Result.COOPERATIVE_LAUNCH_TOO_LARGE, f"{at_once} such blocks fit at once")
