"""A stream that stands still, and calls that wait for it.

    >>> import pycuda.driver as cuda
    >>> from courseware import held_streams
    >>> stream, memory = cuda.Stream(), cuda.mem_alloc(1 << 20)
    >>> held_streams.waits_for(stream, memory.free)
    True
    >>> held_streams.waits_for(stream, lambda: cuda.mem_alloc(1 << 20))
    False

Not here: where a stream stops (holds.py).
"""
import contextlib
import threading

from course_lib.core.errors import WrongArgument

from .holds import Holds

SECONDS = 1     # a call that has not come back by then waits for the stream, which would never go on by itself


@contextlib.contextmanager
def held(*streams):
    """Inside, work that is put on these streams is not begun. At the end of the block they go on, and it waits for them.

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

    What the call raises is raised here. Raises WrongArgument for what is no function.
    """
    if not callable(call):
        raise WrongArgument(f"waits_for takes a function, not {type(call).__name__}: write `lambda:` before the call")
    opened = threading.Event()
    with Holds() as holds:
        holds.put(stream)

        def open_it():
            opened.set()
            holds.open_all()    # writes to pinned memory: no call of the driver, which may hold a lock while it waits

        timer = threading.Timer(SECONDS, open_it)
        timer.start()
        try:
            call()
        finally:
            timer.cancel()
            timer.join()
    return opened.is_set()
