"""The whole API in four bad moments: before cuInit, without a context, in a forked child, after a kernel's fault."""
from cuda.bindings import driver as cu

from ...asking import DRIVER, NOTHING, question
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.memory_kinds import LARGE, make
from ...helpers.whole_api import Objects, calls


@question("before cuInit every call that needs the driver answers NOT_INITIALIZED", needs=NOTHING)
def before_init():
    for label, call in calls(Objects(exist=False)).items():
        yield label, lambda: ask(call())


@question("without a current context, what needs one answers INVALID_CONTEXT", needs=DRIVER, alone=True,
          varies={"cuEventQuery": "the event may be done already"})
def without_context():
    context = new_context()
    objects = Objects(exist=True)
    must(cu.cuCtxPopCurrent())
    for label, call in calls(objects).items():
        if label == "cuDevicePrimaryCtxRetain":
            break
        yield label, lambda: ask(call())
    must(cu.cuCtxPushCurrent(context))


@question("with a null or destroyed current context", needs=DRIVER, alone=True)
def destroyed_context():
    context = new_context()
    new_context()
    must(cu.cuCtxDestroy(context))
    must(cu.cuCtxPopCurrent())
    for label, call in calls(Objects(exist=False)).items():
        if label == "cuDevicePrimaryCtxRetain":
            break
        yield label, lambda: ask(call())


@question("with nothing but a context, null handles and unknown addresses are refused", alone=True)
def unknown_objects():
    for label, call in calls(Objects(exist=False)).items():
        if label == "cuDevicePrimaryCtxRetain":
            break
        yield label, lambda: ask(call())


@question("calls of parts that few use", needs=DRIVER)
def rarely_used():
    new_context()
    yield "graph", ask(cu.cuGraphCreate(0))
    yield "IPC handle of device memory", ask(cu.cuIpcGetMemHandle(make("device").address))
    yield "IPC handle of pinned memory", ask(cu.cuIpcGetMemHandle(make("pinned").address))
    yield "flush GPUDirect writes", ask(cu.cuFlushGPUDirectRDMAWrites(cu.CUflushGPUDirectRDMAWritesTarget(0), cu.CUflushGPUDirectRDMAWritesScope(100)))
    yield "handle for an address range", ask(cu.cuMemGetHandleForAddressRange(make("device, 3 MiB").address, LARGE, cu.CUmemRangeHandleType(1), 0))
    yield "count", outcome(cu.cuDeviceGetCount()) >= 1
