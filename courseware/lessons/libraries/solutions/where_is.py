def where_is(x):
    if hasattr(x, "__array_interface__"):
        return "host", x.ctypes.data
    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
    if hasattr(x, "int_ptr"):
        return "handle", x.int_ptr
    return "device", int(x)
