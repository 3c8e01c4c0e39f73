"""Lengths in the picture of pages: larger is never shorter, and what is beside each other is to scale."""
import doctest

from courseware.memory_map.picture import scale

import pytest
from hypothesis import given, strategies as st

from .random_scenes import SIZES


@given(st.lists(SIZES, min_size=1, max_size=40))
def test_a_larger_block_is_never_shorter_and_none_is_longer_than_the_room(sizes):
    drawn = scale.Scale(sizes, room=112)
    lengths = [drawn.length(size) for size in sorted(sizes)]
    assert lengths == sorted(lengths)
    assert scale.SHORTEST <= lengths[0] and lengths[-1] <= 112.001


@given(st.lists(st.integers(100, 1000), min_size=1, max_size=20))
def test_sizes_that_are_near_each_other_are_drawn_to_scale(sizes):
    drawn = scale.Scale(sizes, room=112)
    assert not any(drawn.cuts(size) for size in sizes)
    assert all(drawn.length(size) == pytest.approx(112 * size / max(sizes)) for size in sizes)


@given(st.lists(SIZES, min_size=1, max_size=40))
def test_after_the_last_zigzag_lengths_are_to_scale(sizes):
    drawn = scale.Scale(sizes, room=112)
    for stretch in drawn.stretches:
        tails = {size: drawn.length(size) - max(drawn.cuts(size), default=0) for size in stretch}
        shown = [size for size in stretch if tails[size] > scale.SHORTEST * 1.001]
        assert len({round(tails[size] / size * stretch[-1], 6) for size in shown}) <= 1


def test_a_hundred_gibibytes_beside_four_bytes():
    drawn = scale.Scale([4, 100 << 30], room=100)
    assert drawn.length(4) >= scale.SHORTEST and drawn.cuts(100 << 30) and not drawn.cuts(4)


def test_the_examples_are_true():
    assert doctest.testmod(scale).failed == 0 < doctest.testmod(scale).attempted

