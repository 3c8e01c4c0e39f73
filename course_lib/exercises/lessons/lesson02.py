"""Lesson 02, Pinned memory: flags, registering, the staging copy, and what pinning costs."""
import contextlib

import numpy as np

from ...core.ownership import current_context
from .. import order
from ..exercise import Case, Exercise, Mistake, slip
from . import asking

REPORTED = """
def reported(asked):
    return asked | 2
"""

reported = Exercise(
    id="flags-reported", lesson="02", title="Flags asked for, flags reported", name="reported", minutes=3,
    statement="""
The flags of pinned memory are bits: portable 1, device-mapped 2, write-combined 4. Write `reported(asked)`: what
`cuMemHostGetFlags` gives back for memory that was asked for with these flags, under unified addressing. One line is
enough. (It holds for an allocation that the driver does not cut from a larger piece.)

    reported(0)     # 2
    reported(5)     # 7
""",
    starter="""
def reported(asked):
    '''The flags that the driver reports, a number from 0 to 7.'''
    ...         # one line
""",
    hints=("Look at the table of the eight combinations: one bit is always there.",
           "`|` sets a bit whether it was set before or not."),
    solution=REPORTED,
    mistakes=(
        slip(REPORTED, "asked | 2", "asked",
             "Device-mapped is on even where nobody asked: all pinned memory is mapped under unified addressing."),
        slip(REPORTED, "asked | 2", "asked + 2",
             "Adding 2 to what has the bit already makes another number: 2 + 2 is write-combined alone. Set the bit "
             "with `|`.",
             REPORTED.replace("asked | 2", "(asked + 2) % 8"), REPORTED.replace("asked | 2", "min(asked + 2, 7)")),
        slip(REPORTED, "asked | 2", "asked | 1",
             "You set the bit for portable, which is 1. The bit for device-mapped is 2.",
             REPORTED.replace("asked | 2", "asked | 3")),
        slip(REPORTED, "asked | 2", "asked | 4",
             "You set the bit for write-combined, which is 4. The bit for device-mapped is 2.",
             REPORTED.replace("asked | 2", "asked | 6")),
        slip(REPORTED, "asked | 2", "asked | 2 if asked else 0",
             "Device-mapped is on also where no flag was asked for: 0 gives 2.",
             REPORTED.replace("asked | 2", "asked and asked | 2")),
        slip(REPORTED, "return asked | 2", "return 2 if asked == 0 else asked",
             "Device-mapped is on beside the other flags too, not only where no flag was asked for.",
             REPORTED.replace("asked | 2", "asked or 2")),
        slip(REPORTED, "asked | 2", "2",
             "What was asked for is reported too, beside device-mapped."),
        slip(REPORTED, "asked | 2", "asked ^ 2",
             "`^` turns the bit round: who asked for device-mapped loses it. Set it with `|`."),
        slip(REPORTED, "asked | 2", "asked & 2",
             "`&` keeps nothing but that bit, if it was asked for. Set it with `|`, and keep the others."),
    ),
    cases=(Case("no flags", (0,), 2), Case("portable and write-combined memory", (5,), 7),
           *(Case(f"the flags {flags}", (flags,), right, True)
             for flags, right in ((1, 3), (2, 2), (3, 3), (4, 6), (6, 6), (7, 7)))))

REGISTER = """
def register(registered, start, nbytes):
    if nbytes == 0:
        return "INVALID_VALUE"
    for other, size in registered:
        if start < other + size and other < start + nbytes:
            return "ALREADY_REGISTERED"
    return "SUCCESS"
"""
RANGES = [(8192, 4096), (100, 50)]


def _ranges(source):
    """Up to three ranges beside each other, and one more that touches, meets or misses them."""
    registered = [(place * 100 + source.randrange(30), source.randint(1, 70)) for place in range(source.randint(1, 3))]
    start, size = source.choice(registered)
    near = source.choice([start, start + size, start + size - 1, start - source.randint(1, 20), start + size // 2])
    nbytes = source.choice([0, 1, 5, 20, 60, max(start - near, 1)])
    return source.sample(registered, len(registered)), max(near, 0), nbytes


register = Exercise(
    id="register-rules", lesson="02", title="What cudaHostRegister answers", name="register", minutes=6,
    statement="""
A program has registered some ranges, given as `(start, nbytes)`. Write `register(registered, start, nbytes)`: what
the driver answers when it is asked for one more. `"INVALID_VALUE"` for 0 bytes; `"ALREADY_REGISTERED"` where any byte
is registered; else `"SUCCESS"`. It counts bytes, not pages: two ranges may share a page. Six lines are enough.

    registered = [(8192, 4096), (100, 50)]
    register(registered, 8192, 4096)    # "ALREADY_REGISTERED"
    register(registered, 150, 50)       # "SUCCESS": it begins where the other ends
""",
    starter="""
def register(registered, start, nbytes):
    '''"SUCCESS", "ALREADY_REGISTERED" or "INVALID_VALUE".'''
    ...         # about six lines
""",
    hints=("Two ranges have a byte in common if each begins before the other ends.",
           "`start < other + size and other < start + nbytes`. Ranges that touch have no byte in common: `<`, not "
           "`<=`."),
    solution=REGISTER,
    mistakes=(
        slip(REGISTER, "start < other + size and other < start + nbytes", "start == other",
             "Only the same start is found. Any byte in common counts, wherever the two begin.",
             REGISTER.replace("start < other + size and other < start + nbytes", "(start, nbytes) == (other, size)")),
        slip(REGISTER, "start < other + size and other < start + nbytes", "other <= start < other + size",
             "You ask whether the new range *begins* in a registered one. It may begin before and reach into it.",
             REGISTER.replace("start < other + size and other < start + nbytes",
                              "other <= start <= other + size - 1 or "
                              "other == start")),
        slip(REGISTER, "start < other + size and other < start + nbytes",
             "other < start + nbytes <= other + size",
             "You ask whether the new range *ends* in a registered one. It may end behind it, and begin in it."),
        slip(REGISTER, "start < other + size and other < start + nbytes",
             "other <= start < other + size or other < start + nbytes <= other + size",
             "You ask whether the new range begins or ends in a registered one. It may also contain all of it, and "
             "then neither is so.",
             REGISTER.replace("start < other + size and other < start + nbytes",
                              "other <= start < other + size or other <= start + nbytes - 1 < other + size")),
        slip(REGISTER, "start < other + size and other < start + nbytes",
             "start <= other + size and other <= start + nbytes",
             "Ranges that touch have no byte in common: compare with `<`.",
             REGISTER.replace("start < other", "start <= other"),
             REGISTER.replace("other < start", "other <= start"),
             REGISTER.replace("start < other + size and other < start + nbytes",
                              "other <= start <= other + size or start <= other <= start + nbytes")),
        slip(REGISTER, "start < other + size and other < start + nbytes",
             "start // 4096 <= (other + size - 1) // 4096 and other // 4096 <= (start + nbytes - 1) // 4096",
             "You compare pages. The driver counts bytes: two ranges of one page do not overlap."),
        slip(REGISTER, "start < other + size and other < start + nbytes",
             "other <= start and start + nbytes <= other + size",
             "You ask whether the new range lies inside a registered one. One byte in common is enough for the "
             "refusal."),
        Mistake("def register(registered, start, nbytes):\n    return 'SUCCESS' if nbytes else 'INVALID_VALUE'",
                "No range is ever found to be registered: compare the new range with each of `registered`."),
        slip(REGISTER, "start < other + size and other < start + nbytes", "start < size and other < start + nbytes",
             "A registered range is given by its start and its *length*: it ends at `other + size`."),
        slip(REGISTER, "start < other + size and other < start + nbytes",
             "start < other + size or other < start + nbytes",
             "Two ranges have a byte in common if each begins before the other ends: both have to be true, `and`."),
        slip(REGISTER, """            return "ALREADY_REGISTERED"
    return "SUCCESS"
""", """            answer = "ALREADY_REGISTERED"
        else:
            answer = "SUCCESS"
    return answer if registered else "SUCCESS"
""",
             "What one range says is overwritten by the next. One that is met is enough: return as soon as it is "
             "found."),
        slip(REGISTER, """            return "ALREADY_REGISTERED"
    return "SUCCESS"
""", """            return "ALREADY_REGISTERED"
        return "SUCCESS"
    return "SUCCESS"
""",
             "You look at the first registered range alone: the `return` for success belongs behind the loop.",
             REGISTER.replace("""            return "ALREADY_REGISTERED"
""", """            return "ALREADY_REGISTERED"
        else:
            return "SUCCESS"
""")),
        slip(REGISTER, """    if nbytes == 0:
        return "INVALID_VALUE"
""", "",
             "0 bytes are refused, whatever the address: look at `nbytes` first.",
             """
def register(registered, start, nbytes):
    for other, size in registered:
        if start < other + size and other < start + nbytes:
            return "ALREADY_REGISTERED"
    return "SUCCESS" if nbytes else "INVALID_VALUE"
""", """
def register(registered, start, nbytes):
    for other, size in registered:
        if other <= start < other + size or start <= other < start + nbytes:
            return "ALREADY_REGISTERED"
    return "SUCCESS" if nbytes else "INVALID_VALUE"
"""),
    ),
    cases=(Case("the same range again", (RANGES, 8192, 4096), "ALREADY_REGISTERED"),
           Case("a range that begins where another ends", (RANGES, 150, 50), "SUCCESS"),
           Case("a range that ends where another begins", (RANGES, 4096, 4096), "SUCCESS", True),
           Case("a range that begins inside another and reaches beyond", (RANGES, 12287, 4096), "ALREADY_REGISTERED",
                True),
           Case("a range that reaches into another from before", (RANGES, 60, 41), "ALREADY_REGISTERED", True),
           Case("a range inside another", (RANGES, 9000, 8), "ALREADY_REGISTERED", True),
           Case("a range that contains another", (RANGES, 0, 5000), "ALREADY_REGISTERED", True),
           Case("one byte, the last of another range", (RANGES, 149, 1), "ALREADY_REGISTERED", True),
           Case("0 bytes", (RANGES, 50000, 0), "INVALID_VALUE", True),
           Case("0 bytes in the middle of a registered range", (RANGES, 120, 0), "INVALID_VALUE", True),
           Case("0 bytes when nothing is registered", ([], 8192, 0), "INVALID_VALUE", True),
           Case("a range far from all others", (RANGES, 99999, 7), "SUCCESS", True),
           Case("the first range of all", ([], 8192, 1), "SUCCESS", True)),
    random_case=_ranges)

PIECES = """
def pieces(nbytes, staging):
    return [(offset, min(staging, nbytes - offset)) for offset in range(0, nbytes, staging)]
"""

pieces = Exercise(
    id="staging-pieces", lesson="02", title="How a pageable copy is made", name="pieces", minutes=5,
    statement="""
The copy engine reaches pinned memory only. So the driver copies pageable memory piece by piece into a pinned buffer
of its own, of `staging` bytes, and from there to the device. Write `pieces(nbytes, staging)`: the pieces of such a
copy, in order, as a list of `(offset, length)`. One line is enough, four are fine.

    pieces(10, 4)       # [(0, 4), (4, 4), (8, 2)]
    pieces(3, 4)        # [(0, 3)]
""",
    starter="""
def pieces(nbytes, staging):
    '''[(offset, length), ...] of the pieces, in order.'''
    ...         # one to four lines
""",
    hints=("`range(0, nbytes, staging)` gives where each piece begins.",
           "A piece is as long as the buffer, or as what is left, whichever is less: `min`."),
    solution=PIECES,
    mistakes=(
        slip(PIECES, "min(staging, nbytes - offset)", "staging",
             "The last piece goes beyond the end: only what is left may be copied."),
        slip(PIECES, "range(0, nbytes, staging)", "range(0, nbytes)",
             "The pieces begin `staging` bytes apart, not one: `range(0, nbytes, staging)`."),
        slip(PIECES, "(offset, min(staging, nbytes - offset))", "(min(staging, nbytes - offset), offset)",
             "The two numbers are exchanged: first where the piece begins, then how long it is."),
        slip(PIECES, "min(staging, nbytes - offset)", "max(staging, nbytes - offset)",
             "A piece is no longer than the buffer, and no longer than what is left: the lesser of the two, `min`."),
        slip(PIECES, "min(staging, nbytes - offset)", "nbytes % staging or staging",
             "Only the last piece is what is left over. Those before it fill the buffer."),
        slip(PIECES, "min(staging, nbytes - offset)", "min(staging, nbytes)",
             "You compare the buffer with all bytes. What counts is what is left at this piece: `nbytes - offset`."),
        slip(PIECES, "min(staging, nbytes - offset)", "min(staging, nbytes - offset - 1)",
             "A byte is missing at the end: `nbytes - offset` bytes are left, none less."),
        slip(PIECES, "range(0, nbytes, staging)", "range(0, nbytes - nbytes % staging, staging)",
             "The rest is missing: a last piece may be shorter than the buffer.",
             "def pieces(nbytes, staging):\n    return [(i * staging, staging) for i in range(nbytes // staging)]",
             PIECES.replace("range(0, nbytes, staging)", "range(0, nbytes - staging, staging)")),
        slip(PIECES, "range(0, nbytes, staging)", "range(0, nbytes + 1, staging)",
             "Where the buffer divides the size, you add a piece of 0 bytes at the end.",
             "def pieces(nbytes, staging):\n    return [(i * staging, min(staging, nbytes - i * staging)) "
             "for i in range(nbytes // staging + 1)]",
             "def pieces(nbytes, staging):\n    full = [(i * staging, staging) for i in range(nbytes // staging)]\n"
             "    return full + [(len(full) * staging, nbytes % staging)]"),
        slip(PIECES, "(offset, min(staging, nbytes - offset))", "(offset, offset + min(staging, nbytes - offset))",
             "You give where each piece ends. The second number is its length."),
        slip(PIECES, "[(offset, min(staging, nbytes - offset)) for offset in range(0, nbytes, staging)]",
             "[(i, min(staging, nbytes - i * staging)) for i in range(-(-nbytes // staging))]",
             "You give the number of each piece. The first number is its offset in bytes."),
    ),
    cases=(Case("a copy with 2 bytes left over", (10, 4), [(0, 4), (4, 4), (8, 2)]),
           Case("a copy smaller than the buffer", (3, 4), [(0, 3)]),
           Case("a copy with nothing left over", (12, 4), [(0, 4), (4, 4), (8, 4)], True),
           Case("a buffer of another size", (17, 7), [(0, 7), (7, 7), (14, 3)], True),
           Case("a copy of 0 bytes", (0, 8), [], True), Case("exactly one buffer", (64, 64), [(0, 64)], True),
           Case("a buffer of one byte", (2, 1), [(0, 1), (1, 1)], True)),
    random_case=lambda source: (source.randrange(40), source.randint(1, 12)))

PAYS = """
import math

def pays_after(nbytes, pin, pageable, pinned):
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else None
"""


def _costs(source):
    """Numbers whose quotient is no whole number, nor near one: how a float is rounded is not asked."""
    pageable = source.randint(4, 20) * 1e9
    pinned = pageable * source.choice([0.8, 1, 1.1, 1.5, 2.5, 4])
    nbytes, copies = source.choice([1e6, 64e6, 1e9]), source.randrange(60) + source.choice([0.2, 0.35, 0.6, 0.8])
    return nbytes, copies * abs(nbytes / pageable - nbytes / pinned) or 0.04, pageable, pinned


pays = Exercise(
    id="pinning-pays", lesson="02", title="When does pinning pay?", name="pays_after", minutes=6,
    statement="""
Pinning a buffer costs `pin` seconds, once; after that each copy of its `nbytes` bytes runs at `pinned` bytes a second
instead of at `pageable`. Write `pays_after(nbytes, pin, pageable, pinned)`: after how many copies the time saved is
at least the time spent; `None` if it never is. Two lines are enough, and `math.ceil` rounds up.

    pays_after(100e6, 0.04, 12.5e9, 50e9)   # 7: each copy saves 0.006 s
    pays_after(100e6, 0.04, 10e9, 10e9)     # None
""",
    starter="""
import math

def pays_after(nbytes, pin, pageable, pinned):
    '''A number of copies, or None.'''
    ...         # about two lines
""",
    hints=("A copy takes `nbytes / rate` seconds. What does one copy save?",
           "Divide the cost by what one copy saves, and round up. Where nothing is saved, there is no such number."),
    solution=PAYS,
    mistakes=(
        slip(PAYS, "math.ceil(", "int(",
             "You round down: after that many copies the cost is not yet saved. Round up.",
             PAYS.replace("math.ceil(pin / saved)", "int(pin // saved)"),
             PAYS.replace("math.ceil", "round")),
        slip(PAYS, "math.ceil(pin / saved)", "int(pin / saved) + 1",
             "Where the cost is a whole number of savings you count one copy too many: round up with `math.ceil`.",
             PAYS.replace("math.ceil(pin / saved)", "math.floor(pin / saved) + 1")),
        slip(PAYS, "math.ceil(pin / saved)", "math.ceil(pin / saved) + 1",
             "You count one copy too many: after `math.ceil(...)` copies the cost is saved."),
        slip(PAYS, " if saved > 0 else None", "",
             "Where pinned is not faster, nothing is ever saved: return `None`, before you divide.",
             PAYS.replace("saved > 0", "saved != 0"), PAYS.replace("saved > 0", "saved"),
             PAYS.replace("saved > 0", "pageable != pinned"),
             PAYS.replace(" if saved > 0 else None", " if saved > 0 else 0")),
        slip(PAYS, "saved > 0", "saved >= 0",
             "Where both rates are the same nothing is saved, and you divide by 0: ask for more than 0."),
        slip(PAYS, "saved > 0", "saved < 0",
             "You ask for `None` the wrong way round: pinning pays where a pinned copy takes *less* time.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "nbytes / pinned - nbytes / pageable")),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "nbytes / pinned",
             "You divide by the time of one kind of copy. What counts is the difference between the two kinds.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "nbytes / pageable"),
             PAYS.replace("pin / saved", "pin / (nbytes / pinned)"),
             PAYS.replace("pin / saved", "pin / (nbytes / pageable)"),
             ),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "nbytes / (pinned - pageable)",
             "Rates cannot be subtracted like that. Subtract times: `nbytes / pageable - nbytes / pinned`.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "(pinned - pageable) / nbytes"),
             PAYS.replace("nbytes / pageable - nbytes / pinned", "pinned - pageable"),
             PAYS.replace("pin / saved", "pin * (pinned - pageable) / nbytes"),
             "import math\n\ndef pays_after(nbytes, pin, pageable, pinned):\n    if pinned <= pageable:\n"
             "        return None\n    return math.ceil(pin * (pinned - pageable) / nbytes)"),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "pageable / nbytes - pinned / nbytes",
             "A time is bytes divided by bytes a second: `nbytes / pageable`, not the other way round.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "nbytes * pageable - nbytes * pinned")),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "1 / pageable - 1 / pinned",
             "That is what one byte saves. A copy has `nbytes` of them: multiply."),
        slip(PAYS, "pin / saved", "pin * saved",
             "You multiply the cost by what a copy saves. How often does the one go into the other? Divide.",
             PAYS.replace("pin / saved", "saved / pin")),
        slip(PAYS, "math.ceil(pin / saved)", "pin / saved",
             "A number of copies is whole: round it up with `math.ceil`."),
    ),
    cases=(Case("a fourfold rate", (100e6, 0.04, 12.5e9, 50e9), 7),
           Case("equal rates", (100e6, 0.04, 10e9, 10e9), None),
           Case("registering, which costs less", (512e6, 0.0154, 9.1e9, 54.7e9), 1, True),
           Case("pinning that costs much", (64e6, 0.9, 8e9, 24e9), 169, True),
           Case("pinned copies that are slower", (1e6, 0.01, 12e9, 11e9), None, True),
           Case("a cost of exactly three savings", (8e6, 12.0, 1e6, 2e6), 3, True),
           Case("a cost of exactly one saving", (8e6, 4.0, 1e6, 2e6), 1, True),
           Case("a small gain", (1e9, 0.31, 20e9, 21e9), 131, True)),
    random_case=_costs)

LINES = {
    "register": "cuMemHostRegister(host, nbytes, 0)",
    "translate": "device = cuMemHostGetDevicePointer(host, 0)",
    "allocate": "target = cuMemAlloc(nbytes)",
    "copy": "cuMemcpyDtoD(target, device, nbytes)",
    "free": "cuMemFree(target)",
    "unregister": "cuMemHostUnregister(host)",
}


@contextlib.contextmanager
def _world():
    array = np.arange(4096, dtype=np.uint8)
    names = order.calls("cuMemHostRegister", "cuMemHostGetDevicePointer", "cuMemAlloc", "cuMemcpyDtoD", "cuMemFree",
                        "cuMemHostUnregister") | {"host": array.ctypes.data, "nbytes": array.nbytes}
    try:
        yield names
    finally:
        order.undo(names, LINES["free"], LINES["unregister"])


def _order_cases(stack):
    current_context()
    yield Case("the calls in your order", (_world,), order.SUCCESS)


register_order = Exercise(
    id="register-order", lesson="02", title="A registered array, from first to last", name="order", kind="order",
    minutes=4, lines=LINES, run=lambda answer, world: order.execute(LINES, answer, world), cases=_order_cases,
    statement="""
An ordinary array is at the address `host`. These calls lock its pages, copy them to the device as device memory is
copied, and give everything back. The lines are in no order: find one that works. The check makes the calls in your
order, so that the driver itself answers; more than one order is right.
""",
    starter="...",
    hints=("Each line uses something that another one makes: `device`, `target`, or the registration.",
           "Only registered memory has a device pointer, and both memories are needed until the copy is made."),
    solution="register translate allocate copy free unregister",
    mistakes=(
        Mistake("translate register allocate copy free unregister",
                "Before it is registered the array is pageable, and pageable memory has no device pointer to ask for: "
                "register it first."),
        Mistake("register allocate copy translate free unregister",
                "The copy needs the device's address of the array, which comes from `translate`."),
        Mistake("register translate allocate unregister copy free",
                "By then one of the copy's two addresses leads nowhere: unregistered, the array is pageable again; "
                "freed, the target is gone. Copy before either.",
                also=("register translate allocate free copy unregister",)),
        Mistake("register unregister translate allocate copy free",
                "Unregistered, the array is pageable again, and has no device pointer to ask for. Ask while it is "
                "registered."),
        Mistake("register translate free allocate copy unregister",
                "There is nothing to free yet: allocate the target first."),
        Mistake("allocate free unregister register translate copy",
                "What is not registered cannot be unregistered: the driver answers NOT_REGISTERED."),
        Mistake("register translate copy allocate free unregister",
                "There is nothing to copy to yet: allocate the target first."),
    ))

EXERCISES = (reported, register, asking.register_anyway, pieces, pays, register_order)
