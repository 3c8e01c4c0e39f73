"""Streams and events (cuda.h: Stream Management, Event Management)."""
import ctypes
import time

from .. import handles
from ..library import HEALTHY, NO_DEAD_CONTEXT, call, handle, i32, pointer, u32, u64
from ..output import store
from ..results import CudaError, Result
from ..state import current, thread
from ..streams import LEGACY, NON_BLOCKING, PER_THREAD, Event, Stream
from ..transfers import Role, segments

GREATEST_PRIORITY = -5    # of an H200; 0 is the least
_DISABLE_TIMING, _EVENT_FLAGS, _INTERPROCESS = 2, 7, 4    # CUevent_flags


def stream_of(number):
    """The stream that a caller means: a created one, the NULL stream, or the thread's own."""
    if number in (0, LEGACY):
        return current().null_stream
    if number == PER_THREAD:
        context = current()
        if context not in thread.streams:
            thread.streams[context] = Stream(context)
            context.streams.add(thread.streams[context])
        return thread.streams[context]
    return handles.find(number, Stream)


def _create(target, flags, priority):
    if flags & ~NON_BLOCKING:
        raise CudaError(Result.INVALID_VALUE, f"{flags:#x} is no flag of a stream")
    stream = Stream(current(), flags, max(GREATEST_PRIORITY, min(0, priority)))
    store(target, ctypes.c_size_t, handles.give(stream))
    stream.context.streams.add(stream)


@call("cuStreamCreate")
def stream_create(target: pointer, flags: u32):
    _create(target, flags, 0)


@call("cuStreamCreateWithPriority")
def stream_create_with_priority(target: pointer, flags: u32, priority: i32):
    _create(target, flags, priority)


@call("cuStreamDestroy_v2", needs=HEALTHY)
def stream_destroy(number: handle):
    stream = handles.find(number, Stream)
    handles.forget(stream)
    if stream.idle:    # else its work goes on, and the context waits for it
        stream.context.streams.discard(stream)


@call("cuStreamSynchronize", needs=HEALTHY)
def stream_synchronize(number: handle):
    stream_of(number).wait()


@call("cuStreamQuery", needs=HEALTHY)
def stream_query(number: handle):
    if not stream_of(number).idle:
        raise CudaError(Result.NOT_READY)


@call("cuStreamWaitEvent", needs=HEALTHY)
def stream_wait_event(number: handle, event: handle, flags: u32):
    stream, mark = stream_of(number), handles.find(event, Event)
    _no_event_flags(flags)
    if mark.work is not None:
        stream.submit(after=[mark.work])


def _no_event_flags(flags):
    """The one flag there is makes an external event of a captured graph."""
    if flags:
        raise CudaError(Result.ILLEGAL_STATE if flags == 1 else Result.INVALID_VALUE, "not while capturing a graph")


@call("cuStreamGetFlags", needs=HEALTHY)
def stream_get_flags(number: handle, target: pointer):
    store(target, ctypes.c_uint, stream_of(number).flags)


@call("cuStreamGetPriority", needs=HEALTHY)
def stream_get_priority(number: handle, target: pointer):
    store(target, ctypes.c_int, stream_of(number).priority)


@call("cuStreamGetCtx", needs=HEALTHY)
def stream_get_ctx(number: handle, target: pointer):
    store(target, ctypes.c_size_t, stream_of(number).context.handle)


@call("cuStreamGetDevice", needs=HEALTHY)
def stream_get_device(number: handle, target: pointer):
    store(target, ctypes.c_int, stream_of(number).context.device.ordinal)


@call("cuStreamGetId", needs=HEALTHY)
def stream_get_id(number: handle, target: pointer):
    store(target, ctypes.c_uint64, id(stream_of(number)))


@call("cuStreamIsCapturing", needs=HEALTHY)
def stream_is_capturing(number: handle, target: pointer):
    stream_of(number)
    store(target, ctypes.c_int, 0)


_HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_size_t)
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t)


def _need(function):
    if not function:
        raise CudaError(Result.INVALID_VALUE, "no function to call")


@call("cuLaunchHostFunc", needs=HEALTHY)
def launch_host_func(number: handle, function: pointer, data: pointer):
    _need(function)
    stream_of(number).submit(lambda work: _from_stream(_HOST_FUNCTION(function), data), background=True)


@call("cuStreamAddCallback", needs=HEALTHY)
def stream_add_callback(number: handle, function: pointer, data: pointer, flags: u32):
    _need(function)
    if flags:
        raise CudaError(Result.INVALID_VALUE, "no flags are defined")
    stream_of(number).submit(lambda work: _from_stream(_CALLBACK(function), number, 0, data), background=True)


def _from_stream(function, *arguments):
    """Call the program's function on the stream's thread, where it may not call CUDA."""
    thread.inside_host_function = True
    try:
        function(*arguments)
    finally:
        thread.inside_host_function = False


# -- memory as a flag between streams -----------------------------------------------------------------------------

WAIT_GREATER_EQUAL, WAIT_EQUAL, WAIT_AND, WAIT_NOR = range(4)    # CUstreamWaitValue_flags
_ARRIVED = {
    WAIT_GREATER_EQUAL: lambda now, value, bits: (now - value) % (1 << bits) < 1 << (bits - 1),
    WAIT_EQUAL: lambda now, value, bits: now == value,
    WAIT_AND: lambda now, value, bits: now & value != 0,
    WAIT_NOR: lambda now, value, bits: ~(now | value) % (1 << bits) != 0,
}


def _flag(number, address, ctype):
    """The stream, and the flag in memory that it is to write or to watch."""
    stream = stream_of(number)
    size = ctypes.sizeof(ctype)
    if address % size:
        raise CudaError(Result.INVALID_VALUE, f"not a multiple of {size}")
    (place, _), = segments(address, size, Role.DEVICE, stream.context, write=True)
    return stream, ctype.from_address(place)


def _write_value(number, address, value, ctype):
    stream, flag = _flag(number, address, ctype)

    def action(work):
        flag.value = value
    stream.submit(action)


def _wait_value(number, address, value, flags, ctype):
    stream, flag = _flag(number, address, ctype)
    if flags not in _ARRIVED:
        raise CudaError(Result.INVALID_VALUE, f"there is no comparison {flags}")

    def action(work):
        while not _ARRIVED[flags](flag.value, value, 8 * ctypes.sizeof(ctype)) and not work.cancelled:
            time.sleep(0.0005)
    stream.submit(action, background=True)


@call("cuStreamWriteValue32_v2", needs=HEALTHY)
def stream_write_value_32(number: handle, address: pointer, value: u32, flags: u32):
    _write_value(number, address, value, ctypes.c_uint32)


@call("cuStreamWriteValue64_v2", needs=HEALTHY)
def stream_write_value_64(number: handle, address: pointer, value: u64, flags: u32):
    _write_value(number, address, value, ctypes.c_uint64)


@call("cuStreamWaitValue32_v2", needs=HEALTHY)
def stream_wait_value_32(number: handle, address: pointer, value: u32, flags: u32):
    _wait_value(number, address, value, flags, ctypes.c_uint32)


@call("cuStreamWaitValue64_v2", needs=HEALTHY)
def stream_wait_value_64(number: handle, address: pointer, value: u64, flags: u32):
    _wait_value(number, address, value, flags, ctypes.c_uint64)


# -- events -------------------------------------------------------------------------------------------------------

@call("cuEventCreate")
def event_create(target: pointer, flags: u32):
    if flags & ~_EVENT_FLAGS or (flags & _INTERPROCESS and not flags & _DISABLE_TIMING):
        raise CudaError(Result.INVALID_VALUE, f"{flags:#x} are not flags of an event")
    event = Event(current(), flags)
    store(target, ctypes.c_size_t, handles.give(event))
    event.context.events.add(event)


@call("cuEventDestroy_v2", needs=HEALTHY)
def event_destroy(number: handle):
    event = handles.find(number, Event)
    event.context.events.discard(event)
    handles.forget(event)


@call("cuEventRecord", needs=NO_DEAD_CONTEXT)
def event_record(number: handle, stream: handle):
    _record(number, stream)


@call("cuEventRecordWithFlags", needs=HEALTHY)
def event_record_with_flags(number: handle, stream: handle, flags: u32):
    handles.find(number, Event)
    _no_event_flags(flags)
    _record(number, stream)


def _record(number, stream):
    event, stream = handles.find(number, Event), stream_of(stream)
    if event.context is not stream.context:
        raise CudaError(Result.INVALID_HANDLE, "the event and the stream belong to different contexts")
    event.work = stream.submit()


@call("cuEventQuery", needs=HEALTHY)
def event_query(number: handle):
    if not handles.find(number, Event).done:
        raise CudaError(Result.NOT_READY)


@call("cuEventSynchronize", needs=HEALTHY)
def event_synchronize(number: handle):
    handles.find(number, Event).wait()


@call("cuEventElapsedTime", "cuEventElapsedTime_v2", needs=HEALTHY)
def event_elapsed_time(milliseconds: pointer, start: handle, end: handle):
    """Always 0: a simulation's time would say nothing about a GPU's."""
    first, last = handles.find(start, Event), handles.find(end, Event)
    if first.work is None or last.work is None or (first.flags | last.flags) & _DISABLE_TIMING:
        raise CudaError(Result.INVALID_HANDLE, "both events must be recorded, and made with timing")
    if first.context is not last.context:
        raise CudaError(Result.INVALID_HANDLE, "the events belong to different contexts")
    if not (first.done and last.done):
        raise CudaError(Result.NOT_READY)
    if not milliseconds:
        raise CudaError(Result.INVALID_HANDLE, "no place for the result")
    store(milliseconds, ctypes.c_float, 0.0)

