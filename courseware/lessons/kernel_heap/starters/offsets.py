def offsets(sizes):
    '''Where each block begins, and where the last one ends.'''
    ...         # about four lines
