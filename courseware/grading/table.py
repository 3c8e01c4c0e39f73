"""The table of a class: CSV, a row for each learner and exercise, and one for each sitting of the exam."""
import csv

from ..exercises.catalogue import EXERCISES

HEADINGS = ("learner", "lesson", "exercise", "tries", "hints", "solution shown", "solved", "misconceptions met")
# A spreadsheet takes a text that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(learners):
    """The table's rows below HEADINGS, as texts."""
    for learner in learners:
        for exercise in EXERCISES.values():
            kept = learner.exercise(exercise.id)
            yield (learner.name, exercise.lesson, exercise.id, str(kept.get("tries", 0)), str(kept.get("hints", 0)),
                   _yes(kept.get("solution")), _yes(kept.get("solved")), "; ".join(kept.get("mistakes", ())))
        for number, (right, drawn) in learner.sittings().items():
            yield (learner.name, "exam", f"sitting {number}", "", "", "", f"{right} of {drawn}", "")


def write(learners, path):
    """Write the table into a file."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADINGS)
        writer.writerows([_harmless(text) for text in row] for row in rows(learners))


def _yes(value):
    return "yes" if value else "no"


def _harmless(text):
    """A text that no spreadsheet calculates: it may come from a file that somebody wrote by hand."""
    return "'" + text if text.startswith(FORMULA) else text
