"""The time left: shown where there is something to wait for, and nearer to the truth the longer it goes on."""
import sys

import pytest

from course_lib.bandwidth.progress import Progress


class Seconds:
    """A clock that stands still until it is told."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Seconds()


def test_the_time_left_follows_the_clock_not_the_estimate(clock):
    progress = Progress(expected=10, now=clock)
    assert progress.seconds_left == 10
    for _ in range(5):      # everything takes three times as long as estimated
        clock.now += 3
        progress.done(1)
    assert progress.seconds_left == pytest.approx(15)
    clock.now += 15
    progress.done(5)
    assert progress.seconds_left == 0


def test_at_the_start_the_estimate_counts_for_something(clock):
    progress = Progress(expected=100, now=clock)
    clock.now += 5          # the first piece takes fifty times as long as estimated: the driver was asleep
    progress.done(0.1)
    assert 100 < progress.seconds_left < 200


def test_what_is_shown(clock):
    shown = []
    with Progress(expected=200, show=lambda share, text: shown.append((share, text)), now=clock) as progress:
        progress.at("copy sweep")
        clock.now += 100
        progress.done(150)
        progress.at("latency")
    assert shown == [(0, "copy sweep: 3 min left"), (0.75, "latency: 33 s left")]


class Terminal:
    """Something to write to, which takes itself for a terminal or does not."""

    def __init__(self, is_one):
        self.text, self.isatty = "", lambda: is_one

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize("expected, is_one, shown", [(1.9, True, False), (2.1, True, True), (100, False, False)])
def test_only_a_terminal_and_only_more_than_two_seconds_are_worth_a_line(monkeypatch, clock, expected, is_one, shown):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(is_one))
    with Progress(expected, now=clock) as progress:
        progress.at("copy sweep")
        assert ("copy sweep: 2 s left" in terminal.text) == shown
    assert not shown or terminal.text.endswith("\r")       # nothing stays


def test_what_turns_out_to_be_slow_is_shown_later(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(True))
    with Progress(1, now=clock) as progress:
        progress.at("copy sweep")
        assert not terminal.text
        clock.now += 4
        progress.done(0.5)
        progress.at("copy sweep")
        assert "50%  copy sweep: 4 s left" in terminal.text
