"""Every exercise of the course, by its id: the one table that checks, hints, progress and tests read.

The lessons are found by the course's table, as plug-ins are: each may have an exercises.py in its folder, with a table
EXERCISES, and an exercises.toml, with what they say. Starters, solutions, and mistakes that are whole programs are
files in folders beside these. The code of a lesson's exercises is imported when somebody asks for them: a notebook
needs one lesson's, and that of all took 0.2 of the 0.45 seconds in which a notebook imports the course.
"""
import difflib
import functools
import importlib
import re
from collections import ChainMap
from collections.abc import Mapping
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
    near = difflib.get_close_matches(str(exercise_id), EXERCISES)
    raise WrongArgument(f"There is no exercise {exercise_id!r}. "
                        + (f"Did you mean {' or '.join(map(repr, near))}?" if near else
                           f"There are: {', '.join(EXERCISES)}."))


def of_lesson(lesson_):
    """{id: Exercise} of a Lesson, those that a teacher has added among them."""
    added = {id_: exercise for id_, exercise in OWN.items() if exercise.lesson == lesson_.topic}
    return _of_the_course(lesson_) | added


def module_of(lesson_):
    """The name of the module with the code of a Lesson's exercises."""
    return f"courseware.lessons.{lesson_.folder.name}.exercises"


@functools.cache
def _of_the_course(lesson_):
    words = _words(lesson_)
    if not words:
        return {}
    module = importlib.import_module(module_of(lesson_))
    exercises = {exercise.id: exercise for exercise in module.EXERCISES}
    if unknown := words.keys() - exercises.keys():
        raise ValueError(f"{lesson_.folder}/exercises.py has no exercise {min(unknown)!r}, exercises.toml has")
    return {id_: _in_full(replace(exercises[id_], lesson=lesson_.topic), words[id_]) for id_ in words}


@functools.cache
def _words(lesson_):
    """What a lesson's exercises.toml says: {id: table}."""
    return lesson_.read("exercises.toml")


@functools.cache
def _lessons():
    """{id: Lesson} of every exercise of the course."""
    return {id_: lesson_ for lesson_ in LESSONS for id_ in _words(lesson_)}


class _OfTheCourse(Mapping):
    """{id: Exercise}, lesson by lesson. Which there are the files say; code is imported for those that are asked
    for."""

    def __getitem__(self, id_):
        return _of_the_course(_lessons()[id_])[id_]

    def __iter__(self):
        return iter(_lessons())

    def __len__(self):
        return len(_lessons())


OWN = {}    # those that a teacher adds: `EXERCISES["locked-pages"] = Exercise(...)`
EXERCISES = ChainMap(OWN, _OfTheCourse())


def _in_full(exercise, words):
    """The exercise with its words, which are a table of exercises.toml, with its starter and its solution, and with
    code for each of its mistakes; where it is a table, with its cases."""
    fields = {name: tuple(text) if isinstance(text, list) else text for name, text in words.items()}
    worded = replace(exercise, **fields)
    if worded.kind == "order":
        starter, solution = "...", " ".join(worded.lines)
    else:
        file = worded.id.replace("-", "_") + SUFFIX.get(worded.kind, ".py")
        starter, solution = _read(worded, "starters", file), _read(worded, "solutions", file)
    whole = replace(worded, starter=starter, solution=solution)
    whole = replace(whole, mistakes=tuple(_mistake(whole, mistake) for mistake in words["mistakes"]))
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
    """The code with each text replaced by the one that follows it: ``["<", "<=", "16", "4096"]``. Raises ValueError
    where it has no such text."""
    for right, wrong in zip(texts[::2], texts[1::2]):
        if right not in code:
            raise ValueError(f"the solution has no {right!r}")
        code = code.replace(right, wrong)
    return code


def _read(exercise, folder, file):
    return (lesson(exercise.lesson).folder / folder / file).read_text("utf-8")
