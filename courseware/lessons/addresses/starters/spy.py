import pycuda.driver as cuda

def spy(make_secret, look):
    '''The number that make_secret hides.'''
    ...         # about five lines
