from cuda.bindings import driver as cu

A = cu.CUpointer_attribute

def host_may_touch(address, kernel_runs, concurrent):
    '''May the host read and write at the address now?'''
    ...         # about five lines
