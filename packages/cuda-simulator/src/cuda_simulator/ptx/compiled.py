"""The loops of lanes.c as NumPy's universal functions: exact multiply-adds, loads, stores, places, extents.

    fma_f32(a, b, c)                a * b + c, rounded once (fma_f64, too)
    load = loaders(base)            load[32](places, shift): what lies at each place + shift, as uint32; place 0 is at the address `base`
    store = storers(base)           store[32](places, shift, values): written one after another, so that the last one stays
    place(piece, stride, offset, origin)
    low, high, bits = extent(addresses)

NumPy makes a universal function of a C loop (NumPy C-API, PyUFunc_FromFuncAndData), and brings broadcasting, strides and new arrays.
Not here: what is done with them (spaces.py, instructions/).
"""
import ctypes
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_name("lanes.so")
WIDTHS = (8, 16, 32, 64)
_MADE, _WITH_SIGNATURE = 1, 31      # of NumPy's table: PyUFunc_FromFuncAndData, PyUFunc_FromFuncAndDataAndSignature


class LanesMissing(ImportError):
    """The library of compiled loops has not been built, or does not fit this machine."""


def _missing(why):
    return LanesMissing(f"{PATH} {why}: install cuda-simulator again with pip, which compiles it "
                        "(in a checkout: `pip install -e packages/cuda-simulator`)")


def _load():
    try:
        return ctypes.CDLL(str(PATH))
    except OSError as error:
        raise _missing(f"cannot be loaded ({error})") from error


def _table():
    """NumPy's table of C functions for universal functions."""
    try:
        from numpy._core._multiarray_umath import _UFUNC_API as capsule
    except ImportError:             # NumPy 1
        from numpy.core._multiarray_umath import _UFUNC_API as capsule
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))


_library, _functions = _load(), _table()
_arrays = []    # NumPy keeps the addresses of these arrays


def _ufunc(name, operands, results, data=None, signature=None):
    """The universal function of a loop: types of its operands and results as dtypes, `data` what the loop gets."""
    if not hasattr(_library, f"lanes_{name}"):
        raise _missing(f"is not of this version (it has no lanes_{name})")
    types = [np.dtype(kind) for kind in (*operands, *results)]
    loops = (ctypes.c_void_p * 1)(ctypes.cast(getattr(_library, f"lanes_{name}"), ctypes.c_void_p).value)
    datas = (ctypes.c_void_p * 1)(data)
    numbers, label = (ctypes.c_char * len(types))(*(dtype.num for dtype in types)), name.encode()
    _arrays.append((loops, datas, numbers, label, signature))
    arguments = [loops, datas, numbers, 1, len(operands), len(results), -1, label, b"", 0]
    kinds = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 4 + [ctypes.c_char_p] * 2 + [ctypes.c_int]
    if signature:
        arguments, kinds = [*arguments, signature], [*kinds, ctypes.c_char_p]
    make = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(_functions[_WITH_SIGNATURE if signature else _MADE])
    return make(*(ctypes.cast(argument, ctypes.c_void_p) if isinstance(argument, ctypes.Array) else argument for argument in arguments))


fma_f32, fma_f64 = _ufunc("fma_f32", ["f4"] * 3, ["f4"]), _ufunc("fma_f64", ["f8"] * 3, ["f8"])
place = _ufunc("place", ["i8"] * 4, ["i8"])
extent = _ufunc("extent", ["u8"], ["u8"] * 3, signature=b"(n)->(),(),()")


def loaders(base):
    """bits -> the function that reads one element of so many bits at each place."""
    return {bits: _ufunc(f"load_{bits}", ["i8", "i8"], [f"u{bits // 8}"], data=base) for bits in WIDTHS}


def storers(base):
    """bits -> the function that writes one element of so many bits to each place."""
    return {bits: _ufunc(f"store_{bits}", ["i8", "i8", f"u{bits // 8}"], ["i8"], base, b"(n),(),(n)->()") for bits in WIDTHS}
