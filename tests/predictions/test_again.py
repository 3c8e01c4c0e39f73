"""A missed prediction comes back at the end of a later lesson, until it is right."""
import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from courseware import progress
from courseware.course import LESSONS
from courseware.notebook.progress_file import record
from courseware.predictions import SESSION, Prediction, again, catalogue

import pytest

FIRST, SECOND = "views-two-numbers", "views-back-of-device"


@pytest.fixture(autouse=True)
def a_record(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "course-progress.json"))
    SESSION.observed.clear()
    SESSION.shown.clear()
    record.cache_clear()
    yield
    record.cache_clear()


def miss(name, answer, observed):
    """Predict wrongly, in the cells of a lesson."""
    prediction = Prediction(catalogue.question(name), SESSION)
    prediction.answer(answer)
    prediction.compare(observed)


@pytest.fixture
def two_missed():
    miss(FIRST, "different", True)
    miss(SECOND, "that number again", "the null pointer")


@pytest.fixture
def end_of_lesson(monkeypatch):
    """``end_of_lesson("pinned")``: what the end of a lesson asks, as (text, the buttons by option, the line below them)."""
    def ask(topic):
        shown = []
        monkeypatch.setattr(again, "display", lambda text, widget: shown.append((text, widget)))
        again.show(topic)
        if not shown:
            return None
        (text, widget), = shown
        _, row, status = widget.children
        return text, {button.description[2:]: button for button in row.children if hasattr(button, "description")}, status
    return ask


def test_a_question_comes_back_in_a_later_lesson_and_not_in_its_own(two_missed, end_of_lesson):
    assert end_of_lesson("views") is None
    text, buttons, _ = end_of_lesson("pinned")
    assert text.startswith("A question of lesson 00 comes back: A pinned array has an address") and list(buttons)[:2] == ["equal", "different"]


@pytest.mark.parametrize("answer, verdict, then", [("equal", "Right.", [SECOND]), ("different", "Not right.", [SECOND, FIRST])])
def test_a_right_answer_ends_it_and_after_a_wrong_one_others_come_first(two_missed, end_of_lesson, answer, verdict, then):
    _, buttons, status = end_of_lesson("pinned")
    buttons[answer].value = True
    assert f"<b>{verdict}</b>" in status.value and "Observed in lesson 00: equal" in status.value
    assert ("each numbered their own memory" in status.value) == (verdict == "Not right.")
    assert again.missed("bandwidth") == then
    assert record().entry("predictions", FIRST)["answer"] == "different"    # the first answer stays


def test_what_was_right_or_never_answered_does_not_come_back(end_of_lesson):
    miss(FIRST, "equal", True)
    assert again.missed("pinned") == [] and end_of_lesson("pinned") is None


def test_an_answer_is_judged_by_what_the_learner_s_own_run_observed(end_of_lesson):
    miss(FIRST, "equal", False)
    _, buttons, status = end_of_lesson("pinned")
    buttons["different"].value = True
    assert "<b>Right.</b>" in status.value


def test_the_end_of_a_lesson_asks_and_asks_nobody_where_there_is_no_learner(two_missed, end_of_lesson, monkeypatch):
    ends = []
    monkeypatch.setattr(again, "show", ends.append)
    progress.lesson("pinned")
    assert ends == ["pinned"]
    monkeypatch.undo()
    monkeypatch.setenv("COURSE_PROGRESS", "off")
    assert end_of_lesson("pinned") is None


def test_a_question_with_what_only_its_run_knew_comes_back_in_words_that_need_none_of_it(end_of_lesson):
    miss("devices-without-access", "about 400 GB/s", 40)
    text, buttons, _ = end_of_lesson(LESSONS[-1].topic)
    assert "With peer access it reaches nearly 400 GB/s" in text and "{" not in text and list(buttons)[:2] == ["about 400 GB/s", "about 200 GB/s"]


def test_other_words_are_others_and_whole():
    asked_again = {name: words for name, words in catalogue.PREDICTIONS.items() if "again" in words}
    assert len(asked_again) > 50
    for name, words in asked_again.items():
        assert words["again"] != words["question"] and "{" not in words["again"] and words["again"][-1] in ".?:", name
