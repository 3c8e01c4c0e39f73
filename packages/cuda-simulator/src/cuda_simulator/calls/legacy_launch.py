"""Launches as they were before CUDA 4 (cuda.h: Execution Control [DEPRECATED]).

A function remembers its block shape and its parameters. PyCUDA still sets the block shape this way before every
launch.
"""
import ctypes
import struct

from ..device.modules import Function
from ..libcuda import handles, process_memory
from ..libcuda.library import call, handle, i32, pointer, u32
from ..libcuda.results import CallError, Result
from .launch import MOST_BLOCK, MOST_PARAMETER_BYTES, MOST_THREADS, launch_packed


@call("cuFuncSetBlockShape")
def func_set_block_shape(number: handle, x: i32, y: i32, z: i32):
    function = handles.find(number, Function)
    most = min(MOST_THREADS, function.kernel.max_threads_per_block)
    if not all(0 < n <= longest for n, longest in zip((x, y, z), MOST_BLOCK)) or x * y * z > most:
        raise CallError(Result.INVALID_VALUE, f"a block of {x} x {y} x {z} threads; the kernel may have up to {most}")
    function.block = (x, y, z)


@call("cuFuncSetSharedSize")
def func_set_shared_size(number: handle, size: u32):
    handles.find(number, Function).dynamic_shared = size


@call("cuParamSetSize")
def param_set_size(number: handle, size: u32):
    if size > MOST_PARAMETER_BYTES:
        raise CallError(Result.INVALID_VALUE, f"{size} bytes of parameters")
    handles.find(number, Function).parameters = bytearray(size)


def _put(number, offset, data):
    parameters = handles.find(number, Function).parameters
    if offset < 0 or offset + len(data) > MOST_PARAMETER_BYTES:
        raise CallError(Result.INVALID_VALUE, f"a parameter at byte {offset}")
    parameters.extend(bytes(max(0, offset - len(parameters))))
    parameters[offset:offset + len(data)] = data


@call("cuParamSeti")
def param_set_i(number: handle, offset: i32, value: u32):
    _put(number, offset, struct.pack("=I", value))


@call("cuParamSetf")
def param_set_f(number: handle, offset: i32, value: ctypes.c_float):
    _put(number, offset, struct.pack("=f", value))


@call("cuParamSetv")
def param_set_v(number: handle, offset: i32, data: pointer, size: u32):
    try:
        _put(number, offset, process_memory.read(data, min(size, MOST_PARAMETER_BYTES + 1)))
    except process_memory.BadAddress:
        raise CallError(Result.INVALID_VALUE, "a parameter cannot be read") from None


def _launch(number, grid, stream):
    function = handles.find(number, Function)
    if function.block is None:
        raise CallError(Result.INVALID_VALUE, "no block shape was set")
    launch_packed(function, grid, function.block, function.dynamic_shared, stream, bytes(function.parameters))


@call("cuLaunch")
def launch(number: handle):
    _launch(number, (1, 1, 1), 0)


@call("cuLaunchGrid")
def launch_grid(number: handle, width: i32, height: i32):
    _launch(number, (width, height, 1), 0)


@call("cuLaunchGridAsync")
def launch_grid_async(number: handle, width: i32, height: i32, stream: handle):
    _launch(number, (width, height, 1), stream)
