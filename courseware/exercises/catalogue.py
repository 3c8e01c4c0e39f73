"""Every exercise of the course, by its id: the one table that checks, hints, progress and tests read.

The lessons are found by the course's table, as plug-ins are: each may have an exercises.py in its folder, with a table
EXERCISES, and an exercises.toml, with what they say. Starters, solutions, and mistakes that are whole programs are files
in folders beside these.
"""
import difflib
import importlib
import re
from dataclasses import replace

from course_lib.core.errors import WrongArgument

from ..course import LESSONS, lesson
from . import table_kind
from .exercise import Mistake

SUFFIX = {"source": ".cu"}      # of the files of a kind; of all others .py


def find(exercise_id):
    """The Exercise of an id. Raises WrongArgument, naming those that it could have been."""
    if isinstance(exercise_id, str) and exercise_id in EXERCISES:
        return EXERCISES[exercise_id]
    near = difflib.get_close_matches(str(exercise_id), EXERCISES, n=3, cutoff=0.6)
    raise WrongArgument(f"There is no exercise {exercise_id!r}. "
                        + (f"Did you mean {' or '.join(map(repr, near))}?" if near else
                           f"There are: {', '.join(EXERCISES)}."))


def _exercises():
    """Yield each Exercise, lesson by lesson."""
    for lesson_ in LESSONS:
        words = lesson_.read("exercises.toml")
        if words:
            module = importlib.import_module(f"courseware.lessons.{lesson_.folder.name}.exercises")
            for exercise in module.EXERCISES:
                yield _in_full(replace(exercise, lesson=lesson_.topic), words.pop(exercise.id))
            if words:
                unknown = next(iter(words))
                raise ValueError(f"{lesson_.folder}/exercises.py has no exercise {unknown!r}, exercises.toml has")


def _in_full(exercise, words):
    """The exercise with its words, which are a table of exercises.toml, with its starter and its solution, and with code
    for each of its mistakes; where it is a table, with its cases."""
    mistakes = words.pop("mistakes")
    fields = {name: tuple(text) if isinstance(text, list) else text for name, text in words.items()}
    worded = replace(exercise, **fields)
    if worded.kind == "order":
        starter, solution = "...", " ".join(worded.lines)
    else:
        file = worded.id.replace("-", "_") + SUFFIX.get(worded.kind, ".py")
        starter, solution = _read(worded, "starters", file), _read(worded, "solutions", file)
    whole = replace(worded, starter=starter, solution=solution)
    whole = replace(whole, mistakes=tuple(_mistake(whole, mistake) for mistake in mistakes))
    return table_kind.completed(whole) if whole.kind == "table" else whole


def _mistake(exercise, table):
    """The Mistake of a table in exercises.toml."""
    others = tuple(code_of(exercise, way) for way in table.get("also", ()))
    return Mistake(code_of(exercise, table), table["message"], others, table.get("seen", ""))


def code_of(exercise, way):
    """What somebody writes. `way`, of a mistake in exercises.toml or of an attempt in attempts.toml, has one of

    change:  texts of the solution, each followed by what stands in its place
    body:    code in the place of the solution's, below the line with which its first function or class begins
    instead: code in the place of the solution's, below the lines that stand above its first function: its imports
    file:    in the lesson's mistakes/, a whole program
    code:    a whole answer
    """
    if "change" in way:
        return changed(exercise.solution, way["change"])
    if "instead" in way:
        imports = re.split(r"^(?=def |class )", exercise.solution, maxsplit=1, flags=re.MULTILINE)[0]
        return f"{imports.rstrip()}\n\n{way['instead']}"
    if "body" in way:
        head = re.match(r"(?s).*?^(?:def|class) .*?\n", exercise.solution, flags=re.MULTILINE)[0]
        return f"{head}{way['body']}\n"
    return _read(exercise, "mistakes", way["file"]) if "file" in way else way["code"]


def changed(code, texts):
    """The code with each text replaced by the one that follows it: ``["<", "<=", "16", "4096"]``. Raises ValueError where it
    has no such text."""
    for right, wrong in zip(texts[::2], texts[1::2]):
        if right not in code:
            raise ValueError(f"the solution has no {right!r}")
        code = code.replace(right, wrong)
    return code


def _read(exercise, folder, file):
    return (lesson(exercise.lesson).folder / folder / file).read_text("utf-8")


EXERCISES = {exercise.id: exercise for exercise in _exercises()}
