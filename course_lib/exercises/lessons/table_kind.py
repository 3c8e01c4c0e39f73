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


def look_up(answer, question):
    """The `run` of such an exercise."""
    return answer[question]
