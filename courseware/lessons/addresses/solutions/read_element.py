import numpy as np
import pycuda.driver as cuda

def read_element(array, row, column):
    interface = array.__cuda_array_interface__
    element = np.empty(1, interface["typestr"])
    strides = interface["strides"] or (interface["shape"][1] * element.itemsize, element.itemsize)
    cuda.memcpy_dtoh(element, interface["data"][0] + row * strides[0] + column * strides[1])
    return element[0]
