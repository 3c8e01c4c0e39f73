"""The shape of an array that a helper is asked to allocate, looked at before any memory is.

    >>> checked((2, 3), "float32")
    ((2, 3), dtype('float32'))

Not here: which memory it becomes (pinned.py, managed.py).
"""
import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .errors import WrongArgument, WrongSize


def checked(shape: int | Iterable[int], dtype: npt.DTypeLike) -> tuple[tuple[int, ...], np.dtype]:
    """A shape and a dtype that memory can be allocated for: (a tuple of ints, a NumPy dtype).

    shape: number of elements, or a tuple of dimensions
    dtype: of the elements, as NumPy takes it

    Raises WrongSize for no elements or more bytes than there are addresses, WrongArgument for what
    is no shape or for a dtype of Python objects.
    """
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise WrongArgument(f"dtype {dtype} holds Python objects, which no device can use: take a dtype of numbers")
    dimensions = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if not all(isinstance(dimension, (int, np.integer)) for dimension in dimensions):
        raise WrongArgument(f"shape {shape} is not made of whole numbers")
    if min(dimensions, default=1) < 1 or dtype.itemsize == 0:
        raise WrongSize(f"shape {shape} has no elements, and so no address: ask for 1 or more")
    if math.prod(map(int, dimensions)) * dtype.itemsize >= 1 << 63:
        raise WrongSize(f"shape {shape} of {dtype} is larger than any address space")
    return tuple(map(int, dimensions)), dtype
