"""The gradebook of a class: CSV, a row for each learner, columns by lesson. A learning platform's import takes it.

Points are those of the assignments for nbgrader: the minutes of the exercises that are solved.
"""
import csv
import io

from course_lib.core.errors import WrongArgument

from course_files import write_own

from ..exercises.catalogue import EXERCISES
from ..exercises.done import done
from ..exercises.exam_sitting import SIZE, results

# A spreadsheet takes a text that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def columns():
    """Yield (heading, function that gives a learner's number): totals first, then lesson by lesson, in the course's order."""
    nobody = done({}, {})
    yield f"points of {_points(EXERCISES.values())}", lambda one: sum(_points(done.solved) for done in one.done.values())
    yield f"solved of {len(EXERCISES)}", lambda one: sum(len(done.solved) for done in one.done.values())
    yield "solved after the solution", lambda one: sum(one.state(name) == "shown" for name in EXERCISES)
    yield (f"predicted of {sum(len(done.asked) for done in nobody.values())}",
           lambda one: sum(len(done.predicted) for done in one.done.values()))
    yield "predicted right", lambda one: sum(done.right for done in one.done.values())
    yield f"exam right of {SIZE}", lambda one: max((right for right, _ in results(one.record["exam"]).values()), default="")    # the best
    for topic, empty in nobody.items():
        label = empty.lesson.label
        if empty.open:
            yield f"{label} points of {_points(empty.open)}", lambda one, topic=topic: _points(one.done[topic].solved)
        if empty.asked:
            yield f"{label} predicted of {len(empty.asked)}", lambda one, topic=topic: len(one.done[topic].predicted)
            yield f"{label} predicted right", lambda one, topic=topic: one.done[topic].right


def _points(exercises):
    return sum(one.minutes for one in exercises)


def write(learners, path, class_list=None):
    """Write the gradebook into a file.

    class_list: a CSV file with a line for each learner, as a platform exports it. Its columns then stand for the learner, and
                its lines in their order; any cell may find the record: a name, a user name, an address, Moodle's number

    Returns the names of learners that are not in the list. Raises OSError or WrongArgument where it cannot be read, and NotOurs for
    a file that is no gradebook, or that somebody has written into.
    """
    headings, numbers = zip(*columns())
    head, *listed = _read(class_list) if class_list else [["learner", "number in Moodle"]]
    rows, left = [], list(learners)
    for cells in listed:
        known = {cell.strip().casefold() for cell in cells}
        found = next((one for one in left if known & {one.name.casefold(), f"participant {one.number}", one.number or None}), None)
        if found:
            left.remove(found)
        rows.append([*cells, *(number(found) if found else "" for number in numbers)])
    rows += [[*[one.name, one.number, *("" for _ in head)][:len(head)], *(number(one) for number in numbers)] for one in left]
    lines = io.StringIO(newline="")
    csv.writer(lines).writerows([_harmless(cell) for cell in one] for one in [[*head, *headings], *rows])
    write_own(path, lines.getvalue())
    return [one.name for one in left] if class_list else []


def _read(class_list):
    """The lines of a CSV file, the heading first, all of its length."""
    try:
        with open(class_list, encoding="utf-8-sig", newline="") as file:
            head, *lines = csv.reader(file)
    except (ValueError, csv.Error) as error:    # an empty file, other encodings
        raise WrongArgument(f"{class_list} is not a CSV file in UTF-8, with a heading ({error})") from None
    return [head, *([*line, *("" for _ in head)][:len(head)] for line in lines if any(line))]


def _harmless(cell):
    """A cell that no spreadsheet calculates: it may come from a file that somebody wrote by hand."""
    return "'" + cell if isinstance(cell, str) and len(cell) > 1 and cell.startswith(FORMULA) else cell
