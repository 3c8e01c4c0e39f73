import math

def pays_after(nbytes, pin, pageable, pinned):
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else None
