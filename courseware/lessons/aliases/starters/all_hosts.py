import numpy as np
import pycuda.driver as cuda

def all_hosts(views, device_address):
    '''Every host address of the byte at device_address, sorted.'''
    before = [view.copy() for view in views]
    ...             # about seven lines
