def may_read(reader, memory, rights):
    """May a kernel on device `reader` read the memory?"""
    device, call = memory
    ...         # about eight lines
