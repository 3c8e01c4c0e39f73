def faster(nbytes, reads, link, memory):
    '''"copy" or "zero-copy".'''
    ...         # about three lines
