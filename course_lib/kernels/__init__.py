"""CUDA C++ in, callable kernels out.

    >>> import pycuda.driver as cuda
    >>> from course_lib import kernels, pinned
    >>> code = kernels.compile('''
    ...     __global__ void scale(float *data, float factor, int n) {
    ...         int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...         if (i < n) data[i] *= factor;
    ...     }''')
    >>> code.scale
    <kernel scale(float *data, float factor, int n)>
    >>> with pinned.allocate(3, "float32") as host:
    ...     host.array[:] = [1, 2, 3]
    ...     code.scale(1, 32, host, 0.5, 3)             # grid, block, then the kernel's own arguments
    ...     cuda.Context.synchronize()                  # a launch returns at once: wait before looking
    ...     host.array.tolist()
    [0.5, 1.0, 1.5]

A launch checks its arguments against the kernel's signature first: their number, their sizes (from
the driver), their types (from the source, signature.py). What is pageable is refused: a kernel that
follows such a pointer breaks CUDA for its process. A plain int is taken for an address as it is,
right or wrong.

Not here: how NVRTC is called and its output kept on disk
(cuda_without_toolkit/pycuda_without_nvcc.py).
"""
import dataclasses
import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from cuda_without_toolkit import pycuda_without_nvcc

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ..core.device import device_attribute
from ..core.errors import CudaError, Misuse, WrongArgument, WrongContext, WrongSize, ask, ask_all, do
from ..core.ownership import Resource, current_context, in_context
from . import layout
from .arguments import packed
from .signature import Parameter, as_written, declared, shown, with_c_names

__all__ = ["CompileError", "Kernel", "Kernels", "compile"]


MOST_LINES = 20     # of a compiler's messages: the first says what is wrong, hundreds may follow from it
LOG_BYTES = 4096


class CompileError(Misuse):
    """The source does not compile. The text has each message with its line, and a caret below the
    place."""


def compile(source: str, options: Sequence[str] = ()) -> "Kernels":
    """Compile CUDA C++ for the current context's device and load it; returns Kernels.

    source:  one or more ``__global__`` functions and what they use, C++ headers and templates too.
             Kernels are found by the names that they are given: each is declared ``extern "C"``.
             (PyCUDA's SourceModule puts the whole source into ``extern "C" { }``, where no C++
             header can be.) A kernel that is a template has no such name
    options: nvcc's, such as ``["-DN=4", "--std=c++17"]``

    The compiled code is kept in PyCUDA's cache on disk: the same source costs nothing the second
    time.
    Raises CompileError with the compiler's first messages, or with what the driver says of code
    that it cannot load.

    CUDA calls: nvrtcCompileProgram (NVRTC), cuModuleLoadDataEx (CUDA Driver API, Module
    Management).
    """
    current_context()
    source = textwrap.dedent(source)
    named = with_c_names(source)
    try:
        image = pycuda_without_nvcc.compile_plain(named, list(options), False, "nvcc", pycuda_without_nvcc.cache_dir(), written=source)
    except cuda.CompileError as error:
        raise CompileError(_first_lines(as_written(error.stderr or error.msg))) from None
    return Kernels(image, source, named, options)


def _first_lines(messages: str) -> str:
    lines = messages.splitlines()
    more = len(lines) - MOST_LINES
    return "\n".join(lines[:MOST_LINES] + ([f"({more} more lines)"] if more > 0 else []))


def _load(image: bytes) -> cu.CUmodule:
    """Load code; where the driver cannot, it says why in a log."""
    log = bytes(LOG_BYTES)      # cuda-bindings has the driver write into it
    options = [cu.CUjit_option.CU_JIT_ERROR_LOG_BUFFER, cu.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    try:
        return ask(cu.cuModuleLoadDataEx, image, 2, options, [log, LOG_BYTES])
    except CudaError as error:
        message = log.split(b"\0")[0].decode(errors="replace").strip()
        raise (CompileError(f"{error}\n{message}") if message else error) from None


class Kernels(Resource):
    """What was compiled from one source: each kernel is an attribute. The code is unloaded with the
    last of them."""

    def __init__(self, image: bytes, source: str, named: str, options: Sequence[str]) -> None:
        self._source, self._named, self._options = source, named, list(options)     # to compile it once more, to PTX
        self.context = current_context()
        self.module = _load(image)    # PyCUDA's Module keeps its handle to itself
        self._hold(in_context, self.context, do, cu.cuModuleUnload, self.module)
        self._declared = declared(source)
        self._known: dict[str, tuple[cu.CUfunction, list[Parameter], Limits]] = {}

    def __getattr__(self, name: str) -> "Kernel":
        if name.startswith("_"):
            raise AttributeError(name)
        self._require()
        if name not in self._known:
            try:
                function = ask(cu.cuModuleGetFunction, self.module, name.encode())
            except CudaError as error:
                if error.name != "CUDA_ERROR_NOT_FOUND":
                    raise
                raise AttributeError(f"the source has no kernel {name}: it has {', '.join(self._declared) or 'none'}. "
                                     "A kernel that is a template has no name to be found by") from None
            places = layout.by_driver(function) if layout.driver_tells() else layout.in_ptx(self._as_ptx(), name)
            self._known[name] = function, _placed(self._declared.get(name), places), Limits.of(function)
        return Kernel(self, name, *self._known[name])

    def _as_ptx(self) -> str:
        return pycuda_without_nvcc.compile_plain(self._named, self._options, False, "nvcc", pycuda_without_nvcc.cache_dir(),
                                                 target="ptx").decode()

    def _name(self) -> str:
        return "compiled code"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._declared]

    def variable(self, name: str) -> tuple[int, int]:
        """(device address, size in bytes) of a ``__device__`` or ``__constant__`` variable.
        (cuModuleGetGlobal)

        Raises AttributeError where the code has none of that name.
        """
        self._require()
        try:
            address, size = ask_all(cu.cuModuleGetGlobal, self.module, name.encode())
        except CudaError as error:
            if error.name != "CUDA_ERROR_NOT_FOUND":
                raise
            raise AttributeError(f"the code has no variable {name}: use it in a kernel, or the compiler leaves it out") from None
        return int(address), size

    def __repr__(self) -> str:
        return f"<kernels {', '.join(self._declared)}{', released' if self.released else ''}>"


@dataclasses.dataclass(frozen=True)
class Limits:
    """How large a kernel's launches may be: blocks of a grid and threads of a block, each way, and
    threads in all."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    threads: int

    @classmethod
    def of(cls, function: cu.CUfunction) -> "Limits":
        """Those of a function on the current device. (cuDeviceGetAttribute, cuFuncGetAttribute)"""
        grid, block = (tuple(device_attribute(f"MAX_{name}_DIM_{axis}") for axis in "XYZ") for name in ("GRID", "BLOCK"))
        return cls(grid, block, _attribute(function, "MAX_THREADS_PER_BLOCK"))


def _attribute(function: cu.CUfunction, name: str) -> int:
    """One of a function's attributes. (cuFuncGetAttribute)"""
    number = getattr(cu.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}", None)
    if number is None:
        names = [attribute.name.removeprefix("CU_FUNC_ATTRIBUTE_") for attribute in cu.CUfunction_attribute]
        names.remove("MAX")
        raise WrongArgument(f"a kernel has no attribute {name!r}. There are: {', '.join(names)}")
    return ask(cu.cuFuncGetAttribute, number, function)


class Kernel:
    """A kernel that can be called: ``kernel(grid, block, *arguments, stream=None, shared=0)``."""

    def __init__(self, kernels: Kernels, name: str, handle: cu.CUfunction, parameters: list[Parameter], limits: Limits) -> None:
        self.kernels, self.name, self.handle, self.parameters, self.limits = kernels, name, handle, parameters, limits

    def __call__(self, grid: int | Iterable[int], block: int | Iterable[int], *arguments: Any,
                 stream: cuda.Stream | None = None, shared: int = 0) -> None:
        """Launch the kernel. It returns at once; what goes wrong on the device shows when the host
        waits for it.

        grid, block: number of blocks, and of threads in a block: an int or a tuple of up to three
        arguments:   for a pointer, memory that kernels may use, a NumPy array in such memory, a
                     GPUArray, or an address as an int; for a number, one in its range, or NumPy's
                     of its type; for a struct, a NumPy scalar or bytes of its size
        stream:      a pycuda Stream, or None for the default stream
        shared:      dynamic shared memory, in bytes

        Raises WrongArgument and WrongPointer for arguments that do not fit, WrongSize for a grid or
        block out of range, WrongContext where another context is current than the one the code was
        loaded in.

        CUDA call: cuLaunchKernel (CUDA Driver API, Execution Control).
        """
        self.kernels._require()
        if not self.kernels.context.current:
            raise WrongContext(f"kernel {self.name} was loaded in another context than the current one: make that one "
                               "current, or compile the source again in this one")
        grid, block = _three(grid, "grid"), _three(block, "block")
        self._check_sizes(grid, block, shared)
        # Copied by the driver before the call returns.
        data = np.frombuffer(packed(self.name, self.parameters, arguments), np.uint8)
        places = np.array([data.ctypes.data + parameter.offset for parameter in self.parameters], np.uint64)
        do(cu.cuLaunchKernel, self.handle, *grid, *block, shared, stream.handle if stream else 0,
           places.ctypes.data if self.parameters else 0, 0)

    def attribute(self, name: str) -> int:
        """One of the kernel's attributes, such as "LOCAL_SIZE_BYTES" or "NUM_REGS". Raises
        WrongArgument for no such name.

        CUDA call: cuFuncGetAttribute (CUDA Driver API, Execution Control), which explains them.
        """
        return _attribute(self.handle, name)

    def _check_sizes(self, grid: tuple[int, ...], block: tuple[int, ...], shared: int) -> None:
        limits = self.limits
        for name, sizes, most in (("grid", grid, limits.grid), ("block", block, limits.block)):
            for axis, size, limit in zip("xyz", sizes, most):
                if not 1 <= size <= limit:
                    raise WrongSize(f"{name} {sizes}: its {axis} must be from 1 to {limit}")
        threads = math.prod(block)
        if threads > limits.threads:
            raise WrongSize(f"block {block} has {threads} threads, and this kernel takes up to {limits.threads}: take more "
                            "blocks of fewer threads")
        # Asked when it matters: cuFuncSetAttribute may change it.
        room = self.attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES") if shared else 0
        if not 0 <= shared <= room:
            raise WrongSize(f"{shared} bytes of dynamic shared memory: this kernel can have from 0 to {room}")

    def __repr__(self) -> str:
        return shown(self.name, self.parameters)


def _placed(parameters: list[Parameter] | None, places: list[tuple[int, int]]) -> list[Parameter]:
    """The parameters with offset and size. Where the source was not understood (macros, templates),
    these alone remain: sizes without types."""
    if parameters is None or len(parameters) != len(places):
        parameters = [Parameter(f"argument {number}", "") for number in range(len(places))]
    return [parameter.placed(*place) for parameter, place in zip(parameters, places)]


def _three(shape: int | Iterable[int], name: str) -> tuple[int, ...]:
    sizes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(size, (int, np.integer)) for size in sizes):
        raise WrongArgument(f"{name} {sizes} is not one to three whole numbers: a kernel takes the grid, the block, and "
                            "then its own arguments")
    return tuple(map(int, sizes)) + (1,) * (3 - len(sizes))
