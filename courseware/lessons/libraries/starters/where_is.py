def where_is(x):
    ...         # about seven lines
