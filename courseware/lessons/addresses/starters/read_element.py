import numpy as np
import pycuda.driver as cuda

def read_element(array, row, column):
    interface = array.__cuda_array_interface__
    ...         # about four lines
