"""Answers that cannot be tried: of the wrong type, with other parameters, or with lines that are not there.

Not here: what is wrong with those that can (judge.py).
"""
import inspect
import re

from .exercise import KINDS


def refusal_of(exercise, answer):
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


def _article(answer):
    name = "nothing" if answer is None else type(answer).__name__
    return name if answer is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
