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
from ..notebook.progress_file import content

# A spreadsheet takes a text that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def columns():
    """Yield (heading, function that gives a learner's number): totals first, then lesson by lesson, in the course's order."""
    nobody = done({}, {})
    yield f"points of {_points(EXERCISES.values())}", lambda learner: sum(_points(done.solved) for done in learner.done.values())
    yield f"solved of {len(EXERCISES)}", lambda learner: sum(len(done.solved) for done in learner.done.values())
    yield "solved after the solution", lambda learner: sum(learner.state(name) == "shown" for name in EXERCISES)
    yield (f"predicted of {sum(len(done.asked) for done in nobody.values())}",
           lambda learner: sum(len(done.predicted) for done in learner.done.values()))
    yield "predicted right", lambda learner: sum(done.right for done in learner.done.values())
    yield (f"exam right of {SIZE}",     # the best sitting
           lambda learner: max((right for right, _ in results(learner.record["exam"]).values()), default=""))
    for topic, empty in nobody.items():
        label = empty.lesson.label
        if empty.open:
            yield f"{label} points of {_points(empty.open)}", lambda learner, topic=topic: _points(learner.done[topic].solved)
        if empty.asked:
            yield f"{label} predicted of {len(empty.asked)}", lambda learner, topic=topic: len(learner.done[topic].predicted)
            yield f"{label} predicted right", lambda learner, topic=topic: learner.done[topic].right


def _points(exercises):
    return sum(exercise.minutes for exercise in exercises)


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
        owner = next((learner for learner in left
                      if known & {learner.name.casefold(), f"participant {learner.number}", learner.number or None}), None)
        if owner:
            left.remove(owner)
        rows.append([*cells, *(number(owner) if owner else "" for number in numbers)])
    rows += [[*[learner.name, learner.number, *("" for _ in head)][:len(head)], *(number(learner) for number in numbers)]
             for learner in left]
    lines = io.StringIO(newline="")
    csv.writer(lines).writerows([_harmless(cell) for cell in row] for row in [[*head, *headings], *rows])
    write_own(path, lines.getvalue())
    return [learner.name for learner in left] if class_list else []


def _read(class_list):
    """The lines of a CSV file, the heading first, all of its length."""
    try:
        head, *lines = csv.reader(io.StringIO(content(class_list).decode("utf-8-sig"), newline=""))
    except (ValueError, csv.Error) as error:    # an empty file, other encodings
        raise WrongArgument(f"{class_list} is not a CSV file in UTF-8, with a heading ({error})") from None
    return [head, *([*line, *("" for _ in head)][:len(head)] for line in lines if any(line))]


def _harmless(cell):
    """A cell that no spreadsheet calculates: it may come from a file that somebody wrote by hand."""
    return "'" + cell if isinstance(cell, str) and len(cell) > 1 and cell.startswith(FORMULA) else cell
