import numpy as np
import pycuda.driver as cuda

def read_element(array, row, column):
    interface = array.__cuda_array_interface__
    strides = interface["strides"] or np.empty(interface["shape"], interface["typestr"]).strides
    found = np.empty(row * strides[0] + column * strides[1] + 16, np.uint8)
    cuda.memcpy_dtoh(found, interface["data"][0])
    at = row * strides[0] + column * strides[1]
    return found[at:].view(interface["typestr"])[0] if found[at:].nbytes % 8 == 0 else None
