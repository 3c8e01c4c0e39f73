"""One of everything that a call may take, and every call of the driver API with them."""
from cuda.bindings import driver as cu

from . import kernels
from .calls import must
from .memory_kinds import LARGE, access, location, make, mapped, pages, properties

A = cu.CUpointer_attribute


class Objects:
    """One of everything that a call may take, or numbers that stand for them where nothing can be made."""

    def __init__(self, exist):
        self.host = pages()
        if not exist:
            self.device = self.pinned = self.managed = self.mapped = self.reserved = self.ordered = 0x7F0000000000
            self.registered = self.host
            self.stream = self.event = self.function = self.module = self.handle = self.context = self.pool = 0
            return
        self.context = must(cu.cuCtxGetCurrent())
        self.device, self.pinned = make("device").address, make("pinned").address
        self.managed, self.registered = make("managed").address, make("registered").address
        block = mapped()
        self.mapped, self.handle = block.address, block.handle
        self.reserved, self.ordered = make("reserved only").address, make("stream-ordered").address
        self.stream, self.event = must(cu.cuStreamCreate(1)), must(cu.cuEventCreate(0))
        self.module, self.function = kernels.module(), kernels.kernel("nothing")
        self.pool = must(cu.cuDeviceGetDefaultMemPool(0))
        must(cu.cuEventRecord(self.event, self.stream))


def calls(o):
    """Harmless calls of every part of the API on objects `o`: label -> function that gives the result."""
    ptx = kernels.ptx()
    return {
        # what needs nothing
        "cuDriverGetVersion": lambda: cu.cuDriverGetVersion(),
        "cuGetErrorName": lambda: cu.cuGetErrorName(cu.CUresult(1)),
        "cuDeviceGetCount": lambda: cu.cuDeviceGetCount(),
        "cuDeviceGet": lambda: cu.cuDeviceGet(0),
        "cuDeviceGetName": lambda: cu.cuDeviceGetName(64, 0),
        "cuDeviceTotalMem": lambda: cu.cuDeviceTotalMem(0),
        "cuDeviceGetAttribute": lambda: cu.cuDeviceGetAttribute(cu.CUdevice_attribute(1), 0),
        "cuDeviceGetUuid": lambda: cu.cuDeviceGetUuid(0),
        "cuDeviceGetPCIBusId": lambda: cu.cuDeviceGetPCIBusId(64, 0),
        "cuDeviceCanAccessPeer": lambda: cu.cuDeviceCanAccessPeer(0, 0),
        "cuDeviceGetDefaultMemPool": lambda: cu.cuDeviceGetDefaultMemPool(0),
        "cuDeviceGetMemPool": lambda: cu.cuDeviceGetMemPool(0),
        "cuDevicePrimaryCtxGetState": lambda: cu.cuDevicePrimaryCtxGetState(0),
        # contexts
        "cuCtxGetCurrent": lambda: cu.cuCtxGetCurrent(),
        "cuCtxGetDevice": lambda: cu.cuCtxGetDevice(),
        "cuCtxGetFlags": lambda: cu.cuCtxGetFlags(),
        "cuCtxGetLimit": lambda: cu.cuCtxGetLimit(cu.CUlimit(0)),
        "cuCtxSetLimit": lambda: cu.cuCtxSetLimit(cu.CUlimit(0), 1024),
        "cuCtxGetApiVersion": lambda: cu.cuCtxGetApiVersion(o.context),
        "cuCtxGetId": lambda: cu.cuCtxGetId(o.context),
        "cuCtxGetCacheConfig": lambda: cu.cuCtxGetCacheConfig(),
        "cuCtxGetStreamPriorityRange": lambda: cu.cuCtxGetStreamPriorityRange(),
        "cuCtxSynchronize": lambda: cu.cuCtxSynchronize(),
        # host memory
        "cuMemHostAlloc": lambda: cu.cuMemHostAlloc(4096, 0),
        "cuMemAllocHost": lambda: cu.cuMemAllocHost(4096),
        "cuMemHostGetFlags": lambda: cu.cuMemHostGetFlags(o.pinned),
        "cuMemHostGetDevicePointer": lambda: cu.cuMemHostGetDevicePointer(o.pinned, 0),
        "cuMemHostRegister": lambda: cu.cuMemHostRegister(o.host, 4096, 0),
        "cuMemHostUnregister": lambda: cu.cuMemHostUnregister(o.registered),
        # device memory
        "cuMemAlloc": lambda: cu.cuMemAlloc(4096),
        "cuMemAlloc of no size": lambda: cu.cuMemAlloc(0),
        "cuMemAllocPitch": lambda: cu.cuMemAllocPitch(100, 10, 4),
        "cuMemAllocManaged": lambda: cu.cuMemAllocManaged(4096, 1),
        "cuMemGetInfo": lambda: cu.cuMemGetInfo(),
        "cuMemGetAddressRange": lambda: cu.cuMemGetAddressRange(o.device),
        "cuPointerGetAttribute MEMORY_TYPE": lambda: cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, o.device),
        "cuPointerGetAttribute DEVICE_POINTER of pinned": lambda: cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_DEVICE_POINTER, o.pinned),
        "cuPointerGetAttribute of pageable": lambda: cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, o.host),
        "cuPointerGetAttributes": lambda: cu.cuPointerGetAttributes(1, [A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE], o.device),
        "cuPointerSetAttribute": lambda: cu.cuPointerSetAttribute(True, A.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, o.device),
        "cuMemFree null": lambda: cu.cuMemFree(0),
        "cuMemFreeHost null": lambda: cu.cuMemFreeHost(0),
        # copies and memsets
        "cuMemcpyHtoD": lambda: cu.cuMemcpyHtoD(o.device, o.host, 16),
        "cuMemcpyDtoH": lambda: cu.cuMemcpyDtoH(o.host, o.device, 16),
        "cuMemcpyDtoD": lambda: cu.cuMemcpyDtoD(o.device, o.device + 64, 16),
        "cuMemcpyHtoDAsync": lambda: cu.cuMemcpyHtoDAsync(o.device, o.host, 16, o.stream),
        "cuMemcpy host to host": lambda: cu.cuMemcpy(o.host, o.host + 64, 16),
        "cuMemcpyHtoD of nothing": lambda: cu.cuMemcpyHtoD(o.device, o.host, 0),
        "cuMemcpyDtoD of nothing": lambda: cu.cuMemcpyDtoD(o.device, o.device, 0),
        "cuMemsetD8": lambda: cu.cuMemsetD8(o.device, 1, 16),
        "cuMemsetD32Async": lambda: cu.cuMemsetD32Async(o.device, 1, 4, o.stream),
        # virtual memory management
        "cuMemGetAllocationGranularity": lambda: cu.cuMemGetAllocationGranularity(properties(), cu.CUmemAllocationGranularity_flags(0)),
        "cuMemAddressReserve": lambda: cu.cuMemAddressReserve(LARGE, 0, 0, 0),
        "cuMemCreate": lambda: cu.cuMemCreate(LARGE, properties(), 0),
        "cuMemMap": lambda: cu.cuMemMap(o.reserved, LARGE, 0, o.handle, 0),
        "cuMemSetAccess": lambda: cu.cuMemSetAccess(o.mapped, LARGE, [access("read and write")], 1),
        "cuMemGetAccess": lambda: cu.cuMemGetAccess(location(), o.mapped),
        "cuMemRetainAllocationHandle": lambda: cu.cuMemRetainAllocationHandle(o.mapped),
        "cuMemGetAllocationPropertiesFromHandle": lambda: cu.cuMemGetAllocationPropertiesFromHandle(o.handle),
        # stream-ordered
        "cuMemAllocAsync": lambda: cu.cuMemAllocAsync(4096, o.stream),
        "cuMemPoolTrimTo": lambda: cu.cuMemPoolTrimTo(o.pool, 0),
        # streams and events
        "cuStreamCreate": lambda: cu.cuStreamCreate(1),
        "cuStreamQuery": lambda: cu.cuStreamQuery(o.stream),
        "cuStreamSynchronize": lambda: cu.cuStreamSynchronize(o.stream),
        "cuStreamSynchronize of NULL": lambda: cu.cuStreamSynchronize(0),
        "cuStreamGetFlags": lambda: cu.cuStreamGetFlags(o.stream),
        "cuStreamGetPriority": lambda: cu.cuStreamGetPriority(o.stream),
        "cuEventCreate": lambda: cu.cuEventCreate(0),
        "cuEventRecord": lambda: cu.cuEventRecord(o.event, o.stream),
        "cuEventQuery": lambda: cu.cuEventQuery(o.event),
        "cuEventSynchronize": lambda: cu.cuEventSynchronize(o.event),
        "cuStreamWaitEvent": lambda: cu.cuStreamWaitEvent(o.stream, o.event, 0),
        # modules and kernels
        "cuModuleLoadData": lambda: cu.cuModuleLoadData(ptx),
        "cuModuleGetFunction": lambda: cu.cuModuleGetFunction(o.module, b"nothing"),
        "cuModuleGetGlobal": lambda: cu.cuModuleGetGlobal(o.module, b"counter"),
        "cuFuncGetAttribute": lambda: cu.cuFuncGetAttribute(cu.CUfunction_attribute(0), o.function),
        "cuLaunchKernel": lambda: cu.cuLaunchKernel(o.function, 1, 1, 1, 1, 1, 1, 0, o.stream, 0, 0),
        "cuLaunchKernel with no blocks": lambda: cu.cuLaunchKernel(o.function, 0, 1, 1, 1, 1, 1, 0, o.stream, 0, 0),
        "cuLinkCreate": lambda: cu.cuLinkCreate(0, [], []),
        "cuProfilerStart": lambda: cu.cuProfilerStart(),
        # giving back
        "cuStreamDestroy": lambda: cu.cuStreamDestroy(o.stream),
        "cuEventDestroy": lambda: cu.cuEventDestroy(o.event),
        "cuModuleUnload": lambda: cu.cuModuleUnload(o.module),
        "cuMemFreeAsync": lambda: cu.cuMemFreeAsync(o.ordered, 0),
        "cuMemFree": lambda: cu.cuMemFree(o.device),
        "cuMemFree managed": lambda: cu.cuMemFree(o.managed),
        "cuMemFreeHost": lambda: cu.cuMemFreeHost(o.pinned),
        "cuMemUnmap": lambda: cu.cuMemUnmap(o.mapped, LARGE),
        "cuMemRelease": lambda: cu.cuMemRelease(o.handle),
        "cuMemAddressFree": lambda: cu.cuMemAddressFree(o.mapped, LARGE),
        "cuDevicePrimaryCtxRetain": lambda: cu.cuDevicePrimaryCtxRetain(0),
        "cuDevicePrimaryCtxRelease": lambda: cu.cuDevicePrimaryCtxRelease(0),
        "cuCtxSetCurrent null": lambda: cu.cuCtxSetCurrent(0),
        "cuCtxPushCurrent": lambda: cu.cuCtxPushCurrent(o.context),
        "cuCtxPopCurrent": lambda: cu.cuCtxPopCurrent(),
        "cuCtxCreate": lambda: cu.cuCtxCreate(None, 0, 0),
        "cuCtxDestroy": lambda: cu.cuCtxDestroy(o.context),
    }
