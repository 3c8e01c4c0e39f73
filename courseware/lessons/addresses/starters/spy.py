import pycuda.driver as cuda

def spy(make_secret, look):
    ...         # about five lines
