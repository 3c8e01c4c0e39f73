def faster(nbytes, reads, link, memory):
    ...         # about three lines
