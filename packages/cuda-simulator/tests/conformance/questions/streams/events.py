"""Events: record, query, wait, the time between two."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, raw
from ...helpers.streams import Gate, stream


def event(flags=0):
    return must(cu.cuEventCreate(flags))


def elapsed(a, b):
    """The code, and whether the time is a time: no value, which differs from run to run."""
    result = cu.cuEventElapsedTime(a, b)
    return [ask(result), 0 <= result[1] < 60000] if not int(result[0]) else ask(result)


@question("an event takes the flags blocking sync, disable timing, and interprocess if timing is disabled")
def flags():
    for value in [*range(9), 16, 1 << 31]:
        yield f"{value}", ask(cu.cuEventCreate(value))


@question("an event that was never recorded is done: query and synchronize succeed")
def unrecorded():
    a, b = event(), event()
    yield "query", ask(cu.cuEventQuery(a))
    yield "synchronize", ask(cu.cuEventSynchronize(a))
    yield "stream waits for it", ask(cu.cuStreamWaitEvent(0, a, 0))
    yield "elapsed between unrecorded", elapsed(a, b)
    must(cu.cuEventRecord(a, 0))
    must(cu.cuCtxSynchronize())
    yield "elapsed to unrecorded", elapsed(a, b)
    yield "elapsed from unrecorded", elapsed(b, a)
    yield "elapsed to itself", elapsed(a, a)


@question("the time between two events needs both recorded, done, and timed")
def elapsed_time():
    a, b, untimed = event(), event(), event(2)
    for recorded in (a, b, untimed):
        must(cu.cuEventRecord(recorded, 0))
    must(cu.cuCtxSynchronize())
    yield "in order", elapsed(a, b)
    yield "out of order", cu.cuEventElapsedTime(b, a)[1] <= 0
    yield "out of order, code", ask(cu.cuEventElapsedTime(b, a))
    yield "to untimed", elapsed(a, untimed)
    yield "from untimed", elapsed(untimed, a)
    s = stream()
    gate = Gate(s)
    must(cu.cuEventRecord(b, s))
    yield "end not done", elapsed(a, b)
    yield "start not done", elapsed(b, a)
    yield "untimed and not done", elapsed(untimed, b)
    gate.open()
    must(cu.cuCtxSynchronize())
    yield "done", elapsed(a, b)
    yield "null output", lambda: raw("cuEventElapsedTime", None, int(a), int(b))


@question("an event is done when the work before it is")
def query():
    s, e = stream(), event()
    gate = Gate(s)
    yield "record", ask(cu.cuEventRecord(e, s))
    yield "query", ask(cu.cuEventQuery(e))
    other_stream = stream()
    yield "another stream waits for it", ask(cu.cuStreamWaitEvent(other_stream, e, 0))
    yield "that stream then", ask(cu.cuStreamQuery(other_stream))
    gate.open()
    yield "synchronize", ask(cu.cuEventSynchronize(e))
    yield "query then", ask(cu.cuEventQuery(e))
    yield "the other stream", ask(cu.cuStreamSynchronize(other_stream))


@question("a wait is for the record that was there when it was called")
def wait_is_for_the_last_record():
    s, t, e = stream(), stream(), event()
    must(cu.cuEventRecord(e, s))
    gate = Gate(s)
    must(cu.cuStreamWaitEvent(t, e, 0))
    yield "recorded before the work", ask(cu.cuStreamSynchronize(t))
    must(cu.cuEventRecord(e, s))
    must(cu.cuStreamWaitEvent(t, e, 0))
    yield "recorded again after it", ask(cu.cuStreamQuery(t))
    gate.open()
    yield "synchronize", ask(cu.cuCtxSynchronize())


@question("a destroyed event is refused")
def destroyed():
    e, second = event(), event()
    must(cu.cuEventRecord(second, 0))
    yield "destroy", ask(cu.cuEventDestroy(e))
    yield "query", lambda: ask(cu.cuEventQuery(e))
    yield "record", lambda: ask(cu.cuEventRecord(e, 0))
    yield "synchronize", lambda: ask(cu.cuEventSynchronize(e))
    yield "wait", lambda: ask(cu.cuStreamWaitEvent(0, e, 0))
    yield "elapsed", lambda: elapsed(e, second)
    yield "destroy again", lambda: ask(cu.cuEventDestroy(e))


@question("null is no event")
def null():
    yield "query", lambda: ask(cu.cuEventQuery(0))
    yield "record", lambda: ask(cu.cuEventRecord(0, 0))
    yield "synchronize", lambda: ask(cu.cuEventSynchronize(0))
    yield "wait", lambda: ask(cu.cuStreamWaitEvent(0, 0, 0))
    yield "destroy", lambda: ask(cu.cuEventDestroy(0))
    yield "elapsed", lambda: elapsed(0, 0)
    yield "create without a place", lambda: raw("cuEventCreate", None, ctypes.c_uint(0))


@question("an event belongs to its context: it can be recorded only there, and waited for anywhere")
def other_context():
    e, s = event(), stream()
    must(cu.cuEventRecord(e, s))
    context = must(cu.cuCtxGetCurrent())
    new_context()
    t = stream()
    yield "query", ask(cu.cuEventQuery(e))
    yield "synchronize", ask(cu.cuEventSynchronize(e))
    yield "record on this context's stream", ask(cu.cuEventRecord(e, t))
    yield "record on the NULL stream", ask(cu.cuEventRecord(e, 0))
    yield "record on its own stream", ask(cu.cuEventRecord(e, s))
    yield "this stream waits for it", ask(cu.cuStreamWaitEvent(t, e, 0))
    yield "NULL stream waits for it", ask(cu.cuStreamWaitEvent(0, e, 0))
    yield "a stream of the other context waits", ask(cu.cuStreamWaitEvent(s, e, 0))
    mine = event()
    must(cu.cuEventRecord(mine, t))
    must(cu.cuCtxSynchronize())
    yield "elapsed between the contexts", elapsed(e, mine)
    yield "destroy", ask(cu.cuEventDestroy(e))
    must(cu.cuCtxSetCurrent(context))


@question("waiting takes no unknown flags; recording with flags neither")
def wait_flags():
    e = event()
    must(cu.cuEventRecord(e, 0))
    for value in (0, 1, 2, 4):
        yield f"wait {value}", ask(cu.cuStreamWaitEvent(0, e, value))
        yield f"record {value}", ask(cu.cuEventRecordWithFlags(e, 0, value))


@question("destroying an event that is not done is allowed")
def destroy_pending():
    s, e = stream(), event()
    gate = Gate(s)
    must(cu.cuEventRecord(e, s))
    other_stream = stream()
    must(cu.cuStreamWaitEvent(other_stream, e, 0))
    yield "destroy", ask(cu.cuEventDestroy(e))
    yield "the stream waits still", ask(cu.cuStreamQuery(other_stream))
    gate.open()
    yield "synchronize", ask(cu.cuCtxSynchronize())


@question("events recorded in the same stream end in order")
def recorded_twice():
    e = event()
    yield "twice", [ask(cu.cuEventRecord(e, 0)), ask(cu.cuEventRecord(e, 0)), ask(cu.cuEventSynchronize(e)), outcome(cu.cuEventQuery(e))]
    yield "after a kernel", [ask(kernels.launch("nothing")), ask(cu.cuEventRecord(e, 0)), ask(cu.cuEventSynchronize(e))]
