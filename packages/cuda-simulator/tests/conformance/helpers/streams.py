"""A stream, the special ones, and a gate that holds a stream's work until the host opens it."""
import ctypes
import threading

from cuda.bindings import driver as cu

from . import kernels
from .calls import must

LEGACY, PER_THREAD = 1, 2    # CU_STREAM_LEGACY, CU_STREAM_PER_THREAD
DESTROYED = "a GPU's driver follows the handle of a destroyed stream: it crashes, or finds no context there"


class Gate:
    """A kernel that waits on `stream` until the host opens the gate."""

    def __init__(self, stream=0):
        self.host = int(must(cu.cuMemHostAlloc(4096, 0)))
        self.cells = (ctypes.c_int * 2).from_address(self.host)
        self.cells[0] = self.cells[1] = 0
        must(kernels.launch("wait_for", self.host, self.host + 4, stream=int(stream)))

    def open(self, delay=0.0):
        if delay:
            threading.Timer(delay, self.open).start()
        else:
            self.cells[0] = 1


def stream(flags=1):
    return must(cu.cuStreamCreate(flags))


def event():
    return must(cu.cuEventCreate(2))
