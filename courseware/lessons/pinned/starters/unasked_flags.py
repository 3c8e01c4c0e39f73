from cuda.bindings import driver as cu

def unasked(flags):
    ...         # about four lines
