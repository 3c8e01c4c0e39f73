import numpy as np
from cuda.bindings import driver as cu

def received(handle, offset, count):
    error, start = cu.cuIpcOpenMemHandle(handle, 1)
    numbers = np.zeros(count, np.int32)
    cu.cuMemcpyDtoH(numbers, int(start) + offset, numbers.nbytes)
    return numbers.tolist()
    cu.cuIpcCloseMemHandle(start)
