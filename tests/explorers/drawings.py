"""The pictures of copy_or_zero_copy, as somebody has looked at them: drawn.html.

    .venv/bin/python -m tests.explorers.drawings        draws them anew: look at each before you keep it
"""
from pathlib import Path

from courseware.explorers.copy_or_zero_copy import copy_or_zero_copy

from ..bandwidth import example

DRAWN = Path(__file__).with_name("drawn.html")


def drawings():
    """Five times and one, of two ways to read."""
    several = copy_or_zero_copy(example.recording(*example.reuse()), reuse=8)
    single = copy_or_zero_copy(example.recording(*example.reuse(in_place=(2,), copied=(2,))), reuse=1)
    return "\n".join(["<!DOCTYPE html>", '<meta charset="utf-8">', *(shown.picture.replace("><", ">\n<") for shown in (several, single))]) + "\n"


if __name__ == "__main__":
    DRAWN.write_text(drawings())
