import pycuda.driver as cuda

def fill(address, data, buffers, streams, work):
    '''Copy data to the address, piece by piece, and let a kernel work on each piece.'''
    ...         # about ten lines
