"""Copies between memory of every kind of two devices: calls, contexts, streams of either, sizes, shapes."""
import ctypes
import functools

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers.calls import ask, must, pattern, using
from ...helpers.memory_kinds import SMALL, pages
from ...helpers.peers import block_on, copied_bytes, enable, make_on, mapped_on, on, two_contexts, without_context

KINDS = ("device", "stream-ordered", "managed", "pinned", "registered", "module variable")
CALLS = {"cuMemcpyDtoD": lambda to, source, n, stream: cu.cuMemcpyDtoD(to, source, n), "cuMemcpy": lambda to, source, n,
         stream: cu.cuMemcpy(to, source, n),
         "cuMemcpyDtoDAsync": cu.cuMemcpyDtoDAsync, "cuMemcpyAsync": cu.cuMemcpyAsync}


def write_pattern(context, address, seed):
    with using(context):
        must(cu.cuMemcpy(address, int(_host(seed)), 64)), must(cu.cuCtxSynchronize())


def _host(seed):
    address = pages()
    ctypes.memmove(address, pattern(64, seed), 64)
    return address


def there_and_back(first, second, address_0, address_1, n=16):
    """Each call, each context: from here to there, further on, and back."""
    for verb, call in CALLS.items():
        for label, context in (("0", first), ("1", second)):
            def work(call=call):
                return [ask(call(address_1 + 64, address_0, n, 0)), ask(cu.cuCtxSynchronize()), copied_bytes(address_1 + 64),
                        ask(call(address_0 + 64, address_1, n, 0)),
                        ask(cu.cuCtxSynchronize()), copied_bytes(address_0 + 64)]
            yield f"{verb} in {label}", functools.partial(on, context, work)


@question("device memory of one device and memory of every kind of the other are copied to and fro")
def kinds():
    first, second = two_contexts()
    for kind in KINDS:
        address_0, address_1 = block_on(first, 1), make_on(second, kind).address
        write_pattern(second, address_1, 2)
        for label, answer in there_and_back(first, second, address_0, address_1):
            yield f"{kind}: {label}", answer


@question("virtual memory of either device is copied to the other's, by whoever has a right")
def virtual():
    first, second = two_contexts()
    for rights in ({0: "read and write", 1: "read and write"}, {1: "read and write"}, {0: "read and write"},
                   {1: "read"}):
        address_0, address_1 = block_on(first, 1), mapped_on(1, rights).address
        text = ", ".join(f"{who}: {right}" for who, right in rights.items())
        for label, context in (("0", first), ("1", second)):
            for verb in ("cuMemcpyDtoD", "cuMemcpyDtoDAsync"):
                for way, to, source in (("to it", address_1, address_0), ("from it", address_0, address_1)):
                    yield f"{text}: {verb} {way} in {label}", functools.partial(
                        on, context, lambda call, to, source: [ask(call(to, source, 16, 0)),
                                                               ask(cu.cuCtxSynchronize())], CALLS[verb], to, source)


@question("copies in a stream of either device, with a context of either current")
def streams():
    first, second = two_contexts()
    blocks = [block_on(first, 1), block_on(second, 2)]
    pinned = int(must(cu.cuMemHostAlloc(4096, 0)))
    both_streams = [must(cu.cuStreamCreate(1)), on(second, lambda: must(cu.cuStreamCreate(1)))]
    for ordinal, stream in enumerate(both_streams):
        for label, context in (("0", first), ("1", second)):
            for ordinal_of_block, a in enumerate(blocks):
                def work(stream=stream, a=a):
                    return [ask(cu.cuMemcpyHtoDAsync(a, pinned, 16, stream)),
                            ask(cu.cuMemcpyDtoHAsync(pinned + 64, a, 16, stream)),
                            ask(cu.cuMemcpyAsync(a + 64, a, 16, stream)),
                            ask(cu.cuMemsetD32Async(a + 128, 5, 4, stream)), ask(cu.cuStreamSynchronize(stream))]
                yield f"stream of {ordinal}, context of {label}, memory of {ordinal_of_block}", functools.partial(on, context, work)


@question("sizes of a copy between devices: none, odd, all, and more than there is on either side")
def sizes():
    first, second = two_contexts()
    a, b = block_on(first, 1, 3 << 20), block_on(second, 2, SMALL)
    for label, n, offset in (("none", 0, 0), ("one", 1, 0), ("odd", 333, 5), ("all of the smaller", SMALL, 0),
                             ("one more", SMALL + 1, 0),
                             ("over the end", 8, SMALL - 4), ("none at the end", 0, SMALL),
                             ("none past it", 0, SMALL + 100)):
        yield f"{label}: cuMemcpyDtoD", [ask(cu.cuMemcpyDtoD(b + offset, a, n)), ask(cu.cuMemcpyDtoD(a, b + offset, n)),
                                         ask(cu.cuCtxSynchronize())]
        yield f"{label}: cuMemcpyPeer", [ask(cu.cuMemcpyPeer(b + offset, second, a, first, n)),
                                         ask(cu.cuMemcpyPeer(a, first, b + offset, second, n))]
        yield f"{label}: from and to the host", [copied_bytes(b + offset, n) if n < 9 and label != "over the end"
                                                 else ask(cu.cuMemcpyDtoH(bytearray(n), b + offset, n)),
                                                 ask(cu.cuMemcpyHtoD(b + offset, bytes(n or 1), n))]


@question("cuMemcpyPeer names contexts of pinned, managed, virtual and freed memory")
def peer_kinds():
    first, second = two_contexts()
    address_0 = block_on(first, 1)
    for kind in ("pinned", "managed", "stream-ordered", "registered", "pageable", "reserved only", "freed device"):
        address_1 = make_on(second, kind).address
        for label, context in (("its own", second), ("the other", first)):
            yield f"{kind}, {label} context", functools.partial(
                lambda to, context: [ask(cu.cuMemcpyPeer(to, context, address_0, first, 16)),
                                     ask(cu.cuMemcpyPeer(address_0, first, to, context, 16)),
                                     ask(cu.cuCtxSynchronize())], address_1, context)


def rectangle(to, source, to_type, source_type, pitches=(16, 16)):
    shape = cu.CUDA_MEMCPY2D()
    kinds = cu.CUmemorytype
    shape.srcMemoryType, shape.dstMemoryType = kinds(source_type), kinds(to_type)
    for side, kind, address in (("src", source_type, source), ("dst", to_type, to)):
        if kind == 1:
            setattr(shape, f"{side}Host", address)
        else:
            setattr(shape, f"{side}Device", cu.CUdeviceptr(address))
    shape.srcPitch, shape.dstPitch, shape.WidthInBytes, shape.Height = *pitches, 4, 3
    return shape


@question("rectangles between devices: of types host, device and unified, with pitches that are too small")
def rectangles():
    first, second = two_contexts()
    a, b, pinned = block_on(first, 1), block_on(second, 2), int(must(cu.cuMemHostAlloc(4096, 0)))
    for label, context in (("0", first), ("1", second)):
        for way, shape in {"device to device": rectangle(b, a, 2, 2), "unified": rectangle(b, a, 4, 4),
                           "to the host": rectangle(pinned, b, 1, 2),
                           "from the host": rectangle(b, pinned, 2, 1),
                           "the host as unified": rectangle(pinned, b, 4, 4),
                           "a small pitch": rectangle(b, a, 2, 2, (3, 16)), "another": rectangle(b, a, 2, 2, (16, 3)),
                           "no pitch": rectangle(b, a, 2, 2, (0, 0))}.items():
            yield f"{way}, in {label}", functools.partial(on, context,
                                                           lambda shape: [ask(cu.cuMemcpy2D(shape)),
                                                                          ask(cu.cuMemcpy2DAsync(shape, 0)),
                                                                                       ask(cu.cuCtxSynchronize())],
                                                           shape)
    yield "content", [copied_bytes(a, 24), on(second, copied_bytes, b, 24)]


@question("boxes between devices: offsets, heights, and contexts that are named or null")
def boxes():
    first, second = two_contexts()
    a, b = block_on(first, 1), block_on(second, 2)

    def box(contexts, **fields):
        box = cu.CUDA_MEMCPY3D_PEER()
        box.srcMemoryType = box.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_DEVICE
        box.srcDevice, box.dstDevice = cu.CUdeviceptr(a), cu.CUdeviceptr(b)
        box.srcPitch = box.dstPitch = 8
        box.srcHeight = box.dstHeight = box.Height = 2
        box.WidthInBytes, box.Depth = 4, 2
        box.srcContext, box.dstContext = contexts
        for key, value in fields.items():
            setattr(box, key, value)
        return box
    named = (first, second)
    for label, box_ in {"plain": box(named), "offsets": box(named, srcXInBytes=2, srcY=1, dstXInBytes=4, dstZ=1),
                        "no depth": box(named, Depth=0),
                        "no width": box(named, WidthInBytes=0), "wider than the pitch": box(named, WidthInBytes=9),
                        "higher than the height": box(named, Height=3),
                        "a level of detail": box(named, srcLOD=1)}.items():
        yield label, [ask(cu.cuMemcpy3DPeer(box_)), ask(cu.cuMemcpy3DPeerAsync(box_, 0)), ask(cu.cuCtxSynchronize()),
                      on(second, copied_bytes, b, 24)]
    yield "both the second", [ask(cu.cuMemcpy3DPeer(box((second, second)))), ask(cu.cuCtxSynchronize())]
    yield "with a context of 1", on(second, lambda: [ask(cu.cuMemcpy3DPeer(box(named))), ask(cu.cuCtxSynchronize())])


@question("a batch copies between devices, from both to the host, and back")
def batch():
    first, second = two_contexts()
    a, b, pinned = block_on(first, 1), block_on(second, 2), int(must(cu.cuMemHostAlloc(4096, 0)))
    attributes = cu.CUmemcpyAttributes()
    attributes.srcAccessOrder = cu.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
    for label, context in (("0", first), ("1", second)):
        def work(pairs):
            stream = must(cu.cuStreamCreate(1))
            return [ask(cu.cuMemcpyBatchAsync(*[[cu.CUdeviceptr(pair[side]) for pair in pairs] for side in (0, 1)],
                                              [8] * len(pairs), len(pairs), [attributes], [0], 1, stream)),
                    ask(cu.cuStreamSynchronize(stream)), copied_bytes(a + 64), on(second, copied_bytes, b + 64)]
        yield f"in {label}: one to the other, both ways", functools.partial(on, context, work,
            [(b + 64, a), (a + 64, b)])
        yield f"in {label}: to the host and back", functools.partial(on, context, work, [(pinned, b), (pinned + 64, a)])
        yield f"in {label}: one that is nobody's", functools.partial(on, context, work, [(pinned, b), (b, 0)])


@question("copies without a context, by every call and either way")
def without():
    first, second = two_contexts()
    a, b, pinned = block_on(first, 1), block_on(second, 2), int(must(cu.cuMemHostAlloc(4096, 0)))
    for verb, call in {**CALLS, "cuMemcpyHtoD": lambda to, source, n, stream: cu.cuMemcpyHtoD(to, pinned, n),
                       "cuMemcpyDtoH": lambda to, source, n, stream: cu.cuMemcpyDtoH(pinned, source, n),
                       "cuMemcpyHtoDAsync": lambda to, source, n, stream: cu.cuMemcpyHtoDAsync(to, pinned, n, stream),
                       "cuMemcpyPeerAsync": lambda to, source, n,
                       stream: cu.cuMemcpyPeerAsync(to, second, source, first, n, stream),
                       "cuMemsetD8": lambda to, source, n, stream: cu.cuMemsetD8(to, 1, n)}.items():
        for label, stream in (("NULL stream", 0), ("a stream of 1", on(second, lambda: must(cu.cuStreamCreate(1))))):
            yield f"{verb}, {label}", lambda: without_context(lambda: ask(call(b, a, 16, stream)))
    yield "enabled, and all is well with one", [enable(second), ask(cu.cuMemcpyDtoD(b, a, 16)),
                                                ask(cu.cuCtxSynchronize())]
