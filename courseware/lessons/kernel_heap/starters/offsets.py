def offsets(sizes):
    ...         # about four lines
