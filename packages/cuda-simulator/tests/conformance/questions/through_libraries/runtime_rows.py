"""The runtime's functions for rows and slices with a pitch: what they fill and copy, and which sizes they refuse."""
import ctypes

from cuda.bindings import runtime as cudart

from ...asking import DRIVER, question
from ...helpers.calls import short
from ...helpers.runtime import error_of, page, value

PITCH, HEIGHT, DEPTH = 16, 4, 3
SIZE = PITCH * HEIGHT * DEPTH
KIND = cudart.cudaMemcpyKind


def filled_rows(byte=0):
    """Device memory of three slices, each of four rows with a pitch of 16 bytes."""
    address = int(value(cudart.cudaMalloc(SIZE)))
    cudart.cudaMemset(address, byte, SIZE)
    return address


def content(address, size=SIZE):
    cudart.cudaDeviceSynchronize()
    host = page()
    error = error_of(cudart.cudaMemcpy(host, address, size, KIND.cudaMemcpyDefault))
    return short(ctypes.string_at(host, size)) if error == "cudaSuccess" else error


def extent(width, height, depth):
    structure = cudart.cudaExtent()
    structure.width, structure.height, structure.depth = width, height, depth
    return structure


def pitched_ptr(address, pitch=PITCH, xsize=PITCH, ysize=HEIGHT):
    structure = cudart.cudaPitchedPtr()
    structure.ptr, structure.pitch, structure.xsize, structure.ysize = address, pitch, xsize, ysize
    return structure


# width, height, depth; then what else the pitched pointer says.
BOXES = {
    "all": (16, 4, 3), "a part": (5, 2, 2), "one row": (7, 1, 1), "as wide as the pitch, two rows of each": (16, 2, 3),
    "no width": (0, 4, 3), "no height": (5, 0, 3), "no depth": (5, 4, 0), "nothing": (0, 0, 0),
    "wider than the pitch": (17, 2, 1), "wider than the pitch, one row": (20, 1, 1), "higher than ysize": (5, 5, 1), "deeper than the memory": (5, 4, 4),
    "deeper than the driver's piece": (5, 4, 1 << 16),
}
POINTERS = {
    "pitch 0": {"pitch": 0}, "xsize 0": {"xsize": 0}, "ysize 0": {"ysize": 0}, "xsize less than the width": {"xsize": 3},
    "ysize less than the height": {"ysize": 1}, "ysize 3": {"ysize": 3}, "pitch less than the width": {"pitch": 4},
}


@question("cudaMemset3D fills the width of each row of each slice, and leaves what lies between", needs=DRIVER)
def memset_boxes():
    for label, sizes in BOXES.items():
        memory = filled_rows()
        yield label, lambda: [error_of(cudart.cudaMemset3D(pitched_ptr(memory), 7, extent(*sizes))), content(memory)]


@question("cudaMemset3D finds the slices by the pitch and the ysize that it is told", needs=DRIVER)
def memset_pointers():
    for label, fields in POINTERS.items():
        memory = filled_rows()
        yield label, lambda: [error_of(cudart.cudaMemset3D(pitched_ptr(memory, **fields), 7, extent(5, 2, 2))), content(memory)]
        memory = filled_rows()
        yield f"{label}, one slice", lambda: [error_of(cudart.cudaMemset3D(pitched_ptr(memory, **fields), 7, extent(5, 2, 1))),
                                              content(memory)]


@question("cudaMemset3D refuses what the driver does not know, unless there is nothing to fill", needs=DRIVER,
          varies={"freed": "the driver may have given the address to something of its own"})
def memset_elsewhere():
    freed = filled_rows()
    cudart.cudaFree(freed)
    pinned, managed = int(value(cudart.cudaMallocHost(4096))), int(value(cudart.cudaMallocManaged(4096, 1)))
    for kind, address in {"null": 0, "freed": freed, "pageable": page(), "pinned": pinned, "managed": managed, "the number 1": 1}.items():
        yield kind, lambda: error_of(cudart.cudaMemset3D(pitched_ptr(address), 7, extent(5, 2, 2)))
        yield f"{kind}, nothing to fill", lambda: error_of(cudart.cudaMemset3D(pitched_ptr(address), 7, extent(0, 2, 2)))
    yield "the last error", error_of(cudart.cudaGetLastError())


@question("what cudaMalloc3D gave is filled by cudaMemset3D, wholly or in part, with the lowest byte of the value; asynchronously, too", needs=DRIVER)
def memset_what_was_allocated():
    shape = extent(20, 3, 2)
    placed = value(cudart.cudaMalloc3D(shape))
    size = placed.pitch * 6
    for number in (0, 1, 256 + 3, -1):
        yield f"{number}", [error_of(cudart.cudaMemset3D(placed, number, shape)), content(int(placed.ptr), size)]
    stream = value(cudart.cudaStreamCreate())
    yield "asynchronous", [error_of(cudart.cudaMemset3DAsync(placed, 9, extent(20, 2, 2), stream)), content(int(placed.ptr), size)]
    yield "asynchronous, nothing", error_of(cudart.cudaMemset3DAsync(placed, 9, extent(20, 0, 2), stream))
    yield "asynchronous, too wide", error_of(cudart.cudaMemset3DAsync(placed, 9, extent(1 << 20, 2, 2), stream))
    inside = pitched_ptr(int(placed.ptr) + 4, placed.pitch, 20, 3)
    yield "from inside a row", [error_of(cudart.cudaMemset3D(inside, 5, extent(8, 3, 1))), content(int(placed.ptr), size)]


@question("cudaMemset2D fills rows with a pitch", needs=DRIVER)
def memset_rows():
    for label, (pitch, width, height) in {"a part": (16, 5, 3), "as wide as the pitch": (16, 16, 3), "no width": (16, 0, 3), "no height": (16, 5, 0),
                                          "no pitch": (0, 5, 3), "no pitch, one row": (0, 5, 1), "wider than the pitch": (16, 17, 2),
                                          "wider than the pitch, one row": (16, 20, 1), "an odd pitch": (7, 5, 3)}.items():
        memory = filled_rows()
        yield label, lambda: [error_of(cudart.cudaMemset2D(memory, pitch, 7, width, height)), content(memory)]
        memory = filled_rows()
        yield f"{label}, asynchronous", lambda: [error_of(cudart.cudaMemset2DAsync(memory, pitch, 7, width, height, 0)), content(memory)]
    yield "null, nothing to fill", error_of(cudart.cudaMemset2D(0, 16, 7, 0, 3))
    yield "null", error_of(cudart.cudaMemset2D(0, 16, 7, 5, 3))


@question("cudaMemcpy2D copies rows with a pitch, in the direction that it is told", needs=DRIVER)
def copy_rows():
    def copied(kind, to_pitch=16, from_pitch=16, width=5, height=3):
        to, source = filled_rows(), page()
        ctypes.memset(source, 7, SIZE)
        error = error_of(cudart.cudaMemcpy2D(to, to_pitch, source, from_pitch, width, height, KIND(kind)))
        return [error, content(to)]
    for kind in range(5):
        yield KIND(kind).name, lambda: copied(kind)
    for label, sizes in {"as wide as the pitch": {"width": 16}, "no width": {"width": 0}, "no height": {"height": 0}, "wider than the target's pitch": {"to_pitch": 4},
                         "wider than the source's pitch": {"from_pitch": 4}, "the target's pitch 0, one row": {"to_pitch": 0, "height": 1},
                         "the source's pitch 0": {"from_pitch": 0}, "both pitches 0, one row": {"to_pitch": 0, "from_pitch": 0, "height": 1},
                         "odd pitches": {"to_pitch": 7, "from_pitch": 9}, "more rows than there are": {"height": 1 << 20}}.items():
        yield label, lambda: copied(1, **sizes)
    yield "null, nothing to copy", error_of(cudart.cudaMemcpy2D(0, 16, page(), 16, 0, 3, KIND(1)))


def copy_box(to, source, sizes, kind=4, to_at=(0, 0, 0), source_at=(0, 0, 0)):
    """The error of cudaMemcpy3D between two pitched pointers."""
    parameters = cudart.cudaMemcpy3DParms()
    parameters.dstPtr, parameters.srcPtr, parameters.extent, parameters.kind = to, source, extent(*sizes), KIND(kind)
    for place, numbers in ((parameters.dstPos, to_at), (parameters.srcPos, source_at)):
        place.x, place.y, place.z = numbers
    return error_of(cudart.cudaMemcpy3D(parameters))


@question("cudaMemcpy3D copies boxes of bytes between pitched pointers, from and to a place inside of them", needs=DRIVER)
def copy_boxes():
    def copied(sizes, target_fields=None, source_fields=None, **fields):
        target, source = filled_rows(), page()
        for byte in range(SIZE):
            ctypes.memset(source + byte, byte, 1)
        return [copy_box(pitched_ptr(target, **(target_fields or {})), pitched_ptr(source, **(source_fields or {})), sizes, **fields),
                content(target)]
    for label, sizes in BOXES.items():
        if label != "deeper than the driver's piece":
            yield label, lambda: copied(sizes)
    for kind in range(5):
        yield KIND(kind).name, lambda: copied((5, 2, 2), kind=kind)
    yield "to a place inside", lambda: copied((5, 2, 1), to_at=(3, 1, 1))
    yield "from a place inside", lambda: copied((5, 2, 1), source_at=(3, 1, 1))
    yield "past the end of a row", lambda: copied((5, 2, 1), to_at=(12, 1, 1))
    yield "the target's ysize 3", lambda: copied((5, 2, 2), target_fields={"ysize": 3})
    yield "the source's ysize 3", lambda: copied((5, 2, 2), source_fields={"ysize": 3})
    yield "the target's pitch 0", lambda: copied((5, 2, 2), target_fields={"pitch": 0})
    yield "the target's ysize 0", lambda: copied((5, 2, 2), target_fields={"ysize": 0})
    yield "the target's ysize 0, one slice", lambda: copied((5, 2, 1), target_fields={"ysize": 0})
    yield "the target's xsize 0", lambda: copied((5, 2, 2), target_fields={"xsize": 0})
