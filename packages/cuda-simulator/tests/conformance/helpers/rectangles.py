"""Rectangles for cuMemcpy2D in one call."""
from cuda.bindings import driver as cu

HOST, DEVICE, UNIFIED = (cu.CUmemorytype(n) for n in (1, 2, 4))


def rectangle(source, to, width, height, source_pitch=0, to_pitch=0, x=(0, 0), y=(0, 0), types=(UNIFIED, UNIFIED)):
    """A CUDA_MEMCPY2D; x and y are (source, destination)."""
    shape = cu.CUDA_MEMCPY2D()
    shape.srcMemoryType, shape.dstMemoryType = types
    shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(source), cu.CUdeviceptr(to)
    shape.srcHost, shape.dstHost = source, to
    shape.srcPitch, shape.dstPitch = source_pitch, to_pitch
    (shape.srcXInBytes, shape.dstXInBytes), (shape.srcY, shape.dstY) = x, y
    shape.WidthInBytes, shape.Height = width, height
    return shape
