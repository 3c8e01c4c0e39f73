"""Signals' handlers, and what they raise: Ctrl-C's KeyboardInterrupt, a TimeoutError of an alarm.

NVIDIA's driver is not in Python, so a handler runs there when the call has returned, and what it raises arrives in the program. The
simulated driver is in Python, which would run handlers in the midst of its calls, where one that calls CUDA finds tables half changed and
waits for what it interrupted. So handlers are put off until the call has returned (stand_in.c). Only a call that waits lets them run.
"""
import _signal
import ctypes
import functools
import signal

from . import stand_in

_let_in = ctypes.PyDLL(str(stand_in.PATH)).stand_in_let_handlers_run
_let_in.restype = None


def put_off_handlers():
    """From now on no handler of a signal runs in the midst of a call."""
    library, set_handler = stand_in.load(), _signal.signal      # what signal.signal calls, under whatever name a program has imported it

    @functools.wraps(set_handler)
    def set_and_put_off(number, handler):
        before = set_handler(number, handler)
        if callable(handler):
            library.stand_in_put_off(int(number))
        return before
    _signal.signal = set_and_put_off
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            library.stand_in_put_off(int(number))


def let_handlers_run(stop):
    """Where a call waits: the handlers of signals that have come run now. If one raises, `stop` is called; the program gets what it raised
    when the call has returned, in the place of its answer."""
    try:
        _let_in()
    except BaseException as error:
        raise_later(error)
        stop()


def raise_later(error):
    """Let `error` arrive in the program when the driver call that runs on this thread has returned, in the place of its answer."""
    parts = type(error), error, error.__traceback__.tb_next     # of the handler's own code, if it has any
    for part in parts:      # the references that the library keeps until then
        if part is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(part))
    stand_in.load().stand_in_raise_later(*(ctypes.c_void_p(part and id(part)) for part in parts))
