from cuda.bindings import driver as cu

def register_anyway(address, nbytes):
    '''Register the range, and take back what stands in the way.'''
    ...         # about six lines
