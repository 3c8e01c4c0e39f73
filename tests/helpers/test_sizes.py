"""Sizes in words: exact, or said to be about, or rounded where they are compared."""
from course_lib.core.sizes import size
from courseware.bandwidth import wording

import pytest


@pytest.mark.parametrize("nbytes, exact, of_an_axis", [
    (0, "0 bytes", "0 B"), (1, "1 byte", "1 B"), (1000, "1,000 bytes", "1,000 B"), (1024, "1 KiB", "1 KiB"),
    (1536, "1,536 bytes", "1.5 KiB"), (99_999, "99,999 bytes", "97.66 KiB"), (100_000, "about 97.7 KiB", "97.66 KiB"),
    (1_023_488, "about 1,000 KiB", "999.5 KiB"), (1_047_000, "about 1,022 KiB", "1,022 KiB"), (512 << 20, "512 MiB", "512 MiB"), (1 << 40, "1 TiB", "1,024 GiB"),
    (1 << 50, "1,024 TiB", "1,048,576 GiB")])
def test_a_size_in_words(nbytes, exact, of_an_axis):
    assert size(nbytes) == exact and wording.size(nbytes) == of_an_axis


def test_a_size_that_nobody_knows():
    assert size(None) == "size not told"
