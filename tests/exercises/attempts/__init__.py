"""Attempts at the exercises, right and wrong, with what a good teacher would say to each.

A module for each lesson, by its topic, has nothing but data: what is neither a listed mistake of the exercise, which
../test_table.py tries, nor one of the small slips that `mutants` makes out of the solutions. `python -m
tests.exercises.attempts` prints how many there are and how they are judged, and those that are judged wrongly. The tests are
in ../test_attempts.py.
"""
from dataclasses import dataclass

from courseware.exercises.catalogue import changed

__all__ = ["Attempt", "change", "right", "wrong"]


@dataclass(frozen=True)
class Change:
    """The solution, with some texts in the place of others."""

    pairs: tuple        # of (text of the solution, what stands in its place)

    def of(self, solution):
        """The changed code."""
        return changed(solution, [text for pair in self.pairs for text in pair])


def change(*texts):
    """``change("<", "<=", "16", "4096")``: the solution with each first text replaced by the one after it."""
    return Change(tuple(zip(texts[::2], texts[1::2])))


@dataclass(frozen=True)
class Attempt:
    """One attempt."""

    why: str            # whose it is: "a loop in the place of a comprehension"
    code: object        # what the learner wrote; or a Change of the solution
    says: str | None    # of a wrong one: what the feedback has to contain, "" where no more is known than that it is wrong

    def answer(self, exercise):
        """What is passed to `check`."""
        code = self.code.of(exercise.solution) if isinstance(self.code, Change) else self.code
        return exercise.answer(code) if isinstance(code, str) else code


def right(why, code):
    """An attempt that solves the exercise."""
    return Attempt(why, code, None)


def wrong(why, says, code):
    """An attempt that does not, and what it is told."""
    return Attempt(why, code, says)
