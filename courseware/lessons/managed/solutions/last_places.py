from cuda.bindings import driver as cu

LAST = cu.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION

def last_places(address, pages):
    places = []
    for page in range(pages):
        error, place = cu.cuMemRangeGetAttribute(4, LAST, address + page * 4096, 4096)
        places.append({-1: "host", -2: None}.get(place, "device"))
    return places
