"""Sizes, numbers and kinds of memory as the plots, their tables and their summaries write them.

    >>> from courseware.bandwidth import wording
    >>> wording.size(64 << 10), wording.number(9.1372)
    ('64 KiB', '9.14')

Not here: which sentence is true of the data (summaries.py).
"""
import math

from ..notebook.words import listed

SIZES = ("B", "KiB", "MiB", "GiB")
UNITS = {"us": "µs"}                                        # where people write it otherwise
TIMES = {"us": 1e-6, "ms": 1e-3}                            # in seconds
KINDS = {"mapped reservation": "a mapped reservation", "kernel heap": "the kernel heap",
         "mapped reservation, on the host": "a mapped reservation on the host", "reserved": "reserved addresses"}


def size(nbytes):
    """A number of bytes for an axis or a table, to four digits: 4 -> "4 B", 1536 -> "1.5 KiB"."""
    power = max((power for power in range(len(SIZES)) if nbytes >= 1024 ** power), default=0)
    value = nbytes / 1024 ** power
    return f"{value:,.0f} {SIZES[power]}" if value >= 1000 else f"{value:.4g} {SIZES[power]}"


def number(value, digits=3):
    """A number with so many digits that count, never as 1e-05: 55.1402 -> "55.1", 4412.3 -> "4,412"."""
    if value == 0:
        return "0"
    places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    written = f"{value:,.{places}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def quantity(value, unit):
    """A number with its unit, a time in the unit that suits it: (0.069, "ms") -> "69 µs"."""
    if unit in TIMES:
        seconds = value * TIMES[unit]
        unit, value = next((name, seconds / scale) for name, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6))
                           if seconds >= 0.9995 * scale or name == "us")
    return f"{number(value)} {UNITS.get(unit, unit)}"


def between(low, high, unit):
    """From one number to another: (54.2, 55.4, "GB/s") -> "54.2 to 55.4 GB/s"; one where both are written alike."""
    low_text, high_text = quantity(low, unit), quantity(high, unit)
    if low_text == high_text:
        return high_text
    value, its_unit = low_text.split(" ", 1)
    return f"{value if high_text.endswith(' ' + its_unit) else low_text} to {high_text}"


def round_numbers(low, high):
    """Round numbers from low to high for a logarithmic axis, the closest together that are at most eight.

    (1, 30) -> [1, 2, 5, 10, 20], and (1, 10 ** 7) -> [1, 10, 100, ...].
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for every, steps in ((1, (1, 2, 5)), (1, (1, 3)), (1, (1,)), (2, (1,)), (4, (1,))):
        values = (step * 10.0 ** power for power in powers[::every] for step in steps)
        numbers = [value for value in values if low <= value <= high]
        if len(numbers) <= 8:
            break
    return numbers


def at(x, x_unit):
    """An x of a series: (65536, "bytes") -> "64 KiB", (1, "times read") -> "1 read"."""
    if x_unit == "bytes":
        return size(x)
    return f"{number(x, 12)} {'read' if x == 1 else 'reads'}"


def memory(kind):
    """A kind of memory in a sentence: "pinned" -> "pinned memory"."""
    return KINDS.get(kind, f"{kind} memory")


def memories(kinds):
    """Several kinds: ["pinned", "reserved", "device"] -> "pinned and device memory and reserved addresses"."""
    named = [memory(kind) for kind in kinds]
    plain = [name.removesuffix(" memory") for name in named if name.endswith(" memory")]
    others = [name for name in named if not name.endswith(" memory")]
    of_memory = [f"{listed(plain)} memory"] if plain else []
    return f"{of_memory[0]}, {listed(others)}" if of_memory and len(others) > 1 else listed([*of_memory, *others])


def sentence(text):
    """With a capital letter and a full stop."""
    return text[0].upper() + text[1:] + "."
