import numpy as np
import pycuda.driver as cuda

def read_element(array, row, column):
    interface = array.__cuda_array_interface__
    strides = interface["strides"] or np.empty(interface["shape"], interface["typestr"]).strides
    element = np.empty(row * strides[0] + column * strides[1] + 16, np.uint8)
    cuda.memcpy_dtoh(element, interface["data"][0])
    at = row * strides[0] + column * strides[1]
    return element[at:].view(interface["typestr"])[0] if element[at:].nbytes % 8 == 0 else None
