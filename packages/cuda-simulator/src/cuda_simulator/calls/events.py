"""Events (cuda.h: Event Management), and what waits for them.

An event puts work in order; it measures nothing here.
"""
import ctypes
import itertools

from ..device.interprocess_events import InterprocessEvent
from ..device.streams import Event
from ..libcuda import handles
from ..libcuda.library import HEALTHY, NO_DEAD_CONTEXT, call, handle, pointer, u32
from ..libcuda.output import store
from ..libcuda.results import CallError, Result
from ..libcuda.state import current
from ..memory import pools
from .streams import stream_of

DISABLE_TIMING, INTERPROCESS = 2, 4    # CUevent_flags
_FLAGS = 1 | DISABLE_TIMING | INTERPROCESS
_NOT_NULL = {"number": Result.INVALID_HANDLE}
NO_TIME = 2.0 ** -126       # milliseconds: the smallest normal float32 above 0, which no clock could have measured
_recorded = itertools.count()


@call("cuEventCreate")
def event_create(target: pointer, flags: u32):
    if flags & ~_FLAGS or (flags & INTERPROCESS and not flags & DISABLE_TIMING):
        raise CallError(Result.INVALID_VALUE, f"{flags:#x} are not flags of an event")
    give_event(target, (InterprocessEvent.new if flags & INTERPROCESS else Event)(current(), flags))


def give_event(target, event):
    """A new event of a context: write its handle."""
    store(target, ctypes.c_size_t, handles.give(event))
    event.context.events.add(event)


@call("cuEventDestroy", "cuEventDestroy_v2", needs=HEALTHY, not_null=_NOT_NULL, in_host_functions=True)
def event_destroy(number: handle):
    event = handles.find(number, Event)
    event.context.events.discard(event)
    handles.forget(event)


@call("cuEventRecord", needs=NO_DEAD_CONTEXT, in_host_functions=True)
def event_record(number: handle, stream: handle):
    _record(number, stream_of(stream))


@call("cuEventRecordWithFlags", needs=HEALTHY, in_host_functions=True)
def event_record_with_flags(number: handle, stream: handle, flags: u32):
    queue = stream_of(stream)
    handles.find(number, Event)
    _no_event_flags(flags)
    _record(number, queue)


def _record(number, stream):
    event = handles.find(number, Event)
    if event.context is not stream.context:
        raise CallError(Result.INVALID_HANDLE, "the event and the stream belong to different contexts")
    event.record(stream)
    event.when = next(_recorded)


@call("cuStreamWaitEvent", needs=HEALTHY, in_host_functions=True)
def stream_wait_event(number: handle, event: handle, flags: u32):
    stream, mark = stream_of(number), handles.find(event, Event)
    _no_event_flags(flags)
    if mark.flags & INTERPROCESS and mark.context is not stream.context:
        raise CallError(Result.INVALID_HANDLE, "an interprocess event of another context: a crash, on an H200")
    mark.hold_up(stream)


def _no_event_flags(flags):
    """The one flag there is makes an external event of a captured graph."""
    if flags:
        raise CallError(Result.ILLEGAL_STATE if flags == 1 else Result.INVALID_VALUE, "not while capturing a graph")


@call("cuEventQuery", needs=HEALTHY, not_null=_NOT_NULL, in_host_functions=True)
def event_query(number: handle):
    event = handles.find(number, Event)
    if not event.done:
        raise CallError(Result.NOT_READY)
    event.seen_done()


@call("cuEventSynchronize", needs=HEALTHY, not_null=_NOT_NULL, in_host_functions=True)
def event_synchronize(number: handle):
    event = handles.find(number, Event)
    work = event.work
    event.wait()
    if work is not None:
        pools.waited_for(work.order)


@call("cuEventElapsedTime", "cuEventElapsedTime_v2", needs=HEALTHY,
      not_null={"start": Result.INVALID_HANDLE, "end": Result.INVALID_HANDLE}, in_host_functions=True)
def event_elapsed_time(milliseconds: pointer, start: handle, end: handle):
    """No time, since a simulation's would say nothing about a GPU's: NO_TIME forth, -NO_TIME back, 0 from an event to itself.

    Programs divide by the time between two events, and wait until it has grown. With 0 these end with an error, or never; NaN is not
    what a GPU answers, whose times are at least 0 (recorded).
    """
    start, end = handles.find(start, Event), handles.find(end, Event)
    if start.work is None or end.work is None or (start.flags | end.flags) & DISABLE_TIMING:
        raise CallError(Result.INVALID_HANDLE, "both events must be recorded, and made with timing")
    if start.context is not end.context:
        raise CallError(Result.INVALID_HANDLE, "the events belong to different contexts")
    if not (start.done and end.done):
        raise CallError(Result.NOT_READY)
    if not milliseconds:
        raise CallError(Result.INVALID_HANDLE, "no place for the result")
    store(milliseconds, ctypes.c_float, NO_TIME * ((end.when > start.when) - (end.when < start.when)))
