"""Memory that was opened by an IPC handle, in calls of other memory's kinds, of streams, of shapes."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import kernel_byte, look, number, put
from ...helpers.calls import ask, must, outcome, raw
from ...helpers.ipc_memory import shared_memory
from ...helpers.managed_memory import advise, attribute, location_bits, prefetch
from ...helpers.memory_kinds import access, create, location
from ...helpers.processes import answer_items
from ...helpers.shareable import close_memory

MIB = 1 << 20


def calls_of_other_kinds(label):
    a = number(label)
    stream = must(cu.cuStreamCreate(1))
    answers = {f"prefetch to {place}": [prefetch(a, 4096, place), ask(cu.cuCtxSynchronize())]
               for place in ("device", "host")}
    answers |= {f"advice {advice}": advise(a, 4096, advice) for advice in ("SET_READ_MOSTLY", "SET_PREFERRED_LOCATION",
                                                                           "SET_ACCESSED_BY")}
    answers |= {
        "range attribute": attribute(1, a, 4096), "attach to a stream": ask(cu.cuStreamAttachMemAsync(stream, a, 0, 4)),
        "discard": raw("cuMemDiscardBatchAsync", (ctypes.c_uint64 * 1)(a), (ctypes.c_size_t * 1)(4096), 1, 0,
                       int(stream)),
        "prefetch, flags": raw("cuMemPrefetchAsync_v2", a, 4096, location_bits("device"), 1, 0),
        "rights": outcome(cu.cuMemGetAccess(location(), a)), "set rights": ask(cu.cuMemSetAccess(a, 2 * MIB,
            [access("read")], 1)),
        "free addresses": ask(cu.cuMemAddressFree(a, 2 * MIB)),
        "map over it": ask(cu.cuMemMap(a, 2 * MIB, 0, create(), 0)),
        "unregister": ask(cu.cuMemHostUnregister(a)), "mapped for the host": outcome(cu.cuMemHostGetDevicePointer(a, 0)),
        "content then": look(label)}
    return answers


@question("calls that are for other kinds of memory refuse what was opened")
def other_kinds():
    opener = shared_memory(4 * MIB)
    yield from answer_items(opener.ask(calls_of_other_kinds, "b"))
    yield "the owner's", [look("a"), kernel_byte("a")]


def stream_values(label):
    a, stream = number(label), must(cu.cuStreamCreate(1))
    codes = lambda code: [ask(code), ask(cu.cuStreamSynchronize(stream))]
    return {"write 32": [*codes(cu.cuStreamWriteValue32(stream, a, 0x01020304, 0)), look(label)],
            "write 64": [*codes(cu.cuStreamWriteValue64(stream, a + 8, 0x0102030405060708, 0)), look(label, 8, 8)],
            "wait for what is there": codes(cu.cuStreamWaitValue32(stream, a, 0x01020304, 1)),
            "at least": codes(cu.cuStreamWaitValue32(stream, a, 0x01020300, 0)),
            "and": codes(cu.cuStreamWaitValue32(stream, a, 4, 2)),
            "64": codes(cu.cuStreamWaitValue64(stream, a + 8, 5, 0)),
            "unaligned": ask(cu.cuStreamWriteValue32(stream, a + 2, 1, 0)),
            "unaligned 64": ask(cu.cuStreamWriteValue64(stream, a + 4, 1, 0)),
            "one past the end": ask(cu.cuStreamWriteValue32(stream, a + 3 * MIB, 1, 0)),
            "closed": [close_memory(label), ask(cu.cuStreamWriteValue32(stream, a, 1, 0))]}


@question("streams write values into opened memory and wait for them")
def values():
    opener = shared_memory(3 * MIB)
    yield from answer_items(opener.ask(stream_values, "b"))
    yield "the owner's", look("a", 16)


def boxes(label):
    a, host = number(label), int(must(cu.cuMemHostAlloc(4096, 0)))
    ctypes.memset(host, 0x5A, 4096)
    answers, stream = {}, must(cu.cuStreamCreate(1))
    device, memory = cu.CUmemorytype.CU_MEMORYTYPE_DEVICE, cu.CUmemorytype.CU_MEMORYTYPE_HOST
    for way in ("to the host", "from the host"):
        flat, box = cu.CUDA_MEMCPY2D(), cu.CUDA_MEMCPY3D()
        for copy in (flat, box):
            if way == "to the host":
                copy.srcMemoryType, copy.srcDevice = device, cu.CUdeviceptr(a)
                copy.dstMemoryType, copy.dstHost = memory, host
            else:
                copy.srcMemoryType, copy.srcHost = memory, host
                copy.dstMemoryType, copy.dstDevice = device, cu.CUdeviceptr(a + 1024)
            copy.srcPitch, copy.dstPitch, copy.WidthInBytes, copy.Height = 16, 8, 4, 3
        box.srcHeight, box.dstHeight, box.Depth = 4, 3, 2
        calls = {"2D": lambda: cu.cuMemcpy2D(flat), "2D async": lambda: cu.cuMemcpy2DAsync(flat, stream),
                 "3D": lambda: cu.cuMemcpy3D(box), "3D async": lambda: cu.cuMemcpy3DAsync(box, stream)}
        for verb, call in calls.items():
            codes = [ask(call()), ask(cu.cuCtxSynchronize())]
            answers[f"{verb} {way}"] = [*codes, ctypes.string_at(host, 20).hex() if way == "to the host"
                                        else look(label, 12, 1024)]
    return answers


@question("rectangles and boxes are copied between opened memory and the host")
def shapes():
    opener = shared_memory()
    put("a", 3, 128), put("a", 4, 128, 1024)
    yield from answer_items(opener.ask(boxes, "b"))
    yield "the owner's", look("a", 12, 1024)
