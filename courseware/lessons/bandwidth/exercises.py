"""Exercises of "Bandwidth": when pinning pays."""
from ...exercises.exercise import Case, Exercise, change, slip


def _costs(source):
    """Numbers whose quotient is no whole number, nor near one: how a float is rounded is not asked."""
    pageable = source.randint(4, 20) * 1e9
    pinned = pageable * source.choice([0.8, 1, 1.1, 1.5, 2.5, 4])
    nbytes, copies = source.choice([1e6, 64e6, 1e9]), source.randrange(60) + source.choice([0.2, 0.35, 0.6, 0.8])
    return nbytes, copies * abs(nbytes / pageable - nbytes / pinned) or 0.04, pageable, pinned


pays = Exercise(
    id="pinning-pays", title="When does pinning pay?", name="pays_after", minutes=6, random_case=_costs,
    statement="""
Pinning a buffer costs `pin` seconds, once; after that each copy of its `nbytes` bytes runs at `pinned` bytes a second
instead of at `pageable`. Write `pays_after(nbytes, pin, pageable, pinned)`: after how many copies the time saved is
at least the time spent; `None` if it never is. Two lines are enough, and `math.ceil` rounds up.

    pays_after(100e6, 0.04, 12.5e9, 50e9)   # 7: each copy saves 0.006 s
    pays_after(100e6, 0.04, 10e9, 10e9)     # None
""",
    hints=("A copy takes `nbytes / rate` seconds. What does one copy save?",
           "Divide the cost by what one copy saves, and round up. Where nothing is saved, there is no such number."),
    mistakes=(
        slip("math.ceil(", "int(", "You round down: after that many copies the cost is not yet saved. Round up."),
        slip("math.ceil(pin / saved)", "int(pin / saved) + 1",
             "Where the cost is a whole number of savings you count one copy too many: round up with `math.ceil`."),
        slip("math.ceil(pin / saved)", "math.ceil(pin / saved) + 1",
             "You count one copy too many: after `math.ceil(...)` copies the cost is saved."),
        slip(" if saved > 0 else None", "",
             "Where pinned is not faster, nothing is ever saved: return `None`, before you divide.",
             change(" if saved > 0 else None", " if saved > 0 else 0")),
        slip("saved > 0", "saved >= 0",
             "Where both rates are the same nothing is saved, and you divide by 0: ask for more than 0."),
        slip("saved > 0", "saved < 0",
             "You ask for `None` the wrong way round: pinning pays where a pinned copy takes *less* time.",
             change("nbytes / pageable - nbytes / pinned", "nbytes / pinned - nbytes / pageable")),
        slip("nbytes / pageable - nbytes / pinned", "nbytes / pinned",
             "You divide by the time of one kind of copy. What counts is the difference between the two kinds.",
             change("pin / saved", "pin / (nbytes / pageable)")),
        slip("nbytes / pageable - nbytes / pinned", "nbytes / (pinned - pageable)",
             "Rates cannot be subtracted like that. Subtract times: `nbytes / pageable - nbytes / pinned`.",
             change("nbytes / pageable - nbytes / pinned", "pinned - pageable")),
        slip("nbytes / pageable - nbytes / pinned", "pageable / nbytes - pinned / nbytes",
             "A time is bytes divided by bytes a second: `nbytes / pageable`, not the other way round."),
        slip("nbytes / pageable - nbytes / pinned", "1 / pageable - 1 / pinned",
             "That is what one byte saves. A copy has `nbytes` of them: multiply."),
        slip("pin / saved", "pin * saved",
             "You multiply the cost by what a copy saves. How often does the one go into the other? Divide.",
             change("pin / saved", "saved / pin")),
        slip("math.ceil(pin / saved)", "pin / saved", "A number of copies is whole: round it up with `math.ceil`."),
    ),
    cases=(Case("a fourfold rate", (100e6, 0.04, 12.5e9, 50e9), 7),
           Case("equal rates", (100e6, 0.04, 10e9, 10e9), None),
           Case("registering, which costs less", (512e6, 0.0154, 9.1e9, 54.7e9), 1, True),
           Case("pinning that costs much", (64e6, 0.9, 8e9, 24e9), 169, True),
           Case("pinned copies that are slower", (1e6, 0.01, 12e9, 11e9), None, True),
           Case("a cost of exactly three savings", (8e6, 12.0, 1e6, 2e6), 3, True),
           Case("a cost of exactly one saving", (8e6, 4.0, 1e6, 2e6), 1, True),
           Case("a small gain", (1e9, 0.31, 20e9, 21e9), 131, True)))

EXERCISES = (pays,)
