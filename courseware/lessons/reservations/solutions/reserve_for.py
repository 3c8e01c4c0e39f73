from cuda.bindings import driver as cu

MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = max(-(-nbytes // granularity), 1) * granularity
    error, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return address, size
