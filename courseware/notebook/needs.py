"""Cells that need a library which may be missing: ``%%needs numba``.

Such a cell is run where the library is here and works. Where it does not, the cell says in a sentence what is missing,
and the notebook goes on. Not here: anything that wraps the library. The lessons use it as it is.
"""
import functools
import importlib.util
import sys

from course_lib import driver

# The version of CUDA whose compilers the course comes with: no driver of this version or of a newer one refuses what
# they write. Google Colab's has been older than Numba's compiler (NVIDIA/numba-cuda#120).
CUDA_OF_THE_COURSE = (13, 0)

PACKAGES = {"numba": "numba nvidia-nvvm nvidia-cuda-runtime", "cuda.core": "cuda-core"}


def install():
    """Teach this notebook's kernel ``%%needs``. `import courseware` calls it."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell and needs not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(needs)


def missing(*names):
    """What is missing for cells that use these libraries: a sentence for the first that is, None where nothing is."""
    return next(filter(None, map(_missing, names or [""])), None)


def _missing(name):
    if name not in PACKAGES:
        return f"%%needs takes {' or '.join(PACKAGES)}, not {name!r}."
    if importlib.util.find_spec(name) is None:
        return (f"Left out: this cell needs {name}, which is not installed here. "
                f"In a cell:  %pip install {PACKAGES[name]}")
    if name == "numba" and driver.attached.cuda_version < CUDA_OF_THE_COURSE and (why := _numbas_complaint()):
        return f"Left out: this cell needs Numba, and what Numba compiles does not run with this driver ({why})."
    return None


def needs(lines):
    """Lines of a cell in, lines to run out: ``%%needs NAME ...`` goes, or the whole cell does, with a sentence for the
    first that is missing. For IPython's `input_transformers_cleanup`.

    An empty line takes its place, so that an error further down keeps its line number.
    """
    words = lines[0].split() if lines else []
    if words[:1] != ["%%needs"]:
        return lines
    sentence = missing(*words[1:])
    return [f"print({sentence!r})\n"] if sentence else ["\n", *lines[1:]]


@functools.cache
def _numbas_complaint():
    """How compiling an empty kernel with Numba ended, in a process of its own; None if it went well."""
    from .. import sandbox
    outcome = sandbox.run("from numba import cuda\ncuda.jit('void()')(lambda: None)[1, 1]()", context=False)
    return None if outcome.ok else outcome.ending
