"""Libraries that would make machine code, or call NVIDIA's runtime, mended for a driver that runs PTX alone.

    cuda_core.py        cuda.core's Program, which would make machine code
    cuda_runtime.py     cuda-bindings' runtime, whose functions become calls of the driver
                        (runtime_more.py has more of them, calling.py what both need)
    cuda_bindings.py    cuda-bindings' nvrtcGetCUBIN, which would give machine code
    nvjitlink.py        nvJitLink, which would link machine code for cuda.core and numba-cuda
    version.py          PTX of a newer CUDA than the driver's, where it stands for machine code
    numba_jit.py        Numba's jit, which would leave out the lines of the source

Not here: compilers in the place of CUDA's toolkit, which a GPU's driver is served by as well (the package cuda_without_toolkit).
"""
import functools

from . import cuda_bindings, cuda_core, cuda_runtime, numba_jit, nvjitlink, version  # noqa: F401  (version is others' to use)


@functools.cache
def install():
    """Mend each library: now where it is imported already, else as soon as it is. Once in a process."""
    cuda_core.install()
    cuda_bindings.install()
    cuda_runtime.install()
    nvjitlink.install()
    numba_jit.install()
