def may_read(reader, memory, rights):
    device, call = memory
    ...         # about eight lines
