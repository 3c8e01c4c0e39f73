"""Streams, events, contexts and modules of two devices: what a context of one does with the other's."""
import ctypes
import threading

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, raw, using, where
from ...helpers.kernels import i32
from ...helpers.peers import block_on, copied_bytes, enable, kernel_read, make_on, mapped_on, on, ordinal, two_contexts


@question("a stream says whose it is, and a context what it is called, on either device")
def names():
    first, second = two_contexts()
    stream = on(second, lambda: must(cu.cuStreamCreate(1)))
    device = ctypes.c_int(-1)
    yield "the stream's device", [raw("cuStreamGetDevice", int(stream), ctypes.byref(device)), device.value]
    yield "contexts have numbers of their own", must(cu.cuCtxGetId(first)) != must(cu.cuCtxGetId(second))
    yield "streams too", must(cu.cuStreamGetId(stream)) != must(cu.cuStreamGetId(must(cu.cuStreamCreate(1))))
    priorities = lambda: outcome(cu.cuCtxGetStreamPriorityRange())
    yield "priorities", priorities() == on(second, priorities)
    yield "cache and stack", [outcome(cu.cuCtxGetCacheConfig()), on(second, lambda: outcome(cu.cuCtxGetCacheConfig()))]
    yield "the stack's limit is each context's own", [ask(cu.cuCtxSetLimit(cu.CUlimit(0), 4096)),
                                                      outcome(cu.cuCtxGetLimit(cu.CUlimit(0))),
                                                     on(second, lambda: outcome(cu.cuCtxGetLimit(cu.CUlimit(0))))]


@question("each thread has a device of its own")
def threads():
    first, second = two_contexts()
    answers = []

    def work(context):
        answers.append(ask(cu.cuCtxGetDevice()))
        must(cu.cuCtxSetCurrent(context))
        answers.append([outcome(cu.cuCtxGetDevice()), ordinal(int(must(cu.cuMemAlloc(64))))])
    for context in (second, first):
        thread = threading.Thread(target=work, args=(context,))
        thread.start()
        thread.join()
    yield "in threads", answers
    yield "here", [outcome(cu.cuCtxGetDevice()), ordinal(int(must(cu.cuMemAlloc(64))))]


@question("contexts of both devices are pushed and popped in any order, and say where memory is made")
def stack():
    first, second = two_contexts()
    answers = []
    for context in (second, first, first, second):
        must(cu.cuCtxPushCurrent(context))
        answers.append([outcome(cu.cuCtxGetDevice()), ordinal(int(must(cu.cuMemAlloc(64)))),
                        ordinal(int(must(cu.cuMemHostAlloc(64, 0)))),
                        ordinal(int(must(cu.cuMemAllocManaged(64, 1))))])
    yield "pushed", answers
    yield "popped", [where(must(cu.cuCtxPopCurrent()), first=first, second=second) for _ in range(4)]
    yield "then", outcome(cu.cuCtxGetDevice())


@question("a stream writes and waits for values in memory of the other device, where it may reach it")
def values():
    first, second = two_contexts()
    stream = must(cu.cuStreamCreate(1))
    write = lambda a: [ask(cu.cuStreamWriteValue32(stream, a, 5, 0)), ask(cu.cuStreamSynchronize(stream)),
                       on(second, copied_bytes, a)]
    wait = lambda a: [ask(cu.cuStreamWaitValue32(stream, a, 0, 0)), ask(cu.cuStreamSynchronize(stream))]
    for kind in ("pinned", "managed", "device", "mapped"):
        yield f"{kind}: write", lambda: write(make_on(second, kind).address)
        yield f"{kind}: wait", lambda: wait(make_on(second, kind).address)
    yield "enable peer access", enable(second)
    yield "with peer access: write", lambda: write(make_on(second, "device").address)
    yield "with peer access: wait", lambda: wait(make_on(second, "device").address)
    both_may = mapped_on(1, {0: "read and write", 1: "read and write"}).address
    yield "virtual memory with access for both: write", lambda: write(both_may)


@question("an event of a second context of the same device is as foreign as one of the other device")
def foreign_events():
    first, second = two_contexts()
    third = new_context()
    must(cu.cuCtxSetCurrent(first))
    stream = must(cu.cuStreamCreate(1))
    for label, context in (("same device", third), ("other device", second)):
        event, own = on(context, lambda: [must(cu.cuEventCreate(0)), must(cu.cuStreamCreate(1))])
        yield f"{label}: record in a stream of the first", lambda: ask(cu.cuEventRecord(event, stream))
        yield f"{label}: record in its own, from here", ask(cu.cuEventRecord(event, own))
        yield f"{label}: a stream of the first waits", [ask(cu.cuStreamWaitEvent(stream, event, 0)),
                                                        ask(cu.cuStreamSynchronize(stream))]
        yield f"{label}: query, wait, destroy", [ask(cu.cuEventQuery(event)), ask(cu.cuEventSynchronize(event)),
                                                 ask(cu.cuEventDestroy(event))]
        fresh = on(context, lambda: must(cu.cuEventCreate(0)))
        yield f"{label}: in the NULL stream of here", lambda: ask(cu.cuEventRecord(fresh, 0))


@question("work crosses from one device to the other and back by events")
def chain():
    first, second = two_contexts()
    a, b = block_on(first, 1), block_on(second, 2)
    streams = [on(context, lambda: must(cu.cuStreamCreate(1))) for context in (first, second)]
    events = [on(context, lambda: must(cu.cuEventCreate(2))) for context in (first, second)]
    codes = []
    for n in range(6):
        ordinal, context = n % 2, (first, second)[n % 2]
        with using(context):
            codes.append(ask(kernels.launch("fill", (a, b)[ordinal], i32(16 * n), i32(8), stream=streams[ordinal])))
            codes.append(ask(cu.cuMemcpyPeerAsync((b, a)[ordinal], (second, first)[ordinal], (a, b)[ordinal], context, 8,
                                                  streams[ordinal])))
            codes += [ask(cu.cuEventRecord(events[ordinal], streams[ordinal])),
                      ask(cu.cuStreamWaitEvent(streams[1 - ordinal], events[ordinal], 0))]
    yield "calls", sorted(set(codes))
    yield "the end", [ask(cu.cuStreamSynchronize(streams[0])), ask(cu.cuStreamSynchronize(streams[1])), copied_bytes(a),
                      on(second, copied_bytes, b)]


@question("functions of a module are asked for and set from a context of the other device")
def functions():
    first, second = two_contexts()
    function, module = on(second, lambda: [kernels.kernel("nothing"), kernels.module()])
    yield "attributes", outcome(cu.cuFuncGetAttribute(cu.CUfunction_attribute(0), function))
    yield "set one", ask(cu.cuFuncSetAttribute(function, cu.CUfunction_attribute(8), 1024))
    yield "its module", outcome(cu.cuFuncGetModule(function), as_=lambda module_: where(module_, its=module))
    yield "from its module", ask(cu.cuModuleGetFunction(module, b"poke"))
    yield "occupancy", outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 128, 0))
    stream = on(second, lambda: must(cu.cuStreamCreate(1)))
    yield "launched in a stream of its device", [ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)),
                                                 ask(cu.cuStreamSynchronize(stream))]
    yield "unload its module from here", lambda: ask(cu.cuModuleUnload(module))
    yield "the module of here", ask(kernels.run("nothing"))


@question("an assertion or a trap on one device ends the work of both")
def assertions():
    for kernel, arguments in (("failing_assert", (i32(1),)), ("trap", ())):
        def after():
            first, second = two_contexts()
            a, b = block_on(first), block_on(second)
            answers = [on(second, lambda: ask(kernels.run(kernel, *arguments))), on(second, copied_bytes, b),
                       ask(cu.cuCtxSynchronize()), copied_bytes(a), kernel_read(a)]
            return [*answers, ask(cu.cuMemAlloc(64)), ask(cu.cuCtxCreate(None, 0, 0))]
        yield kernel, after
