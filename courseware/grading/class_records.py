"""The records of a class: each checked when it is read, and looked at for what no notebook would have written."""
import functools
from dataclasses import dataclass

from ..course import LESSONS
from ..exercises.catalogue import EXERCISES
from ..exercises.done import done
from ..exercises.exam_sitting import SIZE, drawn_listings
from ..notebook.progress_file import checked
from . import collecting

NAMELESS = ("not read, whose is it? Put it into a folder with the learner's name, or name it so: "
            "ada-course-progress.json")


@dataclass(frozen=True)
class Learner:
    """One learner, as the record tells."""

    name: str           # as the place of the file tells it
    file: str           # within the folder
    record: dict        # part -> {name: fields}, checked
    doubts: tuple       # sentences: what a notebook would not have written
    number: str = ""    # of the participant, in Moodle

    @functools.cached_property
    def done(self):
        """{topic: LessonProgress} of every lesson, in order."""
        return done(self.record["predictions"], self.record["exercises"])

    def exercise(self, name):
        """The fields of an exercise; empty where it was not tried."""
        return self.record["exercises"].get(name, {})

    def state(self, name):
        """How an exercise stands: "solved", "shown" (solved after its solution was shown), "tried", or "open"."""
        entry = self.exercise(name)
        if entry.get("solved"):
            return "shown" if entry.get("solution") else "solved"
        return "tried" if entry.get("tries") else "open"


def begun(learners):
    """The lessons that somebody has begun, in the course's order."""
    topics = {topic for learner in learners for topic, lesson in learner.done.items() if lesson.predicted}
    tried = {name for learner in learners for name in learner.record["exercises"]}
    topics |= {exercise.lesson for name, exercise in EXERCISES.items() if name in tried}
    return [lesson for lesson in LESSONS if lesson.topic in topics]


def read_folder(place):
    """([Learner], [(file's name, why it was not read)]) of a folder or a .zip, by name; see collecting.py."""
    records_of, refused = {}, []
    for path, read in collecting.records(place):
        try:
            record = checked(read())
            records_of.setdefault(collecting.whose(path), []).append((path, record))
        except (ValueError, RecursionError) as error:
            refused.append(("/".join(path), f"not read, damaged, or not a record of the course ({error})"))
        except OSError as error:
            refused.append(("/".join(path), f"not read, {error.strerror or 'it cannot be opened'}"))
    learners = []
    for (learner, number), several in sorted(records_of.items()):
        files = ", ".join("/".join(path) for path, _ in several)
        record = collecting.joined(several)
        if not learner:
            refused.append((files, NAMELESS))
        elif record is None:
            refused.append((files, f"not read, all of them are {learner}'s. Leave the one that counts in the folder"))
        else:
            learners.append(Learner(learner, files, record, tuple(doubts(record)), number))
    return learners, refused


def doubts(record):
    """Yield what speaks against a record, in words. A changed answer that is changed well, nobody can tell."""
    for name, entry in record["exercises"].items():
        exercise = EXERCISES.get(name)
        if exercise is None:
            yield f"there is no exercise {name}"
            continue
        tries, hints = entry.get("tries", 0), entry.get("hints", 0)
        if entry.get("solved") and tries < 1:
            yield f"{name} is solved and was never tried"
        if tries < 0 or not 0 <= hints <= len(exercise.hints):
            yield f"{name} has {tries} tries and {hints} hints, of {len(exercise.hints)}"
        listed = {mistake.short for mistake in exercise.mistakes}
        if not listed.issuperset(entry.get("mistakes", ())):
            yield f"{name} has a mistake that the course does not know"
    for name, entry in record["predictions"].items():
        if "right" in entry and "answer" not in entry:
            yield f"the prediction {name} is marked and has no answer"
    for number, listings in drawn_listings(record["exam"]).items():
        if len(listings) > SIZE:
            yield f"sitting {number} of the exam has {len(listings)} listings, of {SIZE}"
