"""Address arithmetic of the simulated driver, against models that are too slow to be wrong."""
from dataclasses import dataclass

from cuda_simulator.memory.ranges import Gaps, RangeMap

from hypothesis import given, strategies as st


@dataclass(eq=False)
class Range:
    start: int
    end: int


ranges = st.tuples(st.integers(0, 60), st.integers(1, 12)).map(lambda pair: Range(pair[0], pair[0] + pair[1]))


@given(st.lists(ranges, max_size=30), st.lists(st.integers(0, 30), max_size=10), st.integers(-2, 80), st.integers(1, 20))
def test_a_range_map_finds_what_a_search_of_all_ranges_finds(wanted, removed, address, size):
    table, model = RangeMap(), []
    for one in wanted:
        if any(one.start < other.end and other.start < one.end for other in model):
            try:
                table.add(one)
            except ValueError:
                continue
            raise AssertionError("an overlapping range was taken")
        table.add(one)
        model.append(one)
    for index in removed:
        if index < len(model):
            table.remove(model.pop(index))
    model.sort(key=lambda one: one.start)
    assert list(table) == model
    assert table.at(address) is next((one for one in model if one.start <= address < one.end), None)
    assert table.overlapping(address, address + size) == [
        one for one in model if one.start < address + size and address < one.end]
    below, above = table.neighbours(address)
    assert below is next((one for one in reversed(model) if one.start <= address), None)
    assert above is next((one for one in model if one.start > address), None)


@given(st.lists(st.one_of(st.tuples(st.just("take"), st.integers(1, 40), st.sampled_from([1, 2, 8, 16])),
                          st.tuples(st.just("take_at"), st.integers(0, 130), st.integers(1, 40)),
                          st.tuples(st.just("give"), st.integers(0, 20), st.just(0))), max_size=60))
def test_gaps_give_each_address_to_one_owner_and_refuse_only_when_nothing_fits(steps):
    start, end = 100, 228
    gaps, taken = Gaps(start, end), []

    def free(address):
        return start <= address < end and not any(low <= address < low + size for low, size in taken)
    for what, first, second in steps:
        if what == "take":
            got = gaps.take(first, second)
            fits = [low for low in range(start, end - first + 1)
                    if low % second == 0 and all(free(low + i) for i in range(first))]
            assert (got is None) == (not fits)
            if got is not None:
                assert got in fits
                taken.append((got, first))
        elif what == "take_at":
            fits = all(free(first + i) for i in range(second))
            assert gaps.take_at(first, second) == fits
            if fits:
                taken.append((first, second))
        elif taken:
            gaps.give(*taken.pop(first % len(taken)))


def test_what_was_freed_is_not_handed_out_next():
    gaps = Gaps(0, 100)
    first = gaps.take(10)
    gaps.give(first, 10)
    assert gaps.take(10) != first
