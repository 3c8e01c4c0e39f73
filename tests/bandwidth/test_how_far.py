"""What is measured and the time left: shown where there is something to wait for, in one line that goes again."""
import sys
import time

from courseware.bandwidth.measure.how_far import Progress

import nbformat
import pytest
import tqdm.std
from nbclient import NotebookClient


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is told: ``clock(3)``."""
    now = [1e9]
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(tqdm.std, "time", lambda: now[0])

    def later(seconds):
        now[0] += seconds
    return later


class Terminal:
    """Something to write to, which takes itself for a terminal or does not."""

    def __init__(self, is_one):
        self.text, self.isatty = "", lambda: is_one

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    @property
    def line(self):
        """What stands there now."""
        return self.text.rpartition("\r")[2].rstrip()


def test_the_line_says_what_is_measured_and_the_time_left_follows_the_clock_not_the_estimate(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(True))
    with Progress(expected=10) as progress:
        progress.at("copy sweep")
        assert terminal.line.startswith("  0%  copy sweep, ")
        for _ in range(5):      # everything takes three times as long as estimated
            clock(3)
            progress.done(1)
        progress.at("latency")
        assert terminal.line == " 50%  latency, 00:15 left"
        clock(15)
        progress.done(5)
        progress.at("latency")
        assert terminal.line == "100%  latency, 00:00 left"
    assert "\n" not in terminal.text


@pytest.mark.parametrize("expected, is_one, shown", [(1.9, True, False), (2.1, True, True), (100, False, False)])
def test_only_a_terminal_and_only_more_than_two_seconds_are_worth_a_line(monkeypatch, clock, expected, is_one, shown):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(is_one))
    with Progress(expected) as progress:
        progress.at("copy sweep")
        assert ("copy sweep" in terminal.text) == shown
    assert terminal.text.endswith("\r") if shown else not terminal.text       # nothing stays


def test_what_turns_out_to_be_slow_is_shown_later(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(True))
    with Progress(1) as progress:
        progress.at("copy sweep")
        assert not terminal.text
        clock(4)
        progress.done(0.5)
        progress.at("copy sweep")
        assert terminal.line == " 50%  copy sweep, 00:04 left"


IN_A_NOTEBOOK = """
from courseware.bandwidth.measure.how_far import Progress
with Progress(100) as progress:
    progress.at("copy sweep")
    progress.done(50)
    progress.at("latency")
"""


def test_a_notebook_keeps_no_text_of_it():
    """Its stored outputs are compared with those of machines that measure nothing."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(IN_A_NOTEBOOK)])
    NotebookClient(notebook, timeout=600).execute()
    types = [name for output in notebook.cells[0].outputs for name in output["data"]]
    assert set(types) <= {"application/vnd.jupyter.widget-view+json"}
