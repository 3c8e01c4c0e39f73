import math

def pays_after(nbytes, pin, pageable, pinned):
    ...         # about two lines
