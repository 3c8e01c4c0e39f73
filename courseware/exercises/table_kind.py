"""Exercises of kind "table": a dict from questions to answers. The solution says what is asked, and the words to choose
from."""
import re
from dataclasses import replace

from .exercise import Case

LINE = re.compile(r'^    "(?P<question>.+)": "(?P<answer>.+)",$', re.MULTILINE)


def completed(exercise):
    """The exercise with a Case for each question, and with its options: those of the solution, where it names none."""
    answers = {line["question"]: line["answer"] for line in LINE.finditer(exercise.solution)}
    options = exercise.options or tuple(dict.fromkeys(answers.values()))
    cases = tuple(Case(question, (question,), answer) for question, answer in answers.items())
    open_ones = {question: answers[question] for question in exercise.judged}
    return replace(exercise, cases=cases, options=options, run=choice(options, open_ones))


def choice(options, open_ones=None):
    """The `run` of such an exercise: the option that was chosen for a question. How it is written does not count:
    "Sigsegv " is "SIGSEGV", and "CUDA_ERROR_INVALID_VALUE" is "INVALID_VALUE". Of a question in `open_ones`, which has
    no right answer, any option counts as the one that is kept there."""
    def chosen(answer, question):
        word = option_of(options, answer[question])
        return (open_ones or {}).get(question, word) if word in options else word
    return chosen


def option_of(options, word):
    """The option that a word means, or the word itself."""
    meant = {_letters(option): option for option in options}
    return meant.get(_letters(word), word) if isinstance(word, str) else word


def replies(exercise, answer):
    """What is said of the judgements in an answer, one text for each question that has no right answer."""
    return [f'"{question}": you say {option_of(exercise.options, answer[question])}. '
            + reply_to[option_of(exercise.options, answer[question])] for question, reply_to in exercise.judged.items()]


def _letters(word):
    return re.sub(r"[^a-z]|^cudaerror", "", re.sub(r"[^a-z]", "", word.lower()))
