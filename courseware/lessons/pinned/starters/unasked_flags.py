from cuda.bindings import driver as cu

def unasked(flags):
    '''The flags that the driver reports, less those that were asked for.'''
    ...         # about four lines
