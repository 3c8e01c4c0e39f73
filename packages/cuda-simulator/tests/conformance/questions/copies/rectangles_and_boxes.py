"""Copies of rectangles and boxes: pitches, offsets, and what is wrong with them."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, new_context, pattern, read, short, write
from ...helpers.memory_kinds import KINDS, make, pages

HOST, DEVICE, UNIFIED = (cu.CUmemorytype(n) for n in (1, 2, 4))


def _place(copy, side, kind, address):
    """Where one side of a copy is; `kind` is a memory type or the name of a kind of memory."""
    setattr(copy, f"{side}MemoryType", kind)
    if kind == HOST:
        setattr(copy, f"{side}Host", address)
    else:
        setattr(copy, f"{side}Device", address)


def rectangle(source, target, types=(DEVICE, DEVICE), **fields):
    """CUDA_MEMCPY2D with 8 columns, 4 rows and pitches of 16 unless said otherwise."""
    copy = cu.CUDA_MEMCPY2D()
    _place(copy, "src", types[0], source)
    _place(copy, "dst", types[1], target)
    for key, value in {"srcPitch": 16, "dstPitch": 16, "WidthInBytes": 8, "Height": 4, **fields}.items():
        setattr(copy, key, value)
    return copy


def box(source, target, types=(DEVICE, DEVICE), **fields):
    """CUDA_MEMCPY3D with 8 x 4 x 2 bytes, pitches of 16 and slices of 6 rows unless said otherwise."""
    copy = cu.CUDA_MEMCPY3D()
    _place(copy, "src", types[0], source)
    _place(copy, "dst", types[1], target)
    for key, value in {"srcPitch": 16, "dstPitch": 16, "srcHeight": 6, "dstHeight": 6, "WidthInBytes": 8, "Height": 4, "Depth": 2,
                       **fields}.items():
        setattr(copy, key, value)
    return copy


def two_blocks():
    a, b = int(must(cu.cuMemAlloc(4096))), int(must(cu.cuMemAlloc(4096)))
    write(a, pattern(4096))
    must(cu.cuMemsetD8(b, 0xEE, 4096))
    return a, b


@question("a rectangle is copied row by row, between pitches and offsets of its own")
def rectangles():
    for label, fields in {"plain": {}, "different pitches": {"srcPitch": 32, "dstPitch": 8}, "offsets": {
            "srcXInBytes": 3, "srcY": 2, "dstXInBytes": 5, "dstY": 1}, "one row": {"Height": 1}, "as wide as the pitch": {"WidthInBytes": 16},
            "odd pitches": {"srcPitch": 13, "dstPitch": 11}}.items():
        a, b = two_blocks()
        yield label, [ask(cu.cuMemcpy2D(rectangle(a, b, **fields))), ask(cu.cuCtxSynchronize()), short(read(b, 100))]
        a, b = two_blocks()
        yield f"{label}, unaligned call", [ask(cu.cuMemcpy2DUnaligned(rectangle(a, b, **fields))), read(b, 100).hex()[:60]]


CASES_2D = {
    "no width": {"WidthInBytes": 0}, "no height": {"Height": 0}, "neither": {"WidthInBytes": 0, "Height": 0},
    "source pitch too small": {"srcPitch": 7}, "target pitch too small": {"dstPitch": 7}, "pitches too small, one row": {"srcPitch": 7, "dstPitch": 7, "Height": 1},
    "source pitch 0": {"srcPitch": 0}, "target pitch 0": {"dstPitch": 0}, "both pitches 0": {"srcPitch": 0, "dstPitch": 0},
    "both pitches 0, one row": {"srcPitch": 0, "dstPitch": 0, "Height": 1}, "x beyond the pitch": {"srcXInBytes": 9},
    "target x beyond the pitch": {"dstXInBytes": 9}, "x beyond the pitch, one row": {"srcXInBytes": 9, "Height": 1},
    "far past the end": {"srcY": 1 << 30}, "huge pitch": {"srcPitch": 1 << 31}, "huge pitch, one row": {"srcPitch": 1 << 31, "Height": 1},
    "pitch of the maximum": {"srcPitch": (1 << 31) - 1, "Height": 1}, "pitch above the maximum": {"srcPitch": 1 << 32, "Height": 1},
    "height beyond": {"Height": 1 << 40}, "width beyond": {"WidthInBytes": 1 << 40, "srcPitch": 1 << 40, "dstPitch": 1 << 40},
}


@question("what is wrong with a rectangle is refused")
def rectangle_errors():
    for label, fields in CASES_2D.items():
        for call in ("cuMemcpy2D", "cuMemcpy2DUnaligned", "cuMemcpy2DAsync"):
            yield f"{call}: {label}", lambda: _copy_code(call, rectangle(*two_blocks(), **fields))


def _copy_code(call, copy):
    stream = (0,) if call.endswith("Async") else ()
    code, waited = ask(getattr(cu, call)(copy, *stream)), ask(cu.cuCtxSynchronize())
    return code if waited in ("SUCCESS", code) else f"{code}, then {waited}"


@question("the memory types of a rectangle's sides say how its addresses are read")
def rectangle_types():
    for kind in KINDS:
        for label, types in {"host": (HOST, DEVICE), "device": (DEVICE, DEVICE), "unified": (UNIFIED, DEVICE)}.items():
            yield f"from {kind} as {label}", lambda: _copy_code_of_types(kind, types)
        for label, types in {"host": (DEVICE, HOST), "device": (DEVICE, DEVICE), "unified": (DEVICE, UNIFIED)}.items():
            yield f"to {kind} as {label}", lambda: _copy_code_of_types(kind, types, to=True)


def _copy_code_of_types(kind, types, to=False, shape=rectangle, call="cuMemcpy2D"):
    device, block = make("device"), make(kind)
    sides = (device.address, block.address) if to else (block.address, device.address)
    return _copy_code(call, shape(*sides, types))


@question("memory types that do not exist, and arrays that are null, are refused")
def wrong_types():
    a, b = two_blocks()
    for label, types in {"source array": (cu.CUmemorytype(3), DEVICE), "target array": (DEVICE, cu.CUmemorytype(3))}.items():
        yield label, lambda: ask(cu.cuMemcpy2D(rectangle(a, b, types)))
    library = ctypes.CDLL("libcuda.so.1")
    # The structure itself: 2D has srcXInBytes, srcY, srcMemoryType, ... as in cuda.h.
    fields = (ctypes.c_uint64 * 16)()
    yield "all zero", lambda: library.cuMemcpy2D_v2(fields)
    yield "null", lambda: library.cuMemcpy2D_v2(None)
    yield "3D, null", lambda: library.cuMemcpy3D_v2(None)
    yield "3D, all zero", lambda: library.cuMemcpy3D_v2((ctypes.c_uint64 * 32)())


@question("a box is copied slice by slice")
def boxes():
    for label, fields in {"plain": {}, "different pitches": {"srcPitch": 32, "dstPitch": 8, "dstHeight": 4}, "offsets": {
            "srcXInBytes": 3, "srcY": 2, "srcZ": 1, "dstXInBytes": 5, "dstY": 1, "dstZ": 2}, "one slice": {"Depth": 1}, "one row": {"Height": 1, "Depth": 1},
            "one row each": {"Height": 1}, "heights 0, one slice": {"srcHeight": 0, "dstHeight": 0, "Depth": 1}}.items():
        a, b = two_blocks()
        yield label, [ask(cu.cuMemcpy3D(box(a, b, **fields))), ask(cu.cuCtxSynchronize()), short(read(b, 400))]


CASES_3D = {**{label: fields for label, fields in CASES_2D.items()}, "no depth": {"Depth": 0}, "nothing": {"Depth": 0, "Height": 0, "WidthInBytes": 0},
            "source height too small": {"srcHeight": 3}, "target height too small": {"dstHeight": 3}, "source height 0": {"srcHeight": 0},
            "target height 0": {"dstHeight": 0}, "heights too small, one slice": {"srcHeight": 3, "dstHeight": 3, "Depth": 1},
            "y beyond the height": {"srcY": 3}, "target y beyond the height": {"dstY": 3}, "z far beyond": {"srcZ": 1 << 30},
            "mip level": {"srcLOD": 1}, "target mip level": {"dstLOD": 1}}


@question("what is wrong with a box is refused")
def box_errors():
    for label, fields in CASES_3D.items():
        for call in ("cuMemcpy3D", "cuMemcpy3DAsync"):
            yield f"{call}: {label}", lambda: _copy_code(call, box(*two_blocks(), **fields))


@question("the memory types of a box's sides say how its addresses are read")
def box_types():
    for kind in KINDS:
        for label, types in {"host": (HOST, DEVICE), "device": (DEVICE, DEVICE), "unified": (UNIFIED, DEVICE)}.items():
            yield f"from {kind} as {label}", lambda: _copy_code_of_types(kind, types, shape=box, call="cuMemcpy3D")


@question("rectangles between host and device keep their content")
def host_and_device():
    host = pages()
    ctypes.memmove(host, pattern(4096), 4096)
    _, b = two_blocks()
    yield "to the device", [ask(cu.cuMemcpy2D(rectangle(host, b, (HOST, DEVICE), srcPitch=100, dstPitch=512, WidthInBytes=90, Height=5))),
                            [read(b + 512 * row, 90) == pattern(4096)[100 * row:100 * row + 90] for row in range(5)]]
    ctypes.memset(host, 0, 4096)
    yield "to the host", [ask(cu.cuMemcpy2D(rectangle(b, host, (DEVICE, HOST), srcPitch=512, dstPitch=90, WidthInBytes=90, Height=5))),
                          ctypes.string_at(host + 90, 90) == pattern(4096)[100:190]]
    yield "host to host", ask(cu.cuMemcpy2D(rectangle(host, host + 2048, (HOST, HOST))))
    yield "host to host moved", ctypes.string_at(host + 2048, 8) == ctypes.string_at(host, 8)
    yield "unified, pageable to device", ask(cu.cuMemcpy2D(rectangle(host, b, (UNIFIED, UNIFIED))))


@question("a peer copy of a box needs its contexts")
def peer_box():
    first = must(cu.cuCtxGetCurrent())
    a = int(must(cu.cuMemAlloc(4096)))
    second = new_context()
    b = int(must(cu.cuMemAlloc(4096)))
    copy = cu.CUDA_MEMCPY3D_PEER()
    _place(copy, "src", DEVICE, a)
    _place(copy, "dst", DEVICE, b)
    for key, value in {"srcPitch": 16, "dstPitch": 16, "srcHeight": 4, "dstHeight": 4, "WidthInBytes": 8, "Height": 4, "Depth": 1}.items():
        setattr(copy, key, value)
    yield "no contexts", lambda: ask(cu.cuMemcpy3DPeer(copy))
    copy.srcContext, copy.dstContext = first, second
    yield "with contexts", lambda: ask(cu.cuMemcpy3DPeer(copy))


@question("pitches, offsets and widths of every relation")
def pitch_table():
    a, b = two_blocks()
    for pitch in (0, 4, 8, 12, 16):
        for x in (0, 1, 8):
            for width in (0, 4, 8, 16):
                for height in (1, 2):
                    yield f"source pitch {pitch}, x {x}, {width} x {height}", ask(cu.cuMemcpy2D(
                        rectangle(a, b, srcPitch=pitch, srcXInBytes=x, WidthInBytes=width, Height=height, dstPitch=32)))
    must(cu.cuCtxSynchronize())


@question("heights and slices of every relation")
def height_table():
    a, b = two_blocks()
    for tall in (0, 1, 3, 4, 6):
        for y in (0, 1, 4):
            for height in (0, 1, 4):
                for depth in (0, 1, 2):
                    yield f"source height {tall}, y {y}, {height} rows, {depth} slices", ask(cu.cuMemcpy3D(
                        box(a, b, srcHeight=tall, srcY=y, Height=height, Depth=depth)))
    must(cu.cuCtxSynchronize())


@question("a rectangle or box that leaves an allocation by one byte is refused")
def past_the_end():
    for over in (0, 1):
        a, b = two_blocks()
        yield f"2D, {over} over at the source", ask(cu.cuMemcpy2D(rectangle(a + 4096 - 16 * 3 - 8 + over, b)))
        yield f"2D, {over} over at the target", ask(cu.cuMemcpy2D(rectangle(a, b + 4096 - 16 * 3 - 8 + over)))
        yield f"3D, {over} over at the source", ask(cu.cuMemcpy3D(box(a + 4096 - 16 * 9 - 8 + over, b)))
        yield f"D2D8, {over} over", ask(cu.cuMemsetD2D8(b + 4096 - 16 * 3 - 8 + over, 16, 1, 8, 4))
    must(cu.cuCtxSynchronize())
