from cuda.bindings import driver as cu

MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    ...         # about four lines
