"""The runtime's own functions for pinned, registered and device memory, called by their names in cuda.bindings.runtime."""
import ctypes

from cuda.bindings import driver as cu, runtime as cudart

from ...asking import DRIVER, question
from ...helpers.calls import must, where
from ...helpers.runtime import SIZE, error_of, page, value

KINDS = cudart.cudaMemcpyKind


def registered_address():
    address = page()
    value((*cudart.cudaHostRegister(address, SIZE, 0), None))
    return address


def freed_address():
    address = int(value(cudart.cudaMalloc(SIZE)))
    cudart.cudaFree(address)
    return address


def reserved_address():
    return int(must(cu.cuMemAddressReserve(2 << 20, 0, 0, 0)))


def memory():
    """{kind: the address of 8192 bytes of it}, each made by the runtime where it has a function for it."""
    return {"cudaMalloc": int(value(cudart.cudaMalloc(SIZE))), "cudaMallocHost": int(value(cudart.cudaMallocHost(SIZE))),
            "cudaHostAlloc": int(value(cudart.cudaHostAlloc(SIZE, 0))),
            "cudaHostAlloc, write-combined": int(value(cudart.cudaHostAlloc(SIZE, cudart.cudaHostAllocWriteCombined))),
            "cudaHostRegister": registered_address(), "cudaMallocManaged": int(value(cudart.cudaMallocManaged(SIZE, 1))),
            "pageable": page(), "reserved only": reserved_address(), "freed": freed_address(), "null": 0}


@question("cudaHostGetDevicePointer answers for pinned and registered memory, for each of their bytes, and refuses the rest", needs=DRIVER)
def host_get_device_pointer():
    for kind, address in memory().items():
        for offset in (0, 100, SIZE - 1, *[SIZE] * (kind == "cudaHostRegister")):
            answer = cudart.cudaHostGetDevicePointer(address + offset, 0)
            yield f"{kind}, byte {offset}", error_of(answer) if int(answer[0]) else where(answer[1], **{"that byte": address + offset})
    yield "flags 1", error_of(cudart.cudaHostGetDevicePointer(memory()["cudaHostAlloc"], 1))


@question("cudaPointerGetAttributes succeeds for every address: type 0 says that the driver does not know it", needs=DRIVER)
def pointer_get_attributes():
    for kind, address in memory().items():
        for offset in (0, 100):
            error, attributes = cudart.cudaPointerGetAttributes(address + offset)
            label = f"{kind}, byte {offset}"
            yield label, error.name if int(error) else [
                attributes.type.name, attributes.device, where(attributes.devicePointer, asked=address + offset), where(attributes.hostPointer, asked=address + offset)]


@question("cudaHostAlloc takes the flags 0 to 7, and cudaHostGetFlags says mapped for all of them", needs=DRIVER)
def host_alloc_flags():
    for flags in [*range(9), 16, 1 << 31]:
        answer = cudart.cudaHostAlloc(4 << 20, flags)
        yield f"flags {flags}", error_of(answer) if int(answer[0]) else int(value(cudart.cudaHostGetFlags(int(answer[1]))))
    yield "cudaMallocHost", int(value(cudart.cudaHostGetFlags(int(value(cudart.cudaMallocHost(4 << 20))))))


@question("no bytes of device or managed memory are at null, and no bytes of pinned memory are refused", needs=DRIVER)
def no_bytes():
    for name, arguments in (("cudaMalloc", ()), ("cudaMallocHost", ()), ("cudaHostAlloc", (0,)), ("cudaMallocManaged", (1,))):
        answer = getattr(cudart, name)(0, *arguments)
        yield name, error_of(answer) if int(answer[0]) else where(answer[1])
    yield "cudaHostRegister", error_of(cudart.cudaHostRegister(page(), 0, 0))
    yield "cudaMemset", error_of(cudart.cudaMemset(int(value(cudart.cudaMalloc(64))), 1, 0))


@question("cudaFree and cudaFreeHost take back the start of what they gave, null, and nothing else", needs=DRIVER)
def free():
    for name in ("cudaFree", "cudaFreeHost"):
        for kind, address in memory().items():
            if kind != "null":
                yield f"{name}, inside {kind}", error_of(getattr(cudart, name)(address + 100))
            yield f"{name}, {kind}", error_of(getattr(cudart, name)(address))
            yield f"{name}, {kind}, again", error_of(getattr(cudart, name)(address))


@question("registering twice, undoing what is not registered: the runtime has the driver's errors", needs=DRIVER)
def register():
    address = page()
    yield "first", error_of(cudart.cudaHostRegister(address, 4096, 0))
    yield "again", error_of(cudart.cudaHostRegister(address, 4096, 0))
    yield "over its end", error_of(cudart.cudaHostRegister(address + 2048, 4096, 0))
    yield "flags", int(value(cudart.cudaHostGetFlags(address)))
    yield "unregister inside", error_of(cudart.cudaHostUnregister(address + 100))
    yield "unregister", error_of(cudart.cudaHostUnregister(address))
    yield "unregister again", error_of(cudart.cudaHostUnregister(address))
    yield "what cudaHostAlloc gave", error_of(cudart.cudaHostRegister(int(value(cudart.cudaHostAlloc(4096, 0))), 4096, 0))
    for flags in (1, 2, 3, 4, 8, 16):
        second_page = page()
        yield f"flags {flags}", error_of(cudart.cudaHostRegister(second_page, 4096, flags))


@question("the last error stays until cudaGetLastError is asked; success does not clear it, and peeking does not", needs=DRIVER)
def last_error():
    yield "at first", error_of(cudart.cudaGetLastError())
    yield "a failure", error_of(cudart.cudaHostUnregister(page()))
    yield "a success behind it", error_of(cudart.cudaFree(0))
    yield "peek", error_of(cudart.cudaPeekAtLastError())
    yield "peek again", error_of(cudart.cudaPeekAtLastError())
    yield "get", error_of(cudart.cudaGetLastError())
    yield "get again", error_of(cudart.cudaGetLastError())
    stream = value(cudart.cudaStreamCreate())
    yield "a query of an idle stream", error_of(cudart.cudaStreamQuery(stream))
    yield "behind it", error_of(cudart.cudaGetLastError())


@question("cudaMemcpy: which kinds of copies go between which kinds of memory", needs=DRIVER)
def memcpy():
    def fresh():
        return {"device": int(value(cudart.cudaMalloc(64))), "pinned": int(value(cudart.cudaHostAlloc(64, 0))), "pageable": page()}
    for kind in range(6):
        for target in ("device", "pinned", "pageable"):
            for source in ("device", "pinned", "pageable"):
                to, start, check = fresh()[target], fresh()[source], page()
                cudart.cudaMemcpy(start, b"from this memory", 16, KINDS.cudaMemcpyDefault)
                if kind == 5:
                    yield f"kind 5, {source} to {target}", _five(to, start)
                    continue
                error = error_of(cudart.cudaMemcpy(to, start, 16, KINDS(kind)))
                cudart.cudaMemcpy(check, to, 16, KINDS.cudaMemcpyDefault)
                yield f"{KINDS(kind).name}, {source} to {target}", [error, ctypes.string_at(check, 16) == b"from this memory"]


def _five(to, start):
    try:
        return error_of(cudart.cudaMemcpy(to, start, 16, 5))
    except (ValueError, TypeError, AttributeError) as error:
        return type(error).__name__


@question("cudaMemset writes the lowest byte of its value", needs=DRIVER)
def memset():
    memory, host = int(value(cudart.cudaMalloc(16))), page()
    for number in (0, 7, 255, 256 + 3, -1):
        error = error_of(cudart.cudaMemset(memory, number, 16))
        cudart.cudaMemcpy(host, memory, 16, KINDS.cudaMemcpyDefault)
        yield str(number), [error, ctypes.string_at(host, 1)[0]]


@question("the runtime uses the context that is current, and device 0's primary context where none is", needs=DRIVER)
def which_context():
    yield "device before any call", int(value(cudart.cudaGetDevice()))
    yield "a context before", bool(int(must(cu.cuCtxGetCurrent())))
    cudart.cudaFree(0)
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "after cudaFree(0), the primary context", int(must(cu.cuCtxGetCurrent())) == int(primary)
    own = must(cu.cuCtxCreate(None, 0, 0))
    memory = int(value(cudart.cudaMalloc(64)))
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT
    yield "in a context of its own, memory is that context's", int(must(cu.cuPointerGetAttribute(attribute, memory))) == int(own)
    yield "device there", int(value(cudart.cudaGetDevice()))
    yield "cudaSetDevice(0)", error_of(cudart.cudaSetDevice(0))
    yield "then the primary context is current", int(must(cu.cuCtxGetCurrent())) == int(primary)
    yield "cudaSetDevice(-1)", error_of(cudart.cudaSetDevice(-1))
    yield "cudaSetDevice(99)", error_of(cudart.cudaSetDevice(99))
    yield "device after that", int(value(cudart.cudaGetDevice()))


@question("the runtime's answers about a device are the driver's", needs=DRIVER)
def devices():
    yield "count", int(value(cudart.cudaGetDeviceCount())) == int(must(cu.cuDeviceGetCount()))
    yield "version", int(value(cudart.cudaDriverGetVersion())) == int(must(cu.cuDriverGetVersion()))
    for name in ("UNIFIED_ADDRESSING", "CAN_MAP_HOST_MEMORY", "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", "PAGEABLE_MEMORY_ACCESS", "WARP_SIZE"):
        number = getattr(cu.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        yield name, int(value(cudart.cudaDeviceGetAttribute(cudart.cudaDeviceAttr(int(number)), 0))) == int(must(cu.cuDeviceGetAttribute(number, 0)))
    error, properties = cudart.cudaGetDeviceProperties(0)
    for field in ("major", "minor", "warpSize", "multiProcessorCount", "totalGlobalMem", "sharedMemPerBlock", "regsPerBlock", "maxThreadsPerBlock",
                  "totalConstMem", "canMapHostMemory", "unifiedAddressing", "managedMemory", "concurrentManagedAccess", "pageableMemoryAccess",
                  "canUseHostPointerForRegisteredMem", "hostRegisterSupported", "l2CacheSize", "asyncEngineCount", "maxThreadsPerMultiProcessor"):
        yield field, int(getattr(properties, field))
    yield "maxThreadsDim", [int(number) for number in properties.maxThreadsDim]
    yield "maxGridSize", [int(number) for number in properties.maxGridSize]
    yield "of device 99", error_of(cudart.cudaGetDeviceProperties(99))


@question("events and streams of the runtime answer as the driver's", needs=DRIVER)
def events():
    stream, start, end = value(cudart.cudaStreamCreate()), value(cudart.cudaEventCreate()), value(cudart.cudaEventCreate())
    yield "elapsed, never recorded", error_of(cudart.cudaEventElapsedTime(start, end))
    for label, event in (("first", start), ("last", end)):
        yield f"record {label}", error_of(cudart.cudaEventRecord(event, stream))
    yield "synchronize", error_of(cudart.cudaStreamSynchronize(stream))
    yield "query", error_of(cudart.cudaEventQuery(end))
    yield "elapsed", error_of(cudart.cudaEventElapsedTime(start, end))
    yield "destroy", [error_of(cudart.cudaEventDestroy(start)), error_of(cudart.cudaStreamDestroy(stream))]
