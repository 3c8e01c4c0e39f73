from cuda.bindings import driver as cu

def unasked(flags):
    error, address = cu.cuMemHostAlloc(4 << 20, flags)
    error, reported = cu.cuMemHostGetFlags(address)
    cu.cuMemFreeHost(address)
    return reported & ~flags
