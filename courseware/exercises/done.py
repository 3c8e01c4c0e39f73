"""What a record says of each lesson: of the learner who is here (progress.py), or of one of a class (grading/)."""
import functools
from dataclasses import dataclass

from ..course import LESSONS, Lesson
from .catalogue import EXERCISES


@dataclass(frozen=True)
class Done:
    """What is done of one lesson."""

    lesson: Lesson
    asked: tuple        # the names of its predictions
    predicted: dict     # of these made before their cell ran: {name: whether it was right}
    solved: list        # exercises
    open: list          # exercises not solved yet
    hints: int          # that were given

    @property
    def right(self):
        """How many predictions were right."""
        return sum(self.predicted.values())


def done(predictions, exercises):
    """{topic: Done} of every lesson, in order. predictions, exercises: parts of a record, {name: fields}"""
    return {lesson.topic: _done(lesson, predictions, exercises) for lesson in LESSONS}


def _done(lesson, predictions, exercises):
    here = [exercise for exercise in EXERCISES.values() if exercise.lesson == lesson.topic]
    solved = [exercise for exercise in here if exercises.get(exercise.id, {}).get("solved")]
    given = {name: predictions[name] for name in _asked(lesson) if "answer" in predictions.get(name, {})}
    return Done(lesson, _asked(lesson), {name: entry.get("right", False) for name, entry in given.items() if not entry.get("after")},
                solved, [exercise for exercise in here if exercise not in solved],
                sum(exercises.get(exercise.id, {}).get("hints", 0) for exercise in here))


@functools.cache
def _asked(lesson):
    return tuple(lesson.read("predictions.toml"))
