"""Address arithmetic of the simulated driver, against models that are too slow to be wrong."""
from dataclasses import dataclass

from cuda_simulator.memory.ranges import Gaps, PieceGaps, RangeMap

import pytest
from hypothesis import given, strategies as st


@dataclass(eq=False)
class Range:
    start: int
    end: int


ranges = st.tuples(st.integers(0, 60), st.integers(1, 12)).map(lambda pair: Range(pair[0], pair[0] + pair[1]))


@given(st.lists(ranges, max_size=30), st.lists(st.integers(0, 30), max_size=10), st.integers(-2, 80), st.integers(1, 20))
def test_a_range_map_finds_what_a_search_of_all_ranges_finds(candidates, removed, address, size):
    table, model = RangeMap(), []
    for candidate in candidates:
        if any(candidate.start < present.end and present.start < candidate.end for present in model):
            try:
                table.add(candidate)
            except ValueError:
                continue
            raise AssertionError("an overlapping range was taken")
        table.add(candidate)
        model.append(candidate)
    for index in removed:
        if index < len(model):
            table.remove(model.pop(index))
    model.sort(key=lambda range_: range_.start)
    assert list(table) == model
    assert table.at(address) is next((range_ for range_ in model if range_.start <= address < range_.end), None)
    assert table.overlapping(address, address + size) == [
        range_ for range_ in model if range_.start < address + size and address < range_.end]
    below, above = table.neighbours(address)
    assert below is next((range_ for range_ in reversed(model) if range_.start <= address), None)
    assert above is next((range_ for range_ in model if range_.start > address), None)


@pytest.mark.parametrize("kind", [Gaps, PieceGaps])
@given(st.lists(st.one_of(st.tuples(st.just("take"), st.integers(1, 40), st.sampled_from([1, 2, 8, 16])),
                          st.tuples(st.just("take_at"), st.integers(0, 130), st.integers(1, 40)),
                          st.tuples(st.just("give"), st.integers(0, 20), st.just(0))), max_size=60))
def test_gaps_give_each_address_to_one_owner_and_refuse_only_when_nothing_fits(kind, steps):
    start, end = 100, 228
    gaps, blocks = kind(start, end), []

    def free(address):
        return start <= address < end and not any(low <= address < low + size for low, size in blocks)
    for verb, first, second in steps:
        if verb == "take":
            start_of_block = gaps.take(first, second)
            fits = [low for low in range(start, end - first + 1)
                    if low % second == 0 and all(free(low + i) for i in range(first))]
            assert (start_of_block is None) == (not fits)
            if start_of_block is not None:
                assert start_of_block in fits
                blocks.append((start_of_block, first))
        elif verb == "take_at":
            fits = all(free(first + i) for i in range(second))
            assert gaps.take_at(first, second) == fits
            if fits:
                blocks.append((first, second))
        elif blocks:
            released = blocks.pop(first % len(blocks))
            gaps.give(*released, apart=first > 10) if kind is Gaps else gaps.give(*released)


@pytest.mark.parametrize("kind", [Gaps, PieceGaps])
def test_what_was_freed_is_handed_out_next(kind):
    gaps = kind(0, 100)
    first, _ = gaps.take(10), gaps.take(10)
    gaps.give(first, 10)
    assert gaps.take(10) == first


@pytest.mark.parametrize("kind, expected", [(Gaps, "the rest"), (PieceGaps, "the smallest that does")])
def test_who_asks_for_less_gets_a_part_only_within_a_piece(kind, expected):
    gaps = kind(0, 100)
    starts = [gaps.take(size) for size in (30, 5, 20, 5)]
    gaps.give(starts[0], 30)
    gaps.give(starts[2], 20)
    assert gaps.take(15) == {"the rest": 60, "the smallest that does": starts[2]}[expected]


@pytest.mark.parametrize("kind, expected", [(Gaps, [10, 30]), (PieceGaps, [30, 10])])
def test_of_gaps_that_are_alike_the_lowest_or_the_oldest_is_taken(kind, expected):
    gaps = kind(0, 100)
    starts = [gaps.take(10) for _ in range(6)]
    gaps.give(starts[3], 10)
    gaps.give(starts[1], 10)
    assert [gaps.take(10), gaps.take(10)] == expected


def test_less_than_was_released_apart_is_taken_from_what_nobody_had():
    gaps = Gaps(0, 100)
    first = gaps.take(20)
    gaps.give(first, 20, apart=True)
    assert [gaps.take(10), gaps.take(20)] == [20, first]


def test_when_nothing_is_left_that_nobody_had_larger_gaps_are_cut():
    gaps = Gaps(0, 30)
    first, _ = gaps.take(20), gaps.take(10)
    gaps.give(first, 20)
    assert gaps.take(5) == first
