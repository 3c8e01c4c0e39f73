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
    """Yield (heading, function that gives a learner's number): totals first, then by lesson, in the course's order."""
    nothing_done = done({}, {})
    predictions = sum(len(lesson.predictions) for lesson in nothing_done.values())
    yield f"points of {_points(EXERCISES.values())}", _over_lessons(lambda lesson: _points(lesson.solved))
    yield f"solved of {len(EXERCISES)}", _over_lessons(lambda lesson: len(lesson.solved))
    yield "solved after the solution", lambda learner: sum(learner.state(name) == "shown" for name in EXERCISES)
    yield f"predicted of {predictions}", _over_lessons(lambda lesson: len(lesson.predicted))
    yield "predicted right", _over_lessons(lambda lesson: lesson.right)
    yield f"exam right of {SIZE}", _best_sitting
    for topic, lesson in nothing_done.items():
        label = lesson.lesson.label
        yield (f"{label} points of {_points(lesson.open)}",
               lambda learner, topic=topic: _points(learner.done[topic].solved))
        yield (f"{label} predicted of {len(lesson.predictions)}",
               lambda learner, topic=topic: len(learner.done[topic].predicted))
        yield f"{label} predicted right", lambda learner, topic=topic: learner.done[topic].right


def _over_lessons(number):
    """A function that gives a learner's sum over all lessons. number: a function of what is Done of a lesson"""
    return lambda learner: sum(map(number, learner.done.values()))


def _best_sitting(learner):
    """How many listings were right in a learner's best sitting of the exam; "" without one."""
    return max((right for right, _ in results(learner.record["exam"]).values()), default="")


def _points(exercises):
    return sum(exercise.minutes for exercise in exercises)


def write(learners, path, class_list=None):
    """Write the gradebook into a file.

    class_list: a CSV file with a line for each learner, as a platform exports it. Its columns then stand for the
                learner, and its lines in their order; any cell may find the record: a name, a user name, an address,
                Moodle's number

    Returns the names of learners that are not in the list. Raises OSError or WrongArgument where it cannot be read, and
    NotOurs for a file that is no gradebook, or that somebody has written into.
    """
    headings, numbers = zip(*columns())
    head, *lines = _read(class_list) if class_list else [["learner", "number in Moodle"]]
    rows, not_listed = [[*head, *headings]], list(learners)
    for cells in lines:
        owner = _owner(cells, not_listed)
        if owner:
            not_listed.remove(owner)
        rows.append([*cells, *(number(owner) if owner else "" for number in numbers)])
    for learner in not_listed:
        cells = _as_long_as([learner.name, learner.number], head)
        rows.append([*cells, *(number(learner) for number in numbers)])
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_harmless(cell) for cell in row] for row in rows)
    write_own(path, text.getvalue())
    return [learner.name for learner in not_listed] if class_list else []


def _owner(cells, learners):
    """The learner whom a line of a class list is about; None where its record is not there."""
    texts = {cell.strip().casefold() for cell in cells}
    for learner in learners:
        if texts & {learner.name.casefold(), f"participant {learner.number}", learner.number or None}:
            return learner
    return None


def _as_long_as(cells, head):
    """Cells, cut or filled up to the length of the heading."""
    return [*cells, *("" for _ in head)][:len(head)]


def _read(class_list):
    """The lines of a CSV file, the heading first, all of its length."""
    try:
        head, *lines = csv.reader(io.StringIO(content(class_list).decode("utf-8-sig"), newline=""))
    except (ValueError, csv.Error) as error:    # an empty file, other encodings
        raise WrongArgument(f"{class_list} is not a CSV file in UTF-8, with a heading ({error})") from None
    return [head, *(_as_long_as(line, head) for line in lines if any(line))]


def _harmless(cell):
    """A cell that no spreadsheet calculates: it may come from a file that somebody wrote by hand."""
    is_formula = isinstance(cell, str) and len(cell) > 1 and cell.startswith(FORMULA)
    return f"'{cell}" if is_formula else cell
