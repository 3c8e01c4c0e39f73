"""Sizes in words, for everything that is shown. 1 KiB is 1024 bytes. Not here: the tables that they
stand in (tables.py).

    >>> size(16), size(4096), size(5000), size(3 << 29)
    ('16 bytes', '4 KiB', '5,000 bytes', 'about 1.5 GiB')
"""
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
LONGEST = 100_000       # from here on a number of bytes is too long to be read


def size(nbytes: float | None) -> str:
    """A number of bytes in words: exact where it says no "about"."""
    if nbytes is None:
        return "size not told"
    power = max((power for power in range(len(UNITS)) if nbytes >= 1024 ** power), default=0)
    number, unit = nbytes / 1024 ** power, UNITS[power]
    if power and number.is_integer():
        return f"{number:,.0f} {unit}"
    if nbytes >= LONGEST:
        return f"about {number:,.0f} {unit}" if number >= 999.5 else f"about {number:.3g} {unit}"
    return f"{nbytes:,} byte" if nbytes == 1 else f"{nbytes:,} bytes"
