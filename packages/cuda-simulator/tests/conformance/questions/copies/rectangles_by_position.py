"""Rectangles and boxes within one allocation, with odd pitches, and between kinds of memory."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, pattern, read, write
from ...helpers.memory_kinds import make
from ...helpers.rectangles import DEVICE, HOST, rectangle


@question("a rectangle within one allocation, its source beside or over its destination")
def rectangles_within():
    a = int(must(cu.cuMemAlloc(1 << 16)))
    for label, to, width, height, pitch in (("beside", 32, 32, 8, 64), ("interleaved rows", 64, 64, 8, 128), ("far away", 32768, 100, 5, 256)):
        write(a, pattern(1 << 16))
        must(cu.cuCtxSynchronize())
        yield label, ask(cu.cuMemcpy2D(rectangle(a, a + to, width, height, pitch, pitch)))
        before, after = pattern(1 << 16), read(a, 1 << 16)
        expected = bytearray(before)
        for row in range(height):
            expected[to + row * pitch:to + row * pitch + width] = before[row * pitch:row * pitch + width]
        yield f"{label}: content", after == bytes(expected)


@question("a rectangle's pitch may be larger than the allocation if the rectangle is not")
def pitches():
    a, host = make("device").address, make("pageable").address
    for label, width, height, pitch in (("one row, a huge pitch", 64, 1, 1 << 40), ("one row, the largest pitch", 64, 1, (1 << 31) - 1),
                                        ("one row, a larger one", 64, 1, 1 << 31), ("two rows, the second outside", 64, 2, 1 << 20),
                                        ("two rows that just fit", 64, 2, (64 << 10) - 64), ("two rows that just do not", 64, 2, (64 << 10) - 63),
                                        ("odd pitch", 3, 5, 7), ("a pitch of the width", 100, 100, 100), ("all of it in one row", 64 << 10, 1, 0),
                                        ("no pitch, many rows", 16, 4096, 0)):
        yield f"{label}: from the device", ask(cu.cuMemcpy2D(rectangle(a, host, width, min(height, 2), pitch, 0, types=(DEVICE, HOST))))
        yield f"{label}: to the device", ask(cu.cuMemcpy2DUnaligned(rectangle(host, a, width, height, 0, pitch, types=(HOST, DEVICE))
                                                                  if width * height <= 64 << 10 else rectangle(host, a, 1, 1)))


@question("rectangles between memory of every two kinds that are told by their address")
def rectangles_by_kind():
    sides = ("device", "pinned", "registered", "managed", "mapped", "mapped, on the host", "stream-ordered", "pageable", "module variable")
    for source in sides:
        for target in sides:
            source_address, target_address = make(source).address, make(target).address
            yield f"{source} to {target}", lambda: ask(cu.cuMemcpy2D(rectangle(source_address, target_address, 5, 3, 16, 24)))


@question("a box may be copied between allocations by a peer copy in one context, with its rows apart")
def boxes():
    a, b = make("device").address, make("device").address
    write(a, pattern(4096))
    must(cu.cuCtxSynchronize())
    shape = cu.CUDA_MEMCPY3D()
    shape.srcMemoryType = shape.dstMemoryType = DEVICE
    shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(a), cu.CUdeviceptr(b)
    shape.srcPitch, shape.srcHeight, shape.dstPitch, shape.dstHeight = 32, 8, 16, 5
    shape.srcXInBytes, shape.srcY, shape.srcZ, shape.dstXInBytes, shape.dstY, shape.dstZ = 3, 1, 1, 2, 1, 1
    shape.WidthInBytes, shape.Height, shape.Depth = 9, 4, 3
    must(cu.cuMemsetD8(b, 0xEE, 4096))
    yield "copy", ask(cu.cuMemcpy3D(shape))
    expected = bytearray(b"\xEE" * 512)
    for layer in range(3):
        for row in range(4):
            start, goal = ((layer + 1) * 8 + row + 1) * 32 + 3, ((layer + 1) * 5 + row + 1) * 16 + 2
            expected[goal:goal + 9] = pattern(4096)[start:start + 9]
    yield "content", read(b, 512) == bytes(expected)
    for part, value in (("srcHeight", 4), ("dstPitch", 10), ("srcPitch", 11), ("dstHeight", 4), ("Depth", 0), ("Depth", 1000), ("srcLOD", 1), ("dstLOD", 1)):
        field_value = getattr(shape, part)
        setattr(shape, part, value)
        yield f"{part} {value}", ask(cu.cuMemcpy3D(shape))
        setattr(shape, part, field_value)
