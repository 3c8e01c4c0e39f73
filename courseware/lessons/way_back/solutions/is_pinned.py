from cuda.bindings import driver as cu

def is_pinned(address):
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1
