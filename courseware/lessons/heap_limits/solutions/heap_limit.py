import pycuda.driver as cuda

def heap_of(nbytes):
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
