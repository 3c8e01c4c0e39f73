import pycuda.driver as cuda

def staged_copy(source, target, staging, stream):
    '''Copy all of source to target, piece by piece through staging.'''
    for start in range(0, len(source), len(staging)):
        ...         # about four lines
