"""Handles: the numbers by which C knows streams, events, modules and functions.

A GPU's driver hands out pointers to its own structures, and a wrong one may crash it. Here a handle is a number
that is looked up.
"""
import itertools

from .results import CallError, Result

_numbers = itertools.count(0x5EED_0000_0000, 0x10)
_objects = {}


def give(object_):
    """A new handle for an object."""
    number = next(_numbers)
    _objects[number] = object_
    object_.handle = number
    return number


def find(number, kind):
    """The living object of class `kind` with that handle.

    INVALID_HANDLE where there is none, or the error that the kind names as its `stale`; where its context is gone, the one that
    it names as `orphaned`.
    """
    object_ = _objects.get(number)
    if isinstance(object_, kind) and not object_.destroyed:
        return object_
    result = getattr(kind, "stale", Result.INVALID_HANDLE)
    if isinstance(object_, kind) and object_.context.destroyed:
        result = getattr(kind, "orphaned", Result.CONTEXT_IS_DESTROYED)
    raise CallError(result if number else getattr(kind, "null", Result.INVALID_HANDLE),
                    f"{number:#x} is the handle of no such object, or it was destroyed")


def forget(object_):
    """The object is destroyed; its handle stays wrong for ever."""
    object_.destroyed = True
    _objects.pop(object_.handle, None)
