"""The exam: its table is sound, and widget and plain call do the same."""
import sys

from course_lib import exercises
from course_lib.exercises.exam_questions import QUESTIONS
from course_lib.exercises.lessons.titles import TITLES
from course_lib.notebook.progress_file import record

import ipywidgets as widgets
import pytest

RIGHT = " ".join(f"{number}{'abcdef'[question.options.index(question.right)]}"
                 for number, question in enumerate(QUESTIONS, 1))


def test_there_are_eight_to_ten_questions_over_all_lessons():
    assert 8 <= len(QUESTIONS) <= 10 and {question.lesson for question in QUESTIONS} == set(TITLES)
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_a_question_has_one_right_option_among_three_or_more(question):
    assert len(set(question.options)) == len(question.options) >= 3 and question.right in question.options


def test_the_right_option_is_not_always_at_the_same_place():
    assert len({question.options.index(question.right) for question in QUESTIONS}) >= 3


def test_right_answers_are_marked_and_kept(said):
    exercises.exam(RIGHT)
    assert f"{len(QUESTIONS)} of {len(QUESTIONS)} answers are right." in said()
    assert all(entry["right"] for entry in record().part("exam").values())


def test_a_wrong_answer_names_the_lesson_and_not_the_answer(said):
    wrong = next(letter for letter in "abc" if f"1{letter}" not in RIGHT.split())
    exercises.exam(f"1{wrong}")
    text = said()
    assert "Look again at lesson 00" in text and "9 questions are left" in text and QUESTIONS[0].because not in text


@pytest.mark.parametrize("answers, says", [
    ("", "Nothing was answered"), ("hello", "Nothing was answered"), (12, "Nothing was answered"),
    ("11a", "There is no question 11"), ("1z", "no option z: its options are a to c"),
])
def test_answers_that_cannot_be_get_a_sentence(answers, says, said):
    exercises.exam(answers)
    assert says in said()


def test_the_widget_does_the_same(monkeypatch):
    shown = []
    monkeypatch.setattr(sys.modules["course_lib.exercises.exam"], "show",
                        lambda text, widget: shown.append((text, widget)))
    exercises.exam()
    [(text, box)] = shown
    assert "1. A program has pinned memory" in text
    radios = [child for child in box.children if isinstance(child, widgets.ToggleButtons)]
    for radio, question in zip(radios, QUESTIONS):
        assert radio.value is None
        radio.value = question.right
    box.children[-2].click()
    assert "10 of 10 answers are right." in box.children[-1].value
