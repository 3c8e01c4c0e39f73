"""CUDA C++ text in, results out: NVRTC compiles, the interpreter runs, over the stand-in driver."""

from __future__ import annotations

import functools
import importlib.util
import os
import struct
from pathlib import Path

import numpy as np

from . import interpreter as ptx
from .machine import PtxMachine


def include_folders() -> list[Path]:
    """Where pip, or a CUDA toolkit, put the CUDA headers (cuda_fp16.h and the like)."""
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(root) for root in spec.submodule_search_locations] if spec else []
    folders = [folder for root in roots for pattern in ("*/include", "*/include/cccl")
               for folder in root.glob(pattern)]
    return folders or [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"]


@functools.cache
def compile(source: str, architecture: str = "compute_80", options: tuple = ()) -> str:
    """CUDA C++ -> PTX."""
    from cuda.bindings import nvrtc
    _, program = nvrtc.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, [], [])
    # --pch: headers that are included again are not read again. Those of <cuda/barrier> take 0.6 s.
    flags = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17", b"--pch", *map(str.encode, options)]
    flags += [f"-I{folder}".encode() for folder in include_folders()]
    result, = nvrtc.nvrtcCompileProgram(program, len(flags), flags)
    if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = b" " * size
        nvrtc.nvrtcGetProgramLog(program, log)
        raise ValueError(log.decode())
    _, size = nvrtc.nvrtcGetPTXSize(program)
    text = b" " * size
    nvrtc.nvrtcGetPTX(program, text)
    nvrtc.nvrtcDestroyProgram(program)
    return text.rstrip(b"\0").decode()


@functools.cache
def load(source: str, architecture: str = "compute_80", options: tuple = ()) -> ptx.PtxModule:
    return ptx.load(compile(source, architecture, options))


def pack(kernel, arguments) -> bytes:
    """Arguments as the driver packs them: ints by the parameter's size, NumPy scalars and bytes as they are."""
    buffer = bytearray(kernel.parameter_bytes)
    for parameter, value in zip(kernel.parameters, arguments, strict=True):
        if isinstance(value, (bool, int)) and not isinstance(value, np.generic):
            raw = int(value).to_bytes(parameter.size, "little", signed=value < 0)
        elif isinstance(value, float):
            raw = struct.pack("f" if parameter.size == 4 else "d", value)
        else:
            raw = bytes(value)
        buffer[parameter.offset:parameter.offset + parameter.size] = raw.ljust(parameter.size, b"\0")
    return bytes(buffer)


def triple(extent) -> tuple[int, int, int]:
    return (*((extent,) if isinstance(extent, int) else extent), 1, 1)[:3]


def run(source, grid=1, block=32, *arguments, name=None, shared=0, machine=None, architecture="compute_80",
        options=(), observer=None):
    """Compile, load and launch. Arrays are copied to the device and back; returns the machine, then the arrays."""
    return run_module(load(source, architecture, options), grid, block, *arguments, name=name, shared=shared,
                      machine=machine, observer=observer)


def run_module(module, grid, block, *arguments, name=None, shared=0, machine=None, observer=None):
    """The same for PTX that has been loaded already."""
    machine = machine or PtxMachine()
    machine.variables = machine.load(module)
    kernel = module.kernels[name] if name else next(iter(module.kernels.values()))
    values, arrays = [], []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            address, array = machine.array(argument)
            values.append(address)
            arrays.append(array)
        else:
            values.append(argument)
    ptx.run(kernel, triple(grid), triple(block), pack(kernel, values), shared, machine, observer=observer)
    return (machine, *arrays)


def kernel(body: str, parameters: str, declarations: str = "") -> str:
    """The text of a kernel named k."""
    return f'{declarations}\nextern "C" __global__ void k({parameters}) {{\n{body}\n}}\n'
