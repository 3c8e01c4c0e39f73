from cuda.bindings import driver as cu

def whose(vector, address):
    '''(where the address lies, the number's index or None, a host address of the byte or None)'''
    ...         # about fifteen lines
