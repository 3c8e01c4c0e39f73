"""Judge an answer: right, one of the named mistakes, or wrong in a way that can at least be told exactly.

Not here: whether it can be run at all (refusal.py), running it (attempt.py, sandboxed.py), and putting the verdict
under a cell (feedback.py).
"""
import functools
import textwrap
from dataclasses import dataclass

from .attempt import Attempt
from .refusal import refusal_of
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
    tried: bool = True              # False where the answer was not run: nothing was passed, or the wrong thing


def judge(exercise, answer):
    """The Verdict on an answer. Raises what makes running any answer impossible, such as a missing CUDA context."""
    if refusal := refusal_of(exercise, answer):
        return Verdict(False, refusal, tried=False)
    made, printed = attempts(exercise, answer)
    wrong = next((one for one in made if not one.right), None)
    counts = {"right": sum(one.right for one in made), "of": len(made), "hidden": sum(one.hidden for one in made),
              "printed": printed}
    if wrong is None:
        return Verdict(True, **counts)
    starter, *mistakes = _known(exercise)
    unfinished = _does_not_compile(wrong) and "..." in answer
    if unfinished or _alike(made, starter):
        remark = "This does what the starter does. Put your code in the place of the `...`"
        remark += ", see that it ends in a `return`" * (exercise.kind == "function")
        return Verdict(False, f"{remark}, run its cell, and check again.", tried=False, printed=printed)
    for mistake, theirs in zip(exercise.mistakes, mistakes):
        if _alike(made, theirs) or exercise.kind in ("table", "source") and _shares(wrong, theirs):
            return Verdict(False, mistake.message, mistake, wrong, **counts)
    return Verdict(False, _reason(exercise, made, wrong), None, wrong, **counts)


def _known(exercise):
    """What the starter and the mistakes come to: a list of lists of Attempt."""
    return _known_once(exercise.id) if exercise.sandboxed else _run_known(exercise)


@functools.lru_cache(maxsize=None)
def _known_once(exercise_id):
    """The same, kept: starting a process takes a second, and what comes out of it is the same each time."""
    from .table import EXERCISES
    return _run_known(EXERCISES[exercise_id])


def _run_known(exercise):
    answers = [exercise.answer(mistake.code) for mistake in exercise.mistakes]
    if exercise.kind in ("source", "order"):    # their starters do not run
        return [[], *attempts_of_all(exercise, answers)]
    return attempts_of_all(exercise, [exercise.answer(exercise.starter), *answers])


def _alike(made, theirs):
    return len(made) == len(theirs) and all(one.outcome.like(other.outcome) for one, other in zip(made, theirs))


def _shares(wrong, theirs):
    """True if a listed mistake goes wrong in the same way in this case, whatever the others come to: one question of a
    table, or a kernel's threads that race in some cases."""
    return any(other.what == wrong.what and not other.right and other.outcome.like(wrong.outcome) for other in theirs)


def _does_not_compile(attempt):
    return attempt.outcome.how == "raised" and attempt.outcome.value == "CompileError"


def _reason(exercise, made, wrong):
    """What is wrong with an answer that is no listed mistake."""
    outcome, name = wrong.outcome, exercise.name
    if outcome.how == "endless":
        return f"`{name}` does not end, or not in time: is there a loop that goes on for ever? ({wrong.what})"
    if outcome.how == "ended":
        return f"Your code did not survive: it was {outcome.text.strip()}"
    if _does_not_compile(wrong):
        return "It does not compile. The compiler says:\n\n" + textwrap.indent(outcome.text, "    ")
    if outcome.how == "raised" and exercise.kind == "source" and not outcome.value.startswith("CUDA_ERROR"):
        return f"The kernel cannot be launched as the check launches it: {outcome.text}"
    if outcome.how == "raised":
        return f"`{name}` raises {outcome.value} for this case: {wrong.what}.\n{outcome.text}"
    if exercise.kind == "table":
        return f"Not right yet: {wrong.what}."
    if exercise.kind == "order":
        return f"In this order it does not work: {outcome.value}."
    if all(one.outcome.how == "value" and one.outcome.value is None for one in made):
        return f"`{name}` returns None every time: does each way through it end in a `return`?"
    if wrong.hidden and all(one.right for one in made if not one.hidden):
        return f"Right for the examples, and wrong for other data: {wrong.what}. Look for what holds for any data."
    return f"Wrong for this case: {wrong.what}."
