def where_is(x):
    '''("host", address), ("device", address), or ("handle", number).'''
    ...         # about seven lines
