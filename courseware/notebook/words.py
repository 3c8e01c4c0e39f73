"""Several things as a sentence lists them."""


def listed(items):
    """["one", "two", "three"] -> "one, two and three"."""
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last
