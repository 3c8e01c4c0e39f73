"""Run every case of the corpus on a real GPU and write what came out to recording.npz.

    python -m tests.ptx.corpus.record_on_gpu        (from the project's folder; cuda-bindings and NVRTC installed)

The file holds, for each case, the arrays after the launch and what it printed, and the name of the device.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from cuda.bindings import driver

from ..cuda import compile
from . import CASES

RECORDING = Path(__file__).with_name("recording.npz")


def must(result, *values):
    if result != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(result))
    return values[0] if len(values) == 1 else values


def launch(case, architecture: str):
    """The arrays after the launch, and the text that it printed."""
    text = compile(case.source, architecture, case.options)
    module = must(*driver.cuModuleLoadData(text.encode() + b"\0"))
    function = must(*driver.cuModuleGetFunction(module, b"k"))
    values, arrays = [], []
    for argument in case.arguments:
        if isinstance(argument, np.ndarray):
            pointer = must(*driver.cuMemAlloc(argument.nbytes))
            must(*driver.cuMemcpyHtoD(pointer, np.ascontiguousarray(argument).ctypes.data, argument.nbytes))
            arrays.append((pointer, np.empty_like(argument)))
            values.append(np.array(int(pointer), np.uint64))
        elif isinstance(argument, bytes):
            values.append(np.frombuffer(argument, np.uint8).copy())
        else:       # int or float parameters of every case are 4 bytes
            values.append(np.array(argument, np.float32 if isinstance(argument, float) else np.int32))
    pointers = np.array([value.ctypes.data for value in values], np.uint64)
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        sys.stdout.flush()
        os.dup2(file.fileno(), 1)
        try:
            must(*driver.cuLaunchKernel(function, *case.grid, *case.block, case.shared, 0, pointers.ctypes.data, 0))
            must(*driver.cuCtxSynchronize())
            ctypes.CDLL(None).fflush(None)
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        printed = file.read()
    for pointer, array in arrays:
        must(*driver.cuMemcpyDtoH(array.ctypes.data, pointer, array.nbytes))
        must(*driver.cuMemFree(pointer))
    must(*driver.cuModuleUnload(module))
    return [array for _, array in arrays], printed


def main():
    must(*driver.cuInit(0))
    device = must(*driver.cuDeviceGet(0))
    context = must(*driver.cuDevicePrimaryCtxRetain(device))
    must(*driver.cuCtxSetCurrent(context))
    must(*driver.cuCtxSetLimit(driver.CUlimit.CU_LIMIT_STACK_SIZE, 16384))      # for the recursions
    name = must(*driver.cuDeviceGetName(100, device)).rstrip(b"\0 ").decode()
    recording = {"device": np.array(name)}
    for case in CASES.values():
        arrays, printed = launch(case, "compute_80")
        for number, array in enumerate(arrays):
            recording[f"{case.name}/{number}"] = array
        if printed:
            recording[f"{case.name}/printed"] = np.frombuffer(printed, np.uint8)
        print(case.name)
    np.savez_compressed(RECORDING, **recording)
    print(f"{len(CASES)} cases on {name}: {RECORDING} ({RECORDING.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
