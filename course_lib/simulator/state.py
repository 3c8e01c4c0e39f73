"""The state that one process has one of: is the driver initialised, has a kernel faulted, what is current on this thread.

Not here: what is in a context (context.py) or in memory (memory.py).
"""
import threading

from .library import CONTEXT, INITIALIZED, precondition
from .results import CudaError, Result

DRIVER_VERSION = 13000    # the driver that the recorded answers come from: CUDA 13.0

lock = threading.RLock()    # held while tables change; never while waiting for a stream
thread = threading.local()  # .contexts: this thread's stack of current contexts


class Driver:
    """What `cuInit` starts."""

    def __init__(self):
        self.initialized = False
        self.devices = []
        self.fault = None    # the Result that every call answers with, once a kernel has broken the context

    def initialize(self, devices):
        """Make the driver usable; the devices do not change afterwards."""
        if not self.initialized:
            self.devices = devices
            self.initialized = True

    def device(self, ordinal):
        """The device of that number, or INVALID_DEVICE."""
        if not 0 <= ordinal < len(self.devices):
            raise CudaError(Result.INVALID_DEVICE, f"there is no device {ordinal}")
        return self.devices[ordinal]


driver = Driver()


def context_stack():
    """The current thread's stack of contexts; the last one is current."""
    try:
        return thread.contexts
    except AttributeError:
        thread.contexts = []
        return thread.contexts


def current_or_none():
    """The context that is current on this thread, destroyed or not, or None."""
    stack = context_stack()
    return stack[-1] if stack else None


def current():
    """The context that is current on this thread; INVALID_CONTEXT without one."""
    stack = context_stack()
    if not stack:
        raise CudaError(Result.INVALID_CONTEXT, "no context is current on this thread")
    context = stack[-1]
    if context.destroyed:
        raise CudaError(Result.CONTEXT_IS_DESTROYED, "the current context was destroyed")
    return context


@precondition(INITIALIZED)
def _initialized():
    if not driver.initialized:
        raise CudaError(Result.NOT_INITIALIZED, "call cuInit first")


@precondition(CONTEXT)
def _usable_context():
    _initialized()
    current()
    if driver.fault is not None:
        raise CudaError(driver.fault, "an earlier kernel broke the context; only a new process helps")
