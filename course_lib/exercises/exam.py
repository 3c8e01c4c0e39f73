"""The exam: the questions of exam_questions.py, answered in a widget or by a plain call, and kept in the record."""
import re

import ipywidgets as widgets

from ..notebook.controls import choice
from ..notebook.display import message, paragraphs, say, show
from ..notebook.progress_file import record
from .exam_questions import QUESTIONS

LETTERS = "abcdef"

def exam(answers=None):
    """Show the exam; or hand in answers, as text: the number of each question with the letter of an option, "1b 2a".

    What is handed in is kept, and marked at once. Questions left out stay open, and an answer may be changed by
    handing it in again.
    """
    if answers is None:
        _show()
    else:
        say(*_hand_in_text(str(answers)))


def _show():
    lines, controls = ["Exam: ten questions over all lessons.", ""], []
    for number, question in enumerate(QUESTIONS, 1):
        lines += [f"{number}. {question.text}"]
        lines += [f"   {letter}) {option}" for letter, option in zip(LETTERS, question.options)]
        kept = record().entry("exam", question.id).get("answer")
        controls.append(choice(question.options, kept if kept in question.options else None, width="44em"))
    lines += ["", 'Hand in your answers in a cell: exercises.exam("1b 2a 3c")']
    below, button = widgets.HTML(), widgets.Button(description="Hand in")

    def clicked(_):
        given = {question.id: control.value for question, control in zip(QUESTIONS, controls) if control.value}
        said, good = _hand_in(given)
        below.value = message(said, good)
    button.on_click(clicked)
    heads = [widgets.HTML(f"<div style='line-height:1.5'>{paragraphs(f'{number}. {question.text}')}</div>")
             for number, question in enumerate(QUESTIONS, 1)]
    boxes = [part for pair in zip(heads, controls) for part in pair]
    show("\n".join(lines), widget=widgets.VBox([*boxes, button, below]))


def _hand_in_text(text):
    given = {}
    for number, letter in re.findall(r"(\d+)\s*([a-z])", text.lower()):
        if not 1 <= int(number) <= len(QUESTIONS):
            return f"There is no question {number}: they are numbered from 1 to {len(QUESTIONS)}.", None
        question = QUESTIONS[int(number) - 1]
        letters = LETTERS[:len(question.options)]
        if letter not in letters:
            return f"Question {number} has no option {letter}: its options are a to {letters[-1]}.", None
        given[question.id] = question.options[letters.index(letter)]
    return _hand_in(given)


def _hand_in(given):
    """Keep and mark answers: {question's id: option}. Returns (text, True, False or None)."""
    if not given:
        return 'Nothing was answered: choose options, or hand them in as text: `exercises.exam("1b 2a")`.', None
    parts, right = [], 0
    for number, question in enumerate(QUESTIONS, 1):
        if question.id in given:
            good = given[question.id] == question.right
            right += good
            record().update("exam", question.id, answer=given[question.id], right=good)
            parts.append(f"{number}. {'Right.' if good else f'Not so. Look again at lesson {question.lesson}.'} "
                         + question.because * good)
    head = f"{right} of {len(given)} answers are right." + (
        f" {len(QUESTIONS) - len(given)} questions are left." if len(given) < len(QUESTIONS) else "")
    return "\n\n".join([head, "\n".join(part.strip() for part in parts), *record().news()]), right == len(given)
