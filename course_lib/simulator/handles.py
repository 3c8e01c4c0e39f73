"""Handles: the numbers by which C knows streams, events, modules and functions.

A GPU's driver hands out pointers to its own structures, and a wrong one may crash it. Here a handle is a number
that is looked up; a wrong one is INVALID_HANDLE.
"""
import itertools

from .results import CudaError, Result

_numbers = itertools.count(0x5EED_0000_0000, 0x10)
_objects = {}


def give(thing):
    """A new handle for `thing`."""
    number = next(_numbers)
    _objects[number] = thing
    thing.handle = number
    return number


def find(number, kind, missing=Result.INVALID_HANDLE):
    """The living object of class `kind` with that handle; the error `missing` otherwise."""
    thing = _objects.get(number)
    if not isinstance(thing, kind) or thing.destroyed:
        raise CudaError(missing, f"{number:#x} is no {kind.__name__.lower()}, or it was destroyed")
    return thing


def forget(thing):
    """The object is destroyed; its handle stays wrong for ever."""
    thing.destroyed = True
    _objects.pop(thing.handle, None)
