from cuda.bindings import driver as cu

def whose(vector, address):
    ...         # about fifteen lines
