"""What a program asked this driver for and did not get because it is not simulated: noted for whoever wants to tell it.

A missing function answers CUDA_ERROR_NOT_SUPPORTED, and many programs take that for a GPU that cannot do it. Which function
it was, nobody hears. The plugin for pytest tells it with each test.

Not here: errors that a GPU would answer too.
"""
import sys

from ..systems import MARK, current as current_system
from .results import CudaError, Result

MACHINE_CODE = "machine code (cubin): take nvrtcGetPTX in place of nvrtcGetCUBIN, nvcc --ptx in place of --cubin"

_said = set()   # sentences that were written to standard error
_noted = {}     # a dict for its order: what was asked for first stands first


def note(what):
    """Note one thing: the name of a function, or why a module was refused."""
    _noted[what] = True


def not_simulated(what):
    """The error of a function that works on a GPU, and here not or not in this form, to be raised: `what` is noted.

    what: the function's name, and in brackets the form: "cuStreamBeginCapture (graphs)"
    """
    note(what)
    return CudaError(Result.NOT_SUPPORTED, f"not simulated: {what}")


def not_answered(sentence):
    """The error of what the documents of this process's system do not answer, to be raised; the sentence is said once."""
    if sentence not in _said:
        _said.add(sentence)
        print(f"cuda_simulator: {current_system().name} ({MARK}): {sentence}", file=sys.stderr, flush=True)
    return CudaError(Result.NOT_SUPPORTED, sentence)


def taken():
    """What was noted since the last call of this function, each once: a list of strings."""
    noted = list(_noted)
    _noted.clear()
    return noted
