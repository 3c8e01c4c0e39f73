"""The gradebook of a class: CSV, a row for each learner, columns by lesson. A learning platform's import takes it.

Points are those of the assignments for nbgrader: the minutes of the exercises that are solved.
"""
import csv

from course_lib.core.errors import WrongArgument

from ..course import LESSONS
from ..exercises.catalogue import EXERCISES
from .class_records import ASKED, OF_LESSON

# A spreadsheet takes a text that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def headings():
    """The names of the columns behind the learner's: totals first, then lesson by lesson, in the course's order."""
    found = [f"points of {sum(one.minutes for one in EXERCISES.values())}", f"solved of {len(EXERCISES)}",
             "solved after the solution", f"predicted of {sum(map(len, ASKED.values()))}", "predicted right", "exam right of 8"]
    for one in LESSONS:
        minutes = sum(exercise.minutes for exercise in OF_LESSON[one.topic])
        found += [f"{one.label} points of {minutes}"] if minutes else []
        found += [f"{one.label} predicted of {len(ASKED[one.topic])}", f"{one.label} predicted right"] if ASKED[one.topic] else []
    return found


def row(learner):
    """A learner's numbers, below `headings`. Of several sittings of the exam the best counts; "" without one."""
    states = [learner.state(name) for name in EXERCISES]
    predicted = {one.topic: learner.predicted(one.topic) for one in LESSONS}
    found = [sum(learner.points(one.topic) for one in LESSONS), states.count("solved") + states.count("shown"),
             states.count("shown"), sum(map(len, predicted.values())), sum(sum(one.values()) for one in predicted.values()),
             max((right for right, _ in learner.sittings().values()), default="")]
    for one in LESSONS:
        found += [learner.points(one.topic)] if OF_LESSON[one.topic] else []
        found += [len(predicted[one.topic]), sum(predicted[one.topic].values())] if ASKED[one.topic] else []
    return found


def write(learners, path, class_list=None):
    """Write the gradebook into a file.

    class_list: a CSV file with a line for each learner, as a platform exports it. Its columns then stand for the learner, and
                its lines in their order; any cell may find the record: a name, a user name, an address, Moodle's number

    Returns the names of learners that are not in the list. Raises OSError or WrongArgument where it cannot be read.
    """
    head, listed = _read(class_list) if class_list else (["learner", "number in Moodle"], [])
    rows, left = [], list(learners)
    for cells in listed:
        known = {cell.strip().casefold() for cell in cells}
        found = next((one for one in left if known & _called(one)), None)
        if found:
            left.remove(found)
        rows.append([*cells, *(row(found) if found else ("" for _ in headings()))])
    rows += [[*[one.name, one.number, *("" for _ in head)][:len(head)], *row(one)] for one in left]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*head, *headings()])
        writer.writerows([_harmless(cell) for cell in one] for one in rows)
    return [one.name for one in left] if class_list else []


def _read(class_list):
    """(the heading, the lines below it) of a CSV file, all of one length."""
    try:
        with open(class_list, encoding="utf-8-sig", newline="") as file:
            head, *lines = csv.reader(file)
    except (ValueError, csv.Error) as error:    # an empty file, other encodings
        raise WrongArgument(f"{class_list} is not a CSV file in UTF-8, with a heading ({error})") from None
    return head, [[*line, *("" for _ in head)][:len(head)] for line in lines if any(line)]


def _called(learner):
    number = {learner.number, f"participant {learner.number}"} if learner.number else set()
    return {learner.name.casefold(), *number}


def _harmless(cell):
    """A cell that no spreadsheet calculates: it may come from a file that somebody wrote by hand."""
    return "'" + cell if isinstance(cell, str) and len(cell) > 1 and cell.startswith(FORMULA) else cell
