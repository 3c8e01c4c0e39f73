import pycuda.driver as cuda

def spy(make_secret, look):
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    memory.free()
    make_secret()
    return look(address)
