from cuda.bindings import driver as cu

A = cu.CUpointer_attribute

def host_may_touch(address, kernel_runs, concurrent):
    error, host_pointer = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    if error != cu.CUresult.CUDA_SUCCESS:
        return False
    error, is_managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    return not (is_managed and kernel_runs and not concurrent)
