"""Exceptions that a signal's handler raises while the driver runs: Ctrl-C's KeyboardInterrupt, a TimeoutError of an alarm.

NVIDIA's driver is not in Python, so a handler runs there when the call has returned, and what it raises arrives in the program. The
simulated driver is in Python, and its calls are made by C, through which nothing may be raised.
"""
import ctypes
import signal

from . import stand_in


def from_a_handler(error):
    """Was it raised by a signal's handler, and not by the driver itself?"""
    return isinstance(error, KeyboardInterrupt) or _handlers_part(error) is not None


def _handlers_part(error):
    """The traceback of `error` from a handler's code on; None if no handler raised it, or one in C, as Python's own for Ctrl-C is."""
    handlers = {_code(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code not in handlers:
        trace = trace.tb_next
    return trace


def _code(handler):
    """The code that a handler runs, if it is written in Python: a function, a method, or an object that can be called."""
    if not callable(handler):      # SIG_DFL, SIG_IGN
        return None
    return getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)


def raise_later(error):
    """Let `error` arrive in the program when the driver call that runs on this thread has returned, in the place of its answer."""
    parts = type(error), error, _handlers_part(error)
    for part in parts:      # the references that the library keeps until then
        if part is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(part))
    stand_in.load().stand_in_raise_later(*(ctypes.c_void_p(part and id(part)) for part in parts))
