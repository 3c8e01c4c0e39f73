"""Rectangles and boxes over mappings that lie side by side."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, pattern, read, write
from ...helpers.memory_kinds import LARGE, access, pages, properties
from ...helpers.rectangles import DEVICE, HOST, UNIFIED, rectangle

WIDTH, ROWS, PITCH = 40, 6, 64


def _two(parts=2, rights=2):
    """Mappings of different memory side by side; the first `rights` of them may be used."""
    base = int(must(cu.cuMemAddressReserve(3 * LARGE, 0, 0, 0)))
    for part in range(parts):
        must(cu.cuMemMap(base + part * LARGE, LARGE, 0, must(cu.cuMemCreate(LARGE, properties(), 0)), 0))
    must(cu.cuMemSetAccess(base, min(parts, rights) * LARGE, [access("read and write")], 1))
    return base


def _rows(source, to, kinds=(DEVICE, DEVICE), rows=ROWS):
    return rectangle(source, to, WIDTH, rows, PITCH, PITCH, types=kinds)


def _box(source, to, kinds=(DEVICE, DEVICE), rows=3, layers=2):
    shape = cu.CUDA_MEMCPY3D()
    shape.srcMemoryType, shape.dstMemoryType = kinds
    shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(source), cu.CUdeviceptr(to)
    shape.srcHost, shape.dstHost = source, to
    shape.srcPitch = shape.dstPitch = PITCH
    shape.srcHeight = shape.dstHeight = rows
    shape.WidthInBytes, shape.Height, shape.Depth = WIDTH, rows, layers
    return shape


def _copy_answer(shape, to):
    """How the copy ends, and its rows."""
    call = cu.cuMemcpy3D if isinstance(shape, cu.CUDA_MEMCPY3D) else cu.cuMemcpy2D
    return _codes(call(shape)), read(to, ROWS * PITCH).hex()


def _codes(result):
    return [ask(result), ask(cu.cuCtxSynchronize())]


def _rows_and_layers(source, to, kinds):
    yield "rows", lambda: _copy_answer(_rows(source, to, kinds), to)
    yield "layers", lambda: _copy_answer(_box(source, to, kinds), to)


@question("a rectangle or a box that crosses from one mapping into the next is copied whole")
def across():
    base, host, plain = _two(), pages(4096), int(must(cu.cuMemAlloc(4096)))
    for bytes_before in (ROWS * PITCH // 2, 2 * PITCH + 10, 10):
        place = base + LARGE - bytes_before
        for label, source, to, kinds in (("from the host", host, place, (HOST, DEVICE)), ("from device memory", plain, place, (DEVICE, DEVICE)),
                                         ("to device memory", place, plain, (DEVICE, DEVICE)), ("unified", place, plain,
                                                                                                (UNIFIED, UNIFIED))):
            write(place, bytes(ROWS * PITCH))
            must(cu.cuMemsetD8(plain, 0, 4096))
            ctypes.memmove(host, pattern(ROWS * PITCH), ROWS * PITCH) if source == host else write(source, pattern(ROWS * PITCH))
            for shape, answer in _rows_and_layers(source, to, kinds):
                yield f"{label}, {shape}, {bytes_before} bytes before the border", answer


@question("a rectangle across the border of two mappings of one memory, or of memory that was mapped before")
def aliases():
    plain = int(must(cu.cuMemAlloc(4096)))
    write(plain, pattern(ROWS * PITCH))
    base, handles = int(must(cu.cuMemAddressReserve(3 * LARGE, 0, 0, 0))), [must(cu.cuMemCreate(LARGE, properties(), 0)) for _ in range(2)]
    for label, parts in (("one memory twice", (0, 0)), ("exchanged", (1, 0))):
        for number, part in enumerate(parts):
            must(cu.cuMemMap(base + number * LARGE, LARGE, 0, handles[part], 0))
        must(cu.cuMemSetAccess(base, 2 * LARGE, [access("read and write")], 1))
        place = base + LARGE - 2 * PITCH - 10
        for direction, source, to in (("to", plain, place), ("from", place, plain)):
            for shape, answer in _rows_and_layers(source, to, (DEVICE, DEVICE)):
                must(cu.cuMemsetD8(place if direction == "to" else plain, 0, ROWS * PITCH))
                write(source, pattern(ROWS * PITCH))
                yield f"{label}, {direction}, {shape}", answer
        yield f"{label}, memset", lambda: [ask(cu.cuMemsetD2D8(place, PITCH, 7, WIDTH, ROWS)), read(place, ROWS * PITCH).hex()]
        must(cu.cuMemUnmap(base, 2 * LARGE))


@question("a rectangle that crosses into a mapping without access, or into reserved addresses, is refused")
def into_nothing():
    plain = int(must(cu.cuMemAlloc(4096)))
    for label, base in (("no access", _two(rights=1)), ("nothing mapped", _two(parts=1))):
        place = base + LARGE - 2 * PITCH - 10
        for direction, source, to in (("from", place, plain), ("to", plain, place)):
            yield f"{label}, {direction}, rows", lambda: _codes(cu.cuMemcpy2D(_rows(source, to)))
            yield f"{label}, {direction}, layers", lambda: _codes(cu.cuMemcpy3D(_box(source, to)))
        yield f"{label}, memset", lambda: _codes(cu.cuMemsetD2D8(place, PITCH, 1, WIDTH, ROWS))
    base = _two()
    must(cu.cuMemUnmap(base + LARGE, LARGE))
    place = base + LARGE - PITCH - WIDTH    # the last row ends at the end of what is mapped; its pitch does not
    yield "rows that end where the mapping does", _codes(cu.cuMemcpy2D(_rows(plain, place, rows=2)))
