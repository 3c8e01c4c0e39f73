"""A stream that stands still, and calls that wait for it.

    >>> import pycuda.driver as cuda
    >>> from courseware import held_streams
    >>> stream, memory, kept = cuda.Stream(), cuda.mem_alloc(1 << 20), []
    >>> held_streams.waits_for(stream, memory.free)
    True
    >>> held_streams.waits_for(stream, lambda: kept.append(cuda.mem_alloc(1 << 20)))
    False

What a call returns and nobody keeps is freed at once, and that waits as well.

Not here: where a stream stops (holds.py).
"""
import contextlib
import mmap
import os
import subprocess
import sys

from course_lib import pinned
from course_lib.core.errors import WrongArgument, do

import numpy as np
from cuda.bindings import driver as cu

from .holds import EQUAL, Holds, handle_of

SECONDS = 1     # a call that has not come back by then waits for the stream, which would never go on by itself
OPEN = "import os, sys, time; time.sleep(float(sys.argv[2])); os.pwrite(int(sys.argv[1]), bytes([1, 0, 0, 0]), 0)"


@contextlib.contextmanager
def held(*streams):
    """Inside, work that is put on these streams is not begun. At the end they go on, and it waits for them.

    streams: pycuda Streams, or handles of streams (cuStreamWaitValue32)

    Do not wait for a held stream inside the block: it goes on only when the block ends.
    """
    with Holds() as holds:
        for stream in streams:
            holds.put(stream)
        yield


def waits_for(stream, call):
    """Does `call()` wait for work on a stream? The stream is held until the call is back, or for SECONDS.

    stream: a pycuda Stream
    call:   a function without arguments

    Another process lets the stream go on: PyCUDA keeps Python's lock while some of its calls wait, so that no other
    thread of this one could. What the call raises is raised here. Raises WrongArgument for what is no function.
    """
    if not callable(call):
        raise WrongArgument(f"waits_for takes a function, not {type(call).__name__}: write `lambda:` before the call")
    handle, descriptor = handle_of(stream), os.memfd_create("flag")
    os.ftruncate(descriptor, mmap.PAGESIZE)
    flags = np.frombuffer(mmap.mmap(descriptor, mmap.PAGESIZE), np.uint32)
    with pinned.register(flags) as flag:
        do(cu.cuStreamWaitValue32, handle, flag.device_address, 1, EQUAL)
        opener = subprocess.Popen([sys.executable, "-c", OPEN, str(descriptor), str(SECONDS)], pass_fds=[descriptor])
        try:
            call()
            return bool(flags[0])
        finally:
            flags[0] = 1
            opener.kill()
            opener.wait()
            os.close(descriptor)
            do(cu.cuStreamSynchronize, handle)
