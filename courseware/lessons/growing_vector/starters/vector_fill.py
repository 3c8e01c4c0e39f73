import pycuda.driver as cuda

def fill(address, data, buffers, streams, work):
    ...         # about ten lines
