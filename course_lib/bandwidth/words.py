"""Sizes, numbers and kinds of memory as the plots, their tables and their summaries write them.

    >>> from course_lib.bandwidth import words
    >>> words.size(64 << 10), words.number(9.1372), words.listed(["one", "two", "three"])
    ('64 KiB', '9.14', 'one, two and three')

Not here: which sentence is true of the data (summaries.py).
"""
import math

UNITS = {"us": "µs"}       # of a recording, where people write it otherwise
KINDS = {"mapped reservation": "a mapped reservation", "kernel heap": "the kernel heap",
         "mapped reservation, on the host": "a mapped reservation on the host", "reserved": "reserved addresses"}


def size(nbytes):
    """A number of bytes: 4 -> "4 B", 1536 -> "1.5 KiB", 512 << 20 -> "512 MiB". 1 KiB is 1024 bytes."""
    for power, unit in enumerate(("B", "KiB", "MiB", "GiB")):
        if nbytes < 1024 ** (power + 1) or unit == "GiB":
            return f"{number(nbytes / 1024 ** power, 4)} {unit}"


def number(value, digits=3):
    """A number with so many digits that count, never as 1e-05: 55.1402 -> "55.1", 4412.3 -> "4,412"."""
    if value == 0:
        return "0"
    places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    written = f"{value:,.{places}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def quantity(value, unit):
    """A number with its unit: (2.83, "us") -> "2.83 µs"."""
    return f"{number(value)} {UNITS.get(unit, unit)}"


def at(x, x_unit):
    """A place on the x axis: (65536, "bytes") -> "64 KiB", (1, "times read") -> "1 read", (32, "blocks") -> "32 blocks"."""
    if x_unit == "bytes":
        return size(x)
    one, many = {"times read": ("read", "reads"), "blocks": ("block", "blocks")}[x_unit]
    return f"{x:,g} {one if x == 1 else many}"


def listed(items):
    """["one", "two", "three"] -> "one, two and three"."""
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last


def memory(kind):
    """A kind of memory in a sentence: "pinned" -> "pinned memory"."""
    return KINDS.get(kind, f"{kind} memory")


def memories(kinds):
    """Several kinds: ["pinned", "registered"] -> "pinned and registered memory"."""
    named = [memory(kind) for kind in kinds]
    if all(one.endswith(" memory") for one in named):
        named[:-1] = [one.removesuffix(" memory") for one in named[:-1]]
    return listed(named)


def sentence(text):
    """With a capital letter and a full stop."""
    return text[0].upper() + text[1:] + "."
