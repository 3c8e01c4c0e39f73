import pycuda.driver as cuda

def heap_of(nbytes):
    ...         # about five lines
