"""Copies and memsets between two devices, in contexts of either."""

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers.calls import ask, must, new_context, pattern, using, write
from ...helpers.memory_kinds import SMALL
from ...helpers.peers import block_on, copied_bytes, disable, enable, mapped_on, on, two_contexts, without_context


@question("copies between devices need no peer access")
def copies():
    first, second = two_contexts()
    a, b = block_on(first, 1), block_on(second, 2)
    for label, context in (("0", first), ("1", second)):
        for verb, call in {
                "cuMemcpyDtoD": lambda to, source: cu.cuMemcpyDtoD(to, source, 16), "cuMemcpy": lambda to, source: cu.cuMemcpy(to, source, 16),
                "cuMemcpyDtoDAsync": lambda to, source: cu.cuMemcpyDtoDAsync(to, source, 16, 0),
                "cuMemcpyAsync": lambda to, source: cu.cuMemcpyAsync(to, source, 16, 0)}.items():
            write_again(first, a, second, b)
            yield f"{verb} in {label}, 0 to 1", on(context, lambda: [ask(call(b, a)), ask(cu.cuCtxSynchronize())])
            yield f"{verb} in {label}: content", [copied_bytes(b), on(second, copied_bytes, b)]
            write_again(first, a, second, b)
            yield f"{verb} in {label}, 1 to 0", on(context, lambda: [ask(call(a, b)), ask(cu.cuCtxSynchronize()), copied_bytes(a)])


def write_again(first, a, second, b):
    for context, address, seed in ((first, a, 1), (second, b, 2)):
        with using(context):
            write(address, pattern(64, seed))
            must(cu.cuCtxSynchronize())


@question("copies from and to the host reach the other device's memory")
def host_copies():
    first, second = two_contexts()
    b = block_on(second, 2)
    pinned = must(cu.cuMemHostAlloc(64, 0))
    yield "DtoH", copied_bytes(b)
    yield "HtoD", [ask(cu.cuMemcpyHtoD(b, pattern(16, 5), 16)), ask(cu.cuCtxSynchronize()), on(second, copied_bytes, b)]
    yield "async", [ask(cu.cuMemcpyHtoDAsync(b, pinned, 16, 0)), ask(cu.cuMemcpyDtoHAsync(pinned, b, 16, 0)), ask(cu.cuCtxSynchronize())]
    yield "past the end", [copied_bytes(b, SMALL + 1), ask(cu.cuMemcpyHtoD(b + SMALL, bytes(4), 4))]
    yield "no context", without_context(lambda: copied_bytes(b))


@question("a peer copy names two contexts, and believes neither")
def peer_copies():
    first, second = two_contexts()
    a, b = block_on(first, 1), block_on(second, 2)
    third = new_context(ordinal=1)
    must(cu.cuCtxPopCurrent())
    answers_after = lambda code: [ask(code), ask(cu.cuCtxSynchronize()), on(second, lambda: ask(cu.cuCtxSynchronize())), copied_bytes(a), copied_bytes(b)]
    for label, arguments in {"0 to 1": (b, second, a, first), "1 to 0": (a, first, b, second), "contexts exchanged": (b, first, a, second),
                             "both the first": (b, first, a, first), "both the second": (b, second, a, second), "another of device 1": (b, third, a, first),
                             "within 1": (b, second, b + 32, second)}.items():
        write_again(first, a, second, b)
        yield label, answers_after(cu.cuMemcpyPeer(*arguments, 16))
        write_again(first, a, second, b)
        yield f"{label}, async", answers_after(cu.cuMemcpyPeerAsync(*arguments, 16, 0))
    stream = on(second, lambda: must(cu.cuStreamCreate(1)))
    yield "in a stream of 1", [ask(cu.cuMemcpyPeerAsync(a, first, b, second, 16, stream)), ask(cu.cuStreamSynchronize(stream)), copied_bytes(a)]
    yield "nothing", ask(cu.cuMemcpyPeer(b, second, a, first, 0))
    yield "too much", [ask(cu.cuMemcpyPeer(b, second, a, first, SMALL + 1)), ask(cu.cuMemcpyPeer(b, second, a + SMALL, first, 4))]
    yield "no current context", without_context(lambda: ask(cu.cuMemcpyPeer(b, second, a, first, 16)))
    yield "null contexts", lambda: ask(cu.cuMemcpyPeer(b, 0, a, 0, 16))
    yield "with peer access", [enable(second), ask(cu.cuMemcpyPeer(b, second, a, first, 16)), disable(second)]


@question("rectangles and boxes are copied between devices")
def shapes():
    first, second = two_contexts()
    a, b = block_on(first, 1), block_on(second, 2)
    flat = cu.CUDA_MEMCPY2D()
    flat.srcMemoryType = flat.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_DEVICE
    flat.srcDevice, flat.dstDevice = cu.CUdeviceptr(a), cu.CUdeviceptr(b)
    flat.srcPitch, flat.dstPitch, flat.WidthInBytes, flat.Height = 8, 16, 4, 4
    yield "2D", [ask(cu.cuMemcpy2D(flat)), ask(cu.cuCtxSynchronize()), copied_bytes(b, 24)]
    yield "2D, in 1", on(second, lambda: [ask(cu.cuMemcpy2DUnaligned(flat)), ask(cu.cuCtxSynchronize())])
    box = cu.CUDA_MEMCPY3D_PEER()
    box.srcMemoryType = box.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_DEVICE
    box.srcDevice, box.dstDevice = cu.CUdeviceptr(a), cu.CUdeviceptr(b + 1024)
    box.srcPitch = box.dstPitch = 8
    box.srcHeight = box.dstHeight = box.Height = 4
    box.WidthInBytes, box.Depth = 4, 2
    box.srcContext, box.dstContext = first, second
    yield "3D", [ask(cu.cuMemcpy3DPeer(box)), ask(cu.cuCtxSynchronize()), copied_bytes(b + 1024, 12)]
    yield "3D, async", [ask(cu.cuMemcpy3DPeerAsync(box, 0)), ask(cu.cuCtxSynchronize())]
    box.srcContext, box.dstContext = second, first
    yield "3D, contexts exchanged", [ask(cu.cuMemcpy3DPeer(box)), ask(cu.cuCtxSynchronize())]


@question("memory of the other device is set from this context, with peer access and without")
def memsets():
    first, second = two_contexts()
    b = block_on(second, size=3 << 20)
    calls = {"8": lambda: cu.cuMemsetD8(b, 1, 16), "32": lambda: cu.cuMemsetD32(b, 1, 4), "2D": lambda: cu.cuMemsetD2D8(b, 16, 2, 4, 4),
             "async": lambda: cu.cuMemsetD8Async(b, 3, 16, 0)}
    for label, call in calls.items():
        yield f"{label}, without", lambda: [ask(call()), ask(cu.cuCtxSynchronize()), copied_bytes(b)]
    enable(second)
    for label, call in calls.items():
        yield f"{label}, with", lambda: [ask(call()), ask(cu.cuCtxSynchronize()), copied_bytes(b)]
    a = mapped_on(1).address
    yield "virtual memory of 1", lambda: [ask(cu.cuMemsetD8(a, 1, 16)), ask(cu.cuCtxSynchronize()), copied_bytes(a)]
