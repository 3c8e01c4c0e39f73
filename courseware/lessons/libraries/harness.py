"""Answers to `where-is` are tried here, with arrays of each library, or with what is like them. No address gets out."""
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda import tools

from ...exercises.exercise import Case
from ...exercises.values import same


class LikeNumba:
    """What Numba's device arrays and CuPy's arrays have in common: the CUDA array interface."""

    def __init__(self, address, read_only=False):
        self.__cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (address, read_only), "strides": None,
                                         "version": 3}


class LikeOpenCL:
    """What a PyOpenCL buffer has: `int_ptr`, the handle of an OpenCL object."""

    def __init__(self, handle):
        self.int_ptr, self.size = handle, 64


LikeOpenCL.__module__, LikeOpenCL.__name__ = "pyopencl._cl", "Buffer"       # who asks for those is right as well


def where(answer, x, number):
    """The answer with its number judged: no address gets out."""
    got = answer(x)
    if not isinstance(got, (tuple, list, np.ndarray)) or len(got) != 2:
        return "a number alone" if isinstance(got, (int, np.integer)) and not isinstance(got, bool) else got
    return got[0], _number(got[1], x, number)


def _number(got, x, number):
    """What was given as the number, in words: the right one, which other one, or something else."""
    if same(got, number):
        return "the right number"
    if isinstance(got, (int, np.integer)) and not isinstance(got, bool):
        return "the number id(x)" if got == id(x) else "another number"
    if isinstance(got, (int, float, str)):
        return f"a {type(got).__name__} and no int"
    if isinstance(got, tuple):
        return "a pair"
    return f"an object of type {type(got).__name__} and no int"


def kinds_of_array(stack):
    """A Case for an array of each library, and for parts of some."""
    current_context()
    host, on_device = np.arange(12, dtype="float32"), gpuarray.zeros(12, "float32")
    allocation, scalar = cuda.mem_alloc(64), np.array(7)
    pooled = tools.DeviceMemoryPool().allocate(64)

    def case(description, x, side, number, hidden, call):
        return Case(description, (x, int(number)), (side, "the right number"), hidden, f"where_is({call})")
    yield case("a NumPy array", host, "host", host.ctypes.data, False, "np.arange(12)")
    yield case("a PyCUDA allocation", allocation, "device", allocation, False, "cuda.mem_alloc(64)")
    yield case("a PyOpenCL buffer", LikeOpenCL(94021), "handle", 94021, False, "an object with int_ptr")
    yield case("a PyCUDA allocation of a pool", pooled, "device", pooled, True, "pycuda.tools.DeviceMemoryPool().allocate(64)")
    yield case("a part of a NumPy array", host[5:], "host", host.ctypes.data + 20, True, "np.arange(12)[5:]")
    yield case("a NumPy array of two dimensions, turned", host.reshape(3, 4).T, "host", host.ctypes.data, True,
               "np.arange(12).reshape(3, 4).T")
    yield case("a NumPy array turned round", host[::-1], "host", host.ctypes.data + 44, True, "np.arange(12)[::-1]")
    yield case("a NumPy array without dimensions", scalar, "host", scalar.ctypes.data, True, "np.array(7)")
    yield case("a PyCUDA array", on_device, "device", on_device.gpudata, True, "gpuarray.zeros(12, 'float32')")
    yield case("a part of a PyCUDA array", on_device[3:], "device", int(on_device.gpudata) + 12, True,
               "gpuarray.zeros(12, 'float32')[3:]")
    yield case("an array of Numba or CuPy", LikeNumba(7340032), "device", 7340032, True,
               "an object with __cuda_array_interface__")
    yield case("an array of Numba or CuPy that may only be read", LikeNumba(7340544, read_only=True), "device", 7340544, True,
               "an object with __cuda_array_interface__, whose data may only be read")
