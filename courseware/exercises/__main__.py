"""The teacher's command: ``python -m courseware.exercises`` prints the exercises, as Markdown.

    python -m courseware.exercises                  every exercise: its lesson, title, minutes and kind
    python -m courseware.exercises to-device 04     all about an exercise, or those of a lesson, by its number or topic:
                                                    statement, hints, solution, and each known mistake with what the
                                                    learner is told
    python -m courseware.exercises exam             every listing of the exam's pool, with the right options
    python -m courseware.exercises times            how many minutes each notebook takes, by a count

It shows solutions at once and keeps no record. Not here: what a learner calls (__init__.py), and what has been solved
(../progress.py).
"""
import argparse
import difflib
import json
import re
import sys
from pathlib import Path

from course_lib.core.errors import WrongArgument
from course_lib.core.tables import markdown, text

from ..course import LESSONS, lesson
from .catalogue import EXERCISES, find
from .exam_sitting import SIZE
from .listing import LISTINGS, PRELUDE

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
NO_PROSE = re.compile(r"```.*?```|^\|.*?$", re.DOTALL | re.MULTILINE)      # code blocks and tables
SHOWN = re.compile(r'exercises\.show\("([^"]+)"\)')
# A cell that nobody has to read.
OF_AN_EXERCISE = re.compile(r"\bexercises\.(show|check|exam)\(|^progress\.", re.MULTILINE)
WORDS_A_MINUTE = 200
MINUTES_A_CELL = 1      # to predict, run, and compare
MINUTES_A_LISTING = 2   # of the exam
EXAM_MINUTES = SIZE * MINUTES_A_LISTING
EXAM_IN = "inverse"     # the lesson that ends with it


def overview():
    """Every exercise in one table, with the sum of their minutes."""
    rows = [(lesson(exercise.lesson).label, exercise.id, exercise.title, exercise.minutes, exercise.kind)
            for exercise in EXERCISES.values()]
    total = ("", "", f"{len(rows)} exercises", sum(exercise.minutes for exercise in EXERCISES.values()), "")
    return markdown([*rows, total], ("lesson", "id", "title", "minutes", "kind"))


def answer_to(name):
    """What a NAME stands for, as Markdown: see above. Raises WrongArgument for one that stands for nothing."""
    if name == "times":
        return times()
    if name == "exam":
        head = f"# Exam\n\n{SIZE} of these {len(LISTINGS)} listings are drawn for a learner. Each begins with"
        return "\n\n".join([head, fenced(PRELUDE, "python"), *map(listing_described, LISTINGS.values())])
    if name not in EXERCISES:
        topics = [lesson_.topic for lesson_ in LESSONS if name in (lesson_.number, lesson_.topic)]
        if topics:
            return "\n\n".join(described(exercise) for exercise in EXERCISES.values() if exercise.lesson in topics)
    return described(find(name))


def described(exercise):
    """One exercise: what the learner sees of it, the solution, and the mistakes that its check knows."""
    paragraphs = [f"# {exercise.id}: {exercise.title}",
                  f"In {lesson(exercise.lesson).mention}, about {exercise.minutes} minutes.",
                  exercise.statement.strip()]
    if exercise.lines:
        paragraphs.append(fenced(text(exercise.lines.items(), least=10, gap=1)))
    paragraphs += ["## Hints", *(f"{number}. {hint}" for number, hint in enumerate(exercise.hints, 1)),
                   "## Solution", fenced(exercise.solution), "## Mistakes that the check knows"]
    for number, mistake in enumerate(exercise.mistakes, 1):
        paragraphs += [f"{number}. {mistake.message}", fenced(changes(exercise.solution, mistake.code), "diff")]
    return "\n\n".join(paragraphs)


def listing_described(listing):
    """A listing of the exam, with its options; the right ones are marked, the others refuted."""
    paragraphs = [f"## {listing.id} ({lesson(listing.lesson).mention}: {listing.idea})",
                  fenced(listing.program, "python")]
    if listing.after:
        paragraphs.insert(1, f"Drawn only for learners who answered the prediction `{listing.after}`.")
    for place, line in enumerate(listing.lines, 1):
        verdicts = {option: f"{see.why} {see.link}" for option, see in line.wrong.items()}
        verdicts[line.right] = "**(right)**"
        options = "\n".join(f"- `{option}` {verdicts[option]}" for option in line.options)
        paragraphs.append(f"Line {place} prints\n\n{options}")
    return "\n\n".join(paragraphs)


def changes(solution, code):
    """What a mistake's code has in the place of the solution's, as lines of a diff."""
    compared = difflib.unified_diff(solution.strip().splitlines(), code.strip().splitlines(), lineterm="", n=0)
    return "\n".join(line for line in compared if not line.startswith(("---", "+++", "@@")))


def times(folder=NOTEBOOKS):
    """The minutes of each notebook in a folder, as the teacher's guide has them: to the nearest 5, the road first.

    Raises WrongArgument where there are no notebooks.
    """
    rows = []
    for lesson_, counted, to_solve in minutes_of_lessons(folder):
        link = f"[{lesson_.number} {lesson_.title}](../notebooks/{lesson_.notebook})".replace("[ ", "[")
        rows.append((link, counted, to_solve))
        if lesson_.topic == EXAM_IN:
            rows.append((f"the exam, in {lesson_.number}", EXAM_MINUTES, EXAM_MINUTES))
    if not rows:
        raise WrongArgument(f"There are no notebooks in {folder}: run this in a checkout of the course.")
    _, counted, to_solve = zip(*rows)
    total = "together", sum(counted), sum(to_solve)
    return markdown([*rows, total], ("notebook", "minutes", "its exercises alone"))


def minutes_of_lessons(folder=NOTEBOOKS):
    """[(Lesson, its minutes to the nearest 5, those of its exercises)] of the notebooks in a folder, the road first."""
    rows = []
    for lesson_ in sorted(LESSONS, key=lambda lesson_: not lesson_.number):
        path = Path(folder) / lesson_.notebook
        if path.exists():
            reading, running, solving = minutes(path)
            rows.append((lesson_, 5 * round((reading + running + solving) / 5), solving))
    return rows


def minutes(path):
    """(minutes to read, to run, to solve) of a notebook: its prose, its code cells and its exercises.

    A count, not a measurement of people: WORDS_A_MINUTE words of prose, MINUTES_A_CELL for a code cell, and for an
    exercise what the table of exercises says. Tables and code blocks in the prose are not counted, and neither is the
    exam, which is a sitting of its own.
    """
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    written = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    words = NO_PROSE.sub("", written).split()
    to_run = [cell for cell in code if not OF_AN_EXERCISE.search(cell)]
    exercises = SHOWN.findall("\n".join(code))
    to_solve = sum(find(exercise_id).minutes for exercise_id in exercises)
    return len(words) / WORDS_A_MINUTE, len(to_run) * MINUTES_A_CELL, to_solve


def fenced(code, language=""):
    """Code as Markdown."""
    return f"```{language}\n{code.strip()}\n```"


def main(arguments):
    """Print what the arguments ask for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m courseware.exercises", description="The exercises, for teachers.")
    parser.add_argument("names", metavar="NAME", nargs="*",
                        help="an exercise's id, a lesson's number or topic, exam, times; none for a table of all")
    names = parser.parse_args(arguments).names
    try:
        print("\n\n".join(map(answer_to, names)) if names else overview())
    except WrongArgument as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
