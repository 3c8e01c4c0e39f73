import os
from cuda.bindings import driver as cu

DESCRIPTOR = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

def way_to_share(address):
    error, handle = cu.cuIpcGetMemHandle(address)
    if not error:
        return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error:
        return None
    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    if error:
        return None
    os.close(fd)
    return "descriptor"
