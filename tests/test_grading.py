"""The records of a class: read as data, doubted where no notebook would have written them, and shown on one page."""
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

from courseware.__main__ import main
from courseware.exercises.catalogue import EXERCISES
from courseware.grading import class_records, picture

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPY = EXERCISES["spy"].mistakes[0].short


def record(exercises=(), predictions=(), exam=()):
    return {"schema": 1, "exercises": dict(exercises), "predictions": dict(predictions), "exam": dict(exam)}


@pytest.fixture
def folder(tmp_path):
    """Three records that are whole, and three files that are none."""
    right = {"answer": "no", "right": True, "after": False}
    for name, data in {
            "ada": record({"spy": {"tries": 3, "hints": 1, "solved": True, "mistakes": [SPY]}}, {"01-hidden": right}),
            "ben": record({"spy": {"tries": 2, "solved": False, "mistakes": [SPY]}}, {"01-hidden": {**right, "right": False}},
                          {"sitting 1": {"drawn": "a b c d e f g h"}, "1 a": {"right": True}, "1 b": {"right": False}}),
            "=cmd": record({"spy": {"tries": 1, "solved": True, "solution": True}}),
            "newer": {"schema": 99}, "wrong": record({"spy": {"tries": "many"}})}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    (tmp_path / "damaged.json").write_text('{"schema": 1, "exer')
    return tmp_path


def graded(folder, *more):
    return main(["grade", str(folder), "--table", str(folder / "class.csv"), "--picture", str(folder / "class.png"), *more])


def table(folder):
    with open(folder / "class.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_learner_has_a_row_for_each_exercise_and_sitting(folder, capsys):
    assert graded(folder) == 0
    rows = table(folder)
    assert len(rows) == 3 * len(EXERCISES) + 1
    ada, = (row for row in rows if row["learner"] == "ada" and row["exercise"] == "spy")
    assert ada == {"learner": "ada", "lesson": "addresses", "exercise": "spy", "tries": "3", "hints": "1", "solution shown": "no",
                   "solved": "yes", "misconceptions met": SPY}
    exam, = (row for row in rows if row["lesson"] == "exam")
    assert (exam["learner"], exam["exercise"], exam["solved"]) == ("ben", "sitting 1", "1 of 8")
    assert capsys.readouterr().out.endswith(f"3 learners: {folder}/class.csv, {folder}/class.png\n")


def test_files_that_cannot_be_read_are_named_and_the_others_are_read(folder, capsys):
    graded(folder)
    said = capsys.readouterr().out
    assert "damaged.json: not read, damaged" in said and "newer.json: not read" in said and "wrong.json: not read" in said


def test_a_name_that_a_spreadsheet_would_calculate_is_made_harmless(folder):
    graded(folder)
    assert {row["learner"] for row in table(folder)} == {"ada", "ben", "'=cmd"}


def test_the_picture_is_a_page_of_its_own(folder):
    graded(folder)
    assert (folder / "class.png").read_bytes().startswith(b"\x89PNG")
    learners, _ = class_records.read_folder(folder)
    assert picture.shares(learners)["spy"] == (1, 1, 1, 0)
    assert picture.mistakes(learners) == [(("spy", SPY), 2)]
    assert picture.predictions(learners) == [("01-hidden", (1, 2))]


@pytest.mark.parametrize("exercises, predictions, doubt", [
    ({"spy": {"solved": True}}, {}, "spy is solved and was never tried"),
    ({"spy": {"tries": 1, "hints": 9}}, {}, "spy has 1 tries and 9 hints, of 2"),
    ({"spy": {"tries": 1, "mistakes": ["I made this up"]}}, {}, "spy has a mistake that the course does not know"),
    ({"nothing": {"tries": 1}}, {}, "there is no exercise nothing"),
    ({}, {"01-hidden": {"right": True}}, "the prediction 01-hidden is marked and has no answer"),
])
def test_a_record_that_no_notebook_has_written_is_doubted(exercises, predictions, doubt):
    assert list(class_records.doubts(record(exercises, predictions))) == [doubt]


def test_a_record_that_checks_have_written_is_not_doubted(tmp_path):
    """A learner who names the wrong thing first, then solves it, in a process with a record of its own."""
    program = """
import course_lib
import pycuda.autoinit
from courseware import exercises
from courseware.exercises import EXERCISES
for name in "offsets", "translate":
    one = EXERCISES[name]
    exercises.check(name, one.answer(one.mistakes[0].code))
    exercises.hint(name)
    exercises.check(name, one.answer(one.solution))
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, timeout=60,
                   env={**os.environ, "COURSE_PROGRESS": str(tmp_path / "ada.json"), "PYTHONPATH": str(ROOT)})
    (learner,), refused = class_records.read_folder(tmp_path)
    assert not refused and learner.doubts == ()
    kept = learner.exercise("offsets")
    assert kept["solved"] and kept["tries"] == 2 and kept["mistakes"] == [EXERCISES["offsets"].mistakes[0].short]


def test_a_sitting_whose_number_somebody_wrote_by_hand_is_passed_over():
    learner = class_records.Learner("ada", "ada.json", record(exam={"sitting ²": {"drawn": "a"}, "sitting 1": {"drawn": "a b"},
                                                                    "1 a": {"right": True}}), ())
    assert learner.sittings() == {1: (1, 2)}


@pytest.mark.parametrize("name, says", [("missing", "there is no folder"), ("", "no record in")])
def test_a_folder_without_records_is_a_sentence(name, says, tmp_path, capsys):
    assert graded(tmp_path / name) == 1
    assert says in capsys.readouterr().out


def test_the_mistakes_of_an_exercise_differ_in_their_short_form():
    for exercise in EXERCISES.values():
        shorts = [mistake.short for mistake in exercise.mistakes]
        assert all(5 < len(short) < 200 for short in shorts), exercise.id
        assert len(set(shorts)) == len(shorts), exercise.id
