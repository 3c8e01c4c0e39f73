"""cuda.bindings.runtime over the simulated driver: the runtime's functions, as calls of the driver in Python.

NVIDIA's own runtime (libcudart) asks a driver for more than the public driver API, and does not run over this one.

    error, host = cudart.cudaHostAlloc(64, cudart.cudaHostAllocMapped)      # cuMemHostAlloc
    error, device = cudart.cudaHostGetDevicePointer(host, 0)                # cuMemHostGetDevicePointer

What the runtime adds is here, too: it initialises the driver, makes a device's primary context current where no context is, and
keeps each thread's device and last error (CUDA Runtime API, "Interactions with the CUDA Driver API"). The errors of the two have
the same numbers, as far as both have them.

What is missing here answers cudaErrorNotSupported, and is noted (libcuda/lacking.py); functions that ask no driver, such as
cudaGetErrorName, stay NVIDIA's. Not here: programs that link libcudart. Its check of the driver is not counterfeited.
"""
import ctypes
import functools
import threading

from cuda_without_toolkit import after_import

from ..libcuda import lacking, stand_in
from . import runtime_more
from .calling import RuntimeRefusal, address, gives

NO_DEVICE = -2      # cudaInvalidDeviceId: of an address that the driver does not know

# Functions that ask no driver.
NVIDIAS_OWN = {"cudaGetErrorName", "cudaGetErrorString", "cudaRuntimeGetVersion", "cudaCreateChannelDesc"}

# Functions of the runtime that are one call of the driver: its name, and what becomes of the value that it gives.
SAME = {
    "cudaFree": ("cuMemFree", None),
    "cudaMallocHost": ("cuMemAllocHost", int), "cudaHostAlloc": ("cuMemHostAlloc", int), "cudaFreeHost": ("cuMemFreeHost", None),
    "cudaHostRegister": ("cuMemHostRegister", None), "cudaHostUnregister": ("cuMemHostUnregister", None),
    "cudaHostGetDevicePointer": ("cuMemHostGetDevicePointer", int), "cudaHostGetFlags": ("cuMemHostGetFlags", int),
    "cudaMallocAsync": ("cuMemAllocAsync", int), "cudaFreeAsync": ("cuMemFreeAsync", None),
    "cudaDeviceSynchronize": ("cuCtxSynchronize", None),
    "cudaStreamSynchronize": ("cuStreamSynchronize", None), "cudaStreamQuery": ("cuStreamQuery", None),
    "cudaStreamDestroy": ("cuStreamDestroy", None), "cudaStreamWaitEvent": ("cuStreamWaitEvent", None),
    "cudaEventRecord": ("cuEventRecord", None), "cudaEventSynchronize": ("cuEventSynchronize", None),
    "cudaEventQuery": ("cuEventQuery", None), "cudaEventDestroy": ("cuEventDestroy", None),
    "cudaEventElapsedTime": ("cuEventElapsedTime", float),
    **runtime_more.SAME,
}
# Fields of cudaDeviceProp whose attribute is not called like them.
ATTRIBUTES = {
    "major": "COMPUTE_CAPABILITY_MAJOR", "minor": "COMPUTE_CAPABILITY_MINOR", "pciBusID": "PCI_BUS_ID", "pciDeviceID": "PCI_DEVICE_ID",
    "pciDomainID": "PCI_DOMAIN_ID", "ECCEnabled": "ECC_ENABLED", "memPitch": "MAX_PITCH", "memoryBusWidth": "GLOBAL_MEMORY_BUS_WIDTH",
    "totalConstMem": "TOTAL_CONSTANT_MEMORY", "l2CacheSize": "L2_CACHE_SIZE", "multiProcessorCount": "MULTIPROCESSOR_COUNT",
    "sharedMemPerBlock": "MAX_SHARED_MEMORY_PER_BLOCK", "sharedMemPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "sharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", "regsPerBlock": "MAX_REGISTERS_PER_BLOCK",
    "regsPerMultiprocessor": "MAX_REGISTERS_PER_MULTIPROCESSOR", "maxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTIPROCESSOR",
}
DEFAULT = 4     # cudaMemcpyDefault


def install():
    """Mend cuda.bindings.runtime: now where it is imported already, else as soon as it is."""
    after_import.do("cuda.bindings.runtime", _mend)


def _mend(runtime):
    replacements = Runtime(runtime)
    for name in dir(runtime):
        of_nvidia = getattr(runtime, name)
        if not name.startswith("cuda") or isinstance(of_nvidia, type) or not callable(of_nvidia) or name in NVIDIAS_OWN:
            continue
        function = functools.wraps(of_nvidia)(replacements.function(name, of_nvidia))
        setattr(runtime, name, function)


class ByName(functools.partial):
    """A function that another process finds by its name, as NVIDIA's is: what is in it means nothing there."""

    def __reduce__(self):
        return self.__qualname__


class Runtime(runtime_more.MoreFunctions):
    """The runtime's functions, by its names: each returns its value, or nothing, and raises RuntimeRefusal."""

    def __init__(self, runtime):
        from cuda.bindings import driver
        self.runtime, self.driver, self.errors = runtime, driver, runtime.cudaError_t
        self.thread = threading.local()     # .device, .last

    # How a function is called ---------------------------------------------------------------------------------------

    def function(self, name, of_nvidia):
        """What stands in the place of NVIDIA's function of this name."""
        if name in ("cudaGetLastError", "cudaPeekAtLastError"):
            return ByName(self.last_error, forget=name == "cudaGetLastError")
        if name in SAME:
            called, convert = SAME[name]
            function = functools.partial(self.as_driver, getattr(self.driver, called), convert)
            return ByName(self.call, gives(int(convert is not None))(function))
        if hasattr(self, name):
            return ByName(self.call, getattr(self, name))
        return ByName(self.missing, name, of_nvidia)

    def call(self, function, *arguments, **named):
        """The function's answer as cuda.bindings gives it: the error, then its values, or None for each."""
        try:
            self.ask(self.driver.cuInit, 0)
            if function.context:
                self.use_context()
            value = function(*arguments, **named)
        except RuntimeRefusal as refused:
            return (self.failed(refused.code), *[None] * function.values)
        return (self.errors.cudaSuccess, *(value if function.values > 1 else [value] * function.values))

    def missing(self, name, of_nvidia, *arguments, **named):
        """A function that is not here. NVIDIA's own, which fails over this driver, says how many values there would be."""
        lacking.note(name)
        _, *values = of_nvidia(*arguments, **named)
        return (self.failed(int(self.errors.cudaErrorNotSupported)), *[None] * len(values))

    def last_error(self, forget):
        error = getattr(self.thread, "last_error", self.errors.cudaSuccess)
        if forget:
            self.thread.last_error = self.errors.cudaSuccess
        return (error,)

    def failed(self, code):
        """The runtime's error of a number, kept as the thread's last."""
        error = self.errors(code) if code in iter(map(int, self.errors)) else self.errors.cudaErrorUnknown
        if error != self.errors.cudaErrorNotReady:      # an answer, and no error
            self.thread.last_error = error
        return error

    def ask(self, function, *arguments):
        """A call of the driver: its value, or None where it gives none."""
        error, *values = function(*arguments)
        if int(error):
            raise RuntimeRefusal(int(error))
        return values[0] if len(values) == 1 else values or None

    def as_driver(self, function, convert, *arguments):
        value = self.ask(function, *arguments)
        return convert(value) if convert else None

    def refuse(self, name):
        raise RuntimeRefusal(int(getattr(self.errors, name)))

    def primary(self, device):
        return self.ask(self.driver.cuDevicePrimaryCtxRetain, device)

    def use_context(self):
        """Make the primary context of the thread's device current, where no context is."""
        if not int(self.ask(self.driver.cuCtxGetCurrent)):
            self.ask(self.driver.cuCtxSetCurrent, self.primary(getattr(self.thread, "device", 0)))

    # Devices --------------------------------------------------------------------------------------------------------

    @gives(1, context=False)
    def cudaDriverGetVersion(self):
        return self.ask(self.driver.cuDriverGetVersion)

    @gives(1, context=False)
    def cudaGetDeviceCount(self):
        return self.ask(self.driver.cuDeviceGetCount)

    @gives(1, context=False)
    def cudaGetDevice(self):
        current = int(self.ask(self.driver.cuCtxGetCurrent))
        return int(self.ask(self.driver.cuCtxGetDevice)) if current else getattr(self.thread, "device", 0)

    @gives(0, context=False)
    def cudaSetDevice(self, device):
        self.ask(self.driver.cuCtxSetCurrent, self.primary(device))
        self.thread.device = device

    @gives(1, context=False)
    def cudaDeviceGetAttribute(self, attr, device):
        return self.ask(self.driver.cuDeviceGetAttribute, self.driver.CUdevice_attribute(int(attr)), device)

    @gives(1, context=False)
    def cudaDeviceGetPCIBusId(self, length, device):
        return self.ask(self.driver.cuDeviceGetPCIBusId, length, device)

    @gives(1, context=False)
    def cudaGetDeviceProperties(self, device):
        """Name, memory, and every field that an attribute of the driver stands for; the others are 0."""
        properties = self.runtime.cudaDeviceProp()
        name = self.ask(self.driver.cuDeviceGetName, 256, device)
        properties.name, properties.totalGlobalMem = name.ljust(256, b"\0"), self.ask(self.driver.cuDeviceTotalMem, device)

        def attribute(words):
            number = getattr(self.driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{words}", None)
            return None if number is None else self.ask(self.driver.cuDeviceGetAttribute, number, device)
        for field in (name for name in dir(properties) if not name.startswith("_")):
            words = ATTRIBUTES.get(field) or "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in field)
            value = attribute(words)
            if value is not None and isinstance(getattr(properties, field), int):
                setattr(properties, field, value)
        properties.maxThreadsDim = [attribute(f"MAX_BLOCK_DIM_{axis}") for axis in "XYZ"]
        properties.maxGridSize = [attribute(f"MAX_GRID_DIM_{axis}") for axis in "XYZ"]
        return properties

    @gives(2)
    def cudaMemGetInfo(self):
        return self.ask(self.driver.cuMemGetInfo)

    @gives(1, context=False)
    def cudaDeviceCanAccessPeer(self, device, peerDevice):
        return self.ask(self.driver.cuDeviceCanAccessPeer, device, peerDevice)

    @gives(0)
    def cudaDeviceEnablePeerAccess(self, peerDevice, flags):
        self.ask(self.driver.cuCtxEnablePeerAccess, self.primary(peerDevice), flags)

    @gives(0)
    def cudaDeviceDisablePeerAccess(self, peerDevice):
        self.ask(self.driver.cuCtxDisablePeerAccess, self.primary(peerDevice))

    # What is known of an address ------------------------------------------------------------------------------------

    @gives(1)
    def cudaPointerGetAttributes(self, ptr):
        """Of an address that the driver does not know: type 0, no device pointer, and the address itself as hostPointer."""
        names = ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "IS_MANAGED")
        attribute = self.driver.CUpointer_attribute
        attributes = [getattr(attribute, f"CU_POINTER_ATTRIBUTE_{name}") for name in names]
        values = self.ask(self.driver.cuPointerGetAttributes, len(names), attributes, address(ptr))
        kind, on_device, on_host, managed = map(int, values)
        # Without cuda.bindings, which from 13.2 to 13.3 has 0 for every device (NVIDIA/cuda-python, issue 2928).
        device = ctypes.c_int()
        if stand_in.load().cuPointerGetAttribute(ctypes.byref(device), int(attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL),
                                                 ctypes.c_uint64(address(ptr))):
            device.value = NO_DEVICE
        kinds, structure = self.runtime.cudaMemoryType, self.runtime.cudaPointerAttributes()
        structure.type = kinds.cudaMemoryTypeManaged if managed else kinds(kind)
        structure.device, structure.devicePointer, structure.hostPointer = device.value, on_device, on_host
        return structure

    # Allocations ----------------------------------------------------------------------------------------------------

    @gives(1)
    def cudaMalloc(self, size):
        """0 bytes are at null; the driver's call refuses them. So does the runtime for pinned memory. (An H200's answers.)"""
        return int(self.ask(self.driver.cuMemAlloc, size)) if size else 0

    @gives(1)
    def cudaMallocManaged(self, size, flags):
        return int(self.ask(self.driver.cuMemAllocManaged, size, flags)) if size else 0

    # Copies and fills -----------------------------------------------------------------------------------------------

    @gives(0)
    def cudaMemcpy(self, dst, src, count, kind):
        self._copy(dst, src, count, kind, self.driver.cuMemcpy, self.driver.cuMemcpyHtoD, self.driver.cuMemcpyDtoH,
                   self.driver.cuMemcpyDtoD)

    @gives(0)
    def cudaMemcpyAsync(self, dst, src, count, kind, stream):
        self._copy(dst, src, count, kind, self.driver.cuMemcpyAsync, self.driver.cuMemcpyHtoDAsync, self.driver.cuMemcpyDtoHAsync,
                   self.driver.cuMemcpyDtoDAsync, stream)

    def _copy(self, dst, src, count, kind, unified, to_device, to_host, on_device, *stream):
        directed = {1: to_device, 2: to_host, 3: on_device}.get(int(kind), unified)
        if not 0 <= int(kind) <= DEFAULT:
            self.refuse("cudaErrorInvalidMemcpyDirection")
        self.ask(directed, address(dst), address(src), count, *stream)

    @gives(0)
    def cudaMemcpyPeer(self, dst, dstDevice, src, srcDevice, count):
        self.ask(self.driver.cuMemcpyPeer, address(dst), self.primary(dstDevice), address(src), self.primary(srcDevice), count)

    @gives(0)
    def cudaMemset(self, devPtr, value, count):
        self.ask(self.driver.cuMemsetD8, address(devPtr), value & 0xFF, count)

    @gives(0)
    def cudaMemsetAsync(self, devPtr, value, count, stream):
        self.ask(self.driver.cuMemsetD8Async, address(devPtr), value & 0xFF, count, stream)

    @gives(0)
    def cudaMemPrefetchAsync(self, devPtr, count, location, flags, stream):
        self.ask(self.driver.cuMemPrefetchAsync, address(devPtr), count, self._place(location), flags, stream)

    @gives(0)
    def cudaMemAdvise(self, devPtr, count, advice, location):
        self.ask(self.driver.cuMemAdvise, address(devPtr), count, self.driver.CUmem_advise(int(advice)), self._place(location))

    def _place(self, location):
        place = self.driver.CUmemLocation()
        place.type, place.id = self.driver.CUmemLocationType(int(location.type)), location.id
        return place

    # Streams and events ---------------------------------------------------------------------------------------------

    @gives(1)
    def cudaStreamCreate(self):
        return self._stream(self.driver.cuStreamCreate, 0)

    @gives(1)
    def cudaStreamCreateWithFlags(self, flags):
        return self._stream(self.driver.cuStreamCreate, flags)

    @gives(1)
    def cudaStreamCreateWithPriority(self, flags, priority):
        return self._stream(self.driver.cuStreamCreateWithPriority, flags, priority)

    def _stream(self, create, *arguments):
        return self.runtime.cudaStream_t(int(self.ask(create, *arguments)))

    @gives(1)
    def cudaEventCreate(self):
        return self.cudaEventCreateWithFlags(0)

    @gives(1)
    def cudaEventCreateWithFlags(self, flags):
        return self.runtime.cudaEvent_t(int(self.ask(self.driver.cuEventCreate, flags)))
