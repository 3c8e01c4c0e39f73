import pycuda.driver as cuda

def heap_of(nbytes):
    '''Ask for a heap of nbytes, and return the size that it has then.'''
    ...         # about five lines
