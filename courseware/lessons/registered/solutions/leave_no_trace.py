from cuda.bindings import driver as cu

def answer_of(address, nbytes):
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
    return error.name
