"""Judge an answer: right, one of the named mistakes, or wrong in a way that can at least be told exactly.

Not here: the kinds of answers, and which of them cannot be run at all (kinds.py), running them (attempt.py,
sandboxed.py), and putting the verdict under a cell (feedback.py).
"""
import functools
import re
import textwrap
from dataclasses import dataclass

from .attempt import Attempt
from .sandboxed import attempts, attempts_of_all


@dataclass(frozen=True)
class Verdict:
    """What came of an answer. `solved`; else `reason`, and where it shows, `example`."""

    solved: bool
    reason: str = ""
    mistake: object = None          # the Mistake, where it is a known one
    example: Attempt | None = None  # the first case that is wrong
    right: int = 0                  # number of cases
    of: int = 0
    hidden: int = 0                 # of these, not in the statement
    printed: str = ""
    tried: bool = True              # False where nothing was run: no answer, the wrong thing, or the starter


def judge(exercise, answer):
    """The Verdict on an answer. Raises what makes running any answer impossible, such as a missing CUDA context."""
    if refusal := exercise.answer_kind.refusal(exercise, answer):
        return Verdict(False, refusal, tried=False)
    made, printed = attempts(exercise, answer)
    wrong = next((one for one in made if not one.right), None)
    counts = {"right": sum(one.right for one in made), "of": len(made), "hidden": sum(one.hidden for one in made),
              "printed": printed}
    if wrong is None:
        return Verdict(True, **counts)
    for mistake, theirs in zip(exercise.mistakes, _known(exercise)):
        if _alike(made, theirs) or exercise.answer_kind.told_by_one_case and _shares(wrong, theirs):
            return Verdict(False, mistake.message, mistake, wrong, **counts)
    return Verdict(False, _reason(exercise, answer, made, wrong), None, wrong, **counts)


def _known(exercise):
    """What the listed mistakes come to: a list of lists of Attempt."""
    return _known_once(exercise.id) if exercise.sandboxed else _run_known(exercise)


@functools.cache
def _known_once(exercise_id):
    """The same, kept: starting a process takes a second, and what comes out of it is the same each time."""
    from .lessons import EXERCISES
    return _run_known(EXERCISES[exercise_id])


def _run_known(exercise):
    return attempts_of_all(exercise, [exercise.answer(mistake.code) for mistake in exercise.mistakes])


def _alike(made, theirs):
    return len(made) == len(theirs) and all(one.outcome.like(other.outcome) for one, other in zip(made, theirs))


def _shares(wrong, theirs):
    """True if a listed mistake goes wrong in the same way in this case, whatever the others come to: one question of a
    table, or a kernel's threads that race in some cases."""
    return any(other.what == wrong.what and not other.right and other.outcome.like(wrong.outcome) for other in theirs)


def _does_not_compile(attempt):
    return attempt.outcome.how == "raised" and attempt.outcome.value == "CompileError"


def _reason(exercise, answer, made, wrong):
    """What is wrong with an answer that is no listed mistake."""
    outcome, name = wrong.outcome, exercise.name
    if outcome.how == "endless":
        return f"`{name}` does not end, or not in time: is there a loop that goes on for ever? ({wrong.what})"
    if outcome.how == "ended":
        return f"Your code did not survive: it was {outcome.text.strip()}"
    if _does_not_compile(wrong):
        left = re.search(r"^\s*\.\.\.", answer, re.MULTILINE)
        still = "A `...` of the starter still stands there. " if left else ""
        return f"{still}It does not compile. The compiler says:\n\n" + textwrap.indent(outcome.text, "    ")
    if reason := exercise.answer_kind.reason(wrong):
        return reason
    if outcome.how == "raised":
        return f"`{name}` raises {outcome.value} for this case: {wrong.what}.\n{outcome.text}"
    if all(one.outcome.how == "value" and one.outcome.value is None for one in made):
        return (f"`{name}` returns None every time: does each way through it end in a `return` with a value? "
                "(A list's own `sort` and `append` return None.)")
    if wrong.hidden and all(one.right for one in made if not one.hidden):
        return f"Right for the examples, and wrong for other data: {wrong.what}. Look for what holds for any data."
    return f"Wrong for this case: {wrong.what}."
