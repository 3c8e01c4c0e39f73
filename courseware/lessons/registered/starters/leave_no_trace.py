from cuda.bindings import driver as cu

def answer_of(address, nbytes):
    '''The name of what cuMemHostRegister answers.'''
    ...         # about four lines
