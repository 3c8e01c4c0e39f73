"""The records of a class: collected where learners leave them, read as data, and shown as a gradebook and as slides."""
import csv
import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

from courseware.__main__ import main
from courseware.course import LESSONS, lesson
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.exam_sitting import results
from courseware.grading import class_records, collecting, picture
from courseware.predictions.catalogue import PREDICTIONS

import pytest
from matplotlib.text import Text

ROOT = Path(__file__).resolve().parents[1]
SPY = EXERCISES["spy"].mistakes[0].short
STRANGER = "addresses-stranger"
POINTS = sum(one.minutes for one in EXERCISES.values())


def record(exercises=(), predictions=(), exam=()):
    return {"schema": 1, "exercises": dict(exercises), "predictions": dict(predictions), "exam": dict(exam)}


def put(folder, files):
    """Write {path within the folder: the JSON in it}."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(data))


SOLVED = record({"spy": {"tries": 1, "solved": True}})
RIGHT = {"answer": "no", "right": True, "after": False}


@pytest.fixture
def folder(tmp_path):
    """Three records that are whole, and three files that are none."""
    put(tmp_path, {
        "ada/course-progress.json": record({"spy": {"tries": 3, "hints": 1, "solved": True, "mistakes": [SPY]}}, {STRANGER: RIGHT}),
        "ben.json": record({"spy": {"tries": 2, "solved": False, "mistakes": [SPY]}}, {STRANGER: {**RIGHT, "right": False}},
                           {"sitting 1": {"drawn": "a b c d e f g h"}, "1 a": {"right": True}, "1 b": {"right": False}}),
        "=cmd.json": record({"spy": {"tries": 1, "solved": True, "solution": True}}, {STRANGER: {**RIGHT, "after": True}}),
        "newer.json": {"schema": 99}, "wrong.json": record({"spy": {"tries": "many"}})})
    (tmp_path / "damaged.json").write_text('{"schema": 1, "exer')
    return tmp_path


def graded(folder, *more):
    out = folder if folder.is_dir() else folder.parent
    return main(["grade", str(folder), "--table", str(out / "gradebook.csv"), "--picture", str(out / "class.png"), *more])


def gradebook(folder):
    with open(folder / "gradebook.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def names(place):
    learners, refused = class_records.read_folder(place)
    return [learner.name for learner in learners], refused


# The gradebook --------------------------------------------------------------------------------------------------------

def test_each_learner_has_a_row_with_columns_by_lesson_and_totals(folder, capsys):
    assert graded(folder) == 0
    _, ada, ben = gradebook(folder)
    minutes = EXERCISES["spy"].minutes
    told = {f"points of {POINTS}": minutes, f"solved of {len(EXERCISES)}": 1, f"predicted of {len(PREDICTIONS)}": 1,
            "predicted right": 1, "01 points of 20": minutes, "01 predicted of 3": 1, "01 predicted right": 1}
    assert {name: ada[name] for name in told} == {name: str(value) for name, value in told.items()}
    assert ada["exam right of 8"] == "" and ben["exam right of 8"] == "1" and ben["01 predicted right"] == "0"
    *_, missed, made = capsys.readouterr().out.splitlines()
    assert missed.startswith("predicted, 1 of 2 wrong: The memory was freed") and missed.endswith(f"({STRANGER})")
    assert made == "3 learners: " + ", ".join(
        f"{folder}/{name}" for name in ("gradebook.csv", "class-lessons.png", "class-learners.png", "class-mistakes.png"))


def test_the_lessons_stand_in_the_courses_order_and_their_points_add_up(folder):
    graded(folder)
    row = gradebook(folder)[0]
    labels = list(dict.fromkeys(name.split()[0] for name in list(row)[8:]))
    assert labels == [one.label for one in LESSONS]
    assert sum(int(name.split()[-1]) for name in row if " points of " in name) == POINTS


def test_a_solution_that_was_shown_and_a_prediction_made_afterwards_are_told_apart(folder):
    graded(folder)
    row = gradebook(folder)[0]
    assert (row["solved after the solution"], row["01 predicted of 3"]) == ("1", "0")


def test_a_name_that_a_spreadsheet_would_calculate_is_made_harmless(folder):
    graded(folder)
    assert [row["learner"] for row in gradebook(folder)] == ["'=cmd", "ada", "ben"]


def test_the_columns_of_a_class_list_stand_for_the_learners(folder, capsys):
    listed = folder / "list.csv"
    listed.write_text("\ufeffEmail address,Full name,Identifier\nb@example.org,Ben,Participant 7\nc@example.org,Carla\n"
                      "a@example.org,Ada L.,Participant 8\n", encoding="utf-8")
    put(folder, {"Ada Lovelace_8_assignsubmission_file_/course-progress.json": SOLVED})
    assert graded(folder, "--class-list", str(listed)) == 0
    rows = gradebook(folder)
    assert [(row["Email address"], row[f"points of {POINTS}"]) for row in rows] == [
        ("b@example.org", "0"), ("c@example.org", ""), ("a@example.org", "6"), ("'=cmd", "6"), ("ada", "6")]
    assert "learner" not in rows[0] and f"ada: not in {listed}, so the last rows" in capsys.readouterr().out


@pytest.mark.parametrize("data", [b"", b"\xff\xfe"])
def test_a_class_list_that_cannot_be_read_is_a_sentence(folder, capsys, data):
    (folder / "list.csv").write_bytes(data)
    assert graded(folder, "--class-list", str(folder / "list.csv")) == 1
    assert "is not a CSV file" in capsys.readouterr().out


# Collecting -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("file, name, number", [
    ("ada.json", "ada", ""), ("ada-course-progress.json", "ada", ""), ("ada_course-progress (1).json", "ada", ""),
    ("Ada L/course-progress.json", "Ada L", ""), ("ada/notebooks/course-progress.json", "ada", ""),
    ("Ada L_12345_assignsubmission_file_/course-progress.json", "Ada L", "12345"),
    ("Ada L_12345_assignsubmission_file_course-progress.json", "Ada L", "12345"),
    ("Ada_M L_1_assignsubmission_file/mine.json", "Ada_M L", "1"),
    ("ada/02_pinned_memory/course-progress.json", "ada", ""),
    ("course-progress.json", "", ""), ("course-progress (3).json", "", "")])
def test_the_place_of_a_file_tells_whose_it_is(file, name, number):
    assert collecting.whose(Path(file).parts) == (name, number)


def test_nbgraders_assignments_of_one_learner_go_together(tmp_path):
    put(tmp_path, {
        "submitted/ada/01_addresses_from_python/course-progress.json": record(
            {"spy": {"tries": 1, "solved": True}, "follow": {"tries": 1}}, {STRANGER: {**RIGHT, "after": True}}),
        "submitted/ada/02_pinned_memory/course-progress.json": record(
            {"spy": {"tries": 9}, "follow": {"tries": 4}}, {STRANGER: RIGHT}),
        "source/x/other.json": {}})
    (ada,), refused = class_records.read_folder(tmp_path)
    assert (ada.name, refused) == ("ada", [])
    assert ada.record["exercises"] == {"spy": {"tries": 1, "solved": True}, "follow": {"tries": 4}}
    assert ada.done["addresses"].predicted == {STRANGER: True}


def test_a_zip_is_read_as_the_folder_in_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("Ada L_12_assignsubmission_file_/course-progress.json", json.dumps(SOLVED))
        archive.writestr("__MACOSX/Ada L_12_assignsubmission_file_/course-progress.json", "junk")
        archive.writestr("../../outside.json", json.dumps(SOLVED))
    assert graded(tmp_path / "all.zip") == 0
    assert names(tmp_path / "all.zip") == (["Ada L", "outside"], [])
    assert not (tmp_path.parents[1] / "outside.json").exists() and not (tmp_path.parent / "outside.json").exists()


def test_what_was_set_aside_and_other_files_of_a_learner_are_passed_over(tmp_path):
    put(tmp_path, {"ada/course-progress.json": SOLVED, "ada/course-progress.damaged-1.json": record(),
                   "ada/course-progress.before-reset-2.json": record(), "ada/notebooks/gpu1.json": {},
                   "ada/.ipynb_checkpoints/course-progress.json": record()})
    assert names(tmp_path) == (["ada"], [])


def test_two_records_of_one_learner_are_named_with_what_to_do(tmp_path):
    put(tmp_path, {"ada.json": SOLVED, "ada/course-progress.json": record(), "course-progress.json": SOLVED, "ben.json": SOLVED,
                   "ben/course-progress.json": SOLVED})
    found, refused = names(tmp_path)
    assert found == ["ben"]     # whose two are equal
    assert dict(refused)["ada/course-progress.json, ada.json"] == (
        "not read, all of them are ada's. Leave the one that counts in the folder")
    assert "whose is it? Put it into a folder with the learner's name" in dict(refused)["course-progress.json"]


def test_files_that_cannot_be_read_are_named_and_the_others_are_read(folder, capsys):
    graded(folder)
    said = capsys.readouterr().out
    assert "damaged.json: not read, damaged" in said and "newer.json: not read" in said and "wrong.json: not read" in said


@pytest.mark.parametrize("name, says", [("missing", "there is no folder"), ("", "no record in")])
def test_a_folder_without_records_is_a_sentence(name, says, tmp_path, capsys):
    assert graded(tmp_path / name) == 1
    assert says in capsys.readouterr().out


# The slides -----------------------------------------------------------------------------------------------------------

def test_the_slides_fit_a_projector(folder):
    graded(folder)
    for name in ("lessons", "learners", "mistakes"):
        data = (folder / f"class-{name}.png").read_bytes()
        assert data.startswith(b"\x89PNG") and struct.unpack(">II", data[16:24]) == (1920, 1080)


def test_the_slides_count_learners_mistakes_and_wrong_predictions(folder):
    learners, _ = class_records.read_folder(folder)
    assert [learner.state("spy") for learner in learners] == ["shown", "solved", "tried"]
    assert picture.mistakes(learners) == [("2 learners", f"{SPY} (spy)")]
    assert picture.predictions(learners) == [("1 of 2 wrong", f"{PREDICTIONS[STRANGER]['question']} ({STRANGER})")]


def test_a_lesson_that_nobody_has_begun_is_on_no_slide(folder):
    learners, _ = class_records.read_folder(folder)
    assert class_records.begun(learners) == [lesson("addresses")]


def drawn(monkeypatch, tmp_path, learners):
    """The figures of the slides, by name."""
    figures = {}
    monkeypatch.setattr(picture.Figure, "savefig", lambda figure, path, dpi: figures.update({path.stem: figure}))
    picture.draw(learners, tmp_path / "class.png")
    return figures


def whole_class(number):
    """Learners who have tried all, with mistakes of all kinds and wrong predictions."""
    everything = record({name: {"tries": 12, "mistakes": [one.short for one in exercise.mistakes]}
                         for name, exercise in EXERCISES.items()}, {name: {**RIGHT, "right": False} for name in PREDICTIONS})
    return [class_records.Learner(f"A learner with a long name {one}", "", everything, ()) for one in range(number)]


@pytest.mark.parametrize("number", [1, 6, 30])
def test_no_words_of_a_slide_lie_on_others_or_beyond_its_edge(number, monkeypatch, tmp_path):
    for name, figure in drawn(monkeypatch, tmp_path, whole_class(number)).items():
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        texts = [(text, text.get_window_extent(renderer)) for text in figure.findobj(Text) if text.get_text().strip()
                 and text.get_visible()]
        edge = figure.bbox
        for place, (text, box) in enumerate(texts):
            assert edge.x0 <= box.x0 and box.x1 <= edge.x1 and edge.y0 <= box.y0 and box.y1 <= edge.y1, (name, text)
            for other, its in texts[place + 1:]:
                assert min(box.x1, its.x1) - max(box.x0, its.x0) < 1 or min(box.y1, its.y1) - max(box.y0, its.y0) < 1.5, (
                    name, text.get_text(), other.get_text())


def test_a_large_class_has_several_slides_of_learners(monkeypatch, tmp_path):
    figures = drawn(monkeypatch, tmp_path, whole_class(45))
    assert list(figures) == ["class-lessons", "class-learners", "class-learners-2", "class-mistakes"]
    assert all(len(figures[name].axes[0].get_yticks()) <= picture.LEARNERS for name in ("class-learners", "class-learners-2"))


def test_a_class_that_has_not_begun_has_slides_too(monkeypatch, tmp_path):
    figures = drawn(monkeypatch, tmp_path, [class_records.Learner("ada", "", record(), ())])
    assert len(figures) == 3 and figures["class-lessons"].axes[0].get_yticklabels() == []


# Doubts ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("exercises, predictions, doubt", [
    ({"spy": {"solved": True}}, {}, "spy is solved and was never tried"),
    ({"spy": {"tries": 1, "hints": 9}}, {}, "spy has 1 tries and 9 hints, of 2"),
    ({"spy": {"tries": 1, "mistakes": ["I made this up"]}}, {}, "spy has a mistake that the course does not know"),
    ({"nothing": {"tries": 1}}, {}, "there is no exercise nothing"),
    ({}, {"addresses-gone": {"right": True}}, "the prediction addresses-gone is marked and has no answer"),
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
    assert results({"sitting ²": {"drawn": "a"}, "sitting 1": {"drawn": "a b"}, "1 a": {"right": True}}) == {1: (1, 2)}


def test_the_mistakes_of_an_exercise_differ_in_their_short_form():
    for exercise in EXERCISES.values():
        shorts = [mistake.short for mistake in exercise.mistakes]
        assert all(5 < len(short) < 200 for short in shorts), exercise.id
        assert len(set(shorts)) == len(shorts), exercise.id
