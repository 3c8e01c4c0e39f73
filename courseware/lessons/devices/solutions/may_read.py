def may_read(reader, memory, rights):
    """May a kernel on device `reader` read the memory?"""
    device, call = memory
    if call == "cuMemCreate":
        return ("access", reader) in rights
    if reader == device:
        return True
    if call == "cuMemAllocAsync":
        return ("access", reader) in rights
    return call == "cuMemAlloc" and ("peer", reader, device) in rights
