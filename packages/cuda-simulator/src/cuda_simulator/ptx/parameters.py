"""Where launches have their parameters: each at an address of its own, in global memory that any kernel may read.

So an H200 answers: the next launch has another address, and of two kernels that run at once each finds the other's values at the
other's address (tests/conformance/questions/inside_kernels/windows.py).
"""

import mmap
import time
from collections import deque

import numpy as np

PLACE_BYTES = 64 << 10      # a launch has 32,764 bytes of parameters at most (CUDA Programming Guide, __global__ function parameters)
PLACES = 1024               # more than a GPU runs kernels at once
PADDING = bytes(16)         # a vector load may ask for more than there is
WAIT_SECONDS = 1e-3

# The process's own pages, backed when touched. A forked child has a copy: its launches are not its parent's.
_memory = np.frombuffer(mmap.mmap(-1, PLACES * PLACE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.uint8)
_free = deque(range(0, len(_memory), PLACE_BYTES))      # taken from the left and given back on the right: a number is not used again soon
WINDOW_BYTES = len(_memory)
FIRST_BYTE = _memory.ctypes.data


class Parameters:
    """What one launch was given. `start` is its place in the window, and `bytes` an array of what lies there."""

    def __init__(self, data: bytes, wait):
        """Take a free place; `wait` is called again and again until there is one, and may raise."""
        while True:
            try:
                self.start = _free.popleft()
                break
            except IndexError:
                wait()
                time.sleep(WAIT_SECONDS)
        padded = data + PADDING
        self.bytes = _memory[self.start:self.start + len(padded)]
        self.bytes[:] = np.frombuffer(padded, np.uint8)

    def release(self):
        """The launch has ended. What it was given stays readable until another one gets the place."""
        _free.append(self.start)

    def own(self, addresses):
        """Which numbers within the window (an int or a uint64 array) are of this launch?"""
        if type(addresses) is int:
            return self.start <= addresses < self.start + PLACE_BYTES
        return addresses - np.uint64(self.start) < np.uint64(PLACE_BYTES)
