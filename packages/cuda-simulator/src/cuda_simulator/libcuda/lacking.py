"""What a program asked this driver for and did not get because it is not simulated: noted for whoever wants to tell it.

A missing function answers CUDA_ERROR_NOT_SUPPORTED, and many programs take that for a GPU that cannot do it. Which function
it was, nobody hears. The plugin for pytest tells it with each test, any other program that attaches the driver at its end.

Not here: errors that a GPU would answer too.
"""
import atexit
import os
import sys

from ..systems import MARK, current_system
from .results import CallError, Result

QUIET = "CUDA_SIMULATOR_QUIET"      # environment variable: set, nothing is told at the end

MACHINE_CODE = "machine code (cubin): take nvrtcGetPTX in place of nvrtcGetCUBIN, nvcc --ptx in place of --cubin"

_sentences = set()      # that were written to standard error
_noted = {}             # feature -> how often, in the order in which it was first asked for


def note(feature):
    """Note what is not simulated: the name of a function, or why a module was refused."""
    _noted[feature] = _noted.get(feature, 0) + 1


def not_simulated(feature):
    """The error of a function that works on a GPU, and here not or not in this form, to be raised: the `feature` is noted.

    feature: the function's name, and in brackets the form: "cuStreamBeginCapture (graphs)"
    """
    note(feature)
    return CallError(Result.NOT_SUPPORTED, f"not simulated: {feature}")


def not_answered(sentence):
    """The error of what the documents of this process's system do not answer, to be raised; the sentence is said once."""
    if sentence not in _sentences:
        _sentences.add(sentence)
        print(f"cuda_simulator: {current_system().name} ({MARK}): {sentence}", file=sys.stderr, flush=True)
    return CallError(Result.NOT_SUPPORTED, sentence)


def take_noted():
    """What was noted since the last call of this function, each once: a list of strings."""
    noted = list(_noted)
    _noted.clear()
    return noted


def tell_at_the_end():
    """Have this process say on stderr, when it ends, what was noted, unless CUDA_SIMULATOR_QUIET is set; returns whether it will."""
    atexit.unregister(_tell)
    if not os.environ.get(QUIET):
        atexit.register(_tell)
    return not os.environ.get(QUIET)


def leave_it_to_others():
    """Nothing is said at the end: somebody else tells it, or nobody is to."""
    atexit.unregister(_tell)


def _tell():
    for feature, times in _noted.items():
        print(f"not simulated: {feature} (asked {f'{times} times' if times > 1 else 'once'})", file=sys.stderr)
    if _noted:
        print(f"({QUIET}=1 leaves out what is not simulated.)", file=sys.stderr)
