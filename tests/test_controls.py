"""Controls of the course's widgets."""
import re
from pathlib import Path

from courseware.notebook import controls, display
from courseware.predictions.controls import AnswerControls

import pytest

ROOT = Path(controls.__file__).parent.parent


@pytest.mark.parametrize("progress, is_there", [("off", False), ("course-progress.json", True)])
def test_a_widget_is_there_for_a_learner_and_not_in_a_notebook_that_is_kept(monkeypatch, progress, is_there):
    monkeypatch.setenv("COURSE_PROGRESS", progress)
    bundle = display.bundle("equal", "<p>equal</p>", controls.choice(["equal", "different"]))
    assert {"text/plain", "text/html"} == bundle.keys() - {display.WIDGET} and (display.WIDGET in bundle) == is_there


def test_one_of_several_is_chosen_or_none_at_first():
    assert controls.choice(["equal", "different"]).value is None
    assert controls.choice([("one", 1), ("two", 2)], 2).value == 2


def test_what_is_no_option_cannot_be_chosen():
    with pytest.raises(ValueError, match="'three' is not among"):
        controls.choice(["one", "two"]).value = "three"


def buttons(choice):
    return [child for child in choice.children if hasattr(child, "tooltip") and hasattr(child, "disabled")]


def test_the_button_that_is_chosen_says_so_in_its_text_and_no_other_does():
    choice = controls.choice(["equal", "different"])
    assert [button.description for button in buttons(choice)] == ["○ equal", "○ different"]
    for chosen in (0, 1, 1):
        buttons(choice)[chosen].value = True    # as a press does
        assert choice.value == choice.options[chosen]
        assert ["●" in button.description for button in buttons(choice)] == [button.value for button in buttons(choice)]
        assert [button.value for button in buttons(choice)].index(True) == chosen


def test_who_presses_the_chosen_one_again_has_chosen_it_still():
    choice = controls.choice(["equal", "different"], "equal")
    buttons(choice)[0].value = False            # as a press does
    assert choice.value == "equal" and buttons(choice)[0].value


def test_what_is_chosen_is_said_before_the_buttons_and_with_each():
    choice = controls.choice(["0", "3"], description="line 1")
    assert choice.children[0].value == "line 1"
    assert [button.tooltip for button in buttons(choice)] == ["line 1"] * 2


def test_all_of_it_can_be_turned_off():
    choice = controls.choice(["0", "3"])
    choice.disabled = True
    assert all(button.disabled for button in buttons(choice))


@pytest.fixture
def answers():
    return []


@pytest.fixture
def question(answers):
    """A question with two options, which notes every answer."""
    return AnswerControls("<b>Are they equal?</b>", ["equal", "different"], "", answers.append)


def test_what_is_asked_stands_above_the_buttons_and_what_is_said_to_an_answer_below(question):
    question.say("Kept.")
    lead, _, status = question.widget.children
    assert "Are they equal?" in lead.value and status.value == "Kept."


def test_a_press_answers_a_question_once(question, answers):
    row = question.widget.children[1]
    buttons(row)[1].value = True
    assert answers == ["different"]
    question.show_answered("different")
    buttons(row)[1].value = False       # a second press
    assert answers == ["different"] and row.value == "different" and buttons(row)[1].value


def test_a_button_has_no_backticks_and_its_answer_has(answers):
    row = AnswerControls("", ["`x`", "y"], "", answers.append).widget.children[1]
    assert [button.description[2:] for button in buttons(row)] == ["x", "y"]
    buttons(row)[0].value = True
    assert answers == ["`x`"]


def test_after_the_answer_the_other_buttons_are_locked_and_the_one_that_has_the_focus_is_not(question):
    row = question.widget.children[1]
    assert [button.disabled for button in buttons(row)] == [False, False]
    question.show_answered("different")
    assert [button.disabled for button in buttons(row)] == [True, False]
    assert [button.description for button in buttons(row)] == ["○ equal", "● different"]


def test_a_number_is_typed_or_sent_with_ok_and_then_stays(answers):
    question = AnswerControls("", None, "a number, in GB/s", answers.append)
    entry, ok = question.widget.children[1].children
    assert entry.description == "a number, in GB/s"
    ok.click()
    entry.value = "12"
    assert answers == ["", "12"]
    question.show_answered("12")
    entry.value = "13"
    ok.click()
    assert answers == ["", "12"] and entry.value == "12"


def test_no_widget_has_controls_that_jupyterlab_keeps_the_arrow_keys_from_or_that_tell_a_screen_reader_too_little():
    pattern = r"widgets\.(RadioButtons|Dropdown|Select|SelectMultiple|Combobox|ToggleButtons|\w*Slider)\b"
    used = {path.name: kinds for path in ROOT.rglob("*.py") if (kinds := re.findall(pattern, path.read_text()))}
    assert used == {"views.py": ["Select"]}    # with buttons beside it that do the same, and say what they did
