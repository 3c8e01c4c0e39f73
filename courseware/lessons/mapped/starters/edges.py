from cuda.bindings import driver as cu

def edges(address):
    ...         # about six lines
