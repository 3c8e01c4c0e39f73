"""The state that a process has one of: is the driver initialised, has a kernel faulted, what is current on a thread.

Not here: what is in a context (device/context.py) or in memory (memory/).
"""
import threading

from .library import CONTEXT, HEALTHY, INITIALIZED, NO_DEAD_CONTEXT, precondition
from .results import CallError, Result

DRIVER_VERSION = 13000    # the driver that the recorded answers come from: CUDA 13.0

lock = threading.RLock()    # held while tables change; never while waiting for a stream


class _Thread(threading.local):
    """What each thread has of its own."""

    def __init__(self):
        self.contexts = []                  # handles of the contexts that were made current; the last one is
        self.host_function = None           # the work whose function of the program it runs, on a stream's behalf
        self.streams = {}                   # context -> the stream called CU_STREAM_PER_THREAD
        self.observer = None                # of the kernels that it launches (watch.py)
        self.examination = None             # the Session that they belong to (examination/session.py)
        self.capture_mode = 0               # CU_STREAM_CAPTURE_MODE_GLOBAL


thread = _Thread()
contexts = {}               # handle -> Context, living or destroyed


class DriverState:
    """What `cuInit` starts."""

    def __init__(self):
        self.initialized = False
        self.devices = []
        self.fault = None    # the Result that every call answers with, once a kernel has broken CUDA for this process

    def initialize(self, devices):
        """Make the driver usable; the devices do not change afterwards."""
        self.devices = devices
        self.initialized = True

    def device(self, ordinal):
        """The device of that number, or INVALID_DEVICE."""
        if not 0 <= ordinal < len(self.devices):
            raise CallError(Result.INVALID_DEVICE, f"there is no device {ordinal}")
        return self.devices[ordinal]


driver = DriverState()


def current_or_none():
    """The context that is current on this thread, destroyed or not, or None."""
    return contexts.get(thread.contexts[-1]) if thread.contexts else None


def current():
    """The context that is current on this thread; INVALID_CONTEXT without one."""
    if not thread.contexts:
        if thread.host_function:
            raise _not_permitted()
        raise CallError(Result.INVALID_CONTEXT, "no context is current on this thread")
    context = contexts.get(thread.contexts[-1])
    if context is None or context.destroyed:
        raise CallError(Result.CONTEXT_IS_DESTROYED, "the current context no longer exists")
    return context


def _not_permitted():
    return CallError(Result.NOT_PERMITTED, "not in a function that a stream calls")


@precondition(INITIALIZED)
def _initialized(in_host_functions=False):
    if thread.host_function and not in_host_functions:
        raise _not_permitted()
    if not driver.initialized:
        raise CallError(Result.NOT_INITIALIZED, "call cuInit first")


@precondition(HEALTHY)
def _healthy(in_host_functions=False):
    _initialized(in_host_functions)
    if driver.fault is not None:
        for context in list(contexts.values()):
            context.report()    # what the kernel said at its end, if nobody has waited for it
        raise CallError(driver.fault)    # an earlier kernel broke CUDA for this process; only a new process helps


@precondition(NO_DEAD_CONTEXT)
def _no_dead_context(in_host_functions=False):
    _initialized(in_host_functions)
    if thread.contexts:
        current()
    _healthy(in_host_functions)


@precondition(CONTEXT)
def _usable_context():
    _initialized()
    current()
    _healthy()
