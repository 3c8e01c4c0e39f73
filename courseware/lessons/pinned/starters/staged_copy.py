import pycuda.driver as cuda

def staged_copy(source, target, staging, stream):
    for start in range(0, len(source), len(staging)):
        ...         # about four lines
