"""Every exercise of the course, by its id: the one table that checks, hints, progress and tests read."""
import difflib

from ...core.errors import WrongArgument
from . import lesson00, lesson01, lesson02, lesson03, lesson04, lesson05, lesson06, lesson07, lesson08, lesson10

EXERCISES = {exercise.id: exercise
             for lesson in (lesson00, lesson01, lesson02, lesson03, lesson04, lesson05, lesson06, lesson07, lesson08,
                            lesson10)
             for exercise in lesson.EXERCISES}


def find(exercise_id):
    """The Exercise of an id. Raises WrongArgument, naming those that it could have been."""
    if isinstance(exercise_id, str) and exercise_id in EXERCISES:
        return EXERCISES[exercise_id]
    near = difflib.get_close_matches(str(exercise_id), EXERCISES, n=3, cutoff=0.6)
    raise WrongArgument(f"There is no exercise {exercise_id!r}. "
                        + (f"Did you mean {' or '.join(map(repr, near))}?" if near else
                           f"There are: {', '.join(EXERCISES)}."))
