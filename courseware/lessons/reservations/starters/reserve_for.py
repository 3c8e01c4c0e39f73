from cuda.bindings import driver as cu

MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    '''(address, size in bytes) of a reserved range with room for nbytes.'''
    ...         # about four lines
