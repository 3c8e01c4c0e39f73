"""Exercises of kind "table": a dict from questions to answers. Its starter and cases come from the solution."""
import re

from ..exercise import Case

LINE = re.compile(r'^    "(?P<question>.+)": "(?P<answer>.+)",$', re.MULTILINE)


def starter_of(solution):
    """The solution with "?" in the place of each answer."""
    return LINE.sub(r'    "\g<question>": "?",', solution)


def cases_of(solution):
    """A Case for each question."""
    return tuple(Case(found["question"], (found["question"],), found["answer"]) for found in LINE.finditer(solution))


def options_of(solution):
    """The words to choose from, in the order in which the solution comes to them."""
    return tuple(dict.fromkeys(found["answer"] for found in LINE.finditer(solution)))


def look_up(answer, question):
    """The `run` of such an exercise, where an answer has to be written as the solution has it."""
    return answer[question]


def choice(options):
    """A `run` that is more lenient: the option that was chosen for a question. How it is written does not count:
    "Sigsegv " is "SIGSEGV", and "CUDA_ERROR_INVALID_VALUE" is "INVALID_VALUE"."""
    meant = {_letters(option): option for option in options}

    def chosen(answer, question):
        word = answer[question]
        return meant.get(_letters(word), word) if isinstance(word, str) else word
    return chosen


def _letters(word):
    return re.sub(r"[^a-z]|^cudaerror", "", re.sub(r"[^a-z]", "", word.lower()))
