"""What comes back from another process: values, and nothing that is called when they are read.

pickle calls whatever a file says, and imports it for that. Here the file was written beside somebody's code, so only
classes of values are taken, and of what is not imported yet only the course's own modules.

Not here: how code gets into the process, where pickle may do all that it can (sent.py).
"""
import collections
import contextlib
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import pickle
import sys

from course_lib.core.ownership import Resource

import numpy as np

VALUES = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range, slice,
          enum.Enum, BaseException, collections.deque, decimal.Decimal, fractions.Fraction,
          datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, np.generic, np.ndarray, np.dtype)
# NumPy's functions that make an array and a number of what was pickled.
MAKERS = {np.zeros(1).__reduce_ex__(protocol)[0] for protocol in (2, 5)} | {np.int8(0).__reduce__()[0]}
OURS = ("courseware.", "course_lib.", "cuda_simulator.")
FIELDS = {"value", "error", "exception", "traceback"}     # of an Outcome, which its own process knows
REFUSED = {"error": None, "traceback": "",
           "exception": "TypeError: the value cannot leave its process: return numbers, text or NumPy arrays"}


class _Pickler(pickle.Pickler):
    """pickle's, which refuses what the course's helpers hold: a copy of it would hold nothing."""

    def reducer_override(self, item):
        if isinstance(item, Resource):
            raise pickle.PicklingError(f"{item!r} belongs to this process")
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    """pickle's, which takes classes of values alone."""

    def find_class(self, module, name):
        if module not in sys.modules and not module.startswith(OURS):
            raise pickle.UnpicklingError(f"{module} is not imported here")
        found_class = super().find_class(module, name)
        if not (_is_of_values(found_class, module) if isinstance(found_class, type) else found_class in MAKERS):
            raise pickle.UnpicklingError(f"{module}.{name} is no class of values")
        return found_class


def _is_of_values(kind, module):
    return issubclass(kind, VALUES) or dataclasses.is_dataclass(kind) and module.startswith(OURS)


def pack(ended):
    """How code has ended, fields of an Outcome, as bytes. Raises TypeError for a value that cannot be sent, as if the
    code had raised it."""
    buffer = io.BytesIO()
    try:
        _Pickler(buffer).dump(ended)
        _Unpickler(io.BytesIO(buffer.getvalue())).load()
        return buffer.getvalue()
    except Exception:
        raise TypeError(f"a {type(ended['value']).__name__} cannot leave its process: return numbers, text or "
                        "NumPy arrays") from None


def unpack(data):
    """What `pack` has packed; REFUSED for anything else, and for a value of a class that only the other process
    knows."""
    try:
        ended = _Unpickler(io.BytesIO(data)).load()
    except Exception:       # pickle raises whatever the classes do
        return REFUSED
    return ended if isinstance(ended, dict) and ended.keys() <= FIELDS else REFUSED


def unpack_all(file):
    """Yield the values that were pickled into a file one after the other, up to where its writer ended."""
    with contextlib.suppress(EOFError, pickle.UnpicklingError):     # UnpicklingError: it ended while it wrote
        while True:
            yield _Unpickler(file).load()
