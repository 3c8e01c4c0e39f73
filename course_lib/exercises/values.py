"""When two values count as the same answer."""
import numpy as np


def same(one, other):
    """Equality of values as a learner means it: lists and tuples alike, NumPy's numbers and Python's alike, but True
    is not 1, and 1.0 is not 1."""
    one, other = _plain(one), _plain(other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (bool, int, float)) and type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except Exception:       # the learner's own class, for example
        return False


def _plain(value):
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    return list(value) if isinstance(value, tuple) else value
