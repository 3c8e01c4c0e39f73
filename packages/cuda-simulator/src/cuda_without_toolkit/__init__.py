"""CUDA's compilers from pip's packages, in the place of CUDA's toolkit: for a GPU's driver as for a simulated one.

    pycuda_without_nvcc.py    PyCUDA's SourceModule, which would run nvcc;  nvcc_options.py  the options that it passes
    nvrtc.py                  compiles CUDA C++ with NVRTC
    device_headers/           headers that nvcc takes from the host's C library, and NVRTC has not
    numba_without_toolkit.py  where Numba finds the driver, and its compiler NVVM
    after_import.py           how a library is mended when, and only when, somebody imports it

Not here: anything that needs or knows a simulated driver. This package imports nothing of `cuda_simulator`.
"""
from . import numba_without_toolkit, pycuda_without_nvcc


def install(library, compute_capability, ptx_only=False, remember=None, readable=None):
    """Have PyCUDA and Numba, once they are imported, find their compilers and this driver.

    library:            path of the libcuda.so.1 that this process uses
    compute_capability: of its device 0, (major, minor): what kernels are compiled for
    ptx_only:           the driver takes PTX and no machine code, as the simulated one does
    remember:           remember(ptx, source) is told what each PTX was compiled from
    readable:           readable(ptx) is what such a driver gets of PTX that stands for machine code
    """
    pycuda_without_nvcc.install(compute_capability, ptx_only, remember, readable)
    numba_without_toolkit.install(library)
