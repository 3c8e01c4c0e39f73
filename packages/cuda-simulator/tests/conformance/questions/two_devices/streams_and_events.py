"""Streams, events and host functions of two devices: used with the other context, with none, and across."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, outcome, raw, using, where
from ...helpers.kernels import i32
from ...helpers.peers import block_on, copied_bytes, enable, kernel_read, on, two_contexts, without_context
from ...helpers.streams import LEGACY, PER_THREAD, Gate


def stream_on(context, flags=1):
    return on(context, lambda: must(cu.cuStreamCreate(flags)))


def event_on(context, flags=0):
    return on(context, lambda: must(cu.cuEventCreate(flags)))


@question("streams and events are asked, waited for and destroyed without a context", varies={
    "query the event": "whether the GPU has come to the record yet"})
def without():
    first, second = two_contexts()
    stream, event = stream_on(second), event_on(second)
    for label, call in {"create a stream": lambda: cu.cuStreamCreate(1), "create an event": lambda: cu.cuEventCreate(0),
                        "query": lambda: cu.cuStreamQuery(stream),
                        "synchronise": lambda: cu.cuStreamSynchronize(stream),
                        "record": lambda: cu.cuEventRecord(event, stream),
                        "wait in it": lambda: cu.cuStreamWaitEvent(stream, event, 0),
                        "query the event": lambda: cu.cuEventQuery(event),
                        "wait for it": lambda: cu.cuEventSynchronize(event),
                        "flags": lambda: cu.cuStreamGetFlags(stream),
                        "priority": lambda: cu.cuStreamGetPriority(stream),
                        "the NULL stream": lambda: cu.cuStreamQuery(0),
                        "record in the NULL stream": lambda: cu.cuEventRecord(event, 0),
                        "a context's end": lambda: cu.cuCtxSynchronize(),
                        "time": lambda: cu.cuEventElapsedTime(event, event),
                        "destroy the stream": lambda: cu.cuStreamDestroy(stream),
                        "destroy the event": lambda: cu.cuEventDestroy(event)}.items():
        yield label, without_context(lambda: ask(call()))
    yield "its context", where(on(second, lambda: int(must(cu.cuCtxGetCurrent()))), second=second)


@question("work is put into streams of the other device: kernels, copies, memsets, values, memory")
def work():
    first, second = two_contexts()
    block_0, block_1 = block_on(first, 1), block_on(second, 2)
    function = on(second, kernels.kernel, "fill")
    for label, flags in (("blocking", 0), ("non-blocking", 1)):
        stream = stream_on(second, flags)
        yield f"{label}: memset of its memory", [ask(cu.cuMemsetD8Async(block_1, 5, 8, stream)),
                                                 ask(cu.cuStreamSynchronize(stream)), on(second, copied_bytes, block_1)]
        yield f"{label}: a value into its memory", [ask(cu.cuStreamWriteValue32(stream, block_1 + 16, 3, 0)),
                                                    ask(cu.cuStreamSynchronize(stream)),
                                                    on(second, copied_bytes, block_1 + 16)]
        yield f"{label}: a kernel of its context", [ask(kernels.launch(function, block_1, i32(7), i32(4), stream=stream)),
                                                    ask(cu.cuStreamSynchronize(stream)),
                                                    on(second, copied_bytes, block_1)]
        yield f"{label}: a kernel of this context", lambda: ask(kernels.launch("nothing", stream=stream))
        yield f"{label}: a copy between both", [ask(cu.cuMemcpyDtoDAsync(block_0, block_1, 8, stream)),
                                                ask(cu.cuStreamSynchronize(stream)), copied_bytes(block_0)]
        yield f"{label}: a peer copy", [ask(cu.cuMemcpyPeerAsync(block_1 + 32, second, block_0, first, 8, stream)),
                                        ask(cu.cuStreamSynchronize(stream))]
        yield f"{label}: attach nothing, wait for nothing", [ask(cu.cuStreamWaitEvent(stream, event_on(first), 0)),
                                                             ask(cu.cuStreamQuery(stream))]


@question("the special streams mean the current context's")
def special():
    first, second = two_contexts()
    for label, value in (("NULL", 0), ("legacy", LEGACY), ("per-thread", PER_THREAD)):
        for ordinal, context in (("0", first), ("1", second)):
            def asked_of(value=value):
                device = ctypes.c_int(-1)
                code = raw("cuStreamGetDevice", value, ctypes.byref(device))
                found_context = cu.cuStreamGetCtx(value)
                return [code, device.value, where(found_context[1], first=first, second=second)
                        if not int(found_context[0]) else ask(found_context)]
            yield f"{label} with {ordinal}", on(context, asked_of)
        event = event_on(second)
        yield f"{label}: an event of 1 with 0", ask(cu.cuEventRecord(event, value))
        yield f"{label}: an event of 1 with 1", on(second, lambda: [ask(cu.cuEventRecord(event, value)),
                                                                    ask(cu.cuEventSynchronize(event))])
        yield f"{label}: waits for it with 0", [ask(cu.cuStreamWaitEvent(value, event, 0)),
                                                ask(cu.cuStreamSynchronize(value))]


@question("events of both devices with every flag are recorded at home, waited for across, and timed or not")
def events():
    first, second = two_contexts()
    streams = [stream_on(first), stream_on(second)]
    for flags in (0, 1, 2, 3):
        event_0, event_1 = event_on(first, flags), event_on(second, flags)
        yield f"flags {flags}: record", [ask(cu.cuEventRecord(event_0, streams[0])),
                                         ask(cu.cuEventRecord(event_1, streams[1]))]
        yield f"flags {flags}: record across", [ask(cu.cuEventRecord(event_0, streams[1])),
                                                ask(cu.cuEventRecord(event_1, streams[0]))]
        yield f"flags {flags}: wait across", [ask(cu.cuStreamWaitEvent(streams[1], event_0, 0)),
                                              ask(cu.cuStreamWaitEvent(streams[0], event_1, 0)),
                                              [ask(cu.cuStreamSynchronize(stream)) for stream in streams]]
        yield f"flags {flags}: by the host, from the other context", [on(second,
                                                                         lambda: ask(cu.cuEventSynchronize(event_0))),
                                                                      ask(cu.cuEventSynchronize(event_1))]
        yield f"flags {flags}: time at home, across", [ask(cu.cuEventElapsedTime(event_0, event_0)),
                                                       ask(cu.cuEventElapsedTime(event_0, event_1)),
                                                       ask(cu.cuEventElapsedTime(event_1, event_0))]
        yield f"flags {flags}: never recorded", [ask(cu.cuEventElapsedTime(event_0, event_on(second, flags))),
                                                 ask(cu.cuEventQuery(event_on(second, flags)))]


@question("a host function in a stream of the other device runs behind its work", alone=True)
def host_function():
    first, second = two_contexts()
    order = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    function = kind(order.append)
    library = ctypes.CDLL("libcuda.so.1")
    stream = stream_on(second)
    on(second, lambda: must(kernels.run("nothing")))
    gate = on(second, Gate, stream)
    yield "launched with 0 current", name(library.cuLaunchHostFunc(ctypes.c_void_p(int(stream)), function,
                                                                   ctypes.c_void_p(5)))
    yield "meanwhile", [order[:], ask(cu.cuStreamQuery(stream)), ask(cu.cuCtxSynchronize())]
    gate.open()
    yield "then", [ask(cu.cuStreamSynchronize(stream)), order]
    yield "without a context", without_context(lambda: name(library.cuLaunchHostFunc(ctypes.c_void_p(int(stream)),
        function, ctypes.c_void_p(6))))
    yield "behind an event of 0", [ask(cu.cuStreamSynchronize(stream)), behind(first, stream, library, function), order]


def behind(first, stream, library, function):
    event = event_on(first)
    return [ask(cu.cuEventRecord(event, 0)), ask(cu.cuStreamWaitEvent(stream, event, 0)),
            name(library.cuLaunchHostFunc(ctypes.c_void_p(int(stream)), function, ctypes.c_void_p(7))),
            ask(cu.cuStreamSynchronize(stream))]


@question("destroying a context ends its streams and events, and leaves the other device's work that waited for them",
          alone=True)
def destroyed():
    first, second = two_contexts()
    a = block_on(first, 1)
    kernel_read(a)
    stream, event = stream_on(first), event_on(second)
    theirs = stream_on(second)
    with using(second):
        must(cu.cuEventRecord(event, theirs)), must(cu.cuStreamSynchronize(theirs))
    yield "waits for it", [ask(cu.cuStreamWaitEvent(stream, event, 0)), ask(cu.cuMemsetD8Async(a, 8, 4, stream))]
    yield "destroyed", [ask(cu.cuCtxDestroy(second)), ask(cu.cuStreamSynchronize(stream)), copied_bytes(a)]
    kernels.forget()
    yield "the first's own", [ask(cu.cuEventRecord(event_on(first), stream)), kernel_read(a)]


@question("a value in memory that both devices reach lets the other's stream go on", alone=True)
def values():
    first, second = two_contexts()
    a, out = block_on(second), block_on(first, 3)
    on(second, lambda: [must(cu.cuMemsetD8(a, 0, 16)), must(cu.cuCtxSynchronize())])
    streams = [stream_on(first), stream_on(second)]
    yield "enable", enable(second)
    yield "0 waits for memory of 1", [ask(cu.cuStreamWaitValue32(streams[0], a, 4, 0)),
                                      ask(cu.cuMemsetD8Async(out, 6, 4, streams[0])), ask(cu.cuStreamQuery(streams[0]))]
    yield "1 writes it", [on(second, lambda: ask(cu.cuStreamWriteValue32(streams[1], a, 4, 0))),
                          ask(cu.cuStreamSynchronize(streams[0])), copied_bytes(out)]
    yield "1 waits for its own, 0 writes", [on(second, lambda: ask(cu.cuStreamWaitValue32(streams[1], a + 4, 1, 0))),
                                            ask(cu.cuStreamQuery(streams[1])),
                                            ask(cu.cuStreamWriteValue32(streams[0], a + 4, 1, 0)),
                                            ask(cu.cuStreamSynchronize(streams[1]))]
    yield "by a copy of 0", [on(second, lambda: ask(cu.cuStreamWaitValue32(streams[1], a + 8, 1, 0))),
                             ask(cu.cuMemcpyHtoD(a + 8, b"\1\0\0\0", 4)),
                             ask(cu.cuStreamSynchronize(streams[1]))]


@question("priorities, numbers and attributes of streams are asked with the other context")
def facts():
    first, second = two_contexts()
    for priority in (-9, -5, -1, 0, 3):
        stream = on(second, lambda: must(cu.cuStreamCreateWithPriority(1, priority)))
        yield f"priority {priority}", [outcome(cu.cuStreamGetPriority(stream)),
                                       on(second, lambda: outcome(cu.cuStreamGetPriority(stream))),
                                       outcome(cu.cuStreamGetFlags(stream))]
    theirs, own = stream_on(second), stream_on(first)
    yield "copy attributes across", [ask(cu.cuStreamCopyAttributes(theirs, own)),
                                     ask(cu.cuStreamCopyAttributes(own, theirs))]
    yield "destroy from the other", [ask(cu.cuStreamDestroy(theirs)), on(second, lambda: ask(cu.cuStreamDestroy(own)))]
