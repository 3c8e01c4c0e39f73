"""Streams (cuda.h: Stream Management): made, asked, waited for, with functions of the host in their order.

Not here: events (events.py), memory that a stream writes or watches (stream_memory.py).
"""
import ctypes

from ..device.streams import LEGACY, NON_BLOCKING, PER_THREAD, Stream
from ..examination import precedence
from ..libcuda import handles
from ..libcuda.lacking import not_simulated
from ..libcuda.library import CONTEXT, HEALTHY, INITIALIZED, call, handle, i32, pointer, require, u32
from ..libcuda.output import load, store
from ..libcuda.results import CallError, Result
from ..libcuda.state import current, thread
from ..memory import pools
from ..memory.moving import use

GREATEST_PRIORITY = -5    # of an H200; 0 is the least


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
        raise CallError(Result.INVALID_VALUE, f"{flags:#x} is no flag of a stream")
    require(CONTEXT)
    stream = Stream(current(), flags, max(GREATEST_PRIORITY, min(0, priority)))
    store(target, ctypes.c_size_t, handles.give(stream))
    stream.context.streams.add(stream)


@call("cuStreamCreate", needs=INITIALIZED)
def stream_create(target: pointer, flags: u32):
    _create(target, flags, 0)


@call("cuStreamCreateWithPriority", needs=INITIALIZED)
def stream_create_with_priority(target: pointer, flags: u32, priority: i32):
    _create(target, flags, priority)


@call("cuStreamDestroy", "cuStreamDestroy_v2", needs=HEALTHY, not_null={"number": Result.INVALID_HANDLE}, in_host_functions=True)
def stream_destroy(number: handle):
    stream = handles.find(number, Stream)
    handles.forget(stream)
    if stream.idle:    # else its work goes on, and the context waits for it
        stream.context.streams.discard(stream)
        pools.waited_for(stream.order)


@call("cuStreamSynchronize", needs=HEALTHY, in_host_functions=True)
def stream_synchronize(number: handle):
    stream = stream_of(number)
    order = stream.order
    stream.wait()
    pools.waited_for(order)


@call("cuStreamQuery", needs=HEALTHY, in_host_functions=True)
def stream_query(number: handle):
    stream = stream_of(number)
    if not stream.idle:
        raise CallError(Result.NOT_READY)
    stream.seen_done()


@call("cuStreamGetFlags", needs=HEALTHY, in_host_functions=True)
def stream_get_flags(number: handle, target: pointer):
    store(target, ctypes.c_uint, stream_of(number).flags)


@call("cuStreamGetPriority", needs=HEALTHY, in_host_functions=True)
def stream_get_priority(number: handle, target: pointer):
    store(target, ctypes.c_int, stream_of(number).priority)


@call("cuStreamGetCtx", needs=HEALTHY, in_host_functions=True)
def stream_get_ctx(number: handle, target: pointer):
    store(target, ctypes.c_size_t, stream_of(number).context.handle)


@call("cuStreamGetDevice", needs=HEALTHY, in_host_functions=True)
def stream_get_device(number: handle, target: pointer):
    store(target, ctypes.c_int, stream_of(number).context.device.ordinal)


@call("cuStreamGetId", needs=HEALTHY, in_host_functions=True)
def stream_get_id(number: handle, target: pointer):
    store(target, ctypes.c_uint64, id(stream_of(number)))


@call("cuStreamIsCapturing", needs=HEALTHY, in_host_functions=True)
def stream_is_capturing(number: handle, target: pointer):
    """Graphs are not simulated: no stream ever captures its work into one."""
    stream_of(number)
    store(target, ctypes.c_int, 0)


@call("cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", "cuStreamGetCaptureInfo_v3", needs=HEALTHY,
      not_null={"status": Result.INVALID_VALUE}, in_host_functions=True)
def stream_get_capture_info(number: handle, status: pointer):
    """Of a stream that does not capture an H200 writes the status alone, whatever else it is asked for."""
    stream_of(number)
    store(status, ctypes.c_int, 0)


@call("cuStreamBeginCapture_v2", needs=HEALTHY, in_host_functions=True)
def stream_begin_capture(number: handle, mode: i32):
    if stream_of(number).null:
        raise CallError(Result.STREAM_CAPTURE_UNSUPPORTED, "the NULL stream is not captured")
    raise not_simulated("cuStreamBeginCapture (graphs)")


@call("cuStreamEndCapture", needs=HEALTHY, in_host_functions=True)
def stream_end_capture(number: handle, graph: pointer):
    stream_of(number)
    raise CallError(Result.ILLEGAL_STATE, "this stream does not capture")


@call("cuThreadExchangeStreamCaptureMode", needs=INITIALIZED, in_host_functions=True)
def thread_exchange_stream_capture_mode(mode: pointer):
    """The mode that was set before, for the one that is set now. It matters to captures only."""
    new_mode = load(mode, ctypes.c_int).value
    if not 0 <= new_mode <= 2:
        raise CallError(Result.INVALID_VALUE, f"there is no capture mode {new_mode}")
    store(mode, ctypes.c_int, thread.capture_mode)
    thread.capture_mode = new_mode


_HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_size_t)
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t)


@call("cuLaunchHostFunc", needs=HEALTHY, not_null={"function": Result.INVALID_VALUE}, in_host_functions=True)
def launch_host_func(number: handle, function: pointer, data: pointer):
    stream_of(number).submit(lambda work: _from_stream(work, _HOST_FUNCTION(function), data), background=True)


@call("cuStreamAddCallback", needs=HEALTHY, in_host_functions=True)
def stream_add_callback(number: handle, function: pointer, data: pointer, flags: u32):
    if not function:
        raise CallError(Result.INVALID_VALUE, "no function to call")
    if flags:
        raise CallError(Result.INVALID_VALUE, "no flags are defined")
    stream_of(number).submit(lambda work: _from_stream(work, _CALLBACK(function), number, 0, data), background=True)


def _from_stream(work, function, *arguments):
    """Call the program's function on the stream's thread, where it may call little of CUDA. Whomever it tells knows what came before."""
    precedence.learn([work.stamp])
    thread.host_function = work
    try:
        with use.let_go():
            function(*arguments)
    finally:
        thread.host_function = None
