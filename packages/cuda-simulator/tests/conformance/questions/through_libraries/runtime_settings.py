"""The runtime's functions for what a device, a stream, an event, a pool or a library is set to: are they the driver's?"""
import ctypes

from cuda.bindings import driver as cu, runtime as cudart

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import must, where
from ...helpers.runtime import SIZE, error_of, page, value
from ...helpers.streams import LEGACY, PER_THREAD


def outcome(answer, as_=int):
    """What a call gives out, as JSON; the error's name if it failed."""
    if int(answer[0]) or len(answer) == 1:
        return error_of(answer)
    return as_(answer[1]) if len(answer) == 2 else [as_(value_) for value_ in answer[1:]]


def numbered(enum, number):
    """A member of an enum; or the plain number, which cuda-bindings may refuse."""
    return enum(number) if number in list(map(int, enum)) else number


@question("the runtime's limits are the context's, and it refuses what the driver refuses", needs=DRIVER)
def limits():
    for limit in cudart.cudaLimit:
        yield limit.name, outcome(cudart.cudaDeviceGetLimit(limit))
    for limit, size in ((0, 4096), (1, 1 << 20), (2, 16 << 20), (2, 0), (3, 2), (4, 2048), (5, 128), (6, 1 << 20), (0, 1 << 40)):
        limit = cudart.cudaLimit(limit)
        yield f"{limit.name} set to {size}", [error_of(cudart.cudaDeviceSetLimit(limit, size)), outcome(cudart.cudaDeviceGetLimit(limit))]


@question("streams of the runtime have the driver's flags and priorities", needs=DRIVER)
def streams():
    yield "priorities", outcome(cudart.cudaDeviceGetStreamPriorityRange())
    streams = {"created": cudart.cudaStreamCreate(), **{f"flags {flags}": cudart.cudaStreamCreateWithFlags(flags) for flags in (0, 1, 2)},
            **{f"flags {flags}, priority {priority}": cudart.cudaStreamCreateWithPriority(flags, priority)
               for flags, priority in ((0, 0), (1, -1), (1, -5), (0, -100), (0, 100), (2, 0))}}
    for label, answer in streams.items():
        yield label, error_of(answer) if int(answer[0]) else [
            outcome(cudart.cudaStreamGetFlags(answer[1])), outcome(cudart.cudaStreamGetPriority(answer[1])), outcome(cudart.cudaStreamGetDevice(answer[1]))]
    for label, stream in (("null", 0), ("legacy", LEGACY), ("per thread", PER_THREAD)):
        yield label, [outcome(cudart.cudaStreamGetFlags(stream)), outcome(cudart.cudaStreamGetPriority(stream)), outcome(cudart.cudaStreamGetDevice(stream))]
    first, second = (value(answer) for answer in (cudart.cudaStreamCreate(), cudart.cudaStreamCreate()))
    ids = [outcome(cudart.cudaStreamGetId(stream)) for stream in (first, second, first, 0, LEGACY)]
    yield "numbers differ", [ids[0] != ids[1], ids[0] == ids[2], ids[3] == ids[4]]


@question("events of the runtime: which flags there are, and who may wait", needs=DRIVER)
def events():
    stream = value(cudart.cudaStreamCreate())
    for flags in (0, 1, 2, 3, 4, 5, 6, 7, 8):
        answer = cudart.cudaEventCreateWithFlags(flags)
        yield f"flags {flags}", error_of(answer) if int(answer[0]) else [
            error_of(cudart.cudaStreamWaitEvent(stream, answer[1], 0)), error_of(cudart.cudaEventQuery(answer[1])),
            error_of(cudart.cudaEventRecordWithFlags(answer[1], stream, 0)), error_of(cudart.cudaEventRecordWithFlags(answer[1], stream, 1)),
            error_of(cudart.cudaEventRecordWithFlags(answer[1], stream, 2)), error_of(cudart.cudaEventSynchronize(answer[1])),
            error_of(cudart.cudaEventElapsedTime(answer[1], answer[1]))]
    yield "wait with flags 1", error_of(cudart.cudaStreamWaitEvent(stream, value(cudart.cudaEventCreate()), 1))
    yield "wait with flags 2", error_of(cudart.cudaStreamWaitEvent(stream, value(cudart.cudaEventCreate()), 2))


@question("the device's flags are those that it was told, and mapping of host memory is always among them", needs=DRIVER, alone=True)
def flags():
    yield "at first", outcome(cudart.cudaGetDeviceFlags())
    for number in (1, 2, 4, 8, 9, 16, 0, 3, 64):
        yield f"set {number}", [error_of(cudart.cudaSetDeviceFlags(number)), outcome(cudart.cudaGetDeviceFlags())]
    cudart.cudaFree(0)
    for number in (1, 4, 0):
        yield f"set {number}, with a context", [error_of(cudart.cudaSetDeviceFlags(number)), outcome(cudart.cudaGetDeviceFlags())]
    yield "initialise the device", error_of(cudart.cudaInitDevice(0, 0, 0))
    yield "initialise device 99", error_of(cudart.cudaInitDevice(99, 0, 0))
    yield "initialise with flags", [error_of(cudart.cudaInitDevice(0, 1, 1)), outcome(cudart.cudaGetDeviceFlags())]


@question("cudaDeviceReset ends the primary context: memory is gone, and the next call makes another one", needs=DRIVER, alone=True)
def reset():
    memory, host = int(value(cudart.cudaMalloc(64))), page()
    stream = value(cudart.cudaStreamCreate())
    cudart.cudaDeviceSetLimit(cudart.cudaLimit(2), 64 << 20)
    yield "reset", error_of(cudart.cudaDeviceReset())
    yield "the memory", lambda: error_of(cudart.cudaMemcpy(host, memory, 64, cudart.cudaMemcpyKind(2)))
    yield "the memory, if it may be the host's", lambda: error_of(cudart.cudaMemcpy(host, memory, 64, cudart.cudaMemcpyKind(4)))
    yield "the limit", lambda: outcome(cudart.cudaDeviceGetLimit(cudart.cudaLimit(2)))
    yield "allocate", lambda: error_of(cudart.cudaMalloc(64))
    yield "again", lambda: [error_of(cudart.cudaDeviceReset()), error_of(cudart.cudaDeviceReset())]
    yield "allocate then", lambda: error_of(cudart.cudaMalloc(64))
    yield "the stream", lambda: error_of(cudart.cudaStreamSynchronize(stream))


@question("a device is found by the PCI bus that it names", needs=DRIVER)
def bus():
    name = value(cudart.cudaDeviceGetPCIBusId(64, 0))
    yield "found", outcome(cudart.cudaDeviceGetByPCIBusId(name))
    yield "its length", len(name.rstrip(b"\0"))
    yield "too little room", error_of(cudart.cudaDeviceGetPCIBusId(4, 0))
    yield "no name", error_of(cudart.cudaDeviceGetByPCIBusId(b"nothing"))
    yield "of device 99", error_of(cudart.cudaDeviceGetPCIBusId(64, 99))
    yield "itself as peer", outcome(cudart.cudaDeviceCanAccessPeer(0, 0))
    yield "enable itself", error_of(cudart.cudaDeviceEnablePeerAccess(0, 0))
    yield "disable itself", error_of(cudart.cudaDeviceDisablePeerAccess(0))
    yield "enable device 99", error_of(cudart.cudaDeviceEnablePeerAccess(99, 0))


def properties(kind=1, place=(1, 0), handles=0, size=0):
    structure = cudart.cudaMemPoolProps()
    structure.allocType = numbered(cudart.cudaMemAllocationType, kind)
    structure.location.type, structure.location.id = cudart.cudaMemLocationType(place[0]), place[1]
    structure.handleTypes, structure.maxSize = cudart.cudaMemAllocationHandleType(handles), size
    return structure


@question("pools of the runtime are the driver's", needs=DRIVER)
def pools():
    default = value(cudart.cudaDeviceGetDefaultMemPool(0))
    yield "the current one is the default one", int(default) == int(value(cudart.cudaDeviceGetMemPool(0)))
    yield "of device 99", error_of(cudart.cudaDeviceGetDefaultMemPool(99))
    stream = value(cudart.cudaStreamCreate())
    memory = value(cudart.cudaMallocAsync(SIZE, stream))
    attributes = cudart.cudaMemPoolAttr
    for attribute in map(attributes, range(1, 9)):      # newer bindings have more
        yield attribute.name, outcome(cudart.cudaMemPoolGetAttribute(default, attribute))
    yield "no bytes", outcome(cudart.cudaMallocAsync(0, stream), where)
    yield "free", error_of(cudart.cudaFreeAsync(memory, stream))
    yield "free again", error_of(cudart.cudaFreeAsync(memory, stream))
    yield "free null", error_of(cudart.cudaFreeAsync(0, stream))
    created = cudart.cudaMemPoolCreate(properties())
    yield "create", error_of(created)
    yield "from it", error_of(result := cudart.cudaMallocFromPoolAsync(SIZE, created[1], stream))
    yield "used", outcome(cudart.cudaMemPoolGetAttribute(created[1], attributes.cudaMemPoolAttrUsedMemCurrent))
    yield "threshold", [error_of(cudart.cudaMemPoolSetAttribute(created[1], attributes.cudaMemPoolAttrReleaseThreshold, cu.cuuint64_t(1 << 20))),
                        outcome(cudart.cudaMemPoolGetAttribute(created[1], attributes.cudaMemPoolAttrReleaseThreshold))]
    place = cudart.cudaMemLocation()
    place.type, place.id = cudart.cudaMemLocationType(1), 0
    yield "access of its device", outcome(cudart.cudaMemPoolGetAccess(created[1], place))
    yield "make it the current one", [error_of(cudart.cudaDeviceSetMemPool(0, created[1])), int(value(cudart.cudaDeviceGetMemPool(0))) == int(created[1])]
    yield "trim", error_of(cudart.cudaMemPoolTrimTo(created[1], 0))
    yield "free what is from it", error_of(cudart.cudaFreeAsync(result[1], stream))
    yield "destroy", error_of(cudart.cudaMemPoolDestroy(created[1]))
    yield "then the current one is the default one", int(default) == int(value(cudart.cudaDeviceGetMemPool(0)))
    yield "destroy the default one", error_of(cudart.cudaMemPoolDestroy(default))
    for label, wrong in {"on device 99": properties(place=(1, 99)), "no place": properties(place=(0, 0)), "of no kind": properties(kind=0),
                         "on the host": properties(place=(2, 0)), "with descriptors": properties(handles=1), "of 64 MiB": properties(size=64 << 20)}.items():
        yield f"create, {label}", error_of(cudart.cudaMemPoolCreate(wrong))


@question("a library of the runtime: kernels and variables by their names", needs=DRIVER)
def libraries():
    loaded = cudart.cudaLibraryLoadData(kernels.ptx(), [], [], 0, [], [], 0)
    yield "load", error_of(loaded)
    yield "what is no PTX", error_of(cudart.cudaLibraryLoadData(b"not a module\0", [], [], 0, [], [], 0))
    yield "how many kernels", outcome(cudart.cudaLibraryGetKernelCount(loaded[1]))
    yield "kernel", error_of(cudart.cudaLibraryGetKernel(loaded[1], b"fill"))
    yield "no such kernel", error_of(cudart.cudaLibraryGetKernel(loaded[1], b"none"))
    yield "variable", outcome(cudart.cudaLibraryGetGlobal(loaded[1], b"zeros"), lambda address: int(address) if int(address) < 1 << 20 else "an address")
    yield "no such variable", error_of(cudart.cudaLibraryGetGlobal(loaded[1], b"none"))
    yield "unload", error_of(cudart.cudaLibraryUnload(loaded[1]))


@question("managed memory by the runtime: advice, prefetching and attaching", needs=DRIVER)
def managed():
    memory = int(value(cudart.cudaMallocManaged(SIZE, 1)))
    device, host, nowhere = cudart.cudaMemLocation(), cudart.cudaMemLocation(), cudart.cudaMemLocation()
    device.type, device.id = cudart.cudaMemLocationType(1), 0
    host.type = cudart.cudaMemLocationType(2)
    nowhere.type, nowhere.id = cudart.cudaMemLocationType(1), 99
    stream = value(cudart.cudaStreamCreate())
    advice = cudart.cudaMemoryAdvise
    for label, place in (("device 0", device), ("the host", host), ("device 99", nowhere)):
        yield f"prefer {label}", error_of(cudart.cudaMemAdvise(memory, SIZE, advice.cudaMemAdviseSetPreferredLocation, place))
        yield f"prefetch to {label}", error_of(cudart.cudaMemPrefetchAsync(memory, SIZE, place, 0, stream))
    yield "read mostly", error_of(cudart.cudaMemAdvise(memory, SIZE, advice.cudaMemAdviseSetReadMostly, device))
    attribute = cudart.cudaMemRangeAttribute
    for attribute_ in (attribute.cudaMemRangeAttributeReadMostly, attribute.cudaMemRangeAttributePreferredLocation,
                       attribute.cudaMemRangeAttributeLastPrefetchLocation):
        yield attribute_.name, outcome(cudart.cudaMemRangeGetAttribute(4, attribute_, memory, SIZE))
    for flags in (1, 2, 4, 3, 0):
        yield f"attach with flags {flags}", lambda: error_of(cudart.cudaStreamAttachMemAsync(stream, memory, 0, flags))
    yield "of pageable memory", lambda: error_of(cudart.cudaMemAdvise(page(), SIZE, advice.cudaMemAdviseSetReadMostly, device))
    yield "prefetch pinned memory", lambda: error_of(cudart.cudaMemPrefetchAsync(int(value(cudart.cudaMallocHost(SIZE))), SIZE, device, 0, stream))


@question("a handle for other processes is given for memory and for an event that was made for it; its own process may not open it", needs=DRIVER)
def handles():
    memory = int(value(cudart.cudaMalloc(SIZE)))
    handle = cudart.cudaIpcGetMemHandle(memory)
    yield "of device memory", error_of(handle)
    yield "of pinned memory", error_of(cudart.cudaIpcGetMemHandle(int(value(cudart.cudaMallocHost(SIZE)))))
    yield "of null", error_of(cudart.cudaIpcGetMemHandle(0))
    yield "open", error_of(cudart.cudaIpcOpenMemHandle(handle[1], 1))
    yield "open with flags 0", error_of(cudart.cudaIpcOpenMemHandle(handle[1], 0))
    yield "close what was not opened", error_of(cudart.cudaIpcCloseMemHandle(memory))
    yield "of an event", error_of(cudart.cudaIpcGetEventHandle(value(cudart.cudaEventCreateWithFlags(6))))
    yield "of an event for this process only", error_of(cudart.cudaIpcGetEventHandle(value(cudart.cudaEventCreate())))


@question("a function of the host runs in its turn on a stream", needs=DRIVER)
def host_function():
    calls = []
    stream = value(cudart.cudaStreamCreate())
    act = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: calls.append([data, error_of(cudart.cudaMalloc(16))]))
    yield "launch", error_of(cudart.cudaLaunchHostFunc(stream, cudart.cudaHostFn_t(ctypes.cast(act, ctypes.c_void_p).value), 77))
    yield "synchronize", error_of(cudart.cudaStreamSynchronize(stream))
    yield "called with", calls


@question("cudaMemGetInfo is the driver's cuMemGetInfo", needs=DRIVER, quiet=True)
def free_and_total():
    free, total = value(cudart.cudaMemGetInfo())
    free_total = must(cu.cuMemGetInfo())
    yield "the same", [free == free_total[0], total == free_total[1]]


@question("copies between a device and itself by the calls for peers", needs=DRIVER)
def peer_copies():
    to, source = int(value(cudart.cudaMalloc(SIZE))), int(value(cudart.cudaMalloc(SIZE)))
    yield "copy", error_of(cudart.cudaMemcpyPeer(to, 0, source, 0, SIZE))
    yield "asynchronous", error_of(cudart.cudaMemcpyPeerAsync(to, 0, source, 0, SIZE, value(cudart.cudaStreamCreate())))
    yield "device 99", error_of(cudart.cudaMemcpyPeer(to, 99, source, 0, SIZE))
    yield "no bytes", error_of(cudart.cudaMemcpyPeer(to, 0, source, 0, 0))
    yield "attribute of a device and itself", outcome(cudart.cudaDeviceGetP2PAttribute(cudart.cudaDeviceP2PAttr(2), 0, 0))
