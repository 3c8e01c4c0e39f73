"""The notebooks as one course: in order, each leading to the next, with exercises that are the table's."""
import json
import re

from courseware.exercises.lessons import EXERCISES
from courseware.exercises.lessons.titles import TITLES

import pytest

from .test_notebooks import NOTEBOOKS

LEAST_EXERCISES = 3     # of a lesson


def cells(path, kind):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def number(path):
    """The lesson that a notebook belongs to: "02" for 02 and 02b."""
    return path.name[:2]


def test_every_lesson_has_a_notebook_with_its_title():
    found = {number(path): cells(path, "markdown")[0].splitlines()[0].removeprefix("# ")
             for path in NOTEBOOKS if path.name[2] == "_"}
    assert found == TITLES


@pytest.mark.parametrize("before, after", list(zip(NOTEBOOKS, NOTEBOOKS[1:])), ids=lambda path: path.stem)
def test_a_notebook_leads_to_the_next_and_back(before, after):
    assert f"]({after.name})" in cells(before, "markdown")[-1], "the last cell has no link to the next lesson"
    assert f"]({after.name})" in cells(before, "markdown")[0] and f"]({before.name})" in cells(after, "markdown")[0]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_plan_of_the_first_lesson_has_every_notebook(path):
    plan = "\n".join(cells(NOTEBOOKS[0], "markdown"))
    title = cells(path, "markdown")[0].splitlines()[0].removeprefix("# ")
    number = path.name.split("_")[0]
    assert f"[{number} {title}]({path.name})" in plan or path == NOTEBOOKS[0]


@pytest.mark.parametrize("lesson", TITLES)
def test_a_lesson_has_three_exercises_of_its_own_or_more(lesson):
    code = "\n".join(source for path in NOTEBOOKS if number(path) == lesson for source in cells(path, "code"))
    shown = re.findall(r'exercises\.show\("([^"]+)"\)', code)
    assert len(shown) >= LEAST_EXERCISES
    assert [one for one in shown if EXERCISES[one].lesson != lesson] == []


def test_every_exercise_is_in_a_notebook_once():
    code = "\n".join(source for path in NOTEBOOKS for source in cells(path, "code"))
    assert sorted(re.findall(r'exercises\.show\("([^"]+)"\)', code)) == sorted(EXERCISES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_starter_in_a_notebook_is_the_one_of_the_table(path):
    for source in cells(path, "code"):
        checked = re.search(r'^exercises\.check\("([^"]+)", (\w+)\)', source, flags=re.MULTILINE)
        if checked:
            exercise = EXERCISES[checked[1]]
            assert exercise.name == checked[2]
            assert exercise.starter.strip("\n").replace("'''", '"""') in source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_prediction_is_of_this_lesson_and_is_compared(path):
    code = "\n".join(cells(path, "code"))
    made = re.findall(r'(\w+) = predict\(\s*"(\d\d)-', code)
    assert [name for name, lesson in made if lesson != number(path)] == []
    assert sorted(name for name, _ in made) == sorted(re.findall(r"^ *(\w+)\.compare\(", code, flags=re.MULTILINE))


def test_no_two_predictions_have_one_name():
    names = [name for path in NOTEBOOKS for source in cells(path, "code")
             for name in re.findall(r'predict\(\s*"([^"]+)"', source)]
    assert len(set(names)) == len(names)


def test_the_answer_in_the_documents_is_the_last_lesson_s():
    last, = (path for path in NOTEBOOKS if path.name.startswith("06_"))
    page, = (text for text in cells(last, "markdown") if text.startswith("## The answer, on one page"))
    document = (last.parents[1] / "docs" / "why-there-is-no-inverse.md").read_text()
    assert page.partition("\n\n")[2] in document
