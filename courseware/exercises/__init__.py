"""Exercises: statements, checks that name the mistake, hints and solutions.

    exercises.show("to-device")                 the statement, with buttons for hints and the solution
    exercises.starter("to-device")              the code to begin with
    exercises.check("to-device", to_device)     what is right, what is wrong, and what to do next
    exercises.hint("to-device")                 the first hint, then the second
    exercises.solution("to-device")             after the hints, or when asked twice
    exercises.yours("to-device")                your answer once it is solved; until then the course's solution
    exercises.require("to-device", to_device)   the same check, for graders: AssertionError unless it is solved
    exercises.exam()                            eight listings to predict, over all lessons

Each shows its answer under the cell. The exercises themselves are tables, one for each lesson (../lessons/), and an
answer is judged by what it does, not by how it is written (judge.py).
"""
from course_lib.core.errors import WrongArgument

from ..notebook.display import say
from . import actions, views
from .catalogue import EXERCISES, find
from .exam import exam
from .kinds import NOT_SOLVED

__all__ = ["EXERCISES", "check", "exam", "hint", "require", "show", "solution", "starter",
           "yours"]

_NOTHING = object()


def show(exercise_id):
    """Show an exercise. exercise_id: its name, such as "to-device"."""
    _with(exercise_id, views.show_exercise)


def starter(exercise_id):
    """Show the code to begin with: copy it into a cell, or begin anew with it."""
    _with(exercise_id, lambda exercise: say("Copy this into a cell:\n\n" + "\n".join(
        "    " + line for line in exercise.starter.strip("\n").splitlines())))


def check(exercise_id, answer=_NOTHING):
    """Check an answer, and show what is right, what is wrong, and what to do next.

    answer: what the exercise asks for: a function, a class, a dict, CUDA C++ source, or lines in order

    The answer is run on the examples of the statement and on other data. It may raise, print or never end: the check
    says so. Answers that might break CUDA for their process run in the sandbox.
    """
    def judged(exercise):
        if answer is _NOTHING:
            argument = exercise.answer_kind.argument(exercise)
            say(f"Say what is to be checked: `exercises.check({exercise.id!r}, {argument})`")
        else:
            say(*actions.check(exercise, answer))
    _with(exercise_id, judged)


def require(exercise_id, answer):
    """Check an answer as `check` does, for programs that grade notebooks: raises AssertionError unless it is solved."""
    text, solved = actions.check(find(exercise_id), answer)
    say(text, solved)
    assert solved, f"{exercise_id} is not solved"


def yours(exercise_id):
    """The answer that `check` found solved last, since the kernel was started; else the course's solution.

    So that a program can be built of answers, and go on where one is missing. It says which of the two it is. Raises
    WrongArgument where there is no such exercise.
    """
    exercise = find(exercise_id)
    if exercise.id in actions.solved_here:
        say(f"{exercise.id}: yours.", True)
        return actions.solved_here[exercise.id]
    say(f"{NOT_SOLVED} {exercise.id} since you opened this notebook: here is the course's solution.")
    return exercise.answer(exercise.solution)


def hint(exercise_id):
    """Show the next hint, after those that were shown before."""
    _with(exercise_id, lambda exercise: say(*actions.hint(exercise)))


def solution(exercise_id):
    """Show a solution: once the hints were shown or the exercise is solved, or when asked twice."""
    _with(exercise_id, lambda exercise: say(*actions.solution(exercise)))


def _with(exercise_id, action):
    """Do something with an exercise; where there is none of that name, say which there are."""
    try:
        exercise = find(exercise_id)
    except WrongArgument as error:
        say(str(error))
    else:
        action(exercise)
