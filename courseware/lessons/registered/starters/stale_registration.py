from cuda.bindings import driver as cu

def register_anyway(address, nbytes):
    ...         # about six lines
