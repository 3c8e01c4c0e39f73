"""Exercises of kind "table": a dict from questions to answers. The solution says what is asked, and the words to choose
from."""
import re
from dataclasses import replace

from .exercise import Case

LINE = re.compile(r'^    "(?P<question>.+)": "(?P<answer>.+)",$', re.MULTILINE)


def completed(exercise):
    """The exercise with a Case for each question, and with its options: those of the solution, where it names none."""
    answers = {found["question"]: found["answer"] for found in LINE.finditer(exercise.solution)}
    options = exercise.options or tuple(dict.fromkeys(answers.values()))
    cases = tuple(Case(question, (question,), answer) for question, answer in answers.items())
    return replace(exercise, cases=cases, options=options, run=choice(options))


def choice(options):
    """The `run` of such an exercise: the option that was chosen for a question. How it is written does not count:
    "Sigsegv " is "SIGSEGV", and "CUDA_ERROR_INVALID_VALUE" is "INVALID_VALUE"."""
    meant = {_letters(option): option for option in options}

    def chosen(answer, question):
        word = answer[question]
        return meant.get(_letters(word), word) if isinstance(word, str) else word
    return chosen


def _letters(word):
    return re.sub(r"[^a-z]|^cudaerror", "", re.sub(r"[^a-z]", "", word.lower()))
