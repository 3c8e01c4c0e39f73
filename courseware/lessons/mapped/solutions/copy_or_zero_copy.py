def faster(nbytes, reads, link, memory):
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    in_place = reads * nbytes / link["kernel"]
    return "copy" if copied < in_place else "zero-copy"
