"""The runtime's functions for captures, callbacks and cudaMalloc3D, by their names in cuda.bindings.runtime."""
import ctypes
import threading

from cuda.bindings import driver as cu, runtime as cudart

from ...asking import DRIVER, question
from ...helpers.calls import must, where
from ...helpers.runtime import error_of, page, value
from ...helpers.streams import LEGACY, PER_THREAD

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
MODES = cudart.cudaStreamCaptureMode
GLOBAL, THREAD_LOCAL, RELAXED = 0, 1, 2


def streams():
    return {"created": value(cudart.cudaStreamCreate()),
            "non-blocking": value(cudart.cudaStreamCreateWithFlags(1)), "null": 0, "legacy": LEGACY, "per thread": PER_THREAD}


def add(stream, act, data=0, flags=0):
    """The error of adding a Python function as a callback, which stays."""
    function = CALLBACK(act)
    add.functions = [*getattr(add, "functions", ()), function]
    callback = cudart.cudaStreamCallback_t(ctypes.cast(function, ctypes.c_void_p).value)
    return error_of(cudart.cudaStreamAddCallback(stream, callback, data, flags))


@question("cudaMalloc3D gives rows of the driver's pitch, and repeats the width and height that it was asked for",
          needs=DRIVER)
def slices_of_rows():
    for sizes in ((12, 3, 2), (512, 1, 1), (513, 4, 3), (1, 1, 1), (4096, 5, 7),
                  (0, 3, 2), (12, 0, 2), (12, 3, 0), (0, 0, 0)):
        extent = cudart.cudaExtent()
        extent.width, extent.height, extent.depth = sizes
        answer = cudart.cudaMalloc3D(extent)
        label = " x ".join(map(str, sizes))
        if int(answer[0]):
            yield label, error_of(answer)
            continue
        placed = answer[1]
        start = int(placed.ptr)
        yield label, [placed.pitch, placed.xsize, placed.ysize, where(start)]
        if start:
            result = must(cu.cuMemGetAddressRange(start))
            enough = int(result[1]) >= placed.pitch * sizes[1] * sizes[2]
            yield f"{label}, allocation", [int(result[0]) == start, enough]
            yield f"{label}, free", error_of(cudart.cudaFree(start))
    extent.width, extent.height, extent.depth = 1 << 40, 1, 1
    yield "a row of a terabyte", error_of(cudart.cudaMalloc3D(extent))
    extent.width, extent.height, extent.depth = 1 << 20, 1 << 20, 1
    yield "a terabyte of rows", error_of(cudart.cudaMalloc3D(extent))
    yield "the last error", error_of(cudart.cudaGetLastError())


@question("cudaMallocPitch of no bytes", needs=DRIVER)
def no_rows():
    for width, height in ((0, 3), (12, 0), (0, 0)):
        answer = cudart.cudaMallocPitch(width, height)
        outcome_ = error_of(answer) if int(answer[0]) else [where(int(answer[1])), int(answer[2])]
        yield f"{width} x {height}", outcome_


@question("no stream captures unless it was told to; the legacy stream is asked as any other", needs=DRIVER)
def is_capturing():
    for kind, stream in streams().items():
        answer = cudart.cudaStreamIsCapturing(stream)
        yield kind, error_of(answer) if int(answer[0]) else int(answer[1])
    yield "the last error", error_of(cudart.cudaGetLastError())


@question("what is told of a capture, of a stream that does not capture, is that it does not", needs=DRIVER)
def capture_info():
    for kind, stream in streams().items():
        answer = cudart.cudaStreamGetCaptureInfo(stream)
        yield kind, error_of(answer) if int(answer[0]) else int(answer[1])


@question("the mode of captures is each thread's own, and the driver's call exchanges the same one", needs=DRIVER)
def capture_mode():
    def exchanged(mode):
        answer = cudart.cudaThreadExchangeStreamCaptureMode(MODES(mode))
        return error_of(answer) if int(answer[0]) else int(answer[1])
    yield "relaxed, for what was there", exchanged(RELAXED)
    yield "by the driver, thread-local for", int(must(cu.cuThreadExchangeStreamCaptureMode(cu.CUstreamCaptureMode(THREAD_LOCAL))))
    elsewhere = []
    thread = threading.Thread(target=lambda: elsewhere.append(exchanged(RELAXED)))
    thread.start()
    thread.join()
    yield "in another thread", elsewhere
    yield "global, for", exchanged(GLOBAL)
    yield "a context after these calls", bool(int(must(cu.cuCtxGetCurrent())))


@question("a callback comes after the work before it, with the stream and success, and may not call CUDA", needs=DRIVER)
def callback():
    calls = []
    stream, device, host = value(cudart.cudaStreamCreate()), int(value(cudart.cudaMalloc(4))), page()

    def handle(number):
        return number if number <= PER_THREAD else where(number, stream=int(stream))

    def act(number, status, data):
        calls.append([handle(number or 0), status, data, ctypes.c_int.from_address(host).value,
                      error_of(cudart.cudaMalloc(16)), error_of(cudart.cudaStreamQuery(0))])
    cudart.cudaMemsetAsync(device, 1, 4, stream)
    cudart.cudaMemcpyAsync(host, device, 4, cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost, stream)
    yield "add", add(stream, act, 77)
    yield "synchronize", error_of(cudart.cudaStreamSynchronize(stream))
    yield "called with", calls[-1]
    yield "flags 1", add(stream, act, 0, 1)
    for kind, stream_ in (("null", 0), ("legacy", LEGACY), ("per thread", PER_THREAD)):
        yield f"add on {kind}", add(stream_, act)
        yield f"synchronize {kind}", error_of(cudart.cudaStreamSynchronize(stream_))
        yield f"on {kind}", [calls[-1][0], calls[-1][1], len(calls)]
    yield "the context lives", error_of(cudart.cudaDeviceSynchronize())


@question("no function for a callback is taken, and the process ends when its turn comes", needs=DRIVER)
def no_callback():
    stream = value(cudart.cudaStreamCreate())

    def added():    # and waited for, in one answer: the process may end over it at any moment from then on
        return [error_of(cudart.cudaStreamAddCallback(stream, cudart.cudaStreamCallback_t(0), 0, 0)), error_of(cudart.cudaStreamSynchronize(stream))]
    yield "added and waited for", added


@question("the next work of a stream waits for its callback", needs=DRIVER)
def work_behind_a_callback():
    stream, device, host = value(cudart.cudaStreamCreate()), int(value(cudart.cudaMalloc(4))), page()
    release = threading.Event()
    yield "add", add(stream, lambda *_: release.wait(20))
    cudart.cudaMemsetAsync(device, 1, 4, stream)
    yield "query", error_of(cudart.cudaStreamQuery(stream))
    release.set()
    cudart.cudaMemcpyAsync(host, device, 4, cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost, stream)
    yield "synchronize", error_of(cudart.cudaStreamSynchronize(stream))
    yield "the copy", ctypes.c_int.from_address(host).value
