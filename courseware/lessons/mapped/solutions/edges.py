from cuda.bindings import driver as cu

def edges(address):
    first = last = address
    while cu.cuMemHostGetDevicePointer(first - 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:
        first -= 1
    while cu.cuMemHostGetDevicePointer(last + 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:
        last += 1
    return first, last
