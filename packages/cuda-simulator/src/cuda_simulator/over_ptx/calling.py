"""What the modules of cuda.bindings.runtime's stand-in share: how a function is marked, how it refuses, what an address is.

Not here: the functions (cuda_runtime.py, runtime_more.py).
"""
import numbers

import numpy as np


class RuntimeRefusal(Exception):
    """A call ended with the error of this number."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def gives(values, context=True):
    """Mark a function: how many values come with its success, and whether it needs a context of the device."""
    def marked(function):
        function.values, function.context = values, context
        return function
    return marked


def address(argument):
    """The address that cuda.bindings would take of an argument: a number, where a buffer begins, or the number of a handle."""
    if isinstance(argument, numbers.Integral):
        return int(argument)
    try:
        return np.frombuffer(argument, np.uint8).ctypes.data
    except TypeError:
        return int(argument)


def as_it_is(value):
    """A handle, which is of one type in the driver's and the runtime's bindings."""
    return value
