"""Holds: places where a stream stops until it is told to go on.

Not here: when that is (filling.py).
"""
import threading

from course_lib import pinned
from course_lib.core.errors import Misuse, ask, do

import numpy as np
from cuda.bindings import driver as cu

MOST = 4096
PAUSE = 0.0005      # seconds between two looks
PATIENCE = 0.1      # seconds after which a stream is taken to be stopped by something else

EQUAL = cu.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ
NO_TIMES = cu.CUevent_flags.CU_EVENT_DISABLE_TIMING


class Holds:
    """The holds of some streams, by numbers in the order in which they were put. Use it in ``with``."""

    def __init__(self):
        self._flags = pinned.allocate(MOST, np.uint32)
        self._flags.array[:] = 0
        self._streams, self._events = [], []    # of each hold: its stream's handle, and an event just before it

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.open_all()
        for handle in set(self._streams):
            cu.cuStreamSynchronize(handle)
        for event in self._events:
            cu.cuEventDestroy(event)
        self._flags.release()

    def put(self, stream):
        """Let a stream stop here until the hold is opened. (cuStreamWaitValue32)"""
        number, handle = len(self._streams), handle_of(stream)
        if number == MOST:
            raise Misuse(f"more than {MOST} pieces of work: take larger pieces")
        event = ask(cu.cuEventCreate, NO_TIMES)
        self._events.append(event)
        do(cu.cuEventRecord, event, handle)
        do(cu.cuStreamWaitValue32, handle, self._flags.device_address + 4 * number, 1, EQUAL)
        self._streams.append(handle)

    def closed(self, stream=None):
        """The numbers of the holds that are not open, of one stream or of all, the oldest first."""
        return [number for number, handle in enumerate(self._streams)
                if not self._flags.array[number] and (stream is None or handle == handle_of(stream))]

    def at_rest(self, stream):
        """Has a stream nothing to do, or stopped at a hold?"""
        closed = self.closed(stream)
        status, = query_event(self._events[closed[0]]) if closed else query_stream(handle_of(stream))
        return not int(status)

    def open(self, number, over):
        """Open a hold, and come back when its stream has stopped again, has nothing left to do, or goes on for longer
        than PATIENCE.

        number: of the hold, as `closed` gives it
        over:   a threading.Event that ends the waiting
        """
        self._flags.array[number] = 1
        handle = self._streams[number]
        for _ in range(int(PATIENCE / PAUSE)):
            if self._stopped_again(number, handle) or over.wait(PAUSE):
                return

    def _stopped_again(self, number, handle):
        """Is a stream at the hold after this one, or done? The host may put more holds at any time."""
        later = next((hold for hold in range(number + 1, len(self._streams)) if self._streams[hold] == handle), None)
        # The real calls, which nobody watches: see waits.py.
        status, = query_stream(handle) if later is None else query_event(self._events[later])
        return not int(status)

    def open_all(self):
        """Open every hold at once."""
        self._flags.array[:] = 1


query_stream, query_event = cu.cuStreamQuery, cu.cuEventQuery


def handle_of(stream):
    """The handle of a pycuda Stream, or of one of cuda-bindings, as an int; 0 for None, the default stream."""
    return 0 if stream is None else int(getattr(stream, "handle", stream))


class Keeper(threading.Thread):
    """Calls `step()` again and again while `asks()` says that the host waits, on a thread with the same context."""

    def __init__(self, asks, step):
        super().__init__(name="held streams", daemon=True)
        self._context, self._asks, self._step = ask(cu.cuCtxGetCurrent), asks, step
        self.over, self.failed = threading.Event(), None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.over.set()
        self.join()

    def run(self):
        try:
            do(cu.cuCtxSetCurrent, self._context)
            while not self.over.wait(PAUSE):
                if self._asks():
                    self._step(self.over)
        except BaseException as error:      # told by whoever started the thread
            self.failed = error
