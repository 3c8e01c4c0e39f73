"""For which copies and fills the host waits, by the kind of memory that they use."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must
from ...helpers.memory_kinds import make
from ...helpers.streams import Gate, stream

ON_DEVICE, ON_HOST = ("device", "stream-ordered", "module variable"), ("pinned", "registered")
REACHED = (*ON_DEVICE, "managed", *ON_HOST)


def wait_answer(call):
    """[the call's code, whether the host waited], behind a kernel that waits in a blocking stream; the call may use that."""
    s = stream(0)
    gate = Gate(s)
    gate.open(0.4)      # a call that goes on takes far less, also on a machine that has no core for it at once
    code = ask(call(s))
    went_on = gate.cells[0] == 0
    gate.open()
    must(cu.cuCtxSynchronize())
    return [code, "went on" if went_on else "waited"]


@question("a fill without a stream waits for memory of the host and for managed memory", alone=True)
def fills():
    for kind in REACHED:
        a = make(kind).address
        for label, call in {"D8": lambda s: cu.cuMemsetD8(a, 1, 64), "D32": lambda s: cu.cuMemsetD32(a, 1, 16),
                            "2D": lambda s: cu.cuMemsetD2D8(a, 128, 1, 64, 4),
                            "D8 in a stream": lambda s: cu.cuMemsetD8Async(a, 1, 64, s)}.items():
            yield f"{kind}: {label}", lambda: wait_answer(call)


@question("a copy without a stream waits unless all of it stays on the device", alone=True)
def copies():
    device = make("device").address
    for kind in (*REACHED, "pageable"):
        a = make(kind).address
        for label, call in {"to it": lambda s: cu.cuMemcpy(a, device, 64), "from it": lambda s: cu.cuMemcpy(device, a, 64),
                            "within": lambda s: cu.cuMemcpy(a + 128, a, 64)}.items():
            yield f"{kind}: {label}", lambda: wait_answer(call)


@question("a copy in a stream waits for what it takes for pageable", alone=True)
def copies_in_a_stream():
    for target in ("device", "managed", "pinned", "pageable"):
        for source in ("device", "managed", "pinned", "pageable"):
            target_address, source_address = make(target).address, make(source).address
            for label, call in {"HtoD": lambda s: cu.cuMemcpyHtoDAsync(target_address, source_address, 64, s),
                                "DtoH": lambda s: cu.cuMemcpyDtoHAsync(target_address, source_address, 64, s),
                                "unified": lambda s: cu.cuMemcpyAsync(target_address, source_address, 64, s)}.items():
                yield f"{label} from {source} to {target}", lambda: wait_answer(call)


def plane(to, to_kind, source, source_kind):
    """A copy of four rows in two dimensions, with what it says of each side: 1 the host's, 2 the device's, 4 unified."""
    copy = cu.CUDA_MEMCPY2D()
    copy.WidthInBytes, copy.Height, copy.srcPitch, copy.dstPitch = 16, 4, 64, 64
    copy.srcMemoryType, copy.dstMemoryType = cu.CUmemorytype(source_kind), cu.CUmemorytype(to_kind)
    copy.srcHost, copy.srcDevice, copy.dstHost, copy.dstDevice = source, source, to, to
    return copy


@question("a copy of rows in a stream waits as a copy in one dimension does", alone=True)
def rows():
    device = make("device").address
    for kind in ("managed", "pinned", "pageable"):
        a = make(kind).address
        for memory_type, name in ((1, "the host's"), (4, "unified")):
            yield f"from {kind}, as {name}", lambda: wait_answer(lambda s: cu.cuMemcpy2DAsync(plane(device, 2, a, memory_type), s))
            yield f"to {kind}, as {name}", lambda: wait_answer(lambda s: cu.cuMemcpy2DAsync(plane(a, memory_type, device, 2), s))
