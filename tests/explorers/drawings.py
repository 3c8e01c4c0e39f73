"""The pictures of copy_or_zero_copy (tests/drawings.py)."""
from courseware.explorers.copy_or_zero_copy import copy_or_zero_copy

from ..bandwidth import example


def _both():
    """Five times and one, of two ways to read."""
    several = copy_or_zero_copy(example.recording(*example.reuse()), reuse=8)
    single = copy_or_zero_copy(example.recording(*example.reuse(in_place=(2,), copied=(2,))), reuse=1)
    return "\n".join(["<!DOCTYPE html>", '<meta charset="utf-8">', *(shown.picture.replace("><", ">\n<") for shown in (several, single))]) + "\n"


def drawings():
    """{name of a file: a function that gives its text}"""
    return {"copy-or-zero-copy.html": _both}
