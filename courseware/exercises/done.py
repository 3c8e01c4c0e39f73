"""What a record says of each lesson: of the learner who is here (progress.py), or of one of a class (grading/)."""
import functools
from dataclasses import dataclass

from ..course import LESSONS, Lesson
from .catalogue import of_lesson


@dataclass(frozen=True)
class LessonProgress:
    """What is done of one lesson."""

    lesson: Lesson
    predictions: tuple  # their names
    predicted: dict     # of these made before their cell ran: {name: whether it was right}
    solved: list        # exercises
    open: list          # exercises not solved yet
    hints: int          # that were given

    @property
    def right(self):
        """How many predictions were right."""
        return sum(self.predicted.values())


def done(predictions, exercises):
    """{topic: LessonProgress} of every lesson, in order. predictions, exercises: parts of a record, {name: fields}"""
    return {lesson.topic: done_of(lesson, predictions, exercises) for lesson in LESSONS}


def done_of(lesson, predictions, exercises):
    """The LessonProgress of one lesson."""
    names = _asked(lesson)
    entries = {name: predictions[name] for name in names if "answer" in predictions.get(name, {})}
    predicted = {name: entry.get("right", False) for name, entry in entries.items() if not entry.get("after")}
    solved, still_open, hints = [], [], 0
    for exercise in of_lesson(lesson).values():
        entry = exercises.get(exercise.id, {})
        (solved if entry.get("solved") else still_open).append(exercise)
        hints += entry.get("hints", 0)
    return LessonProgress(lesson, names, predicted, solved, still_open, hints)


@functools.cache
def _asked(lesson):
    return tuple(lesson.read("predictions.toml"))
