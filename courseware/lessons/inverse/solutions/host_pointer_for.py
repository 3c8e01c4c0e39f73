from cuda.bindings import runtime

def host_pointer_for(address):
    error, found = runtime.cudaPointerGetAttributes(address)
    if found.type == runtime.cudaMemoryType.cudaMemoryTypeUnregistered:
        return "unknown"
    return found.hostPointer or "no host pointer"
