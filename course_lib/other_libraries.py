"""Numba and PyOpenCL, beside PyCUDA: over the same driver, and left out where they are missing.

- Numba uses the CUDA driver as PyCUDA does, real or simulated. `install` leads it to the one that is attached. The
  compiler that it needs, NVVM, it seeks in the toolkit and in conda's packages, but not in pip's: `install` leads it there;
- PyOpenCL uses OpenCL drivers, which have nothing to do with CUDA's. Where no GPU has one, pip's
  pocl-binary-distribution makes the CPU an OpenCL device (PoCL);
- a cell of a notebook that begins with ``%%needs numba`` is run where Numba is here. Where it is not, the cell says in
  a sentence what is missing, and the notebook goes on.

Not here: anything that wraps the two. The lessons use them as they are.
"""
import functools
import importlib.util
import os
import sys

from . import after_import, driver

# The version of CUDA whose compilers the course comes with: no driver of this version or of a newer one refuses what they
# write. Google Colab's has been older than Numba's compiler (NVIDIA/numba-cuda#120).
CUDA_OF_THE_COURSE = (13, 0)

PACKAGES = {"numba": "numba nvidia-nvvm nvidia-cuda-runtime", "pyopencl": "pyopencl pocl-binary-distribution"}


def install():
    """Lead Numba to the attached driver, and teach this notebook's kernel ``%%needs``. `import course_lib` calls it."""
    # Numba looks for a libcuda by names of its own, and on a machine with two it may find the other one.
    os.environ["NUMBA_CUDA_DRIVER"] = driver.attached.library
    if importlib.util.find_spec("numba_cuda") is None:      # NVIDIA's own target for Numba, which looks in pip's packages
        after_import.do("numba.cuda.cuda_paths", _lead_to_toolkit)
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell and needs not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(needs)


def missing(name):
    """What is missing for cells that use ``numba`` or ``pyopencl``, as a sentence; None where nothing is.

    OpenCL call behind it: clGetPlatformIDs, which finds the installed OpenCL drivers.
    """
    if name not in PACKAGES:
        return f"%%needs takes {' or '.join(PACKAGES)}, not {name!r}."
    mend = f"In a cell:  %pip install {PACKAGES[name]}"
    if importlib.util.find_spec(name) is None:
        return f"Left out: this cell needs {name}, which is not installed here. {mend}"
    if name == "numba" and driver.attached.cuda_version < CUDA_OF_THE_COURSE and (why := _numbas_complaint()):
        return f"Left out: this cell needs Numba, and what Numba compiles does not run with this driver ({why})."
    if name == "pyopencl" and not _opencl_devices():
        return f"Left out: this cell needs an OpenCL device, and there is none. On x86-64 the CPU can be one. {mend}"
    return None


def needs(lines):
    """Lines of a cell in, lines to run out: ``%%needs NAME`` goes, or the whole cell does. For IPython's
    `input_transformers_cleanup`.

    An empty line takes its place, so that an error further down keeps its line number.
    """
    words = lines[0].split() if lines else []
    if words[:1] != ["%%needs"]:
        return lines
    sentence = missing(" ".join(words[1:]))
    return [f"print({sentence!r})\n"] if sentence else ["\n", *lines[1:]]


def _lead_to_toolkit(cuda_paths):
    """Have Numba's list of paths name what cuda-bindings would load: NVVM, its libdevice, and the runtime.

    Where cuda-pathfinder lacks one of them, or is too old to look for libdevice, Numba's own search stands.
    """
    def get_cuda_paths():
        paths = dict(numbas_own())
        try:
            from cuda.pathfinder import find_bitcode_lib, load_nvidia_dynamic_lib
            found = {"nvvm": load_nvidia_dynamic_lib("nvvm").abs_path, "libdevice": find_bitcode_lib("device"),
                     "cudalib_dir": os.path.dirname(load_nvidia_dynamic_lib("cudart").abs_path)}
        except (ImportError, RuntimeError):     # its DynamicLibNotFoundError and the like are RuntimeErrors
            return paths
        return {**paths, **{name: type(paths[name])("cuda-pathfinder", path) for name, path in found.items()}}

    numbas_own, cuda_paths.get_cuda_paths = cuda_paths.get_cuda_paths, functools.cache(get_cuda_paths)


@functools.cache
def _numbas_complaint():
    """How compiling an empty kernel with Numba ended, in a process of its own; None if it went well."""
    from . import sandbox
    outcome = sandbox.run("from numba import cuda\ncuda.jit('void()')(lambda: None)[1, 1]()", context=False)
    return None if outcome.ok else outcome.ending


def _opencl_devices():
    import pyopencl as cl
    try:
        return [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:        # no platform at all, or one without a device
        return []
