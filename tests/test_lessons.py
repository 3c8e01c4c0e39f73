"""The course's table of lessons is that of its notebooks, and each folder of courseware/lessons/ is one of its lessons."""
import json
import re
from pathlib import Path

import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from course_lib.core.errors import WrongArgument
from courseware.course import BY_TOPIC, FOLDER, LESSONS, lesson

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
EVERY_LESSON = pytest.mark.parametrize("lesson", LESSONS, ids=BY_TOPIC)


@EVERY_LESSON
def test_a_lesson_s_title_is_its_notebook_s(lesson):
    cells = json.loads((NOTEBOOKS / lesson.notebook).read_text(encoding="utf-8"))["cells"]
    heading = re.search(r"^# (?:(\d\d) · )?(.+)$", "".join(cells[0]["source"]), flags=re.MULTILINE)
    assert (heading[1] or "", heading[2]) == (lesson.number, lesson.title)


def test_every_notebook_is_a_lesson_s():
    assert {str(path.relative_to(NOTEBOOKS)) for path in NOTEBOOKS.rglob("*.ipynb")} == {lesson_.notebook for lesson_ in LESSONS}


def test_every_folder_is_a_lesson_s():
    assert {path.parent.name for path in FOLDER.glob("*/__init__.py")} == {lesson_.folder.name for lesson_ in LESSONS}


def test_the_road_is_numbered_without_a_gap_and_a_side_trip_belongs_to_a_lesson_of_the_road():
    assert [lesson_.number for lesson_ in LESSONS if lesson_.number] == [f"{number:02}" for number in range(20)]
    assert all(lesson(lesson_.of).number for lesson_ in LESSONS if not lesson_.number)
    assert all(lesson(lesson_.part).part == lesson_.part for lesson_ in LESSONS)


def test_no_topic_is_the_beginning_of_another():
    assert [(topic, longer) for topic in BY_TOPIC for longer in BY_TOPIC if longer.startswith(f"{topic}-")] == []


def test_a_lesson_that_there_is_not_is_a_sentence():
    with pytest.raises(WrongArgument, match="There is no lesson '04'"):
        lesson("04")


@EVERY_LESSON
def test_the_files_of_a_folder_are_those_of_its_exercises(lesson):
    from courseware.exercises.catalogue import EXERCISES
    mine = {name.replace("-", "_") for name, exercise in EXERCISES.items() if exercise.lesson == lesson.topic and exercise.kind != "order"}
    for folder in ("starters", "solutions"):
        assert {path.stem for path in (lesson.folder / folder).glob("*.*")} == mine
    files = {way.get("file") for words in lesson.read("exercises.toml").values() for mistake in words["mistakes"]
             for way in (mistake, *mistake.get("also", ()))} - {None}
    assert {path.name for path in (lesson.folder / "mistakes").glob("*.*")} == files
