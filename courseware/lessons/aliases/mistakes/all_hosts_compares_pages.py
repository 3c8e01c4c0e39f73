import numpy as np
import pycuda.driver as cuda

def all_hosts(views, device_address):
    for view in views:
        byte = device_address - view.ctypes.data
        if 0 <= byte < 4096:
            return sorted(other.ctypes.data + byte for other in views if (other == view).all())
    return []
