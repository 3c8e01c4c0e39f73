"""Numba and PyOpenCL, beside PyCUDA: over the same driver, and left out where they are missing.

- Numba uses the CUDA driver as PyCUDA does, real or simulated. `install` leads it to the one that is attached;
- PyOpenCL uses OpenCL drivers, which have nothing to do with CUDA's. Where no GPU has one, pip's
  pocl-binary-distribution makes the CPU an OpenCL device (PoCL);
- a cell of a notebook that begins with ``%%needs numba`` is run where Numba is here. Where it is not, the cell says in
  a sentence what is missing, and the notebook goes on.

Not here: anything that wraps the two. The lessons use them as they are.
"""
import importlib.util
import os
import sys

from . import driver

PACKAGES = {"numba": "numba nvidia-nvvm", "pyopencl": "pyopencl pocl-binary-distribution"}


def install():
    """Lead Numba to the attached driver, and teach this notebook's kernel ``%%needs``. `import course_lib` calls it."""
    # Numba looks for a libcuda by names of its own, and on a machine with two it may find the other one.
    os.environ["NUMBA_CUDA_DRIVER"] = driver.attached.library
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


def _opencl_devices():
    import pyopencl as cl
    try:
        return [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:        # no platform at all, or one without a device
        return []
