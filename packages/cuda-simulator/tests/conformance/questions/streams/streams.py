"""Streams: flags, priorities, order, callbacks; what is under way and what is done."""
import ctypes
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, outcome, raw, where
from ...helpers.memory_kinds import make
from ...helpers.streams import LEGACY, PER_THREAD, Gate, stream


@question("a stream takes the flags default and non-blocking")
def flags():
    for value in [*range(6), 8, 256, 1 << 31]:
        result = cu.cuStreamCreate(value)
        yield f"{value}", [ask(result), outcome(cu.cuStreamGetFlags(result[1])) if not int(result[0]) else None]


@question("a priority outside the range is moved to its nearest end")
def priorities():
    yield "range", outcome(cu.cuCtxGetStreamPriorityRange())
    for value in (-100, -6, -5, -4, -3, -2, -1, 0, 1, 2, 100):
        result = cu.cuStreamCreateWithPriority(1, value)
        yield f"{value}", [ask(result), outcome(cu.cuStreamGetPriority(result[1])) if not int(result[0]) else None]
    yield "flags 5", ask(cu.cuStreamCreateWithPriority(5, 0))


@question("the NULL stream, the legacy stream and the per-thread stream answer as streams do")
def special():
    for label, value in (("NULL", 0), ("legacy", LEGACY), ("per-thread", PER_THREAD)):
        yield f"{label}: query", ask(cu.cuStreamQuery(value))
        yield f"{label}: synchronize", ask(cu.cuStreamSynchronize(value))
        yield f"{label}: flags", outcome(cu.cuStreamGetFlags(value))
        yield f"{label}: priority", outcome(cu.cuStreamGetPriority(value))
        yield f"{label}: context", where(must(cu.cuStreamGetCtx(value))[0] if isinstance(must(cu.cuStreamGetCtx(value)), tuple)
                                         else must(cu.cuStreamGetCtx(value)), current=must(cu.cuCtxGetCurrent()))
        yield f"{label}: launch", ask(kernels.run("nothing", stream=value))
        yield f"{label}: memset", ask(cu.cuMemsetD8Async(make("device").address, 1, 8, value))
        yield f"{label}: destroy", lambda: ask(cu.cuStreamDestroy(value))
    yield "3: query", lambda: ask(cu.cuStreamQuery(3))


@question("a stream tells its context, its device and a number of its own")
def facts():
    s, t = stream(), stream(0)
    yield "id differs", outcome(cu.cuStreamGetId(s)) != outcome(cu.cuStreamGetId(t))
    yield "device", outcome(cu.cuStreamGetDevice(s))
    context = must(cu.cuStreamGetCtx(s))
    yield "context", where(context, current=must(cu.cuCtxGetCurrent()))
    new_context()
    yield "asked from another context", [ask(cu.cuStreamQuery(s)), ask(cu.cuStreamSynchronize(s)), outcome(cu.cuStreamGetFlags(s))]
    yield "destroyed from another context", ask(cu.cuStreamDestroy(t))
    yield "capturing", [ask(cu.cuStreamIsCapturing(s)), int(cu.cuStreamIsCapturing(s)[1])]


@question("a destroyed stream, or what never was one, is refused")
def destroyed():
    s = stream()
    yield "destroy", ask(cu.cuStreamDestroy(s))
    for label, call in {"query": cu.cuStreamQuery, "synchronize": cu.cuStreamSynchronize, "flags": cu.cuStreamGetFlags,
                        "priority": cu.cuStreamGetPriority, "destroy again": cu.cuStreamDestroy}.items():
        yield label, lambda: ask(call(s))
    yield "launch", lambda: ask(kernels.launch("nothing", stream=int(s)))
    yield "memset", lambda: ask(cu.cuMemsetD8Async(make("device").address, 1, 8, s))
    yield "record", lambda: ask(cu.cuEventRecord(must(cu.cuEventCreate(0)), s))
    block = ctypes.create_string_buffer(4096)
    yield "not a stream: query", lambda: ask(cu.cuStreamQuery(ctypes.addressof(block)))


@question("work under way answers NOT_READY; when it is done, SUCCESS")
def not_ready():
    s, other_stream, blocking = stream(), stream(), stream(0)
    gate = Gate(s)
    yield "its stream", ask(cu.cuStreamQuery(s))
    yield "another non-blocking stream", ask(cu.cuStreamQuery(other_stream))
    yield "a blocking stream", ask(cu.cuStreamQuery(blocking))
    yield "the NULL stream", ask(cu.cuStreamQuery(0))
    gate.open()
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    yield "then", ask(cu.cuStreamQuery(s))


@question("the NULL stream waits for blocking streams, and they for it; non-blocking ones do not")
def null_stream():
    blocking, free = stream(0), stream(1)
    a = make("device").address
    gate = Gate(blocking)
    must(cu.cuMemsetD8Async(a, 1, 8, 0))
    yield "NULL stream after work on a blocking stream", ask(cu.cuStreamQuery(0))
    must(cu.cuMemsetD8Async(a, 1, 8, free))
    yield "a non-blocking stream beside it", ask(cu.cuStreamSynchronize(free))
    gate.open()
    yield "synchronize", ask(cu.cuCtxSynchronize())
    gate = Gate(0)
    must(cu.cuMemsetD8Async(a, 1, 8, blocking))
    yield "a blocking stream after work on the NULL stream", ask(cu.cuStreamQuery(blocking))
    gate.open()
    yield "all", ask(cu.cuCtxSynchronize())
    gate = Gate(free)
    must(cu.cuMemsetD8Async(a, 1, 8, 0))
    yield "NULL stream after work on a non-blocking stream", ask(cu.cuStreamSynchronize(0))
    gate.open()
    must(cu.cuCtxSynchronize())


@question("which calls wait for work on another stream")
def what_waits():
    device, host = make("device").address, make("pageable").address
    pinned = make("pinned").address
    calls = {
        "cuMemcpyDtoH": lambda: cu.cuMemcpyDtoH(host, device, 16), "cuMemcpyHtoD": lambda: cu.cuMemcpyHtoD(device, host, 16),
        "cuMemcpyDtoD": lambda: cu.cuMemcpyDtoD(device, device + 64, 16), "cuMemsetD8": lambda: cu.cuMemsetD8(device, 1, 16),
        "cuMemcpyDtoH to pinned": lambda: cu.cuMemcpyDtoH(pinned, device, 16), "cuMemAlloc": lambda: cu.cuMemAlloc(5 << 20),
        "cuMemHostAlloc": lambda: cu.cuMemHostAlloc(4096, 0), "cuMemGetInfo": lambda: cu.cuMemGetInfo(),
        "cuStreamCreate": lambda: cu.cuStreamCreate(1), "cuEventCreate": lambda: cu.cuEventCreate(0),
        "cuCtxSynchronize": lambda: cu.cuCtxSynchronize(), "cuStreamSynchronize of NULL": lambda: cu.cuStreamSynchronize(0),
        "cuMemFree": lambda: cu.cuMemFree(must(cu.cuMemAlloc(64)))}
    for kind in (0, 1):
        for label, call in calls.items():
            s = stream(kind)
            gate = Gate(s)
            gate.open(0.15)
            code = ask(call())
            answer = [code, "waited" if ask(cu.cuStreamQuery(s)) == "SUCCESS" else "did not wait"]
            must(cu.cuStreamSynchronize(s))
            yield f"{label}, {'non-' if kind else ''}blocking stream", answer


@question("a callback runs once its stream reaches it, with the stream and the status")
def callback():
    calls = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda s, code, data: calls.append((s, code, data)))
    library = ctypes.CDLL("libcuda.so.1")
    s = stream()
    handle = ctypes.c_void_p(int(s))
    gate = Gate(s)
    yield "add", name(library.cuStreamAddCallback(handle, function, ctypes.c_void_p(77), ctypes.c_uint(0)))
    yield "before", len(calls)
    gate.open()
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    yield "after", [[where(call[0] or 0, stream=s), name(call[1]), call[2]] for call in calls]
    yield "flags 1", name(library.cuStreamAddCallback(handle, function, None, ctypes.c_uint(1)))
    yield "null function", lambda: name(library.cuStreamAddCallback(handle, None, None, ctypes.c_uint(0)))
    yield "on the NULL stream", name(library.cuStreamAddCallback(None, function, None, ctypes.c_uint(0)))
    must(cu.cuCtxSynchronize())
    yield "its stream argument", where(calls[-1][0] or 0, stream=s)


@question("a host function runs in the order of its stream, and may not call CUDA")
def host_function():
    order = []
    inside = []
    device = make("device").address

    def act(data):
        order.append(data)
        inside.append([ask(cu.cuMemAlloc(16)), ask(cu.cuStreamQuery(0)), ask(cu.cuCtxGetCurrent()), ask(cu.cuMemHostAlloc(16, 0)),
                       ask(cu.cuMemFree(0)), ask(cu.cuCtxSynchronize()), ask(cu.cuPointerGetAttribute(
                           cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device))])
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(act)
    library = ctypes.CDLL("libcuda.so.1")
    s = stream()
    for number in (5, 6):
        yield f"add {number}", name(library.cuLaunchHostFunc(ctypes.c_void_p(int(s)), function, ctypes.c_void_p(number)))
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    yield "order", order
    yield "calls inside", inside[0] if inside else None
    yield "null function", lambda: name(library.cuLaunchHostFunc(ctypes.c_void_p(int(s)), None, None))
    yield "the context lives", ask(cu.cuCtxSynchronize())


@question("destroying a stream with work under way lets the work finish")
def destroy_busy():
    s = stream()
    gate = Gate(s)
    yield "destroy", ask(cu.cuStreamDestroy(s))
    yield "the kernel runs still", gate.cells[1] == 0
    gate.open()
    yield "synchronize", ask(cu.cuCtxSynchronize())
    yield "it finished", gate.cells[1]


@question("a stream can wait for and write a value in memory")
def memory_operations():
    s = stream()
    a = make("device").address
    must(cu.cuMemsetD32(a, 0, 16))
    must(cu.cuCtxSynchronize())
    yield "write", ask(cu.cuStreamWriteValue32(s, a, 7, 0))
    yield "wait", ask(cu.cuStreamWaitValue32(s, a, 7, 1))
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    out = bytearray(4)
    must(cu.cuMemcpyDtoH(out, a, 4))
    yield "content", out.hex()
    yield "misaligned", ask(cu.cuStreamWriteValue32(s, a + 1, 7, 0))
    yield "pageable", ask(cu.cuStreamWriteValue32(s, make("pageable").address, 7, 0))
    yield "write 64", ask(cu.cuStreamWriteValue64(s, a + 8, 1 << 40, 0))


@question("streams tell attributes and can be captured into graphs; null outputs are refused")
def outputs():
    yield "create", lambda: raw("cuStreamCreate", None, ctypes.c_uint(0))
    yield "flags", lambda: raw("cuStreamGetFlags", 0, None)
    yield "priority", lambda: raw("cuStreamGetPriority", 0, None)


@question("copies and memsets on a stream wait for the kernel before them")
def order():
    s = stream()
    gate = Gate(s)
    a, host = make("device").address, make("pinned").address
    began = time.monotonic()
    yield "memset", ask(cu.cuMemsetD8Async(a, 5, 16, s))
    yield "DtoH to pinned", ask(cu.cuMemcpyDtoHAsync(host, a, 16, s))
    yield "returned at once", time.monotonic() - began < 20 and ask(cu.cuStreamQuery(s)) == "NOT_READY"
    gate.open()
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    yield "content", ctypes.string_at(host, 16).hex()


@question("a copy that does not wait takes over up to 2 MiB of pageable memory at the call; from pinned memory it reads "
          "when its turn comes")
def taken_over():
    device = must(cu.cuMemAlloc(4 << 20))
    pinned = must(cu.cuMemHostAlloc(4 << 20, 0))
    numbers = (ctypes.c_uint8 * (4 << 20))()
    pageable = ctypes.addressof(numbers)
    sizes = (1, 16, 65536, 65537, 1 << 20, 2 << 20, (2 << 20) + 1, 4 << 20)
    to_device = {"HtoDAsync": cu.cuMemcpyHtoDAsync, "Async": cu.cuMemcpyAsync}
    calls = {f"{label} of {size} pageable bytes": (pageable, lambda s, f=f, size=size: f(device, pageable, size, s))
             for label, f in to_device.items() for size in sizes}
    calls["HtoDAsync of 16 pinned bytes"] = pinned, lambda s: cu.cuMemcpyHtoDAsync(device, pinned, 16, s)
    calls["HtoDAsync to the NULL stream"] = pageable, lambda s: cu.cuMemcpyHtoDAsync(device, pageable, 16, 0)
    calls["HtoDAsync of pageable bytes to pinned memory"] = (
        pageable, lambda s: cu.cuMemcpyHtoDAsync(pinned + 64, pageable, 16, s))
    calls["DtoHAsync to pageable memory"] = pageable, lambda s: cu.cuMemcpyDtoHAsync(pageable + 64, device, 16, s)
    for label, (source, call) in calls.items():
        s = stream(1 if "NULL" not in label else 0)
        ctypes.memset(source, 1, 16)
        gate = Gate(s if "NULL" not in label else 0)
        gate.open(0.3)
        code = ask(call(s))
        went_on = gate.cells[0] == 0
        ctypes.memset(source, 2, 16)
        gate.open()
        must(cu.cuCtxSynchronize())
        arrived = (ctypes.c_uint8 * 1)()
        must(cu.cuMemcpyDtoH(ctypes.addressof(arrived), device, 1))
        content = arrived[0] if "of" in label and "to pinned" not in label else None
        yield label, [code, "returned before its turn" if went_on else "waited for its turn", content]
