from cuda.bindings import runtime

def host_pointer_for(address):
    error, attributes = runtime.cudaPointerGetAttributes(address)
    if attributes.type == runtime.cudaMemoryType.cudaMemoryTypeUnregistered:
        return "unknown"
    return attributes.hostPointer or "no host pointer"
