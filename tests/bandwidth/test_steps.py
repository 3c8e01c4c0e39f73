"""Where a curve is level, found in its points; and what the levels of a ladder are called."""
from courseware.bandwidth import steps

import pytest
from hypothesis import given, strategies as st

from . import example


def stairs(*stretches):
    """Points at 1, 2, 4, ...: each (value, how many), one after the other."""
    values = [value for value, count in stretches for _ in range(count)]
    return [(2 ** place, value) for place, value in enumerate(values)]


# -- the rule ----------------------------------------------------------------------------------------------------------

def test_levels_are_found_with_where_they_begin_and_end():
    assert steps.find(stairs((20, 4), (150, 5), (600, 3))) == ((1, 8, 20), (16, 256, 150), (512, 2048, 600))


def test_two_points_are_no_step_and_neither_is_a_slope():
    assert steps.find(stairs((20, 2), (150, 2), (600, 2))) == ()
    assert steps.find([(x, x) for x in range(10, 40, 2)]) == ()
    assert steps.find([]) == ()


def test_what_lies_between_two_levels_belongs_to_neither():
    assert steps.find(stairs((20, 4), (50, 1), (90, 1), (150, 4))) == ((1, 8, 20), (64, 512, 150))


def test_the_median_is_the_level_and_small_differences_do_not_break_it():
    points = [(1, 100), (2, 103), (3, 101), (4, 104), (5, 99), (6, 300), (8, 310), (12, 305)]
    assert steps.find(points) == ((1, 5, 101), (6, 12, 305))


def test_points_that_are_close_together_are_no_step_before_they_span_a_factor_of_two():
    assert steps.find([(10, 5), (12, 5), (15, 5), (19, 5)]) == ()
    assert steps.find([(10, 5), (12, 5), (15, 5), (20, 5)]) == ((10, 20, 5),)


def test_points_whose_samples_differ_are_alike_where_their_quartiles_are():
    noisy = [(1, 1000, 950, 1060), (2, 1090, 1030, 1120), (4, 1020, 980, 1050), (8, 1100, 1010, 1150)]
    assert steps.find(noisy) == ((1, 8, 1055),)
    assert steps.find([(x, value) for x, value, *_ in noisy]) == ()


def test_of_a_slow_rise_only_the_end_is_a_step():
    """As of device memory, of which a part is still in L2."""
    rise = [(64, 218), (80, 243), (96, 261), (112, 273), (128, 282), (160, 296), (192, 304), (224, 310), (256, 315),
            (320, 322), (384, 327), (448, 331), (512, 333), (640, 336), (768, 339), (896, 341), (1024, 342)]
    assert steps.find(rise) == ((384, 1024, 336),)


def test_a_short_level_between_two_long_ones_is_found():
    """As the far half of an L2 cache is, between the near half and the memory."""
    assert steps.find(stairs((280, 12), (400, 1), (515, 1), (490, 1), (505, 1), (615, 8))) == (
        (1, 2048, 280), (8192, 32768, 505), (65536, 8388608, 615))


def test_steps_that_are_nearly_alike_are_one_and_those_that_are_not_are_two():
    assert steps.find(stairs((630, 4), (683, 9))) == ((1, 4096, 683),)
    assert steps.find(stairs((600, 4), (683, 9))) == ((1, 8, 600), (16, 4096, 683))


def test_two_steps_with_something_else_between_them_are_two_even_if_they_are_alike():
    assert steps.find(stairs((500, 4), (510, 1), (540, 4))) == ((1, 256, 510),)
    assert steps.find(stairs((500, 4), (700, 1), (500, 4))) == ((1, 8, 500), (32, 256, 500))


@given(st.lists(st.tuples(st.floats(10, 1000), st.integers(3, 9)), min_size=1, max_size=5), st.data())
def test_steps_that_are_far_apart_are_all_found_whatever_the_noise(some, data):
    level, expected = 10.0, []
    points, x = [], 1
    for factor, count in some:
        level *= 1.3 + factor / 1000
        values = [level * data.draw(st.floats(0.975, 1.025)) for _ in range(count)]
        expected.append((x, x * 2 ** (count - 1)))
        for value in values:
            points.append((x, value))
            x *= 2
    assert [step[:2] for step in steps.find(points)] == expected


@given(st.lists(st.floats(0.1, 1e4), max_size=30))
def test_steps_are_in_order_apart_and_within_their_values(values):
    points = list(enumerate(values, 1))
    levels = steps.find(points)
    assert all(first < last for first, last, _ in levels)
    assert all(stair[1] < next_stair[0] for stair, next_stair in zip(levels, levels[1:]))
    for first, last, level in levels:
        assert min(values[first - 1:last]) <= level <= max(values[first - 1:last])


# -- their names -------------------------------------------------------------------------------------------------------

def series(what, memory, values, experiment="latency ladder"):
    return example.series(experiment, what, memory, values, "kernel")


def of(*stretches, least=1024):
    return {x * least: value for x, value in stairs(*stretches)}


THROUGH = series("read through L1", "device", of((16, 8), (140, 8), (250, 3), (340, 6)))
PAST = series("read past L1", "device", of((140, 16), (250, 3), (340, 6)))
CLOCK = series("one thread reads", "device", {1024: [1.97, 2, 2.5]}, "clock rate")


def test_the_steps_of_device_memory_are_called_by_what_answers():
    recording = example.recording(THROUGH, PAST, CLOCK, l2_bytes=1 << 29)
    assert [(step.name, step.smallest, step.largest, step.level) for step in steps.ladder(recording)] == [
        ("L1", 1 << 10, 1 << 17, 16), ("L2", 1 << 10, 1 << 25, 140), ("L2 from 64 MiB on", 1 << 26, 1 << 28, 250),
        ("device memory", 1 << 29, 1 << 34, 340)]
    assert steps.named(recording)["L2"].kind == steps.named(recording)["L2 from 64 MiB on"].kind == "L2"
    assert steps.gigahertz(recording) == 2 and steps.cycles(recording, steps.named(recording)["L1"]) == 32


@pytest.mark.parametrize("l2_bytes, names", [(1 << 40, ["L2", "L2 from 64 MiB on", "L2 from 512 MiB on"]),
                                             (1 << 20, ["L2", "device memory", "device memory from 512 MiB on"]),
                                             (None, ["L2", "L2 from 64 MiB on", "device memory"])])
def test_what_is_l2_is_told_by_its_size_and_without_it_the_last_step_is_memory(l2_bytes, names):
    assert [step.name for step in steps.ladder(example.recording(PAST, l2_bytes=l2_bytes))] == names


def test_what_is_no_faster_than_past_l1_is_not_called_l1():
    slow = series("read through L1", "device", of((135, 16), (340, 6)))
    assert "L1" not in steps.named(example.recording(slow, PAST, l2_bytes=1 << 29))


def test_other_memory_is_called_by_its_kind_and_the_fastest_comes_first():
    recording = example.recording(
        THROUGH, PAST, series("read", "shared", of((14, 5))), series("read", "constant", of((15, 3), (40, 3))),
        series("read through L1", "pinned", of((16, 4), (1300, 4))), series("read past L1", "pinned", of((1300, 8))),
        l2_bytes=1 << 29)
    assert [step.name for step in steps.ladder(recording)] == [
        "shared memory", "constant memory", "L1", "constant memory from 8 KiB on", "L2", "L2 from 64 MiB on",
        "device memory", "host memory"]
    assert steps.ladder(example.recording()) == () and steps.cycles(recording, steps.named(recording)["L1"]) is None


def test_of_bandwidth_the_larger_is_l1():
    fast, slow = (series(what, "device", of((first, 8), (6000, 8), (4000, 6)), "working set")
                  for what, first in (("read through L1", 30000), ("read past L1", 6000)))
    levels = steps.of_levels(example.recording(fast, slow, l2_bytes=1 << 26), "working set")
    assert [(step.name, step.level) for step in levels] == [("L1", 30000), ("L2", 6000), ("device memory", 4000)]
