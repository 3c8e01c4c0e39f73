"""In the place of CUDA's toolkit, which a machine without a GPU seldom has: compilers from pip's packages.

    nvrtc.py                  compiles CUDA C++ with NVRTC
    pycuda_without_nvcc.py    PyCUDA's SourceModule, which would run nvcc;  nvcc_options.py  the options that it passes
    numba_without_toolkit.py  where Numba finds the driver, and its compiler NVVM
    cuda_core_over_ptx.py     cuda.core's Program, which would make machine code, and what it calls of the runtime
    device_headers/           headers that nvcc takes from the host's C library, and NVRTC has not
    cuda_bindings_over_ptx.py cuda-bindings' nvrtcGetCUBIN, which would give machine code
    after_import.py           how a library is mended when, and only when, somebody imports it

Not here: anything that needs the simulated driver. The course uses this over a GPU's driver too.
"""
from . import cuda_bindings_over_ptx, cuda_core_over_ptx, numba_without_toolkit, pycuda_without_nvcc


def install(library, compute_capability, simulated):
    """Have PyCUDA and Numba, once they are imported, find their compilers and this driver.

    library:            path of the libcuda.so.1 that this process uses
    compute_capability: of its device 0, (major, minor): what kernels are compiled for
    simulated:          it is the simulated driver, which runs PTX and no cubin
    """
    pycuda_without_nvcc.install(compute_capability, simulated)
    numba_without_toolkit.install(library)
    if simulated:
        cuda_core_over_ptx.install()
        cuda_bindings_over_ptx.install()
