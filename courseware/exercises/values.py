"""When two values count as the same answer; and where they do not, whether it is only their form that differs."""
import collections
import itertools
import re

import numpy as np

MOST = 1000     # elements that are looked at: an iterator may never end


class Remark(str):
    """A check's remark on an answer, in the place of a value that the answer gave: what it did, or left behind."""


class Label(str):
    """A check's word for a value that may not leave it, such as an address.

    A learner who writes the same word has not given the value.
    """


class Iterator(list):
    """What an iterator had in it. It can be read once only, so it is read when the answer gives it back."""

    kind = "iterator"

    def __repr__(self):
        return f"<{self.kind} of {super().__repr__()}>"


def settled(value):
    """A value as it can be compared more than once, in no time: no right answer is longer than MOST."""
    if isinstance(value, Iterator):
        return value
    if isinstance(value, (list, tuple)):
        return value[:MOST]     # a list is copied: later calls may change it
    if not isinstance(value, collections.abc.Iterator):
        return value
    read = Iterator(itertools.islice(value, MOST))
    read.kind = type(value).__name__
    return read


def same(got, expected):
    """Equality of a learner's value and the right one, as a learner means it.

    A pair may be a list or an array, NumPy's numbers and Python's are alike, but a list is a list, True is not 1, and
    1.0 is not 1.
    """
    if isinstance(expected, list) and not isinstance(got, list):
        return False
    got, expected = _plain(got), _plain(expected)
    if isinstance(got, Label) != isinstance(expected, Label):
        return False
    if isinstance(got, Iterator) or isinstance(expected, Iterator):
        return type(got) is type(expected) and list(got) == list(expected)
    if isinstance(got, list) and isinstance(expected, list):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(got, (bool, int, float)) and type(got) is not type(expected):
        return False
    if isinstance(got, dict) and isinstance(expected, dict):
        return got.keys() == expected.keys() and all(same(value, expected[key]) for key, value in got.items())
    if isinstance(got, float) and got != got:
        return expected != expected       # a NaN is no number, and the same as another one
    try:
        # The right value is asked: a learner's class may say that it equals anything.
        equal = type(expected).__eq__(expected, got)
        return equal is not NotImplemented and bool(equal)
    except Exception:       # of the learner's class, or of an array that cannot say
        return False


def alike(got, expected):
    """Equality up to the form: [1, 2] is like [2, 1], and like the text "[1, 2]"."""
    if isinstance(got, list) and isinstance(expected, list) and len(got) != len(expected):
        return False
    return same(got, expected) or bool(form(got, expected)) or bool(form(expected, got))


def form(got, expected):
    """What is wrong with the form of a value that is right otherwise, as a sentence; "" where more is wrong."""
    if isinstance(got, Iterator):
        if not same(list(got), expected):
            return ""
        article = "an" if got.kind[0] in "aeiou" else "a"
        return f"You return {article} {got.kind}, which can be read only once: make a list of it, `list(...)`."
    ordered = isinstance(expected, tuple)       # each place has a meaning of its own: another order is another answer
    if isinstance(expected, list) and not isinstance(got, list) and same(got, tuple(expected)):
        return "The elements are right, but a list is asked for: make one of them, `list(...)`."
    got, expected = _plain(got), _plain(expected)
    if isinstance(got, str):
        return _form_of_text(got, expected)
    if isinstance(got, (collections.abc.Set, collections.abc.ValuesView)) and isinstance(expected, list):
        return _form_of_set(got, expected)
    if isinstance(expected, (bool, int)) and isinstance(got, (bool, int, float)):
        return _form_of_number(got, expected)
    if isinstance(got, list):
        return _form_of_list(got, expected, ordered)
    if isinstance(expected, list) and len(expected) == 1 and same(got, expected[0]):
        return f"`{expected[0]!r}` is right, but return a list, even for a single element: `[{expected[0]!r}]`."
    return ""


def _form_of_set(got, expected):
    if len(got) != len(expected) or not all(any(map(same, itertools.repeat(element), expected)) for element in got):
        return ""
    return (f"The elements are right, but they are in a {type(got).__name__}, which has no order: make a list of "
            "them, `sorted(...)`.")


def _form_of_text(got, expected):
    if isinstance(expected, Label):
        return ""
    if isinstance(expected, str):
        if _letters(got) != _letters(expected) or not _letters(got):
            return ""
        return f"You mean `{expected!r}`, and it is written like that, letter by letter; yours is `{got!r}`."
    if got.strip().replace(" ", "") == repr(expected).replace(" ", ""):
        return f"`{got!r}` is a text. The value in it is right: return it without the quotation marks."
    return ""


def _form_of_number(got, expected):
    if got != expected:
        return ""
    if isinstance(expected, bool):
        return f"`{got!r}` counts as {expected} in a test, but return `True` or `False`: `bool(...)` converts it."
    if isinstance(got, bool):
        return f"`{got!r}` counts as {expected}, but return a number."
    return f"The value is right, but it is a float, `{got!r}`. Return a whole number: `{expected!r}`."


def _form_of_list(got, expected, ordered):
    if not isinstance(expected, list):
        return _form_of_single(got[0], expected) if len(got) == 1 else ""
    if len(got) == 1 and got[0] != [] and isinstance(_plain(got[0]), list) and same(got[0], expected):
        return "The list is right, but it is in another list: take away one pair of brackets."
    if ordered:
        return _form_of_elements(got, expected)
    unmatched = list(got)
    for element in expected:
        place = next((place for place, candidate in enumerate(unmatched) if same(element, candidate)), None)
        if place is None:
            return _form_of_elements(got, expected)
        unmatched.pop(place)
    if not unmatched:
        return "The elements are right, but in another order than is asked for."
    return ""


def _form_of_single(element, expected):
    """Of a list with a single element, where the element itself is asked for."""
    if same(element, expected):
        return f"The value is right, but it is in a list of its own: return `{expected!r}` without the list."
    if type(element) in (int, float) and type(expected) in (int, float) and element == expected:
        return f"The value is right, but it is in an array or a list: return its one element, `{expected!r}`."
    return ""


def _form_of_elements(got, expected):
    """Each element right up to its own form, in the right place."""
    if len(got) != len(expected):
        return ""
    forms = [form(*elements) for elements in zip(got, expected) if not same(*elements)]
    return forms[0] if forms and all(forms) else ""


def _letters(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _plain(value):
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.all(value == np.trunc(value)):
        value = value.astype(np.int64)      # np.cumsum([]) has floats, and nobody asked for them
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, Iterator):
        return value
    return list(value[:MOST]) if isinstance(value, (tuple, range)) else value
