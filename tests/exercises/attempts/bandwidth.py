"""Attempts at the exercises of "Bandwidth"."""
from . import right, wrong

PAYS = "import math\ndef pays_after(nbytes, pin, pageable, pinned):\n"

ATTEMPTS = {
    "pinning-pays": (
        right("an early return", PAYS + """
    slow, fast = nbytes / pageable, nbytes / pinned
    if fast >= slow:
        return None
    return math.ceil(pin / (slow - fast))"""),
        right("rates compared first", PAYS + """
    if pinned <= pageable:
        return None
    return math.ceil(pin / nbytes / (1 / pageable - 1 / pinned))"""),
        right("rounding up by //", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return None if saved <= 0 else int(-(-pin // saved))"""),
        right("a loop", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    copies = 0
    while copies * saved < pin:
        copies += 1
    return copies"""),
        right("NumPy's ceil, as an int", "import numpy as np\n" + PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return np.int64(np.ceil(pin / saved)) if saved > 0 else None"""),
        wrong("NumPy's ceil", "it is a float", "import numpy as np\n" + PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return np.ceil(pin / saved) if saved > 0 else None"""),
        wrong("int + 1", "one copy too many", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return int(pin / saved) + 1"""),
        wrong("// + 1", "one copy too many", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return int(pin // saved + 1)"""),
        wrong("floor", "the cost is not yet saved", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return math.floor(pin / saved)"""),
        wrong("round", "the cost is not yet saved", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return round(pin / saved)"""),
        wrong("no guard", "before you divide", PAYS + """
    return math.ceil(pin / (nbytes / pageable - nbytes / pinned))"""),
        wrong("a guard for 0 only", "before you divide", PAYS + """
    if pageable == pinned:
        return None
    return math.ceil(pin / (nbytes / pageable - nbytes / pinned))"""),
        wrong("an exception as a guard", "before you divide", PAYS + """
    try:
        return math.ceil(pin / (nbytes / pageable - nbytes / pinned))
    except ZeroDivisionError:
        return None"""),
        wrong("rates subtracted, with the guard", "Rates cannot be subtracted", PAYS + """
    if pinned <= pageable:
        return None
    saved = nbytes / (pinned - pageable)
    return math.ceil(pin / saved)"""),
        wrong("rates subtracted, differently", "Rates cannot be subtracted", PAYS + """
    gain = pinned - pageable
    return math.ceil(pin * gain / nbytes) if gain > 0 else None"""),
        wrong("the pinned copy", "the time of one kind of copy", PAYS + """
    if pinned <= pageable:
        return None
    return math.ceil(pin / (nbytes / pinned))"""),
        wrong("the pageable copy", "the time of one kind of copy", PAYS + """
    if pinned <= pageable:
        return None
    return math.ceil(pin * pageable / nbytes)"""),
        wrong("infinity for never", "", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else math.inf"""),
        right("the saving first", """
import math
def pays_after(nbytes, pin, pageable, pinned):
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else None"""),
        right("negative floor division", PAYS + """
    if pinned <= pageable or nbytes == 0:
        return None
    per_copy = nbytes * (1 / pageable - 1 / pinned)
    return int(-(-pin // per_copy))"""),
    ),
}
