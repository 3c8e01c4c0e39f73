"""The explorer "copy or zero-copy": what it says was measured, and nothing between the points is made up."""
import html
import re
import sys
import time

from course_lib.core.errors import WrongArgument
from courseware import explorers
from courseware.bandwidth import recorded
from courseware.explorers.copy_or_zero_copy import copy_or_zero_copy

import ipywidgets as widgets
import pytest
from hypothesis import given, strategies as st

from ..bandwidth import example

RECORDING = example.recording(
    *example.reuse(1 << 16, in_place=(1, 2, 3, 4, 5), copied=(6, 7, 8, 9, 10)),
    *example.reuse(1 << 20), *example.reuse(1 << 24, "random", in_place=(9, 8, 7, 6, 5), copied=(5, 5, 5, 5, 5)))


@pytest.fixture
def no_recordings(monkeypatch):
    monkeypatch.setattr(sys.modules[copy_or_zero_copy.__module__], "recordings", lambda: ())


def text_of(panel):
    """The text that a panel shows, without its picture."""
    return html.unescape(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", panel.answer.value, flags=re.DOTALL))


def test_it_says_who_wins_and_by_how_much():
    assert copy_or_zero_copy(RECORDING, size=1 << 20, reuse=16).sentence == (
        "1 MiB of pinned memory, read 16 times, coalesced: copying first takes 62 % less time than reading in place.")
    assert copy_or_zero_copy(RECORDING, size=1 << 20, reuse=1).sentence == (
        "1 MiB of pinned memory, read once, coalesced: reading in place takes 66 % less time than copying first.")
    assert "both take the same time" in copy_or_zero_copy(RECORDING, reuse=16, pattern="random").sentence


@given(st.floats(0.01, 1e4), st.floats(0.01, 1e4))
def test_the_share_is_that_of_the_times_shown(in_place, copied):
    answer = copy_or_zero_copy(example.recording(*example.reuse(in_place=(in_place,), copied=(copied,))), reuse=1)
    less, more = sorted((in_place, copied))
    share = re.search(r"takes (\d+) % less time", answer.sentence)
    if share:
        assert int(share[1]) >= 1 and -1e-9 < 1 - less / more - int(share[1]) / 100 < 0.01 + 1e-9
    else:
        assert less > 0.99 * more
    if less < more:
        first = "reading in place" if in_place < copied else "copying first"
        assert f": {first} takes " in answer.sentence


@pytest.mark.parametrize("size, reuse, sentence, remark", [
    (3 << 20, 5, "1 MiB of pinned memory, read 4 times", "3 MiB: not measured; the nearest is 1 MiB."),
    (1, 1000, "64 KiB of pinned memory, read 16 times", "1,000 reads: not measured; the nearest is 16 reads."),
    (1 << 20, 4, "1 MiB of pinned memory, read 4 times", "")])
def test_what_was_not_measured_gets_the_nearest_that_was_and_is_told(size, reuse, sentence, remark):
    answer = copy_or_zero_copy(RECORDING, size=size, reuse=reuse)
    assert answer.sentence.startswith(sentence)
    assert remark in answer.remark if remark else "not measured" not in answer.remark


def test_from_how_many_reads_on_copying_first_pays_is_told():
    assert "From 8 reads on copying first takes clearly less time: the quartiles are apart." in copy_or_zero_copy(RECORDING, size=1 << 20).remark
    never = copy_or_zero_copy(RECORDING, size=1 << 16)
    assert "Up to 16 reads copying first never takes clearly less time." in never.remark


def test_device_and_date_are_told():
    assert "Recorded: Example GPU, 2001-02-03." in copy_or_zero_copy(RECORDING, reuse=1).remark


def test_the_picture_has_the_two_times_and_says_the_sentence_to_a_screen_reader():
    answer = copy_or_zero_copy(RECORDING, size=1 << 20, reuse=8)
    assert "8 ms" in answer.picture and "5 ms" in answer.picture
    assert f'aria-label="{answer.sentence}"' in answer.picture and f"<title>{answer.sentence}</title>" in answer.picture
    assert re.findall(r'fill="(?!none|#0072B2|#D55E00|currentColor)', answer.picture) == []


def test_the_axes_stay_where_they_are_whatever_is_chosen():
    answers = [copy_or_zero_copy(RECORDING, size=size, reuse=reuse) for size, reuse in ((1 << 16, 1), (1 << 20, 8))]
    first, second = ([line for line in re.findall('<text [^>]*>[^<]*</text>', answer.picture) if "bold" not in line] for answer in answers)
    assert first == second and any("ms" in line for line in first)


five_times = st.lists(st.floats(1e-3, 1e3), min_size=5, max_size=5)


@given(five_times, five_times)
def test_nothing_is_drawn_outside_of_the_picture(in_place, copied):
    answer = copy_or_zero_copy(example.recording(*example.reuse(in_place=in_place, copied=copied)), reuse=4)
    width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', answer.picture).groups())
    for axis, most in (("x", width), ("y", height)):
        places = re.findall(rf' (?:c{axis}|{axis}[12]?)="(-?[\d.]+)"', answer.picture)
        assert places and all(0 <= float(place) <= most for place in places)
    points = [pair.split(",") for line in re.findall(r'points="([^"]+)"', answer.picture) for pair in line.split()]
    assert len(points) == 10 and all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in points)


# -- the widget --------------------------------------------------------------------------------------------------------

def test_only_what_was_measured_can_be_chosen():
    size, reuse, pattern, _ = copy_or_zero_copy(RECORDING).children
    assert [value for _, value in size.options] == [1 << 16, 1 << 20, 1 << 24]
    assert [text for text, _ in reuse.options] == ["1", "2", "4", "8", "16"]
    assert list(pattern.options) == ["coalesced", "random"]


def test_the_answer_follows_every_control_and_is_what_the_plain_call_gives():
    panel = copy_or_zero_copy(RECORDING)
    size, reuse, pattern, _ = panel.children
    for control, value in ((size, 1 << 20), (reuse, 8), (pattern, "random"), (reuse, 1)):
        control.value = value
        plain = copy_or_zero_copy(RECORDING, size=size.value, reuse=reuse.value, pattern=pattern.value)
        assert plain.sentence in text_of(panel) and plain.remark in text_of(panel)


def test_a_size_that_one_pattern_lacks_is_told():
    panel = copy_or_zero_copy(RECORDING)
    panel.children[2].value = "random"
    assert "64 KiB: not measured; the nearest is 16 MiB." in text_of(panel)


def test_it_is_quick_enough_to_follow_every_press():
    panel = copy_or_zero_copy(RECORDING)
    start = time.process_time()      # of this process: what else runs on the machine does not count
    for _ in range(10):
        for _, value in panel.children[1].options:
            panel.children[1].value = value
    assert (time.process_time() - start) / 50 < 0.1


def test_it_can_be_stored_and_needs_no_context():
    panel = copy_or_zero_copy(RECORDING)
    assert isinstance(panel, widgets.VBox)
    assert repr(panel) == ("An explorer, for a running notebook. Without widgets: "
                           "explorers.copy_or_zero_copy(recording, size=1 << 16)")


@pytest.mark.parametrize("given", [{"recording": RECORDING}, {"recording": recorded("H200")}, {}])
def test_the_call_without_widgets_answers_from_the_same_source(given):
    panel = copy_or_zero_copy(**given)
    call = repr(panel).partition("Without widgets: ")[2]
    answer = eval(call, {"explorers": explorers} | given)
    source = re.search(r"Recorded: .*$", answer.remark)[0]
    assert len(repr(panel)) <= 110 and source in text_of(panel) and "not measured" not in answer.remark


# -- without data, with wrong ones -------------------------------------------------------------------------------------

def test_without_a_recording_there_is_a_sentence(no_recordings):
    assert "no recording" in repr(copy_or_zero_copy(reuse=4)) and "no recording" in text_of(copy_or_zero_copy())


def test_a_recording_without_this_experiment_gives_the_sentence_too():
    assert "nothing to show" in repr(copy_or_zero_copy(example.recording(*example.sweep()), reuse=4))
    assert "nothing to show" in text_of(copy_or_zero_copy(example.recording(*example.sweep())))


@pytest.mark.parametrize("arguments, words", [
    ({"size": 0}, "above 0"), ({"reuse": -1}, "above 0"), ({"size": float("nan")}, "above 0"),
    ({"reuse": float("inf")}, "above 0"), ({"size": "1 MiB"}, "above 0"), ({"reuse": True}, "above 0"),
    ({"pattern": "diagonal"}, "coalesced, strided, random"),
    ({"recording": "h200.json"}, "bandwidth.load"), ({"recording": 42}, "int")])
def test_wrong_arguments_are_refused_with_what_there_is(arguments, words):
    with pytest.raises(WrongArgument, match=words):
        copy_or_zero_copy(**{"recording": RECORDING, "reuse": 1, **arguments})
