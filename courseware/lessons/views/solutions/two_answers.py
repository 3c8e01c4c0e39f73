from cuda.bindings import runtime

def two_answers(address):
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    _, known = runtime.cudaPointerGetAttributes(address)
    unknown = known.type == runtime.cudaMemoryType.cudaMemoryTypeUnregistered
    return (None if error else device), (None if unknown else known.hostPointer or None)
