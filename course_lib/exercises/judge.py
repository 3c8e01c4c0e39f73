"""Judge an answer: right, one of the named mistakes, or wrong in a way that can at least be told exactly.

Not here: running it (attempt.py), and putting the verdict under a cell (feedback.py).
"""
import functools
import inspect
import re
import textwrap
from dataclasses import dataclass

from .attempt import Attempt, attempts
from .exercise import KINDS


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
    if refusal := refused(exercise, answer):
        return Verdict(False, refusal, tried=False)
    made, printed = attempts(exercise, answer)
    wrong = next((one for one in made if not one.right), None)
    counts = {"right": sum(one.right for one in made), "of": len(made), "hidden": sum(one.hidden for one in made),
              "printed": printed}
    if wrong is None:
        return Verdict(True, **counts)
    if _alike(made, _known(exercise)[0]) or exercise.kind == "source" and "..." in answer:
        return Verdict(False, "This is still the starter: put your code in the place of the `...` and run its cell, "
                              "then check again.", tried=False, printed=printed)
    for mistake, theirs in zip(exercise.mistakes, _known(exercise)[1:]):
        if _alike(made, theirs) or exercise.kind in ("table", "source") and _shares(wrong, theirs):
            return Verdict(False, mistake.message, mistake, wrong, **counts)
    return Verdict(False, _reason(exercise, made, wrong), None, wrong, **counts)


def refused(exercise, answer):
    """The sentence for an answer of the wrong type; "" for one that can be tried."""
    call = f"`exercises.check({exercise.id!r}, {exercise.name})`"
    fits = {"function": callable(answer) and not isinstance(answer, type), "class": isinstance(answer, type),
            "table": isinstance(answer, dict), "source": isinstance(answer, str),
            "order": isinstance(answer, (str, list, tuple))}
    if not fits[exercise.kind]:
        if exercise.kind == "function":
            return (f"The check wants the function itself, without parentheses behind its name: {call}. It got "
                    f"{_article(answer)}.")
        return f"The check wants {KINDS[exercise.kind]}: {call}. It got {_article(answer)}."
    return {"function": _wrong_parameters, "table": _wrong_keys, "order": _wrong_lines}.get(
        exercise.kind, lambda *_: "")(exercise, answer)


def _wrong_parameters(exercise, answer):
    wanted = inspect.signature(exercise.answer(exercise.starter))
    try:
        theirs = inspect.signature(answer)
        theirs.bind(*wanted.parameters)
    except ValueError:      # a built-in without a signature
        return ""
    except TypeError:
        return (f"`{exercise.name}` is called with {len(wanted.parameters)} arguments, {wanted}, and yours takes "
                f"{theirs}: keep the starter's first line.")
    return ""


def _wrong_keys(exercise, answer):
    wanted = exercise.answer(exercise.starter)
    missing = [key for key in wanted if key not in answer]
    return f"`{exercise.name}` has no answer for {missing[0]!r}: keep the starter's questions." if missing else ""


def _wrong_lines(exercise, answer):
    names = order_of(answer)
    unknown = [name for name in names if name not in exercise.lines]
    missing = [name for name in exercise.lines if name not in names]
    twice = [name for name in names if names.count(name) > 1]
    if not names:
        return f"Say the lines in order, by their names: `exercises.check({exercise.id!r}, \"...\")`"
    if unknown:
        return f"There is no line {unknown[0]!r}: there are {', '.join(sorted(exercise.lines))}."
    if missing or twice:
        return f"The line {missing[0]!r} is missing." if missing else f"The line {twice[0]!r} comes more than once."
    return ""


def order_of(answer):
    """The names in an answer of kind "order": ``order_of("b, a c") -> ["b", "a", "c"]``."""
    return re.findall(r"[\w-]+", answer) if isinstance(answer, str) else [str(name) for name in answer]


@functools.lru_cache(maxsize=4)
def _known_in_the_sandbox(exercise_id):
    from .table import EXERCISES
    return _run_known(EXERCISES[exercise_id])


def _known(exercise):
    """What the starter and the mistakes come to: a list of lists of Attempt.

    In this process the cases may have other addresses at each check, so each check asks anew; that takes no time.
    Starting processes does, and what comes out of them has no addresses.
    """
    return _known_in_the_sandbox(exercise.id) if exercise.sandboxed else _run_known(exercise)


def _run_known(exercise):
    codes = [exercise.starter, *(mistake.code for mistake in exercise.mistakes)]
    if exercise.kind in ("source", "order"):    # their starters do not run
        return [[], *(attempts(exercise, code)[0] for code in codes[1:])]
    return [attempts(exercise, exercise.answer(code))[0] for code in codes]


def _alike(made, theirs):
    return len(made) == len(theirs) and all(one.outcome.like(other.outcome) for one, other in zip(made, theirs))


def _shares(wrong, theirs):
    """True if a listed mistake goes wrong in the same way in this case, whatever the others come to: one question of a
    table, or a kernel's threads that race in some cases."""
    return any(other.what == wrong.what and not other.right and other.outcome.like(wrong.outcome) for other in theirs)


def _reason(exercise, made, wrong):
    """What is wrong with an answer that is no listed mistake."""
    outcome, name = wrong.outcome, exercise.name
    if outcome.how == "endless":
        return f"`{name}` does not end, or not in time: is there a loop that goes on for ever? ({wrong.what})"
    if outcome.how == "ended":
        return f"Your code did not survive: it was {outcome.text.strip()}"
    if outcome.value == "CompileError":
        return "It does not compile. The compiler says:\n\n" + textwrap.indent(outcome.text, "    ")
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


def _article(answer):
    name = "nothing" if answer is None else type(answer).__name__
    return name if answer is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
