"""Every exercise of the course, by its id: the one table that checks, hints, progress and tests read."""
import difflib
import importlib

from course_lib.core.errors import WrongArgument

from .titles import TITLES

EXERCISES = {exercise.id: exercise for lesson in TITLES
             for exercise in importlib.import_module(f".lesson{lesson}", __name__).EXERCISES}


def find(exercise_id):
    """The Exercise of an id. Raises WrongArgument, naming those that it could have been."""
    if isinstance(exercise_id, str) and exercise_id in EXERCISES:
        return EXERCISES[exercise_id]
    near = difflib.get_close_matches(str(exercise_id), EXERCISES, n=3, cutoff=0.6)
    raise WrongArgument(f"There is no exercise {exercise_id!r}. "
                        + (f"Did you mean {' or '.join(map(repr, near))}?" if near else
                           f"There are: {', '.join(EXERCISES)}."))
