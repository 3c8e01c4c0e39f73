"""Attempts at the exercises, right and wrong, with what a good teacher would say to each.

The modules for the lessons (lesson00.py and so on), asking.py and races.py have nothing but data; `mutants` makes more out
of the solutions, by small slips. `python -m tests.exercises.attempts` prints how many there are and how they are judged, and those that are judged
wrongly. The tests are in ../test_attempts.py.
"""
from dataclasses import dataclass


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


@dataclass(frozen=True)
class Change:
    """The solution, with some texts in the place of others."""

    pairs: tuple

    def of(self, solution):
        """The changed code."""
        for old, new in self.pairs:
            if old not in solution:
                raise ValueError(f"the solution has no {old!r}")
            solution = solution.replace(old, new)
        return solution


def change(*texts):
    """``change("<", "<=", "16", "4096")``: the solution with each first text replaced by the one after it."""
    return Change(tuple(zip(texts[::2], texts[1::2])))


def right(why, code):
    """An attempt that solves the exercise."""
    return Attempt(why, code, None)


def wrong(why, says, code):
    """An attempt that does not, and what it is told."""
    return Attempt(why, code, says)
