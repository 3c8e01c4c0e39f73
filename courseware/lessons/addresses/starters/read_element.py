import numpy as np
import pycuda.driver as cuda

def read_element(array, row, column):
    '''The element in a row and a column, which are counted from 0.'''
    interface = array.__cuda_array_interface__
    ...         # about four lines
