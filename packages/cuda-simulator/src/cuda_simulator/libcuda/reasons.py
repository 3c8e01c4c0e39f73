"""Why a call failed, on one line of stderr: C has room for a number alone.

Told to those who run a program of their own (``python -m cuda_simulator``, pytest), each reason once, unless CUDA_SIMULATOR_QUIET is set.
Not told: what programs ask in order to be refused (is this an address that CUDA knows?), what is not simulated (lacking.py), and that
an earlier kernel broke CUDA for this process.
"""
import os
import re
import sys

from .lacking import QUIET
from .results import Result

_QUESTIONS = {"cuGetProcAddress", "cuPointerGetAttribute", "cuPointerGetAttributes", "cuMemRangeGetAttribute", "cuDeviceGetAttribute",
              "cuGetErrorName", "cuGetErrorString", "cuGetExportTable", "cuEventQuery", "cuStreamQuery", "cuCtxGetDevice",
              "cuModuleGetGlobal"}
_NO_MISTAKES = {Result.NOT_READY, Result.NOT_SUPPORTED, Result.DEINITIALIZED}
_tells = False
_remarks = set()


def tell_from_now_on():
    """Have this process told."""
    global _tells
    _tells = not os.environ.get(QUIET)


def tell(name, error):
    """A call, by its name in cuda.h, ended with a CallError."""
    if error.why and error.result not in _NO_MISTAKES and name not in _QUESTIONS:
        remark(name, str(error).splitlines()[0])


def remark(name, text):
    """Something about a call that a program will want to know."""
    key = name, re.sub(r"0x[0-9a-f]+|\d+", "", text)
    if _tells and key not in _remarks:
        _remarks.add(key)
        print(f"{name}: {text}", file=sys.stderr, flush=True)
