"""Numba over the driver of this process, with its compiler from pip's packages.

Numba looks for a libcuda by names of its own, and on a machine with two it may find the other one: NUMBA_CUDA_DRIVER
names the right one. Its compiler, NVVM, it seeks in the toolkit and in conda's packages, but not in pip's: it is led there.
"""
import functools
import importlib.util
import os

from . import after_import


def install(library):
    """Lead Numba to the driver at this path, and to NVVM, as soon as it is imported."""
    os.environ["NUMBA_CUDA_DRIVER"] = str(library)
    if importlib.util.find_spec("numba_cuda") is None:      # NVIDIA's own target for Numba, which looks in pip's packages
        after_import.do("numba.cuda.cuda_paths", lead_to_pip)


def lead_to_pip(cuda_paths):
    """Have Numba's list of paths name what cuda-bindings would load: NVVM, its libdevice, and the runtime.

    Where cuda-pathfinder lacks one of them, or is too old to look for libdevice, Numba's own search stands.
    """
    def get_cuda_paths():
        paths = dict(numbas_own())
        try:
            from cuda.pathfinder import find_bitcode_lib, load_nvidia_dynamic_lib
            libraries = {"nvvm": load_nvidia_dynamic_lib("nvvm").abs_path, "libdevice": find_bitcode_lib("device"),
                         "cudalib_dir": os.path.dirname(load_nvidia_dynamic_lib("cudart").abs_path)}
        except (ImportError, RuntimeError):     # its DynamicLibNotFoundError and the like are RuntimeErrors
            return paths
        return {**paths, **{name: type(paths[name])("cuda-pathfinder", path) for name, path in libraries.items()}}

    numbas_own, cuda_paths.get_cuda_paths = cuda_paths.get_cuda_paths, functools.cache(get_cuda_paths)
