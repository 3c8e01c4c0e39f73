"""Functions that a stream calls, and what they may call themselves."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, name
from ...helpers.streams import event, stream
from ...helpers.whole_api import Objects, calls

_HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_NOTHING = _HOST_FUNCTION(lambda data: None)
_NOTHING_BACK = _CALLBACK(lambda stream, code, data: None)


def _inside(s, act, callback=False):
    """What `act` gives in a function that the stream calls."""
    library, answers = ctypes.CDLL("libcuda.so.1"), []
    handle = ctypes.c_void_p(int(s))
    if callback:
        function = _CALLBACK(lambda stream, code, data: answers.append(act()))
        code = library.cuStreamAddCallback(handle, function, None, ctypes.c_uint(0))
    else:
        function = _HOST_FUNCTION(lambda data: answers.append(act()))
        code = library.cuLaunchHostFunc(handle, function, None)
    waited = ask(cu.cuStreamSynchronize(s))
    return answers[0] if answers else [name(code), waited]


def _about_a_stream(s, o):
    """Calls that name a stream."""
    library, handle = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(int(s))
    return {
        "cuStreamQuery": lambda: cu.cuStreamQuery(s), "cuStreamGetFlags": lambda: cu.cuStreamGetFlags(s),
        "cuStreamGetPriority": lambda: cu.cuStreamGetPriority(s), "cuStreamGetCtx": lambda: cu.cuStreamGetCtx(s),
        "cuStreamGetId": lambda: cu.cuStreamGetId(s), "cuStreamGetDevice": lambda: cu.cuStreamGetDevice(s),
        "cuStreamGetAttribute": lambda: cu.cuStreamGetAttribute(s, cu.CUstreamAttrID(3)),
        "cuStreamIsCapturing": lambda: cu.cuStreamIsCapturing(s), "cuStreamGetCaptureInfo": lambda: cu.cuStreamGetCaptureInfo(s),
        "cuEventRecord": lambda: cu.cuEventRecord(o.event, s), "cuEventRecordWithFlags": lambda: cu.cuEventRecordWithFlags(o.event, s, 0),
        "cuStreamWaitEvent": lambda: cu.cuStreamWaitEvent(s, o.event, 0),
        "cuLaunchHostFunc": lambda: (library.cuLaunchHostFunc(handle, _NOTHING, None),),
        "cuStreamAddCallback": lambda: (library.cuStreamAddCallback(handle, _NOTHING_BACK, None, ctypes.c_uint(0)),),
        "cuLaunchKernel": lambda: cu.cuLaunchKernel(o.function, 1, 1, 1, 1, 1, 1, 0, s, 0, 0),
        "cuLaunchCooperativeKernel": lambda: cu.cuLaunchCooperativeKernel(o.function, 1, 1, 1, 1, 1, 1, 0, s, 0),
        "cuMemcpyHtoDAsync": lambda: cu.cuMemcpyHtoDAsync(o.device, o.host, 16, s),
        "cuMemcpyDtoHAsync": lambda: cu.cuMemcpyDtoHAsync(o.host, o.device, 16, s),
        "cuMemcpyDtoDAsync": lambda: cu.cuMemcpyDtoDAsync(o.device, o.device + 64, 16, s),
        "cuMemcpyAsync": lambda: cu.cuMemcpyAsync(o.device, o.device + 64, 16, s),
        "cuMemsetD8Async": lambda: cu.cuMemsetD8Async(o.device, 1, 16, s),
        "cuMemAllocAsync": lambda: cu.cuMemAllocAsync(4096, s), "cuMemFreeAsync": lambda: cu.cuMemFreeAsync(o.ordered, s),
        "cuMemAllocFromPoolAsync": lambda: cu.cuMemAllocFromPoolAsync(4096, o.pool, s),
        "cuStreamWriteValue32": lambda: cu.cuStreamWriteValue32(s, o.device, 1, 0), "cuStreamWaitValue32": lambda: cu.cuStreamWaitValue32(s, o.device, 0, 0),
        "cuStreamAttachMemAsync": lambda: cu.cuStreamAttachMemAsync(s, o.managed, 0, 1),
        "cuStreamSynchronize": lambda: cu.cuStreamSynchronize(s), "cuStreamDestroy": lambda: cu.cuStreamDestroy(s)}


def _of_other_parts(o):
    """What whole_api leaves out."""
    m = cu.CUmem_range_attribute
    return {
        "cuInit": lambda: cu.cuInit(0), "cuGetErrorString": lambda: cu.cuGetErrorString(cu.CUresult(1)),
        "cuEventElapsedTime": lambda: cu.cuEventElapsedTime(o.event, o.event),
        "cuThreadExchangeStreamCaptureMode": lambda: cu.cuThreadExchangeStreamCaptureMode(cu.CUstreamCaptureMode(0)),
        "cuStreamCreateWithPriority": lambda: cu.cuStreamCreateWithPriority(1, 0),
        "cuModuleGetLoadingMode": lambda: cu.cuModuleGetLoadingMode(), "cuFuncGetName": lambda: cu.cuFuncGetName(o.function),
        "cuFuncGetModule": lambda: cu.cuFuncGetModule(o.function), "cuFuncIsLoaded": lambda: cu.cuFuncIsLoaded(o.function),
        "cuFuncLoad": lambda: cu.cuFuncLoad(o.function), "cuFuncGetParamInfo": lambda: cu.cuFuncGetParamInfo(o.function, 0),
        "cuFuncSetAttribute": lambda: cu.cuFuncSetAttribute(o.function, cu.CUfunction_attribute(8), 1024),
        "cuFuncSetCacheConfig": lambda: cu.cuFuncSetCacheConfig(o.function, cu.CUfunc_cache(0)),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor": lambda: cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(o.function, 32, 0),
        "cuOccupancyAvailableDynamicSMemPerBlock": lambda: cu.cuOccupancyAvailableDynamicSMemPerBlock(o.function, 1, 32),
        "cuMemRangeGetAttribute": lambda: cu.cuMemRangeGetAttribute(4, m(1), o.managed, 4096),
        "cuMemPoolGetAttribute": lambda: cu.cuMemPoolGetAttribute(o.pool, cu.CUmemPool_attribute(1)),
        "cuMemPoolSetAttribute": lambda: cu.cuMemPoolSetAttribute(o.pool, cu.CUmemPool_attribute(1), cu.cuuint32_t(1)),
        "cuIpcGetMemHandle": lambda: cu.cuIpcGetMemHandle(o.device),
        "cuLibraryLoadData": lambda: cu.cuLibraryLoadData(kernels.ptx(), [], [], 0, [], [], 0),
        "cuDeviceGetByPCIBusId": lambda: cu.cuDeviceGetByPCIBusId(b"0000:00:00.0"),
        "cuDeviceGetP2PAttribute": lambda: cu.cuDeviceGetP2PAttribute(cu.CUdevice_P2PAttribute(1), 0, 0),
        "cuGetProcAddress": lambda: cu.cuGetProcAddress(b"cuMemAlloc", 13000, 0),
        "cuProfilerStop": lambda: cu.cuProfilerStop(), "cuCtxSetCacheConfig": lambda: cu.cuCtxSetCacheConfig(cu.CUfunc_cache(0)),
        "cuEventDestroy": lambda: cu.cuEventDestroy(o.event)}


def _objects(s):
    o = Objects(exist=True)
    o.stream = s
    must(cu.cuEventRecord(o.event, s))
    return o


def _everything(o):
    return {**calls(o), **_of_other_parts(o)}


_ENDLESS = "an H200 waits for ever; the simulated driver says so"


def _every_call(callback):
    for label in _everything(_objects(stream())):
        o = _objects(stream())
        yield label, lambda: _inside(o.stream, lambda: ask(_everything(o)[label]()), callback)


@question("a host function may ask, record and wait for streams and events, and fill; all else is NOT_PERMITTED", alone=True,
          stricter={"cuStreamSynchronize": _ENDLESS})
def in_a_host_function():
    yield from _every_call(callback=False)


@question("a callback may call what a host function may", alone=True, stricter={"cuStreamSynchronize": _ENDLESS})
def in_a_callback():
    yield from _every_call(callback=True)


@question("a host function may give its own stream and others everything but kernels, copies and allocations, and the NULL stream nothing",
          alone=True, stricter={"cuStreamSynchronize, own": _ENDLESS})
def with_a_stream():
    for kind in ("own", "other", "NULL"):
        for label in _about_a_stream(0, None):
            own = stream()
            s = {"own": own, "other": stream(), "NULL": 0}[kind]
            o = _objects(own)
            yield f"{label}, {kind}", lambda: _inside(own, lambda: ask(_about_a_stream(s, o)[label]()))


@question("what a host function gives to a stream comes behind what the stream has", alone=True,
          stricter={"waits for its own stream": _ENDLESS})
def order():
    s, t, marks, e = stream(), stream(), [], event()
    library = ctypes.CDLL("libcuda.so.1")
    last_function = _HOST_FUNCTION(lambda data: marks.append("last"))
    given_function = _HOST_FUNCTION(lambda data: marks.append("given inside"))
    first_function = _HOST_FUNCTION(lambda data: marks.append(library.cuLaunchHostFunc(ctypes.c_void_p(int(s)), given_function, None)))
    for function in (first_function, last_function):
        library.cuLaunchHostFunc(ctypes.c_void_p(int(s)), function, None)
    must(cu.cuStreamSynchronize(s))
    must(cu.cuStreamSynchronize(s))
    yield "order", marks
    yield "an event of another stream recorded inside", _inside(s, lambda: [ask(cu.cuEventRecord(e, t)), ask(cu.cuEventSynchronize(e)),
                                                                           ask(cu.cuEventQuery(e))])
    yield "an event of its own stream recorded inside", _inside(s, lambda: [ask(cu.cuEventRecord(e, s)), ask(cu.cuEventQuery(e))])
    yield "is it done afterwards", [ask(cu.cuEventSynchronize(e)), ask(cu.cuEventQuery(e))]
    event_ = event()
    yield "an event never recorded", _inside(s, lambda: [ask(cu.cuEventQuery(event_)), ask(cu.cuEventSynchronize(event_))])
    yield "null handles", _inside(s, lambda: [ask(cu.cuEventQuery(0)), ask(cu.cuEventRecord(0, s)), ask(cu.cuStreamWaitEvent(s, 0, 0))])
    yield "waits for its own stream", lambda: _inside(s, lambda: ask(cu.cuStreamSynchronize(s)))
