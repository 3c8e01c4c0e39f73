import numpy as np
import pycuda.driver as cuda

def all_hosts(views, device_address):
    before = [view.copy() for view in views]
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    cuda.memset_d8(device_address, old ^ 255, 1)
    cuda.Context.synchronize()
    hosts = [view.ctypes.data + int(np.argmax(view != was)) for view, was in zip(views, before) if (view != was).any()]
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    return sorted(hosts)
