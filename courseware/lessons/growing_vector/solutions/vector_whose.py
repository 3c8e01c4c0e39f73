from cuda.bindings import driver as cu

def whose(vector, address):
    offset = address - vector.address
    if 0 <= offset < vector.nbytes:
        for start, nbytes, host in vector.copies:
            if start <= offset < start + nbytes:
                return "vector", offset // 4, host + offset - start
        return "vector", offset // 4, None
    if 0 <= offset < vector.reserved:
        return "reserved", None, None
    if not 0 <= address < 1 << 64:
        return "elsewhere", None, None
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, host = cu.cuPointerGetAttribute(attribute, address)
    return "elsewhere", None, int(host) if error == cu.CUresult.CUDA_SUCCESS else None
