"""Attempts at the exercises, right and wrong, with what a good teacher would say to each.

They are data: the attempts.toml of each lesson's folder. There is neither a listed mistake of an exercise, which ../test_table.py
tries, nor one of the small slips that `mutants` makes out of the solutions. `python -m tests.exercises.attempts` prints how many
there are and how they are judged, and those that are judged wrongly. The tests are in ../test_attempts.py.
"""
import functools
import re
from dataclasses import dataclass

from courseware.course import lesson
from courseware.exercises.catalogue import EXERCISES, code_of


@dataclass(frozen=True)
class Attempt:
    """One attempt."""

    why: str            # whose it is: "a loop in the place of a comprehension"
    answer: object      # what is passed to `check`
    says: str | None    # of a wrong one: what the feedback has to contain, "" where no more is known than that it is wrong
    breaks: str = ""    # of a wrong one: words of the statement, of which it breaks the sentence, and no other


@functools.cache
def written(name):
    """The attempts at an exercise that its lesson's attempts.toml has. name: the exercise's id"""
    exercise = EXERCISES[name]
    return [Attempt(table["why"], _answer(exercise, table), table.get("says"), table.get("breaks", ""))
            for table in _read(exercise.lesson).get(name, ())]


@functools.cache
def _read(topic):
    """A lesson's attempts.toml, which has those of all its exercises."""
    return lesson(topic).read("attempts.toml")


def sentences(exercise):
    """The sentences of an exercise's statement, without its examples and without how long the answer is."""
    parts = [part for part in exercise.statement.strip().split("\n\n") if not part.startswith("    ")]
    all_sentences = re.split(r"(?<=[.?!]) (?=[A-Z`])", " ".join(" ".join(parts).split()))
    return [sentence for sentence in all_sentences if not re.fullmatch(r"(About )?[\w -]+ lines?( (is|are) enough)?\.", sentence)]


def demands_nothing(exercise):
    """{the beginning of a sentence of the statement: why no attempt breaks it}, by its lesson's attempts.toml."""
    return _read(exercise.lesson).get("demands_nothing", {}).get(exercise.id, {})


def _answer(exercise, table):
    """What is passed to `check`. table: has `value`, the answer itself; `answers`, in the place of some of the solution's; or one of
    the ways in which a listed mistake is written as well (`code_of`)."""
    if "value" in table:
        return table["value"]
    if "answers" in table:
        return exercise.answer(exercise.solution) | table["answers"]
    return exercise.answer(code_of(exercise, table))
