import numpy as np
from cuda.bindings import driver as cu

def received(handle, offset, count):
    '''A list of `count` numbers that begin `offset` bytes after the start of another process's memory.'''
    ...         # about five lines
