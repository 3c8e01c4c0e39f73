"""Words about memory that was opened by an IPC handle: shared with another process, and in every copy and memset."""
import ctypes

from cuda.bindings import driver as cu

from .between import look, number, put, take
from .calls import Refused, ask, must
from .memory_kinds import SMALL
from .peers import copied_bytes
from .processes import OtherProcess
from .shareable import ipc_handle, open_memory


def shared_memory(size=SMALL):
    """Memory "a" of this process, and another that has opened it as "b"."""
    take("a", size)
    opener = OtherProcess()
    code = opener.ask(open_memory, "b", ipc_handle("a"))
    if code != "SUCCESS":
        raise Refused(code)
    return opener


def flat(to, source, *, by=cu.cuMemcpy2D):
    """Four rows of four bytes, eight bytes apart on both sides."""
    shape = cu.CUDA_MEMCPY2D()
    shape.srcMemoryType = shape.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_DEVICE
    shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(source), cu.CUdeviceptr(to)
    shape.srcPitch = shape.dstPitch = 8
    shape.WidthInBytes = shape.Height = 4
    return by(shape)


def every_copy(label):
    a, own, context = number(label), int(must(cu.cuMemAlloc(4096))), must(cu.cuCtxGetCurrent())
    pinned, stream = int(must(cu.cuMemHostAlloc(4096, 0))), must(cu.cuStreamCreate(1))
    managed = int(must(cu.cuMemAllocManaged(4096, 1)))
    answers = {}
    for verb, call in {
            "cuMemcpy": lambda to, source: cu.cuMemcpy(to, source, 16), "cuMemcpyDtoD": lambda to,
            source: cu.cuMemcpyDtoD(to, source, 16),
            "cuMemcpyAsync": lambda to, source: cu.cuMemcpyAsync(to, source, 16, stream),
            "cuMemcpyDtoDAsync": lambda to, source: cu.cuMemcpyDtoDAsync(to, source, 16, stream), "cuMemcpy2D": flat,
            "cuMemcpy2DUnaligned": lambda to, source: flat(to, source, by=cu.cuMemcpy2DUnaligned),
            "cuMemcpyPeer": lambda to, source: cu.cuMemcpyPeer(to, context, source, context, 16)}.items():
        for way, to, source in (("from it", own, a), ("to it", a, own), ("within it", a + 256, a)):
            put(label, 1, 512)
            must(cu.cuMemsetD8(own, 0xEE, 64)), must(cu.cuCtxSynchronize())
            answers[f"{verb} {way}"] = [ask(call(to, source)), ask(cu.cuCtxSynchronize()), copied_bytes(to, 12)]
    for kind, address in (("pinned", pinned), ("managed", managed)):
        put(label, 2, 512)
        answers[f"to {kind} memory"] = [ask(cu.cuMemcpy(address, a, 16)), ask(cu.cuCtxSynchronize()),
                                         ctypes.string_at(address, 4).hex()]
        answers[f"from {kind} memory"] = [ask(cu.cuMemcpy(a + 64, address, 16)), ask(cu.cuCtxSynchronize()),
                                           copied_bytes(a + 64)]
    return answers


def every_fill(label):
    a, stream, answers = number(label), must(cu.cuStreamCreate(1)), {}
    for verb, call in {
            "D8": lambda: cu.cuMemsetD8(a, 0x11, 5), "D16": lambda: cu.cuMemsetD16(a, 0x2233, 3),
            "D32": lambda: cu.cuMemsetD32(a, 0x44556677, 2),
            "D2D8": lambda: cu.cuMemsetD2D8(a, 4, 0x88, 2, 2),
            "D2D32": lambda: cu.cuMemsetD2D32(a, 8, 0x99AABBCC, 1, 2),
            "D8Async": lambda: cu.cuMemsetD8Async(a, 0xDD, 3, stream),
            "D32Async": lambda: cu.cuMemsetD32Async(a, 7, 1, stream),
            "unaligned D32": lambda: cu.cuMemsetD32(a + 2, 1, 1), "nothing": lambda: cu.cuMemsetD8(a, 1, 0),
            "the last byte": lambda: cu.cuMemsetD8(a + SMALL - 1, 1, 1),
            "over the end": lambda: cu.cuMemsetD8(a + SMALL - 1, 1, 2),
            "past the end": lambda: cu.cuMemsetD8(a + SMALL, 1, 1)}.items():
        put(label, 1, 64)
        answers[verb] = [ask(call()), ask(cu.cuCtxSynchronize()), look(label, 8)]
    return answers
