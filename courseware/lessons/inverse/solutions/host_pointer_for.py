from course_lib.pointers import attribute

def host_pointer_for(address):
    host = attribute(address, "HOST_POINTER")
    if host is not None:
        return host
    if attribute(address, "MEMORY_TYPE") is not None:
        return "no host pointer"
    return "unknown"
