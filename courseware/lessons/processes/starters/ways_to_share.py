import os
from cuda.bindings import driver as cu

DESCRIPTOR = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

def way_to_share(address):
    '''How the memory at an address can be shared: "handle", "descriptor" or None.'''
    ...         # about ten lines
