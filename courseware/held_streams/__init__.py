"""Streams that are held back: what copies and kernels may do at the same time, seen without a clock.

A program with several streams may be wrong and still give the right numbers, because the GPU was fast enough. Here
the GPU is as slow as it may be. Each stream stops at *holds*, and a hold is opened only when the host waits for
something that cannot happen otherwise. So a buffer that is filled again too early is always seen, and so is a kernel
beside which nothing else could run. Both need no times, and show on the simulated driver as on a GPU.

    >>> import numpy as np, pycuda.driver as cuda
    >>> from courseware import held_streams
    >>> def one_after_the_other(address, data, buffers, streams, work):
    ...     for start in range(0, len(data), len(buffers[0])):
    ...         piece = buffers[0][:len(data) - start]
    ...         piece[:] = data[start:start + len(piece)]
    ...         cuda.memcpy_htod_async(address + 4 * start, piece, streams[0])
    ...         work(address + 4 * start, len(piece), streams[0])
    ...         streams[0].synchronize()
    >>> held_streams.run(one_after_the_other, 96, 32)
    the kernel of piece 0: no other piece arrived while it was held
    the kernel of piece 1: no other piece arrived while it was held
    the kernel of piece 2: the last one

Where to read: a stream that stands still, and which calls wait for it (held.py); a function that fills a vector, and
what came of it (filling.py); the holds (holds.py); how it is noticed that the host waits (waits.py). Not here: times,
which bandwidth measures.
"""
from .filling import SLOW, FillReport, run
from .held import held, waits_for

__all__ = ["SLOW", "FillReport", "held", "run", "waits_for"]
