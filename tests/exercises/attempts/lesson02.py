"""Attempts at the exercises of lesson 02."""
from . import right, wrong

FLAGS = "def reported(asked):\n"
REGISTER = "def register(registered, start, nbytes):\n"
PIECES = "def pieces(nbytes, staging):\n"
PAYS = "import math\ndef pays_after(nbytes, pin, pageable, pinned):\n"

ATTEMPTS = {
    "flags-reported": (
        right("an if", FLAGS + "    return asked if asked & 2 else asked + 2"),
        right("a table", FLAGS + "    return [2, 3, 2, 3, 6, 7, 6, 7][asked]"),
        right("bits as text", FLAGS + "    return int(format(asked, '03b')[0] + '1' + format(asked, '03b')[2], 2)"),
        right("numbers of NumPy", "import numpy as np\n" + FLAGS + "    return np.bitwise_or(asked, 2)"),
        wrong("as asked", "on even where nobody asked", FLAGS + "    return asked"),
        wrong("added", "Adding 2 to what has the bit", FLAGS + "    return asked + 2"),
        wrong("added, up to 7", "Adding 2 to what has the bit", FLAGS + "    return min(7, asked + 2)"),
        wrong("2", "What was asked for is reported too", FLAGS + "    return 2"),
        wrong("xor", "turns the bit round", FLAGS + "    return asked ^ 2"),
        wrong("and", "keeps nothing but that bit", FLAGS + "    return asked & 2"),
        wrong("and by %", "keeps nothing but that bit", FLAGS + "    return 2 if asked in (2, 3, 6, 7) else 0"),
        wrong("7", "the same every time", FLAGS + "    return 7"),
        wrong("0", "the same every time", FLAGS + "    return 0"),
        wrong("portable", "is 1", FLAGS + "    return asked | 1"),
        wrong("write-combined", "is 4", FLAGS + "    return asked | 4"),
        wrong("only for 0", "not only where no flag", FLAGS + "    return asked or 2"),
        wrong("not for 0", "also where no flag", FLAGS + "    return asked | 2 if asked else 0"),
        wrong("a float", "it is a float", FLAGS + "    return float(asked | 2)"),
        wrong("a text", "quotation marks", FLAGS + "    return str(asked | 2)"),
        wrong("multiplied", "", FLAGS + "    return asked * 2"),
        wrong("shifted", "", FLAGS + "    return asked << 1 | 2"),
        wrong("printed", "returns None every time", FLAGS + "    print(asked | 2)"),
    ),
    "register-rules": (
        right("the opposite test", REGISTER + """
    if not nbytes:
        return "INVALID_VALUE"
    for a, n in registered:
        if not (start + nbytes <= a or a + n <= start):
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        right("max and min", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    shared = any(max(start, a) < min(start + nbytes, a + n) for a, n in registered)
    return "ALREADY_REGISTERED" if shared else "SUCCESS\""""),
        right("sets of bytes", REGISTER + """
    mine = range(start, start + nbytes)
    if len(mine) == 0:
        return "INVALID_VALUE"
    taken = set()
    for a, n in registered:
        taken |= set(range(a, a + n))
    return "ALREADY_REGISTERED" if taken & set(mine) else "SUCCESS\""""),
        wrong("the last word only", "", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    answer = "SUCCESS"
    for a, n in registered:
        answer = "ALREADY_REGISTERED" if start < a + n and a < start + nbytes else "SUCCESS"
    return answer"""),
        wrong("equal starts", "Only the same start is found", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    return "ALREADY_REGISTERED" if start in dict(registered) else "SUCCESS\""""),
        wrong("equal ranges", "Only the same start is found", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    return "ALREADY_REGISTERED" if (start, nbytes) in registered else "SUCCESS\""""),
        wrong("begins in one", "You ask whether the new range *begins*", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, n in registered:
        if a <= start < a + n:
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        wrong("begins or ends in one", "begins or ends in a registered one", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, n in registered:
        if a <= start < a + n or a < start + nbytes <= a + n:
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        wrong("touching", "Ranges that touch", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, n in registered:
        if not (start + nbytes < a or a + n < start):
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        wrong("pages", "You compare pages", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, n in registered:
        if a // 4096 <= (start + nbytes - 1) // 4096 and start // 4096 <= (a + n - 1) // 4096:
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        wrong("inside one", "lies inside a registered one", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    inside = [1 for a, n in registered if a <= start and start + nbytes <= a + n]
    return "ALREADY_REGISTERED" if inside else "SUCCESS\""""),
        wrong("0 bytes last", "0 bytes are refused", REGISTER + """
    for a, n in registered:
        if start < a + n and a < start + nbytes:
            return "ALREADY_REGISTERED"
    if nbytes == 0:
        return "INVALID_VALUE"
    return "SUCCESS\""""),
        wrong("0 bytes inside a registered range", "0 bytes are refused", REGISTER + """
    for a, n in registered:
        if a <= start < a + n or start <= a < start + nbytes:
            return "ALREADY_REGISTERED"
    return "SUCCESS" if nbytes > 0 else "INVALID_VALUE\""""),
        wrong("0 bytes forgotten", "0 bytes are refused", REGISTER + """
    for a, n in registered:
        if start < a + n and a < start + nbytes:
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        wrong("return in the loop", "You look at the first registered range alone", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, n in registered:
        if start < a + n and a < start + nbytes:
            return "ALREADY_REGISTERED"
        else:
            return "SUCCESS"
    return "SUCCESS\""""),
        wrong("or for and", "both have to be true", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, n in registered:
        if start < a + n or a < start + nbytes:
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        wrong("another word", "letter by letter", REGISTER + """
    if nbytes == 0:
        return "invalid value"
    for a, n in registered:
        if start < a + n and a < start + nbytes:
            return "already registered"
    return "success\""""),
        wrong("a word that is none", "none of the words", REGISTER + """
    if nbytes == 0:
        return "error"
    for a, n in registered:
        if start < a + n and a < start + nbytes:
            return "refused"
    return "ok\""""),
        wrong("no word for success", "returns None", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, n in registered:
        if start < a + n and a < start + nbytes:
            return "ALREADY_REGISTERED\""""),
        wrong("the pair is start and end", "its start and its *length*", REGISTER + """
    if nbytes == 0:
        return "INVALID_VALUE"
    for a, b in registered:
        if start < b and a < start + nbytes:
            return "ALREADY_REGISTERED"
    return "SUCCESS\""""),
        wrong("always SUCCESS", "the same every time", REGISTER + "    return 'SUCCESS'"),
        wrong("SUCCESS but for 0", "", REGISTER + "    return 'SUCCESS' if nbytes else 'INVALID_VALUE'"),
    ),
    "staging-pieces": (
        right("a loop", PIECES + """
    found, offset = [], 0
    while offset < nbytes:
        length = staging if nbytes - offset >= staging else nbytes - offset
        found.append((offset, length))
        offset += length
    return found"""),
        right("divmod", PIECES + """
    full, rest = divmod(nbytes, staging)
    found = [(i * staging, staging) for i in range(full)]
    if rest:
        found.append((full * staging, rest))
    return found"""),
        right("lists for pairs", PIECES + "    return [[o, min(staging, nbytes - o)] for o in range(0, nbytes, staging)]"),
        right("zip of ranges", PIECES + """
    starts = range(0, nbytes, staging)
    return list(zip(starts, (len(range(nbytes)[s:s + staging]) for s in starts)))"""),
        right("a tuple of pairs", PIECES + "    return tuple((o, min(staging, nbytes - o)) for o in range(0, nbytes, staging))"),
        wrong("a generator", "read once only", PIECES + "    return ((o, min(staging, nbytes - o)) for o in range(0, nbytes, staging))"),
        wrong("a zip", "read once only", PIECES + """
    s = range(0, nbytes, staging)
    return zip(s, [min(staging, nbytes - o) for o in s])"""),
        wrong("yield", "read once only", PIECES + """
    for o in range(0, nbytes, staging):
        yield o, min(staging, nbytes - o)"""),
        wrong("the last too long", "goes beyond the end", PIECES + """
    found = []
    for o in range(0, nbytes, staging):
        found.append((o, staging))
    return found"""),
        wrong("no rest", "The rest is missing", PIECES + "    return [(i * staging, staging) for i in range(nbytes // staging)]"),
        wrong("a piece of nothing", "a piece of 0 bytes", PIECES + """
    found = []
    for i in range(nbytes // staging):
        found.append((i * staging, staging))
    found.append((nbytes // staging * staging, nbytes % staging))
    return found"""),
        wrong("start and end", "where each piece ends", PIECES + """
    return [(o, min(o + staging, nbytes)) for o in range(0, nbytes, staging)]"""),
        wrong("numbers of pieces", "the number of each piece", PIECES + """
    return [(i, min(staging, nbytes - o)) for i, o in enumerate(range(0, nbytes, staging))]"""),
        wrong("lengths", "", PIECES + "    return [min(staging, nbytes - o) for o in range(0, nbytes, staging)]"),
        wrong("offsets", "", PIECES + "    return list(range(0, nbytes, staging))"),
        wrong("exchanged", "exchanged", PIECES + "    return [(min(staging, nbytes - o), o) for o in range(0, nbytes, staging)]"),
        wrong("max for min", "the lesser of the two", PIECES + "    return [(o, max(staging, nbytes - o)) for o in range(0, nbytes, staging)]"),
        wrong("steps of 1", "`staging` bytes apart", PIECES + "    return [(o, min(staging, nbytes - o)) for o in range(nbytes)]"),
        wrong("the rest first", "", PIECES + """
    rest = nbytes % staging
    return ([(0, rest)] if rest else []) + [(o, staging) for o in range(rest, nbytes, staging)]"""),
        wrong("backwards", "in another order", PIECES + "    return [(o, min(staging, nbytes - o)) for o in range(0, nbytes, staging)][::-1]"),
        wrong("a dict", "", PIECES + "    return {o: min(staging, nbytes - o) for o in range(0, nbytes, staging)}"),
        wrong("floats", "it is a float", PIECES + "    return [(float(o), float(min(staging, nbytes - o))) for o in range(0, nbytes, staging)]"),
    ),
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
        wrong("floor", "You round down", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return math.floor(pin / saved)"""),
        wrong("round", "You round down", PAYS + """
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
        wrong("for one byte", "what one byte saves", PAYS + """
    saved = 1 / pageable - 1 / pinned
    return math.ceil(pin / saved) if saved > 0 else None"""),
        wrong("not rounded", "A number of copies is whole", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return pin / saved if saved > 0 else None"""),
        wrong("0 for never", "", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else 0"""),
        wrong("turned round", "the wrong way round", PAYS + """
    saved = nbytes / pinned - nbytes / pageable
    return math.ceil(pin / saved) if saved > 0 else None"""),
        wrong("infinity for never", "", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else math.inf"""),
    ),
    "register-order": (
        *(right("an order that works", order) for order in (
            "register translate allocate copy free unregister", "allocate register translate copy free unregister",
            "register allocate translate copy free unregister", "register translate allocate copy unregister free",
            "register, allocate, translate, copy, unregister, free",
            ["allocate", "register", "translate", "copy", "unregister", "free"])),
        wrong("translated first", "Before it is registered", "allocate translate register copy free unregister"),
        wrong("translated at once", "Before it is registered", "translate allocate register copy unregister free"),
        wrong("copied before translated", "comes from `translate`", "register allocate copy translate free unregister"),
        wrong("copied first", "nothing to copy to yet", "copy register translate allocate free unregister"),
        wrong("unregistered early", "leads nowhere", "allocate register translate unregister copy free"),
        wrong("freed early", "leads nowhere", "register allocate translate free copy unregister"),
        wrong("unregistered before it is registered", "cannot be unregistered",
              "allocate unregister register translate copy free"),
        wrong("nothing to copy to", "nothing to copy to yet", "register translate copy free allocate unregister"),
        wrong("freed before it is allocated", "nothing to free yet", "register free translate allocate copy unregister"),
        wrong("unregistered, then translated", "Ask while it is registered", "allocate register unregister translate copy free"),
        wrong("backwards", "", "unregister free copy allocate translate register"),
        wrong("a line missing", "is missing", "register translate allocate copy free"),
        wrong("a line twice", "more than once", "register translate allocate copy copy free unregister"),
        wrong("another name", "There is no line", "register translate alloc copy free unregister"),
    ),
}
