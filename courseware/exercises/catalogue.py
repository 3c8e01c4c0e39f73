"""Every exercise of the course, by its id: the one table that checks, hints, progress and tests read.

The lessons are found by the course's table, as plug-ins are: each may have an exercises.py in its folder, with a table
EXERCISES. What such a table leaves to files is read here: starters, solutions, and mistakes that are whole programs.
"""
import difflib
import importlib
from dataclasses import replace

from course_lib.core.errors import WrongArgument

from ..course import LESSONS, lesson
from . import table_kind
from .exercise import Change, Instead, Program

SUFFIX = {"source": ".cu"}      # of the files of a kind; of all others .py


def add(exercise):
    """Add an Exercise of one's own for as long as the process lasts: its lesson, starter and solution are given.

    exercise: an Exercise with an id that the course does not use
    """
    EXERCISES[exercise.id] = _in_full(exercise)


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
    for one in LESSONS:
        if (one.folder / "exercises.py").exists():
            module = importlib.import_module(f"courseware.lessons.{one.folder.name}.exercises")
            for exercise in module.EXERCISES:
                yield _in_full(_with_code(replace(exercise, lesson=one.topic)))


def _with_code(exercise):
    """The exercise with its starter and its solution."""
    if exercise.kind == "order":
        return replace(exercise, starter="...", solution=" ".join(exercise.lines))
    file = exercise.id.replace("-", "_") + SUFFIX.get(exercise.kind, ".py")
    return replace(exercise, starter=_read(exercise, "starters", file), solution=_read(exercise, "solutions", file))


def _in_full(exercise):
    """The exercise with code for each of its mistakes; where it is a table, with its cases."""
    mistakes = tuple(replace(one, code=_code(exercise, one.code), also=tuple(_code(exercise, way) for way in one.also))
                     for one in exercise.mistakes)
    made = replace(exercise, mistakes=mistakes)
    return table_kind.completed(made) if made.kind == "table" else made


def _code(exercise, way):
    """What somebody writes who makes a mistake in this way."""
    if isinstance(way, (Change, Instead)):
        return way.of(exercise.solution)
    return _read(exercise, "mistakes", way.file) if isinstance(way, Program) else way


def _read(exercise, folder, file):
    return (lesson(exercise.lesson).folder / folder / file).read_text("utf-8")


EXERCISES = {exercise.id: exercise for exercise in _exercises()}
