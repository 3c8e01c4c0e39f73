"""Rows and slices with a pitch, for cuda.bindings.runtime: allocated, filled and copied by calls of the driver.

What is refused here, and what is left to the driver, is what an H200 answered (tests/conformance, through_libraries/runtime_rows).
"""
from .calling import address, gives


class Rows:
    """Functions of the runtime by their names, for cuda_runtime.Runtime, whose `ask`, `driver` and `runtime` they use."""

    @gives(2)
    def cudaMallocPitch(self, width, height):
        """No bytes are at null, with a pitch of 0; the driver's call refuses them. (An H200's answers.)"""
        if not width or not height:
            return 0, 0
        start, pitch = self.ask(self.driver.cuMemAllocPitch, width, height, 4)
        return int(start), pitch

    @gives(1)
    def cudaMalloc3D(self, extent):
        """Rows of `extent.width` bytes; the slices lie behind each other, each of `extent.height` rows."""
        placed = self.runtime.cudaPitchedPtr()
        placed.ptr, placed.pitch = self.cudaMallocPitch(extent.width, extent.height * extent.depth)
        placed.xsize, placed.ysize = extent.width, extent.height
        return placed

    @gives(0)
    def cudaMemcpy2D(self, dst, dpitch, src, spitch, width, height, kind):
        self.ask(self.driver.cuMemcpy2DUnaligned, self._rows(dst, dpitch, src, spitch, width, height, kind))

    @gives(0)
    def cudaMemcpy2DAsync(self, dst, dpitch, src, spitch, width, height, kind, stream):
        self.ask(self.driver.cuMemcpy2DAsync, self._rows(dst, dpitch, src, spitch, width, height, kind), stream)

    def _rows(self, dst, dpitch, src, spitch, width, height, kind):
        """A copy of rectangles as the driver takes it."""
        self._rows_fit(width, height, dpitch, spitch)
        rows = self.driver.CUDA_MEMCPY2D()
        rows.srcMemoryType, rows.dstMemoryType = self._sides(kind)
        rows.srcHost = rows.srcDevice = address(src)
        rows.dstHost = rows.dstDevice = address(dst)
        rows.srcPitch, rows.dstPitch, rows.WidthInBytes, rows.Height = spitch, dpitch, width, height
        return rows

    def _sides(self, kind):
        """On which side the source lies, and the target: `kind` says so; with cudaMemcpyDefault the driver finds it."""
        host, device, either = (self.driver.CUmemorytype(number) for number in (1, 2, 4))
        sides = {0: (host, host), 1: (host, device), 2: (device, host), 3: (device, device), 4: (either, either)}
        if int(kind) not in sides:
            self.refuse("cudaErrorInvalidMemcpyDirection")
        return sides[int(kind)]

    def _rows_fit(self, width, rows, *pitches):
        """By a pitch of 0 the driver means rows without a gap, the runtime does not."""
        if width and rows > 1 and min(pitches) < width:
            self.refuse("cudaErrorInvalidPitchValue")

    @gives(0)
    def cudaMemcpy3D(self, p):
        self.ask(self.driver.cuMemcpy3D, self._boxes(p))

    @gives(0)
    def cudaMemcpy3DAsync(self, p, stream):
        self.ask(self.driver.cuMemcpy3DAsync, self._boxes(p), stream)

    def _boxes(self, p):
        """A copy between two pitched pointers as the driver takes it. Arrays are not simulated."""
        if int(p.srcArray) or int(p.dstArray):
            self.refuse("cudaErrorNotSupported")
        size, boxes = p.extent, self.driver.CUDA_MEMCPY3D()
        self._rows_fit(size.width, size.height * size.depth, p.srcPtr.pitch, p.dstPtr.pitch)
        if size.width and size.height and size.depth > 1:
            self._rows_fit(1, 2, p.srcPtr.ysize, p.dstPtr.ysize)        # nor does it mean slices without a gap
        boxes.srcMemoryType, boxes.dstMemoryType = self._sides(p.kind)
        boxes.srcHost = boxes.srcDevice = int(p.srcPtr.ptr)
        boxes.dstHost = boxes.dstDevice = int(p.dstPtr.ptr)
        boxes.srcPitch, boxes.srcHeight, boxes.dstPitch, boxes.dstHeight = p.srcPtr.pitch, p.srcPtr.ysize, p.dstPtr.pitch, p.dstPtr.ysize
        boxes.srcXInBytes, boxes.srcY, boxes.srcZ = p.srcPos.x, p.srcPos.y, p.srcPos.z
        boxes.dstXInBytes, boxes.dstY, boxes.dstZ = p.dstPos.x, p.dstPos.y, p.dstPos.z
        boxes.WidthInBytes, boxes.Height, boxes.Depth = size.width, size.height, size.depth
        return boxes

    @gives(0)
    def cudaMemset2D(self, devPtr, pitch, value, width, height):
        self.ask(self.driver.cuMemsetD2D8, address(devPtr), pitch, value & 0xFF, width, height)

    @gives(0)
    def cudaMemset2DAsync(self, devPtr, pitch, value, width, height, stream):
        self.ask(self.driver.cuMemsetD2D8Async, address(devPtr), pitch, value & 0xFF, width, height, stream)

    @gives(0)
    def cudaMemset3D(self, pitchedDevPtr, value, extent):
        self._fill(self.driver.cuMemsetD2D8, pitchedDevPtr, value, extent)

    @gives(0)
    def cudaMemset3DAsync(self, pitchedDevPtr, value, extent, stream):
        self._fill(self.driver.cuMemsetD2D8Async, pitchedDevPtr, value, extent, stream)

    def _fill(self, fill, placed, value, extent, *stream):
        """Each slice by itself, the last one first: if the memory ends before it, nothing is filled."""
        if not (extent.width and extent.height and extent.depth):
            return
        if extent.height > placed.ysize or not placed.pitch:
            self.refuse("cudaErrorInvalidValue")
        for number in reversed(range(extent.depth)):
            start = int(placed.ptr) + number * placed.pitch * placed.ysize
            self.ask(fill, start, placed.pitch, value & 0xFF, extent.width, extent.height, *stream)
