"""How long work takes: by the device's clock for what it does alone, by the host's for what the host takes part in.

The device's clock is events: `cuEventRecord` notes the time when the stream arrives there. So that the host's pace does
not count, a *gate* holds the stream back until the whole batch is enqueued: a kernel that waits for a flag in pinned
memory. Copies of pageable memory never go behind a gate, for the host takes part in them and would wait for ever.

Both clocks are given to `Clock`, so that tests can run everything else on the simulated driver, which has no times.
"""
import contextlib
import time

from course_lib import pinned

import numpy as np
import pycuda.driver as cuda


class Clock:
    """The two clocks: `apart(event, event)` gives milliseconds, `now()` seconds."""

    def __init__(self, apart=cuda.Event.time_till, now=time.perf_counter):
        self.apart, self.now = apart, now

    def on_device(self, stream, gate, enqueue, count, warm_up=True):
        """Seconds that a device takes for `count` times what `enqueue` puts on `stream`.

        One time more goes before, as a warm-up, unless the first time is to be measured. The device is done when this
        returns.
        """
        start, end = cuda.Event(), cuda.Event()
        with gate.closed(stream):
            if warm_up:
                enqueue()
            start.record(stream)
            for _ in range(count):
                enqueue()
            end.record(stream)
        stream.synchronize()
        return self.apart(start, end) / 1e3

    def on_host(self, function, count=1, warm_up=True):
        """Seconds that `count` calls of a function take, by the host's clock, after one that is not counted."""
        if warm_up:
            function()
        start = self.now()
        for _ in range(count):
            function()
        return self.now() - start


class StreamGate:
    """Holds a stream back while the host puts work on it. Use it in ``with``."""

    def __init__(self, code):
        """code: the DeviceCode with the kernel that waits"""
        self._code, self._open = code, pinned.allocate(1, np.int32)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._open.array[0] = 1
        self._open.release()

    @contextlib.contextmanager
    def closed(self, stream):
        """For the length of a ``with`` block nothing that is put on `stream` begins. At most about 500 pieces of work:
        a stream's queue is finite, and the host waits when it is full."""
        self._open.array[0] = 0
        try:
            self._code.wait_for(self._open, stream)
            yield
        finally:
            self._open.array[0] = 1
