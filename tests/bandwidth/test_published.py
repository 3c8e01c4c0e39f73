"""What docs/measurements.md says of the recordings is in them; and where others measured 5 % more or less, it says
why."""
import re
from pathlib import Path

from courseware import bandwidth
from courseware.bandwidth import steps

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "measurements.md").read_text()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
H100, H200 = bandwidth.recorded("H100"), bandwidth.recorded("H200")
MULTIPROCESSORS = 132       # of each of the two


def last(recording, experiment, what, x=None):
    """The median at x, or at the largest."""
    series, = recording.find(experiment, "device", what)
    return next(point.median for point in series.points if x in (None, point.x) and (x or point is series.points[-1]))


def measured(recording):
    """{row: what the recording has}"""
    named = steps.named(recording)
    bandwidth = {step.name: step.level for step in steps.of_levels(recording, "working set")}
    clock, clock_of_all = steps.gigahertz(recording), steps.gigahertz(recording, "all multiprocessors read")
    return {
        "shared memory": steps.cycles(recording, named["shared memory"]),
        "L1": steps.cycles(recording, named["L1"]),
        "L2": named["L2"].level,
        "device memory, 1 GiB": last(recording, "latency ladder", "read past L1"),
        "the same, in cycles": last(recording, "latency ladder", "read past L1") * clock,
        "L1, all": bandwidth["L1"] / MULTIPROCESSORS / clock_of_all,
        "L2, all": bandwidth["L2"] / clock_of_all,
        "L2, 32 MiB": last(recording, "working set", "read past L1", 32 << 20),
        "device memory, 512 MiB": last(recording, "working set", "read past L1"),
    }


NAMED = steps.named(H200)
OF_H100, OF_H200 = measured(H100), measured(H200)
# The row, how it is written, and what others have that is compared.
EXPECTED = {
    "shared memory": ("{:.1f} cycles", [29.0, 29.0]), "L1": ("{:.1f} cycles", [32.0, 32.0, 41.12]),
    "L2": ("{:.1f} ns", [280.4 / 1.98]), "device memory, 1 GiB": ("{:.1f} ns", [688.0 / 1.98]),
    "the same, in cycles": ("{:.0f} cycles", [656, 484]),
    "L1, all": ("{:.1f} bytes per cycle and multiprocessor", [125.8, 125.7]),
    "L2, all": ("{:,.0f} bytes per cycle", [4472]), "L2, 32 MiB": ("{:,.0f} GB/s", [9628.8]),
    "device memory, 512 MiB": ("{:,.0f} GB/s", [3888]),
}


def row_of(name):
    rows = [row for row in ROWS if row[0] == name.partition(", all")[0]]
    return rows[-1] if name.endswith(", all") else rows[0]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_row_has_the_recordings_figures_and_the_difference_from_the_published(name):
    form, published = EXPECTED[name]
    _, ours, of_h100, theirs, difference = row_of(name)
    value = OF_H200[name]
    assert (ours, of_h100) == (form.format(value), form.format(OF_H100[name]))
    numbers = [float(number.replace(",", "")) for number in re.findall(r"[\d,]*\d(?:\.\d+)?", theirs)]
    assert all(any(abs(number - figure) <= 0.006 * figure for number in numbers) for figure in published)
    shown = [int(number) for number in re.findall(r"(-?\d+) %", difference)]
    off = sorted({round(100 * (value / figure - 1)) for figure in published})
    assert sorted(shown) == off or shown[0] in off and len(shown) == 1
    assert ("see" in difference) == any(abs(percent) > 5 for percent in off), "what differs by more is explained"


def test_every_row_is_looked_at_and_every_explanation_is_there():
    heads = {"what answers", "L2, its far part"}
    assert {row[0] for row in ROWS} - heads == {name.partition(", all")[0] for name in EXPECTED}
    asked = {number for row in ROWS for number in re.findall(r"see (\d)", row[-1])}
    assert sorted(asked) == re.findall(r"^(\d)\. ", PAGE, re.MULTILINE), "each once, in order"


def test_the_far_part_of_l2_is_in_the_slowest_lines_of_32_mib():
    for recording, column, slow in ((H200, 1, 5), (H100, 2, 15)):
        far = [point for point in recording.find("L2 lines", nbytes=32 << 20)[0].points if point.x >= 100 - slow]
        low, high = round(far[0].median), round(far[-1].median)
        assert f"{low} to {high} ns" == row_of("L2, its far part")[column] and f"{slow} in 100" in PAGE
        assert all(series.points[-1].median < 165 for series in recording.find("L2 lines") if series.nbytes < 32 << 20)
    assert "take 244 to 292 ns" in PAGE
    assert H100.machine.l2_bytes == 50 << 20 and steps.named(H100)["L2"].largest == 24 << 20


def test_the_two_gpus_have_the_same_ladder():
    for name, step in NAMED.items():
        assert abs(steps.named(H100)[name].level / step.level - 1) < 0.015


def test_what_the_text_says_of_the_steps_is_so():
    assert H200.machine.l2_bytes == 60 << 20 and NAMED["L2"].largest == 28 << 20 and "Up to 28 MiB" in PAGE
    assert round(last(H200, "kernel access", "read, coalesced")) == 4388
    assert round(100 * 4388 / 4800) == 91 and round(100 * 60 / 512) == 12
    assert round(NAMED["host memory"].level) == 1136 and "(1,136 and 1,178 ns)" in PAGE


def test_translation_reaches_64_gib():
    for recording, times in ((H200, (147, 195)), (H100, (148, 197))):
        far, = recording.find("translation reach", "mapped reservation", "one read in 32 MiB")
        (_, reach, within), (beyond, _, outside) = steps.of_series(far)
        assert reach == 64 << 30 < beyond and (round(within), round(outside)) == times
        assert f"{times[0]} ns" in PAGE and f"{times[1]} ns" in PAGE
    for memory in ("mapped reservation", "device"):
        series, = H200.find("translation reach", memory, "one read in 2 MiB")
        times = {point.x: point.median for point in series.points}
        assert len(steps.of_series(series)) == 1 and max(times) == 64 << 30
        assert round(times[3 << 30] - times[256 << 20]) == 5


def test_a_median_is_that_of_the_one_series_that_fits():
    in_order, = H200.find("reuse", "pinned", "read in place, coalesced", nbytes=1 << 24)
    assert H200.median("reuse", "pinned", "read in place, coalesced", 1, nbytes=1 << 24) == pytest.approx(in_order.points[0].median, rel=0.005)
    with pytest.raises(ValueError):     # for each size there is one
        H200.median("reuse", "pinned", "read in place, coalesced", 1)


def test_what_was_noted_beside_a_recording_agrees_with_it():
    """A warp without a conflict waits as long as the thread of the ladder; and every device has a recording."""
    one_bank = bandwidth.noted("threads at one bank")
    assert one_bank["cycles"]["1"] == round(steps.cycles(H200, steps.named(H200)["shared memory"]))
    in_place = bandwidth.noted("a dozen images in place")
    assert {one_bank["device"], in_place["device"]} == {H200.machine.device}
