from cuda.bindings import driver as cu

LAST = cu.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION

def last_places(address, pages):
    '''The place of the last prefetch of each page: "device", "host" or None.'''
    ...         # about five lines
