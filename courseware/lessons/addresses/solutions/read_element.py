import numpy as np
import pycuda.driver as cuda

def read_element(array, row, column):
    interface = array.__cuda_array_interface__
    found = np.empty(1, interface["typestr"])
    strides = interface["strides"] or (interface["shape"][1] * found.itemsize, found.itemsize)
    cuda.memcpy_dtoh(found, interface["data"][0] + row * strides[0] + column * strides[1])
    return found[0]
