"""Notice that the host waits for work on the device, and that it puts a copy on a stream.

While a `Waits` is entered, the calls of PyCUDA and cuda-bindings that wait, or ask whether something is done, are
replaced by functions that note it and then make the call. What waits in another way is noticed late: when nothing
has happened for a while.
"""
import functools
import time

import pycuda.driver as cuda
from cuda.bindings import driver as cu

QUIET = 1     # seconds
LOOK = 1e-4   # seconds between two looks at what has not come: whoever brings it about needs the processor, too


class Waits:
    """Is the host waiting, and for something that has not come? Use it in ``with``."""

    def __init__(self, all_done, before_copy=None, names=()):
        """
        all_done:    a function that says whether all streams are done
        before_copy: a function that is called with the stream, and what is copied, before a copy from the host is put
                     on it
        names:       dicts of global names by which a program calls them as well, after `from ... import`
        """
        stream, event = cuda.Stream.is_done, cuda.Event.query
        stream_status, event_status = cu.cuStreamQuery, cu.cuEventQuery

        def cu_stream(handle):
            return not_pending(stream_status(handle))

        def cu_event(handle):
            return not_pending(event_status(handle))

        def everything(*_):
            return all_done()

        # (owner, name, a function of the call's arguments that says whether what it waits for, or asks for, has come)
        self._waits = [(cuda.Stream, "synchronize", stream), (cuda.Event, "synchronize", event),
                       (cuda.Context, "synchronize", everything),
                       (cu, "cuStreamSynchronize", cu_stream), (cu, "cuEventSynchronize", cu_event),
                       (cu, "cuCtxSynchronize", everything),
                       *((cuda, name, everything) for name in ("memcpy_htod", "memcpy_dtoh", "memcpy_dtod")),
                       *((cu, name, everything) for name in ("cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyDtoD"))]
        self._questions = [(cuda.Stream, "is_done", stream), (cuda.Event, "query", event),
                           (cu, "cuStreamQuery", cu_stream), (cu, "cuEventQuery", cu_event)]
        self._copies = [(cuda, "memcpy_htod_async", 2), (cu, "cuMemcpyHtoDAsync", 3), (cu, "cuMemcpyAsync", 3)]
        self._before_copy, self._names = before_copy, names
        self._replaced, self._for, self.moment = [], None, time.monotonic()
        self._asked = {}    # a stream or event must not end with another thread's last reference to it

    def __enter__(self):
        for calls, waits in ((self._waits, True), (self._questions, False)):
            for owner, name, arrived in calls:
                self._replace(owner, name, self._noting(getattr(owner, name), arrived, waits))
        for owner, name, place in self._copies if self._before_copy else ():
            self._replace(owner, name, self._copying(getattr(owner, name), place))
        return self

    def _replace(self, owner, name, function):
        original = owner.__dict__[name]
        self._replaced.append((functools.partial(setattr, owner), name, original))
        setattr(owner, name, staticmethod(function) if owner is cuda.Context else function)
        for names in self._names:
            for key in [key for key, value in names.items() if value is original]:
                self._replaced.append((names.__setitem__, key, original))
                names[key] = function

    def __exit__(self, *exception):
        for set_back, name, real in self._replaced:
            set_back(name, real)
        self._for = None
        self._asked.clear()

    def _noting(self, real, arrived, waits):
        """A call that notes what the host asks for. One that waits does so here: a GPU's driver may keep a lock on the
        context while it waits, and whoever opens the holds would wait for that lock."""
        @functools.wraps(real, ("__name__", "__doc__"), ())
        def noted(*arguments):
            self._asked.update({id(argument): argument for argument in arguments})
            self.note(lambda: arrived(*arguments))
            while waits and not _come(arrived, arguments):
                time.sleep(LOOK)
            return real(*arguments)
        return noted

    def _copying(self, real, place):
        """A copy whose stream is its argument number `place`, or `stream`; what it copies is the second, or `src`."""
        @functools.wraps(real, ("__name__", "__doc__"), ())
        def copying(*arguments, **keywords):
            self._before_copy(keywords.get("stream", arguments[place] if len(arguments) > place else None),
                              keywords.get("src", arguments[1] if len(arguments) > 1 else None))
            self.note()
            return real(*arguments, **keywords)
        return copying

    def note(self, arrived=None):
        """Something has happened: the host waits until `arrived()`, or does something else."""
        self.moment, self._for = time.monotonic(), arrived

    def waiting(self):
        """Does the host wait for what has not come, or is it quiet?"""
        arrived = self._for
        if arrived is not None and _come(arrived, ()):
            if self._for is arrived:
                self._for = None
            arrived = None
        return arrived is not None or time.monotonic() - self.moment > QUIET


def not_pending(answer):
    """Does an answer of cuStreamQuery or cuEventQuery say anything but "not ready"? An error is for the real call."""
    return answer[0] != cu.CUresult.CUDA_ERROR_NOT_READY


def _come(arrived, arguments):
    try:
        return arrived(*arguments)
    except Exception:       # the call itself says what is wrong with its arguments
        return True
