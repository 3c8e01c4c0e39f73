from cuda.bindings import driver as cu

def register_anyway(address, nbytes):
    START = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
    for page in range(address, address + nbytes, 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)
