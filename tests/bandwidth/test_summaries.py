"""A plot's sentence is true of its data, whatever the data are: each claim in it is worked out here in another way."""
import itertools
import re

from courseware.bandwidth import ranking, wording
from courseware.bandwidth.plots import curves, summaries

import pytest
from hypothesis import given, strategies as st

from . import example

KINDS = ("pageable", "pinned", "write-combined", "mapped reservation, on the host")
SIZES = tuple(4 ** (place + 1) for place in range(5))
# Few numbers, so that ties come up often, and near ties: 33 is within 3 % of 34, and 32 is not.
rates = st.sampled_from((1.0, 2.0, 3.0, 32.0, 33.0, 34.0))


@st.composite
def races(draw, most=None):
    """{kind: {size: samples}} for some kinds, each at sizes of its own."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=most or len(KINDS), unique=True))
    return {kind: draw(st.dictionaries(st.sampled_from(SIZES), st.lists(rates, min_size=1, max_size=3), min_size=1))
            for kind in kinds}


def picked(data, experiment="copy sweep", what="host to device"):
    recording = example.recording(*(example.series(experiment, what, kind, values) for kind, values in data.items()))
    return list(curves.pick(curves.sources_of([recording]), experiment))


def medians(data):
    """{kind: {size: median}}, not by the course's own code."""
    def middle(samples):
        ordered = sorted(samples)
        return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return {kind: {size: middle(samples) for size, samples in values.items()} for kind, values in data.items()}


def kinds_in(text):
    """The kinds of memory that a part of a sentence names."""
    text = text.replace("mapped reservation on the host", "mapped reservation, on the host")
    return {kind for kind in KINDS if re.search(rf"\b{kind}\b", text, re.IGNORECASE)}


def size_of(text):
    number, unit = re.search(r"([\d.]+) (B|KiB)", text).groups()
    return float(number) * (1024 if unit == "KiB" else 1)


@given(races())
def test_the_fastest_are_within_3_percent_of_the_best_and_nobody_else_is(data):
    values, sentence = medians(data), summaries.fastest(picked(data))
    shared = set.intersection(*(set(by_size) for by_size in values.values()))
    if len(data) == 1 or not shared:
        assert kinds_in(sentence) == set(data) and "fastest" not in sentence
        return
    size = max(shared)
    best = max(by_size[size] for by_size in values.values())
    leaders = {kind for kind in data if values[kind][size] >= 0.97 * best}
    if leaders == set(data):
        assert sentence.startswith(f"At {wording.size(size)} all are within 3 % of each other: ")
    else:
        assert kinds_in(re.split(" (?:is|are) (?:the fastest|faster)", sentence)[0]) == leaders
        assert re.search(rf"\b{re.escape(wording.number(best))} GB/s", sentence)


@given(races())
def test_from_the_size_that_is_named_the_fastest_are_so_at_every_size_and_not_one_size_earlier(data):
    values, sentence = medians(data), summaries.fastest(picked(data))
    since_or_up_to = re.match(r"From ([\d.]+ K?i?B) (on|to)", sentence)
    if not since_or_up_to:
        return
    shared = sorted(set.intersection(*(set(by_size) for by_size in values.values())))
    leaders = kinds_in(re.split(" the fastest| faster", sentence)[0])

    def ahead(size):
        return all(values[kind][size] > values[other][size] for kind in leaders for other in set(data) - leaders)
    since = size_of(since_or_up_to[1])
    assert all(ahead(size) for size in shared if size >= since)
    earlier = [size for size in shared if size < since]
    assert not earlier if since_or_up_to[2] == "to" else not ahead(earlier[-1])


@given(races())
def test_how_much_more_the_best_reaches_than_the_slowest_is_not_exaggerated(data):
    values, sentence = medians(data), summaries.fastest(picked(data))
    more = re.search(r"([\d.]+) (times|% more than) ", sentence)
    if not more:
        return
    size = max(set.intersection(*(set(by_size) for by_size in values.values())))
    at_size = [by_size[size] for by_size in values.values()]
    ratio = max(at_size) / min(at_size)
    stated = float(more[1]) if more[2] == "times" else 1 + float(more[1]) / 100
    assert stated <= ratio + 1e-9 and ratio - stated < (1 if ratio >= 10 else 0.1 if ratio >= 2 else 0.01) + 1e-9


@given(races())
def test_who_leads_at_the_smallest_size_is_said_where_it_is_somebody_else(data):
    values, sentence = medians(data), summaries.fastest(picked(data))
    shared = set.intersection(*(set(by_size) for by_size in values.values()))
    if len(data) == 1 or not shared or not re.search(" the fastest| faster", sentence):
        return

    def leaders(size):
        best = max(by_size[size] for by_size in values.values())
        return {kind for kind in data if values[kind][size] >= 0.97 * best}
    early = leaders(min(shared))
    tail = sentence.split(";")[-1]
    if early == leaders(max(shared)) or f"to {wording.size(max(shared))} " in sentence:
        assert f"; at {wording.size(min(shared))} " not in sentence or min(shared) == max(shared)
    elif early == set(data):
        assert tail == f" at {wording.size(min(shared))} all are within 3 % of each other."
    else:
        assert kinds_in(tail) == early and tail.startswith(f" at {wording.size(min(shared))} the fastest ")


@given(races())
def test_the_share_of_the_links_limit_is_the_best_ones_and_is_not_said_above_it(data):
    sentence = summaries.fastest(picked(data), limit=20)
    if ranking.standing(picked(data)) is None or len(data) == 1:
        return
    values = medians(data)
    size = max(set.intersection(*(set(by_size) for by_size in values.values())))
    best = max(by_size[size] for by_size in values.values())
    assert (f"({best / 20:.0%}".replace("%", " % of the link's 20 GB/s)") in sentence) == (best <= 20)


@given(st.lists(rates, min_size=5, max_size=5), st.lists(rates, min_size=5, max_size=5))
def test_of_two_ways_the_one_that_takes_less_time_from_somewhere_on_is_named(in_place, copied):
    ways = ("in place", "mapped reservation", in_place), ("reallocate and copy", "device", copied)
    first, second = curves.pick(curves.sources_of([example.recording(*(
        example.series("growth", what, memory, dict(zip(SIZES, times)), "driver") for what, memory, times in ways))]), "growth")
    sentence = summaries.duel(first, second, "growing in place", "copying")
    smallest, largest = wording.size(SIZES[0]), wording.size(SIZES[-1])
    place_wins = [earlier < later for earlier, later in zip(in_place, copied)]
    copy_wins = [later < earlier for earlier, later in zip(in_place, copied)]
    for wins, name, other in ((copy_wins, "copying", "growing in place"), (place_wins, "growing in place", "copying")):
        run = len(list(itertools.takewhile(bool, reversed(wins))))
        if run:
            start = (f"From {smallest} to {largest}" if run == 5 else f"At {largest}" if run == 1 else
                     f"From {wording.size(SIZES[-run])} on")
            assert sentence.startswith(f"{start}, {name} takes clearly less time than {other} (the quartiles are apart): ")
            told = [clause.partition(" at ")[2] for clause in sentence.partition(": ")[2].rstrip(".").split(" and ")]
            assert told == [*dict.fromkeys((wording.size(SIZES[-run]), largest))]      # no number from where it does not win
            break
    else:
        assert sentence.startswith("Growing in place and copying are not clearly apart")
    assert f"at {largest}" in sentence.lower().replace("kib", "KiB")


def test_less_time_is_clear_where_the_quartiles_are_apart():
    both = [example.series("growth", what, memory, {2: overlapping, 4: apart, 8: apart}) for what, memory, overlapping, apart in (
        ("in place", "mapped reservation", [6, 7, 9], [4, 5, 6]), ("reallocate and copy", "device", [7, 8, 9], [7, 8, 9]))]
    first, second = curves.pick(curves.sources_of([example.recording(*both)]), "growth")
    assert first.medians[2] < second.medians[2] and ranking.clearly_less_since(first, second) == 4
    assert ranking.clearly_less_since(second, first) is None


def test_the_opposite_result_is_told_as_readily():
    sentence = summaries.fastest(picked({"pageable": {4: 8, 1024: 9}, "pinned": {4: 2, 1024: 3}}), limit=60)
    assert sentence == ("From 4 B to 1 KiB pageable memory is faster; at 1 KiB it reaches 9 GB/s "
                        "(15 % of the link's 60 GB/s), at least 3 times the speed of pinned memory (3 GB/s).")


def test_kinds_that_stay_ahead_of_all_others_are_not_told_apart_at_the_smallest_size():
    data = {"pinned": {4: 34, 1024: 34}, "write-combined": {4: 32, 1024: 33}, "pageable": {4: 1, 1024: 2}}
    assert summaries.fastest(picked(data)) == (
        "From 4 B to 1 KiB pinned and write-combined memory are the fastest; at 1 KiB they reach 33 to 34 GB/s, "
        "up to 17 times the speed of pageable memory (2 GB/s).")


def test_nothing_measured_is_a_sentence_too():
    assert summaries.fastest([]) == "Nothing was measured."
    empty = example.recording(example.series("copy sweep", "host to device", "pinned", {}, left_out=[(4, "No room.")]))
    nothing, = curves.pick(curves.sources_of([empty]), "copy sweep")
    assert summaries.duel(nothing, nothing, "reading in place", "copying first") == summaries.alone([nothing]) == "Nothing was measured."
    assert summaries.fastest(curves.pick(curves.sources_of([empty]), "copy sweep")) == "Nothing was measured."


@given(st.lists(st.tuples(st.sampled_from(["kernel", "host to device", "device to host"]), st.integers(0, 20),
                          st.integers(1, 9)), min_size=1, max_size=6))
def test_together_is_the_time_in_which_a_kernel_and_a_copy_run(pieces):
    timeline = example.timeline("pinned", *((f"stream {place}", what, start, start + length)
                                            for place, (what, start, length) in enumerate(pieces)))
    millisecond = [{what for what, start, length in pieces if start <= now < start + length} for now in range(30)]
    both = sum("kernel" in running and len(running) > 1 for running in millisecond)
    whole = max(start + length for _, start, length in pieces) - min(start for _, start, _ in pieces)
    assert f": {wording.number(whole)} ms in all, a kernel and a copy at the same time in {100 * both / whole:.0f} % of it" in summaries.overlap([timeline])


@pytest.mark.parametrize("value, text", [(55.1402, "55.1"), (9.996, "10"), (4412.3, "4,412"), (0.00139, "0.00139"),
                                         (1.5e-7, "0.00000015"), (100, "100"), (0, "0")])
def test_numbers_have_three_digits_that_count_and_no_exponent(value, text):
    assert wording.number(value) == text


@pytest.mark.parametrize("value, unit, text", [
    (0.069, "ms", "69 µs"), (999.4, "us", "999 µs"), (999.6, "us", "1 ms"), (0.0005, "us", "0.0005 µs"), (1500, "ms", "1.5 s"), (55.14, "GB/s", "55.1 GB/s")])
def test_a_time_is_told_in_the_unit_that_suits_it(value, unit, text):
    assert wording.quantity(value, unit) == text


@pytest.mark.parametrize("low, high, unit, text", [(54.2, 55.4, "GB/s", "54.2 to 55.4 GB/s"), (0.9, 1.1, "ms", "900 µs to 1.1 ms"), (54.21, 54.22, "GB/s", "54.2 GB/s")])
def test_a_range_names_its_unit_once_and_is_one_number_where_both_ends_are_written_alike(low, high, unit, text):
    assert wording.between(low, high, unit) == text


@pytest.mark.parametrize("kinds, text", [
    (["pinned"], "pinned memory"), (["pinned", "reserved", "device"], "pinned and device memory and reserved addresses"),
    (["reserved", "mapped reservation"], "reserved addresses and a mapped reservation"),
    (["pinned", "reserved", "mapped reservation"], "pinned memory, reserved addresses and a mapped reservation")])
def test_kinds_of_memory_share_the_word_in_a_sentence(kinds, text):
    assert wording.memories(kinds) == text


@given(st.integers(0, 40), st.integers(0, 3))
def test_powers_of_two_in_bytes_are_whole_numbers_of_their_unit(power, quarter):
    text = wording.size((1 << power) * (4 + quarter) // 4)
    number, unit = text.replace(",", "").split()
    if not quarter:
        assert float(number) == 2 ** (power % 10 if power < 40 else power - 30)
        assert unit == ("B", "KiB", "MiB", "GiB")[min(power // 10, 3)]


@given(st.floats(1e-6, 1e6), st.floats(2, 1e9))
def test_numbers_at_an_axis_are_few_in_order_and_within_it(low, ratio):
    numbers = wording.round_numbers(low, low * ratio)
    assert numbers == sorted(numbers) and len(numbers) <= 8 and all(low <= number <= low * ratio for number in numbers)
    assert numbers or ratio < 10
