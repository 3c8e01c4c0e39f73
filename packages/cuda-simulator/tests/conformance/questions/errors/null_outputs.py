"""Every function that gives something out, asked to give it nowhere; and calls that are wrong in two ways."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, NOTHING, question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, raw
from ...helpers.memory_kinds import LARGE, create, location, make, mapped, pages, properties, reserve

i32, u32 = ctypes.c_int, ctypes.c_uint


def _pointer(structure):
    return ctypes.c_void_p(structure.getPtr())


@question("a null place for an answer is refused, or nothing is answered")
def null_places():
    s, e = int(must(cu.cuStreamCreate(1))), int(must(cu.cuEventCreate(0)))
    d, p, v = make("device").address, make("pinned").address, mapped()
    context = int(must(cu.cuCtxGetCurrent()))
    module, function = int(kernels.module()), int(kernels.kernel("nothing"))
    pool = int(must(cu.cuDeviceGetDefaultMemPool(0)))
    prop, place = properties(), location()
    calls = {
        "cuDriverGetVersion": (None,), "cuDeviceGetCount": (None,), "cuDeviceGet": (None, i32(0)),
        "cuDeviceGetName": (None, i32(64), i32(0)), "cuDeviceTotalMem_v2": (None, i32(0)),
        "cuDeviceGetAttribute": (None, i32(1), i32(0)), "cuDeviceGetUuid_v2": (None, i32(0)),
        "cuDeviceGetPCIBusId": (None, i32(64), i32(0)), "cuDeviceCanAccessPeer": (None, i32(0), i32(0)),
        "cuDeviceGetByPCIBusId": (None, b"0000:00:00.0"), "cuDevicePrimaryCtxGetState": (i32(0), None, None),
        "cuDevicePrimaryCtxRetain": (None, i32(0)), "cuDeviceGetDefaultMemPool": (None, i32(0)),
        "cuDeviceGetMemPool": (None, i32(0)), "cuDeviceComputeCapability": (None, None, i32(0)),
        "cuCtxGetCurrent": (None,), "cuCtxGetDevice": (None,), "cuCtxGetFlags": (None,), "cuCtxGetLimit": (None, i32(0)),
        "cuCtxGetApiVersion": (context, None), "cuCtxGetId": (context, None), "cuCtxGetCacheConfig": (None,),
        "cuCtxGetStreamPriorityRange": (None, None),
        "cuMemGetInfo_v2": (None, None), "cuMemAlloc_v2": (None, 64), "cuMemAllocPitch_v2": (None, None, 64, 4, u32(4)),
        "cuMemAllocManaged": (None, 64, u32(1)), "cuMemAllocHost_v2": (None, 64), "cuMemHostAlloc": (None, 64, u32(0)),
        "cuMemGetAddressRange_v2": (None, None, d), "cuMemHostGetDevicePointer_v2": (None, p, u32(0)),
        "cuMemHostGetFlags": (None, p), "cuMemAllocAsync": (None, 64, s), "cuMemAllocFromPoolAsync": (None, 64, pool, s),
        "cuPointerGetAttribute": (None, i32(2), d), "cuPointerSetAttribute": (None, i32(6), d),
        "cuMemAddressReserve": (None, LARGE, 0, 0, 0), "cuMemCreate": (None, LARGE, _pointer(prop), 0),
        "cuMemGetAccess": (None, _pointer(place), v.address), "cuMemRetainAllocationHandle": (None, v.address),
        "cuMemGetAllocationGranularity": (None, _pointer(prop), i32(0)),
        "cuMemGetAllocationPropertiesFromHandle": (None, int(v.handle)), "cuMemPoolGetAttribute": (pool, i32(1), None),
        "cuMemPoolGetAccess": (None, pool, _pointer(place)),
        "cuStreamCreate": (None, u32(0)), "cuStreamCreateWithPriority": (None, u32(0), i32(0)), "cuStreamGetFlags": (s, None),
        "cuStreamGetPriority": (s, None), "cuStreamGetCtx": (s, None), "cuStreamGetId": (s, None), "cuStreamGetDevice": (s, None),
        "cuStreamIsCapturing": (s, None), "cuEventCreate": (None, u32(0)), "cuModuleLoadData": (None, kernels.ptx()),
        "cuModuleGetFunction": (None, module, b"nothing"), "cuModuleGetLoadingMode": (None,),
        "cuFuncGetAttribute": (None, i32(0), function), "cuFuncGetName": (None, function),
        "cuFuncGetParamInfo": (function, 0, None, None), "cuLinkCreate_v2": (u32(0), None, None, None),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor": (None, function, i32(32), 0), "cuGetErrorName": (i32(1), None),
        "cuGetErrorString": (i32(1), None), "cuMemRangeGetAttribute": (None, 4, i32(1), make("managed").address, 4096),
        "cuEventElapsedTime_v2": (None, e, e), "cuLibraryLoadData": (None, kernels.ptx(), None, None, u32(0), None, None, u32(0)),
    }
    for label, arguments in calls.items():
        yield label, lambda: raw(label, *arguments)


@question("what is wrong in two ways answers with one of the two errors")
def two_mistakes():
    a, base, handle = pages(), reserve(), create()
    d, p = make("device").address, make("pinned").address
    s = must(cu.cuStreamCreate(1))
    yield "pinned: bad flags and no size", ask(cu.cuMemHostAlloc(0, 1 << 20))
    yield "pinned: bad flags and too much", ask(cu.cuMemHostAlloc(1 << 50, 1 << 20))
    yield "managed: bad flags and no size", ask(cu.cuMemAllocManaged(0, 9))
    yield "register: bad flags and null", ask(cu.cuMemHostRegister(0, 4096, 1 << 20))
    yield "register: bad flags, registered already", [ask(cu.cuMemHostRegister(a, 4096, 0)), ask(cu.cuMemHostRegister(a, 4096, 1 << 20))]
    yield "register: no size, registered already", ask(cu.cuMemHostRegister(a, 0, 0))
    yield "register: over registered and closed pages", ask(cu.cuMemHostRegister(a, 1 << 30, 0))
    yield "device pointer: bad flags, unknown address", ask(cu.cuMemHostGetDevicePointer(16, 1))
    yield "reserve: bad size and bad flags", ask(cu.cuMemAddressReserve(5, 0, 0, 1))
    yield "reserve: too large and badly aligned", ask(cu.cuMemAddressReserve(1 << 48, 3, 0, 0))
    yield "create: bad size, bad device", ask(cu.cuMemCreate(5, properties(ordinal=9), 0))
    yield "create: too large, bad flags", ask(cu.cuMemCreate(1 << 46, properties(), 1))
    yield "map: bad flags, bad handle", lambda: ask(cu.cuMemMap(base, LARGE, 0, 1, 1))
    yield "map: unreserved, bad offset", ask(cu.cuMemMap(a // LARGE * LARGE, LARGE, LARGE, handle, 0))
    yield "map: unaligned, wrong size", ask(cu.cuMemMap(base + 4096, 4096, 0, handle, 0))
    must(cu.cuMemMap(base, LARGE, 0, handle, 0))
    yield "map: mapped already, bad offset", ask(cu.cuMemMap(base, LARGE, 4096, handle, 0))
    yield "map: mapped already, wrong size", ask(cu.cuMemMap(base, LARGE // 2, 0, handle, 0))
    yield "free: mapped, wrong size", ask(cu.cuMemAddressFree(base, 4096))
    yield "copy: no bytes, unknown addresses", ask(cu.cuMemcpyDtoD(16, 32, 0))
    yield "copy: no bytes, no such stream", lambda: ask(cu.cuMemcpyDtoHAsync(pages(), d, 0, 3))
    yield "copy: bad address and no such stream", lambda: ask(cu.cuMemcpyDtoDAsync(16, d, 4, 3))
    yield "memset: misaligned and unknown", ask(cu.cuMemsetD32(0x7F0000000001, 1, 4))
    yield "memset: misaligned, nothing", ask(cu.cuMemsetD32(d + 1, 1, 0))
    yield "launch: bad shape, null function", lambda: ask(cu.cuLaunchKernel(0, 0, 1, 1, 1, 1, 1, 0, s, 0, 0))
    yield "pitch: bad element, no width", ask(cu.cuMemAllocPitch(0, 4, 5))
    yield "free: pinned as device memory, interior", ask(cu.cuMemFree(p + 64))
    yield "plural: unknown attribute, unknown address", raw(
        "cuPointerGetAttributes", u32(1), (i32 * 1)(99), (ctypes.c_void_p * 1)(0), a)
    yield "stream: bad flags and priority", ask(cu.cuStreamCreateWithPriority(77, 99))
    yield "event: bad flags", ask(cu.cuEventCreate(0xF0))
    yield "pool: unknown attribute, null pool", raw("cuMemPoolGetAttribute", 0, i32(99), ctypes.byref(ctypes.c_uint64()))
    yield "limit: unknown, too large", raw("cuCtxSetLimit", i32(77), 1 << 40)


@question("a wrong argument without a context: which of the two is told", needs=DRIVER)
def mistakes_without_context():
    a = pages()
    yield "alloc 0", ask(cu.cuMemAlloc(0))
    yield "pinned, bad flags", ask(cu.cuMemHostAlloc(16, 1 << 20))
    yield "pinned, no size", ask(cu.cuMemHostAlloc(0, 0))
    yield "managed, bad flags", ask(cu.cuMemAllocManaged(16, 9))
    yield "register null", ask(cu.cuMemHostRegister(0, 16, 0))
    yield "unregister what is not registered", ask(cu.cuMemHostUnregister(a))
    yield "free what is not allocated", ask(cu.cuMemFree(a))
    yield "free host what is not allocated", ask(cu.cuMemFreeHost(a))
    yield "copy nothing", ask(cu.cuMemcpyDtoD(0, 0, 0))
    yield "memset nothing", ask(cu.cuMemsetD8(0, 0, 0))
    yield "stream with bad flags", ask(cu.cuStreamCreate(99))
    yield "event with bad flags", ask(cu.cuEventCreate(99))
    yield "no image", ask(cu.cuModuleLoadData(b"no image\0"))
    yield "an unknown limit", raw("cuCtxGetLimit", ctypes.byref(ctypes.c_size_t()), i32(77))
    yield "null output", raw("cuMemAlloc_v2", None, 16)
    yield "address range of what is unknown", ask(cu.cuMemGetAddressRange(a))
    yield "free memory", ask(cu.cuMemGetInfo())


@question("null handles before cuInit: some calls look at them first", needs=NOTHING)
def null_before_init():
    out = ctypes.byref(ctypes.c_uint64())
    for label, arguments in {
            "cuStreamQuery": (0,), "cuStreamSynchronize": (0,), "cuStreamDestroy_v2": (0,), "cuStreamGetFlags": (0, out),
            "cuStreamGetPriority": (0, out), "cuStreamWaitEvent": (0, 0, u32(0)), "cuStreamGetCtx": (0, out), "cuStreamGetId": (0, out),
            "cuStreamIsCapturing": (0, out), "cuEventRecord": (0, 0), "cuEventRecordWithFlags": (0, 0, u32(0)), "cuEventQuery": (0,),
            "cuEventSynchronize": (0,), "cuEventDestroy_v2": (0,), "cuEventElapsedTime_v2": (out, 0, 0),
            "cuFuncGetAttribute": (out, i32(0), 0), "cuFuncSetAttribute": (0, i32(8), i32(0)), "cuFuncSetCacheConfig": (0, i32(0)),
            "cuFuncGetName": (out, 0),
            "cuFuncGetParamInfo": (0, 0, out, out), "cuModuleUnload": (0,), "cuModuleGetFunction": (out, 0, b"f"),
            "cuModuleGetGlobal_v2": (out, out, 0, b"g"), "cuLibraryUnload": (0,),
            "cuLibraryGetKernel": (out, 0, b"f"), "cuKernelGetFunction": (out, 0), "cuKernelGetName": (out, 0), "cuLinkDestroy": (0,),
            "cuLinkComplete": (0, out, out), "cuMemPoolDestroy": (0,), "cuMemPoolTrimTo": (0, 0), "cuCtxDestroy_v2": (0,),
            "cuCtxPushCurrent_v2": (0,), "cuCtxSetCurrent": (0,), "cuCtxGetApiVersion": (0, out), "cuCtxGetId": (0, out),
            "cuCtxDetach": (0,), "cuCtxEnablePeerAccess": (0, u32(0)), "cuCtxDisablePeerAccess": (0,), "cuMemRelease": (0,),
            "cuMemFree_v2": (0,), "cuMemFreeHost": (0,), "cuMemHostUnregister": (0,), "cuMemFreeAsync": (0, 0), "cuMemUnmap": (0, 0),
            "cuMemAddressFree": (0, 0), "cuLaunchHostFunc": (0, 0, 0), "cuMemcpyHtoD_v2": (0, 0, 0), "cuMemcpy": (0, 0, 0),
            "cuMemsetD8_v2": (0, ctypes.c_ubyte(0), 0), "cuMemHostGetFlags": (out, 0), "cuStreamWriteValue32_v2": (0, 0, u32(0), u32(0)),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor": (out, 0, i32(32), 0), "cuMemGetAddressRange_v2": (out, out, 0)}.items():
        yield label, lambda: raw(label, *arguments)


@question("the same null handles after cuInit, without a context", needs=DRIVER)
def null_after_init():
    yield from null_before_init()


@question("a context that is current and null handles", needs=DRIVER)
def null_with_context():
    context = new_context()
    for label, call in null_before_init():
        if label not in ("cuCtxSetCurrent", "cuCtxDestroy_v2", "cuCtxPushCurrent_v2"):
            yield label, call
    must(cu.cuCtxSetCurrent(context))
