from cuda.bindings import driver as cu

def is_pinned(address):
    '''Is the byte at the address page-locked host memory?'''
    ...         # two or three lines
