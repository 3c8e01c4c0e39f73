"""The notebooks as one course: in order, each leading to the next, with the exercises and predictions of their own lessons."""
import json
import re

from courseware.course import BY_TOPIC, LESSONS
from courseware.exercises.catalogue import EXERCISES

import pytest

from .test_notebooks import NOTEBOOKS, ROAD, ROOT, SIDE_TRIPS

FOLDER = ROOT / "notebooks"
BY_PATH = {FOLDER / lesson.notebook: lesson for lesson in LESSONS}


def cells(path, kind):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def test_every_lesson_has_a_notebook_with_its_number_and_title():
    titles = {path: cells(path, "markdown")[0].splitlines()[0] for path in NOTEBOOKS}
    assert titles == {path: f"# {lesson.number} · {lesson.title}" if lesson.number else f"# {lesson.title}" for path, lesson in BY_PATH.items()}


def test_the_road_is_numbered_without_gaps():
    numbers = [lesson.number for lesson in LESSONS if lesson.number]
    assert numbers == [f"{number:02d}" for number in range(len(ROAD))]
    assert [path.name.partition("_")[0] for path in ROAD] == numbers


@pytest.mark.parametrize("before, after", list(zip(ROAD, ROAD[1:])), ids=lambda path: path.stem)
def test_a_notebook_leads_to_the_next_and_back(before, after):
    assert f"]({after.name})" in cells(before, "markdown")[-1], "the last cell has no link to the next lesson"
    assert f"]({after.name})" in cells(before, "markdown")[0] and f"]({before.name})" in cells(after, "markdown")[0]


@pytest.mark.parametrize("path", SIDE_TRIPS, ids=lambda path: path.stem)
def test_a_side_trip_leads_from_its_lesson_back_to_the_road(path):
    home = FOLDER / BY_TOPIC[BY_PATH[path].of].notebook
    following = (ROAD[ROAD.index(home) + 1:] or [home])[0]      # from the last lesson's side trip back to that lesson
    assert f"](side_trips/{path.name})" in cells(home, "markdown")[0] and f"](side_trips/{path.name})" in cells(home, "markdown")[-1]
    for end in (0, -1):
        assert f"](../{following.name})" in cells(path, "markdown")[end]
    assert f"](../{home.name})" in cells(path, "markdown")[0]


@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_the_plan_of_the_first_lesson_has_every_notebook(path):
    lesson = BY_PATH[path]
    assert f"[{lesson.number} {lesson.title}".replace("[ ", "[") + f"]({lesson.notebook})" in "\n".join(cells(NOTEBOOKS[0], "markdown"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_exercise_of_a_lesson_is_shown_in_its_notebook_once(path):
    shown = re.findall(r'exercises\.show\("([^"]+)"\)', "\n".join(cells(path, "code")))
    assert sorted(shown) == sorted(exercise.id for exercise in EXERCISES.values() if exercise.lesson == BY_PATH[path].topic)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_starter_in_a_notebook_is_the_one_of_its_file(path):
    for source in cells(path, "code"):
        checked = re.search(r'^exercises\.check\("([^"]+)", (\w+)\)', source, flags=re.MULTILINE)
        if checked:
            exercise = EXERCISES[checked[1]]
            assert exercise.name == checked[2]
            assert exercise.starter.strip("\n").replace("'''", '"""') in source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_prediction_is_of_this_lesson_and_is_compared(path):
    code = "\n".join(cells(path, "code"))
    predictions = re.findall(r'(\w+) = predict\(\s*"([^"]+)"', code)
    assert [name for _, name in predictions if name not in BY_PATH[path].read("predictions.toml")] == []
    assert sorted(variable for variable, _ in predictions) == sorted(re.findall(r"^ *(\w+)\.compare\(", code, flags=re.MULTILINE))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_lesson_begins_with_folded_set_up_and_ends_with_what_was_done_of_it(path):
    code = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert code[0]["metadata"]["jupyter"]["source_hidden"]
    assert "".join(code[-1]["source"]).endswith(f'progress.lesson("{BY_PATH[path].topic}")')


def test_no_two_predictions_have_one_name():
    names = [name for path in NOTEBOOKS for source in cells(path, "code")
             for name in re.findall(r'predict\(\s*"([^"]+)"', source)]
    assert len(set(names)) == len(names)


def test_the_guess_is_one_text_in_the_lesson_and_at_the_end_of_the_short_answer():
    def quoted(text):       # its words, however they are broken into lines and points
        return " ".join(re.findall(r"^> ?(?:\d\. )?(.*)$", text, flags=re.MULTILINE)).split()
    lesson, = (text for text in cells(FOLDER / BY_TOPIC["why"].notebook, "markdown") if "## The answer\n" in text)
    page = (ROOT / "docs" / "why-there-is-no-inverse.md").read_text()
    guess = quoted(lesson.partition("## The answer")[2])
    assert guess == quoted(page)[-len(guess):] != []
