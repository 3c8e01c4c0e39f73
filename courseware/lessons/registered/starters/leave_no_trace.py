from cuda.bindings import driver as cu

def answer_of(address, nbytes):
    ...         # about four lines
