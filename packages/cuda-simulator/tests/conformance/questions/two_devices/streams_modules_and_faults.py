"""Streams, events, modules and faults of two devices in one process."""

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.managed_memory import fresh
from ...helpers.peers import block_on, copied_bytes, kernel_read, kernel_write, mapped_on, on, two_contexts
from ...helpers.pointer_attributes import ATTRIBUTES, driver_knows, get_attribute
from ...helpers.streams import Gate


@question("a stream belongs to its device")
def streams():
    first, second = two_contexts()
    stream = on(second, lambda: must(cu.cuStreamCreate(1)))
    b, pinned = block_on(second), int(must(cu.cuMemHostAlloc(64, 0)))
    own = block_on(first)
    yield "query", [ask(cu.cuStreamQuery(stream)), ask(cu.cuStreamSynchronize(stream)), outcome(cu.cuStreamGetFlags(stream))]
    yield "its context", where_context(cu.cuStreamGetCtx(stream), first, second)
    yield "memset of its device's memory", [ask(cu.cuMemsetD8Async(b, 4, 16, stream)), ask(cu.cuStreamSynchronize(stream)), copied_bytes(b)]
    yield "memset of the other's", lambda: [ask(cu.cuMemsetD8Async(own, 4, 16, stream)), ask(cu.cuStreamSynchronize(stream))]
    yield "copy", [ask(cu.cuMemcpyDtoHAsync(pinned, b, 16, stream)), ask(cu.cuStreamSynchronize(stream))]
    yield "copy of the other's memory", [ask(cu.cuMemcpyDtoHAsync(pinned, own, 16, stream)), ask(cu.cuStreamSynchronize(stream))]
    yield "allocate", ask(cu.cuMemAllocAsync(4096, stream))
    yield "a kernel of the first context", lambda: ask(kernels.launch("nothing", stream=stream))
    yield "a kernel of the second, with the first current", lambda: second_kernel(second, stream)
    yield "a kernel of the second, in the first's NULL stream", lambda: second_kernel(second, 0)
    yield "destroy", ask(cu.cuStreamDestroy(stream))


def where_context(result, first, second):
    return ask(result) if int(result[0]) else {int(first): "first", int(second): "second"}.get(int(result[1]), "another")


def second_kernel(second, stream):
    function = on(second, kernels.kernel, "nothing")
    return [ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)), ask(cu.cuCtxSynchronize())]


@question("an event is recorded on its device, and waited for on any", alone=True)
def events():
    first, second = two_contexts()
    stream_0, stream_1 = must(cu.cuStreamCreate(1)), on(second, lambda: must(cu.cuStreamCreate(1)))
    event = must(cu.cuEventCreate(0))
    event_ = on(second, lambda: must(cu.cuEventCreate(0)))
    a = block_on(second)
    yield "record in the other device's stream", lambda: ask(cu.cuEventRecord(event, stream_1))
    yield "with the other context current", on(second, lambda: ask(cu.cuEventRecord(event, stream_0)))
    yield "query and wait from the other context", on(second, lambda: [ask(cu.cuEventSynchronize(event)), ask(cu.cuEventQuery(event))])
    must(cu.cuEventRecord(event_, stream_1))
    must(cu.cuEventSynchronize(event_))
    yield "time between events of two devices", ask(cu.cuEventElapsedTime(event, event_))
    gate = Gate(stream_0)
    meanwhile = [ask(cu.cuEventRecord(event, stream_0)), ask(cu.cuStreamWaitEvent(stream_1, event, 0)), on(second, lambda: ask(cu.cuMemsetD8Async(a, 9, 16, stream_1))),
                 ask(cu.cuStreamQuery(stream_1))]
    yield "the other device's stream waits", meanwhile
    gate.open()
    yield "then", [ask(cu.cuStreamSynchronize(stream_1)), on(second, copied_bytes, a), ask(cu.cuStreamQuery(stream_0))]
    yield "destroy from the other context", on(second, lambda: ask(cu.cuEventDestroy(event)))


@question("a synchronised context waits for its own device alone", alone=True)
def synchronising():
    first, second = two_contexts()
    stream = on(second, lambda: must(cu.cuStreamCreate(1)))
    a = block_on(first)
    kernel_read(a)    # modules are loaded before the gate closes
    gate = on(second, Gate, stream)
    yield "the first meanwhile", [ask(cu.cuCtxSynchronize()), ask(cu.cuStreamQuery(0)), kernel_read(a)]
    yield "the second's stream", ask(cu.cuStreamQuery(stream))
    gate.open()
    yield "then", on(second, lambda: ask(cu.cuCtxSynchronize()))


@question("modules, functions and variables are each context's own")
def modules():
    first, second = two_contexts()
    counters = [on(context, lambda: int(must(cu.cuModuleGetGlobal(kernels.module(), b"counter"))[0])) for context in (first, second)]
    yield "variables apart", counters[0] != counters[1]
    yield "where they are", [get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], a)[1] & 0xFF for a in counters]
    must(kernels.run("bump"))
    yield "values", [on(context, lambda a=a: copied_bytes(a)) for context, a in zip((first, second), counters)]
    yield "a function of the other context", lambda: second_kernel(second, 0)
    yield "its variable, asked here", on(second, kernels.module) and outcome(
        cu.cuModuleGetGlobal(on(second, kernels.module), b"counter"), as_=lambda value: "given")


@question("a fault on one device ends the process's work on the other, too")
def faults():
    first, second = two_contexts()
    a, b = block_on(first), block_on(second)
    pinned = int(must(cu.cuMemHostAlloc(64, 0)))
    answers = {}

    def after():
        answers["the fault"] = on(second, kernel_write, 0)
        answers["its context"] = on(second, lambda: [ask(cu.cuCtxSynchronize()), copied_bytes(b)])
        answers["the other: wait, copy"] = [ask(cu.cuCtxSynchronize()), copied_bytes(a)]
        answers["the other: kernel, memset, allocate"] = [kernel_read(a), ask(cu.cuMemsetD8(a, 1, 4)), ask(cu.cuMemAlloc(64))]
        answers["the other: copy from 1"] = copied_bytes(b)
        answers["host memory"] = ask(cu.cuMemFreeHost(pinned))
        answers["a new context on 0"] = ask(cu.cuCtxCreate(None, 0, 0))
        answers["destroy, and a new one on 1"] = [ask(cu.cuCtxDestroy(second)), ask(cu.cuCtxCreate(None, 0, 1))]
        return [f"{label}: {answer}" for label, answer in answers.items()]
    yield "after it", after


@question("a context that is destroyed takes its device's memory, and leaves the other's")
def destroyed():
    first, second = two_contexts()
    a, b = block_on(first), block_on(second, size=3 << 20)
    managed_there, virtual = on(second, fresh), mapped_on(1, {0: "read and write", 1: "read and write"}).address
    yield "destroy", ask(cu.cuCtxDestroy(second))
    yield "current", int(must(cu.cuCtxGetCurrent())) == int(first)
    yield "its memory", [copied_bytes(b), driver_knows(b), ask(cu.cuMemFree(b))]
    yield "managed", driver_knows(managed_there)
    yield "virtual", [kernel_write(virtual), copied_bytes(virtual, 1)]
    yield "the first's", [copied_bytes(a), kernel_read(a)]
    next_context = new_context(ordinal=1)
    yield "a new one there", [outcome(cu.cuCtxGetDevice()), kernel_read(block_on(next_context))]
