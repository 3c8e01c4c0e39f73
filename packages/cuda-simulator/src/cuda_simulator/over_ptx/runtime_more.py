"""More of cuda.bindings.runtime as calls of the driver: what a device is set to, pools, other processes, libraries.

Not here: what every program needs, and how a function is called (cuda_runtime.py), rows with a pitch
(runtime_rows.py). Graphs, arrays and textures are not simulated.
"""
import ctypes

from .calling import address, as_it_is, gives
from .runtime_rows import Rows

# Functions of the runtime that are one call of the driver, with a context: its name, and what becomes of the value that it gives.
SAME = {
    "cudaStreamGetFlags": ("cuStreamGetFlags", int), "cudaStreamGetPriority": ("cuStreamGetPriority", int),
    "cudaStreamGetId": ("cuStreamGetId", int), "cudaStreamGetDevice": ("cuStreamGetDevice", int),
    "cudaEventRecordWithFlags": ("cuEventRecordWithFlags", None), "cudaLaunchHostFunc": ("cuLaunchHostFunc", None),
    "cudaStreamAddCallback": ("cuStreamAddCallback", None),
    "cudaIpcCloseMemHandle": ("cuIpcCloseMemHandle", None),
    "cudaMemPoolDestroy": ("cuMemPoolDestroy", None), "cudaMemPoolTrimTo": ("cuMemPoolTrimTo", None),
    "cudaMallocFromPoolAsync": ("cuMemAllocFromPoolAsync", int),
    "cudaLibraryUnload": ("cuLibraryUnload", None), "cudaLibraryGetKernelCount": ("cuLibraryGetKernelCount", int),
    "cudaLibraryGetKernel": ("cuLibraryGetKernel", as_it_is),
    "cudaProfilerStart": ("cuProfilerStart", None), "cudaProfilerStop": ("cuProfilerStop", None),
}


class MoreFunctions(Rows):
    """Functions of the runtime by their names, for cuda_runtime.Runtime, whose `ask`, `driver` and `runtime` they use."""

    # Devices: flags, limits, peers ----------------------------------------------------------------------------------

    @gives(0, context=False)
    def cudaSetDeviceFlags(self, flags):
        """For the primary context of the thread's device. The runtime has cudaDeviceMapHost (8) for all contexts, and
        takes it; a bit that only the driver has a name for (64) it takes and forgets. (An H200's answers.)"""
        self._set_flags(self.cudaGetDevice(), flags)

    def _set_flags(self, device, flags):
        self.ask(self.driver.cuDevicePrimaryCtxSetFlags, device, flags & ~(8 | 64))

    @gives(1, context=False)
    def cudaGetDeviceFlags(self):
        flags, _ = self.ask(self.driver.cuDevicePrimaryCtxGetState, self.cudaGetDevice())
        return int(flags) | 8

    @gives(0, context=False)
    def cudaInitDevice(self, device, deviceFlags, flags):
        if flags & 1:       # cudaInitDeviceFlagsAreValid
            self._set_flags(device, deviceFlags)
        self.primary(device)

    @gives(0, context=False)
    def cudaDeviceReset(self):
        """This thread's next call makes the primary context anew."""
        device, current = self.cudaGetDevice(), int(self.ask(self.driver.cuCtxGetCurrent))
        if current and current == int(self.primary(device)):
            self.ask(self.driver.cuCtxSetCurrent, 0)
        self.ask(self.driver.cuDevicePrimaryCtxReset, device)

    @gives(1, context=False)
    def cudaDeviceGetByPCIBusId(self, pciBusId):
        return int(self.ask(self.driver.cuDeviceGetByPCIBusId, pciBusId))

    @gives(1, context=False)
    def cudaDeviceGetP2PAttribute(self, attr, srcDevice, dstDevice):
        return self.ask(self.driver.cuDeviceGetP2PAttribute, self.driver.CUdevice_P2PAttribute(int(attr)), srcDevice, dstDevice)

    @gives(1)
    def cudaDeviceGetLimit(self, limit):
        return self.ask(self.driver.cuCtxGetLimit, self.driver.CUlimit(int(limit)))

    @gives(0)
    def cudaDeviceSetLimit(self, limit, value):
        self.ask(self.driver.cuCtxSetLimit, self.driver.CUlimit(int(limit)), value)

    @gives(2)
    def cudaDeviceGetStreamPriorityRange(self):
        return self.ask(self.driver.cuCtxGetStreamPriorityRange)

    # Captured streams, which there are none of ----------------------------------------------------------------------

    @gives(1)
    def cudaStreamIsCapturing(self, stream):
        return self.runtime.cudaStreamCaptureStatus(int(self.ask(self.driver.cuStreamIsCapturing, stream)))

    @gives(6)
    def cudaStreamGetCaptureInfo(self, stream):
        status, number, graph, *dependencies = self.ask(self.driver.cuStreamGetCaptureInfo, stream)
        return self.runtime.cudaStreamCaptureStatus(int(status)), int(number), self.runtime.cudaGraph_t(int(graph)), *dependencies

    @gives(1)
    def cudaThreadExchangeStreamCaptureMode(self, mode):
        previous_mode = self.ask(self.driver.cuThreadExchangeStreamCaptureMode, self.driver.CUstreamCaptureMode(int(mode)))
        return self.runtime.cudaStreamCaptureMode(int(previous_mode))

    # Pools ----------------------------------------------------------------------------------------------------------

    def _exists(self, device):
        """The driver's calls for pools say of a device that there is not that the value is wrong."""
        if not 0 <= device < self.ask(self.driver.cuDeviceGetCount):
            self.refuse("cudaErrorInvalidDevice")

    @gives(1, context=False)
    def cudaDeviceGetDefaultMemPool(self, device):
        self._exists(device)
        return self.ask(self.driver.cuDeviceGetDefaultMemPool, device)

    @gives(1, context=False)
    def cudaDeviceGetMemPool(self, device):
        self._exists(device)
        return self.ask(self.driver.cuDeviceGetMemPool, device)

    @gives(0, context=False)
    def cudaDeviceSetMemPool(self, device, memPool):
        self._exists(device)
        self.ask(self.driver.cuDeviceSetMemPool, device, memPool)

    @gives(1)
    def cudaMemPoolCreate(self, poolProps):
        properties = self.driver.CUmemPoolProps()
        properties.allocType = self.driver.CUmemAllocationType(int(poolProps.allocType))
        properties.handleTypes = self.driver.CUmemAllocationHandleType(int(poolProps.handleTypes))
        properties.location, properties.maxSize = self._place(poolProps.location), poolProps.maxSize
        return self.ask(self.driver.cuMemPoolCreate, properties)

    @gives(0)
    def cudaMemPoolSetAttribute(self, memPool, attr, value):
        self.ask(self.driver.cuMemPoolSetAttribute, memPool, self.driver.CUmemPool_attribute(int(attr)), value)

    @gives(1)
    def cudaMemPoolGetAttribute(self, memPool, attr):
        return self.ask(self.driver.cuMemPoolGetAttribute, memPool, self.driver.CUmemPool_attribute(int(attr)))

    @gives(0)
    def cudaMemPoolSetAccess(self, memPool, descList, count):
        descriptors = []
        for description in descList:
            descriptor = self.driver.CUmemAccessDesc()
            descriptor.location, descriptor.flags = self._place(description.location), self.driver.CUmemAccess_flags(int(description.flags))
            descriptors.append(descriptor)
        self.ask(self.driver.cuMemPoolSetAccess, memPool, descriptors, count)

    @gives(1)
    def cudaMemPoolGetAccess(self, memPool, location):
        return self.runtime.cudaMemAccessFlags(int(self.ask(self.driver.cuMemPoolGetAccess, memPool, self._place(location))))

    # Other devices and processes ------------------------------------------------------------------------------------

    @gives(0)
    def cudaMemcpyPeerAsync(self, dst, dstDevice, src, srcDevice, count, stream):
        self.ask(self.driver.cuMemcpyPeerAsync, address(dst), self.primary(dstDevice), address(src), self.primary(srcDevice), count, stream)

    @gives(1)
    def cudaIpcGetMemHandle(self, devPtr):
        return self._copy_handle(self.runtime.cudaIpcMemHandle_t(), self.ask(self.driver.cuIpcGetMemHandle, address(devPtr)))

    @gives(1)
    def cudaIpcOpenMemHandle(self, handle, flags):
        return int(self.ask(self.driver.cuIpcOpenMemHandle, self._copy_handle(self.driver.CUipcMemHandle(), handle), flags))

    @gives(1)
    def cudaIpcGetEventHandle(self, event):
        return self._copy_handle(self.runtime.cudaIpcEventHandle_t(), self.ask(self.driver.cuIpcGetEventHandle, event))

    @gives(1)
    def cudaIpcOpenEventHandle(self, handle):
        return self.ask(self.driver.cuIpcOpenEventHandle, self._copy_handle(self.driver.CUipcEventHandle(), handle))

    @staticmethod
    def _copy_handle(target, handle):
        """One handle's 64 bytes as the other kind of handle (cuda-bindings 13.5 has no attribute for them)."""
        ctypes.memmove(int(target.getPtr()), int(handle.getPtr()), 64)
        return target

    # Managed memory, libraries --------------------------------------------------------------------------------------

    @gives(0)
    def cudaStreamAttachMemAsync(self, stream, devPtr, length, flags):
        self.ask(self.driver.cuStreamAttachMemAsync, stream, address(devPtr), length, flags)

    @gives(1)
    def cudaMemRangeGetAttribute(self, dataSize, attribute, devPtr, count):
        attribute = self.driver.CUmem_range_attribute(int(attribute))
        return self.ask(self.driver.cuMemRangeGetAttribute, dataSize, attribute, address(devPtr), count)

    @gives(1)
    def cudaLibraryLoadData(self, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
                            numLibraryOptions):
        if numJitOptions or numLibraryOptions:
            self.refuse("cudaErrorNotSupported")
        return self.ask(self.driver.cuLibraryLoadData, code, [], [], 0, [], [], 0)

    @gives(2)
    def cudaLibraryGetGlobal(self, library, name):
        start, size = self.ask(self.driver.cuLibraryGetGlobal, library, name)
        return int(start), size
