"""What a record says of one lesson: its exercises and predictions. Of the learner who is here, or of one of a class."""
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


def done(lesson, predictions, exercises):
    """The Done of a lesson. predictions, exercises: parts of a record, {name: fields}"""
    given = {name: predictions.get(name, {}) for name in asked(lesson)}
    solved, still, hints = [], [], 0
    for one in EXERCISES.values():
        if one.lesson == lesson.topic:
            kept = exercises.get(one.id, {})
            (solved if kept.get("solved") else still).append(one)
            hints += kept.get("hints", 0)
    return Done(lesson, asked(lesson), {name: entry.get("right", False) for name, entry in given.items()
                                        if "answer" in entry and not entry.get("after")}, solved, still, hints)


def all_done(predictions, exercises):
    """{topic: Done} of every lesson, in order."""
    return {one.topic: done(one, predictions, exercises) for one in LESSONS}


@functools.cache
def asked(lesson):
    """The names of a lesson's predictions."""
    return tuple(lesson.read("predictions.toml"))
