"""Handles: the numbers by which C knows streams, events, modules and functions.

A GPU's driver hands out pointers to its own structures, and a wrong one may crash it. Here a handle is a number
that is looked up. For most kinds an H200 answers a stale handle with CONTEXT_IS_DESTROYED, and so does this.
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


def find(number, kind, missing=Result.CONTEXT_IS_DESTROYED):
    """The living object of class `kind` with that handle; INVALID_HANDLE for null, the error `missing` otherwise."""
    thing = _objects.get(number)
    if not isinstance(thing, kind) or thing.destroyed:
        raise CudaError(missing if number else Result.INVALID_HANDLE,
                        f"{number:#x} is no {kind.__name__.lower()}, or it was destroyed")
    return thing


def forget(thing):
    """The object is destroyed; its handle stays wrong for ever."""
    thing.destroyed = True
    _objects.pop(thing.handle, None)
