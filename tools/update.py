"""Write the tables of documents that follow from the lessons: `make update`. `python tools/update.py --check` only names stale ones.

A table stands between two comments of its document, which name what it is made of:

    <!-- from the lessons: times -->
    ...
    <!-- end -->

Whoever adds a lesson, an exercise or a listing changes its folder and its notebook, and runs this. Not here: what a table is about;
that is the document's.
"""
import functools
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.core.tables import markdown  # noqa: E402
from courseware.course import LESSONS, WAYS, by_way  # noqa: E402
from courseware.exercises.__main__ import minutes_of_lessons, times  # noqa: E402
from courseware.exercises.catalogue import EXERCISES  # noqa: E402
from courseware.exercises.listing import LISTINGS  # noqa: E402

from course_files import NotOurs, write_whole  # noqa: E402

DERIVED = re.compile(r"(?s)<!-- from the lessons: ([\w ]+) -->(.*?)<!-- end -->")
ROAD_FIRST = sorted(LESSONS, key=lambda lesson: not lesson.number)
DOCUMENTS = ("README.md", "docs/teachers-guide.md")
OTHERS = "The other lessons, and side trips"


def minutes_of_each(before):
    """How many minutes each notebook takes."""
    head, _, *rows = map(_cells, times().splitlines())
    return _table(rows, head)


@functools.cache
def minutes():
    """{file name of a notebook: how many minutes it takes}."""
    return {lesson.notebook: counted for lesson, counted, _ in minutes_of_lessons()}


def minutes_of(lesson):
    """What makes the minutes that a lesson takes."""
    return lambda before: str(minutes()[lesson.notebook])


def exercises(before):
    """Every exercise in a row for teachers, lesson by lesson."""
    rows = [(f"`{exercise.id}`", lesson.number or lesson.title, exercise.minutes, exercise.tests, exercise.slips)
            for lesson in LESSONS for exercise in EXERCISES.values() if exercise.lesson == lesson.topic]
    return _table(rows, ("exercise", "in", "minutes", "what it tests", "common mistakes"))


def sessions(before):
    """A plan of sessions with the minutes of their notebooks. before: the plan, whose last column is made anew

    A row names lessons by their numbers and side trips by their titles, or those that no row names by "and the other side trips".
    """
    takes = minutes()
    head, _, *rows = map(_cells, before.strip().splitlines())
    rows = [(title, notebooks, notebooks.split(", ")) for title, notebooks, _ in rows]
    others = {lesson.title for lesson in LESSONS if not lesson.number}.difference(*(names for _, _, names in rows))

    def minutes_together(names):
        chosen = {*names, *(others if "and the other side trips" in names else ())}
        return sum(takes[lesson.notebook] for lesson in LESSONS if (lesson.number or lesson.title) in chosen)
    return _table([(title, notebooks, minutes_together(names)) for title, notebooks, names in rows], head)


def objectives(before):
    """What a learner can do after each lesson that says so."""
    return "\n\n".join(f"**{lesson.heading}**\n\n" + "\n".join(f"- {objective}" for objective in lesson.objectives)
                       for lesson in ROAD_FIRST if lesson.objectives)


@functools.cache
def questions():
    """{file name of a notebook: the question that lesson 00's plan has for it}."""
    cells = json.loads((ROOT / "notebooks" / LESSONS[0].notebook).read_text("utf-8"))["cells"]
    plan = next(text for text in ("".join(cell["source"]) for cell in cells) if "| its question |" in text)
    rows = re.findall(r"^\| (?:\*\*.*?\*\*|\[.*?\]\((.*?)\)) \| (.*) \|$", plan, re.MULTILINE)
    return {notebook or LESSONS[0].notebook: question for notebook, question in rows}


def links(chosen, before):
    """Lessons as a list of links, each with its question.

    before: the list as it was. Links to Google Colab (tools/publish.py) stay in it
    """
    colab = dict(re.findall(r"\(notebooks/([\w/]+\.ipynb)\).*?( · \[Colab\]\(\S+\))$", before, re.MULTILINE))
    return "\n".join(f"- [{f'{lesson.number} {lesson.title}'.strip()}](notebooks/{lesson.notebook}): {questions()[lesson.notebook]}"
                     f"{colab.get(lesson.notebook, '')}" for lesson in chosen)


def lessons_on(way):
    """What makes the list of a way's lessons."""
    return lambda before: links(dict(by_way())[way.title], before)


def others(before):
    """The lessons that are on neither way, and the side trips, in a fold."""
    (_, lessons), (title, side_trips) = by_way()[len(WAYS):]
    return (f"<details><summary>{OTHERS}</summary>\n\n{links(lessons, before)}\n\n{title}:\n\n{links(side_trips, before)}\n\n"
            "</details>")


def answers(column):
    """How many answers a GPU gave (column 1), or how many of them the simulated one does not (2)."""
    def counted(before):
        page = (ROOT / "packages" / "cuda-simulator" / "docs" / "simulated-driver.md").read_text("utf-8")
        return re.search(r"^\| [\d,]+ questions, .*? \| ([\d,]+) answers \| [\d,]+ \| ([\d,]+) \|", page, re.MULTILINE)[column]
    return counted


MADE_OF = {"times": minutes_of_each, "sessions": sessions, "exercises": exercises, "objectives": objectives,
           **{f"lessons {way.name}": lessons_on(way) for way in WAYS}, "other lessons": others,
           **{f"minutes of {lesson.number}": minutes_of(lesson) for lesson in LESSONS if lesson.number},
           "answers": answers(1), "other answers": answers(2), "number of listings": lambda before: str(len(LISTINGS))}


def updated(text):
    """A document's text, with each table as it follows from the lessons now. Raises KeyError for one that nothing makes."""
    def made_anew(match):
        name, before = match.groups()
        table = MADE_OF[name](before)
        if "\n" in before:
            table = f"\n\n{table}\n\n" if table else "\n"
        return f"<!-- from the lessons: {name} -->{table}<!-- end -->"
    return DERIVED.sub(made_anew, text)


def _table(rows, head):
    return re.sub(r"(?m)^\|( --- \|)+$", lambda line: line[0].replace(" ", ""), markdown(rows, head, aligned=False))


def _cells(row):
    return [text.strip() for text in row.strip("| ").split("|")]


def main(arguments):
    """Write what is stale, or with --check name it; returns the exit status, or a sentence that says what went wrong."""
    if set(arguments) - {"--check"}:
        return __doc__
    stale = [path for path in map(ROOT.joinpath, DOCUMENTS) if updated(path.read_text("utf-8")) != path.read_text("utf-8")]
    for path in stale:
        print(path.relative_to(ROOT))
        if "--check" not in arguments:
            try:
                write_whole(path, updated(path.read_text("utf-8")))
            except (NotOurs, OSError) as error:
                return str(error)
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
