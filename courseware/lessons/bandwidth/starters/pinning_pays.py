import math

def pays_after(nbytes, pin, pageable, pinned):
    '''A number of copies, or None.'''
    ...         # about two lines
