"""The records of a class: collected where learners leave them, read as data, and shown as a gradebook and as slides."""
import contextlib
import csv
import io
import json
import os
import struct
import zipfile
from pathlib import Path

from courseware import exercises, progress
from courseware.__main__ import main
from courseware.course import LESSONS, lesson
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.exam_sitting import results
from courseware.exercises.listing import LISTINGS
from courseware.grading import class_records, collecting, grade, picture
from courseware.notebook import progress_file
from courseware.predictions.catalogue import PREDICTIONS

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as some
from matplotlib.figure import Figure
from matplotlib.text import Text

ROOT = Path(__file__).resolve().parents[1]
SPY = EXERCISES["spy"].mistakes[0].short
KEPT_DICTIONARY = "addresses-dictionary"
POINTS = sum(exercise.minutes for exercise in EXERCISES.values())
POINTS_OF_01 = f"01 points of {sum(exercise.minutes for exercise in EXERCISES.values() if exercise.lesson == 'addresses')}"
PREDICTED_OF_01 = f"01 predicted of {len(lesson('addresses').read('predictions.toml'))}"


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
        "ada/course-progress.json": record({"spy": {"tries": 3, "hints": 1, "solved": True, "mistakes": [SPY]}}, {KEPT_DICTIONARY: RIGHT}),
        "ben.json": record({"spy": {"tries": 2, "solved": False, "mistakes": [SPY]}}, {KEPT_DICTIONARY: {**RIGHT, "right": False}},
                           {"sitting 1": {"drawn": "a b c d e f g h"}, "1 a": {"right": True}, "1 b": {"right": False}}),
        "=cmd.json": record({"spy": {"tries": 1, "solved": True, "solution": True}}, {KEPT_DICTIONARY: {**RIGHT, "after": True}}),
        "newer.json": {"schema": 99}, "wrong.json": record({"spy": {"tries": "many"}})})
    (tmp_path / "damaged.json").write_text('{"schema": 1, "exer')
    return tmp_path


def graded(folder, *more, drawn=False):
    """Grade a class. Only if `drawn` is anything on its slides: it takes most of the time."""
    out = folder if folder.is_dir() else folder.parent
    with pytest.MonkeyPatch.context() as patch:
        if not drawn:
            patch.setattr(picture, "slides", lambda learners: [(name, Figure()) for name in ("lessons", "learners", "mistakes")])
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
    expected = {f"points of {POINTS}": minutes, f"solved of {len(EXERCISES)}": 1, f"predicted of {len(PREDICTIONS)}": 1,
                "predicted right": 1, POINTS_OF_01: minutes, PREDICTED_OF_01: 1, "01 predicted right": 1}
    assert {name: ada[name] for name in expected} == {name: str(value) for name, value in expected.items()}
    assert ada["exam right of 8"] == "" and ben["exam right of 8"] == "1" and ben["01 predicted right"] == "0"
    *_, missed, summary = capsys.readouterr().out.splitlines()
    assert missed == f"predicted, 1 of 2 wrong: {PREDICTIONS[KEPT_DICTIONARY]['question'].strip()} ({KEPT_DICTIONARY})"
    assert summary == "3 learners: " + ", ".join(
        f"{folder}/{name}" for name in ("gradebook.csv", "class-lessons.png", "class-learners.png", "class-mistakes.png"))


def test_the_lessons_stand_in_the_courses_order_and_their_points_add_up(folder):
    graded(folder)
    row = gradebook(folder)[0]
    labels = list(dict.fromkeys(name.split()[0] for name in list(row)[8:]))
    assert labels == [lesson.label for lesson in LESSONS]
    assert sum(int(name.split()[-1]) for name in row if " points of " in name) == POINTS


def test_a_solution_that_was_shown_and_a_prediction_made_afterwards_are_told_apart(folder):
    graded(folder)
    row = gradebook(folder)[0]
    assert (row["solved after the solution"], row[PREDICTED_OF_01]) == ("1", "0")


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


@pytest.mark.parametrize("path", ["/dev/zero", "."])
def test_a_class_list_that_is_no_file_or_has_no_end_is_a_sentence(folder, capsys, path):
    assert graded(folder, "--class-list", path) == 1
    assert "it is not a regular file" in capsys.readouterr().out


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
            {"spy": {"tries": 1, "solved": True}, "follow": {"tries": 1}}, {KEPT_DICTIONARY: {**RIGHT, "after": True}}),
        "submitted/ada/02_pinned_memory/course-progress.json": record(
            {"spy": {"tries": 9}, "follow": {"tries": 4}}, {KEPT_DICTIONARY: RIGHT}),
        "source/x/other.json": {}})
    (ada,), refused = class_records.read_folder(tmp_path)
    assert (ada.name, refused) == ("ada", [])
    assert ada.record["exercises"] == {"spy": {"tries": 1, "solved": True}, "follow": {"tries": 4}}
    assert ada.done["addresses"].predicted == {KEPT_DICTIONARY: True}


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
    learners, refused = names(tmp_path)
    assert learners == ["ben"]    # whose two are equal
    assert dict(refused)["ada/course-progress.json, ada.json"] == (
        "not read, all of them are ada's. Leave the one that counts in the folder")
    assert "whose is it? Put it into a folder with the learner's name" in dict(refused)["course-progress.json"]


def test_files_that_cannot_be_read_are_named_and_the_others_are_read(folder, capsys):
    graded(folder)
    printed = capsys.readouterr().out
    assert "damaged.json: not read, damaged" in printed and "newer.json: not read" in printed and "wrong.json: not read" in printed


@pytest.mark.parametrize("name, says", [("missing", "there is no folder"), ("", "no record in")])
def test_a_folder_without_records_is_a_sentence(name, says, tmp_path, capsys):
    assert graded(tmp_path / name) == 1
    assert says in capsys.readouterr().out


# The slides -----------------------------------------------------------------------------------------------------------

def test_the_slides_fit_a_projector(folder):
    graded(folder, drawn=True)
    for name in ("lessons", "learners", "mistakes"):
        data = (folder / f"class-{name}.png").read_bytes()
        assert data.startswith(b"\x89PNG") and struct.unpack(">II", data[16:24]) == (1920, 1080)


def test_the_slides_count_learners_mistakes_and_wrong_predictions(folder):
    learners, _ = class_records.read_folder(folder)
    assert [learner.state("spy") for learner in learners] == ["shown", "solved", "tried"]
    assert picture.mistakes(learners) == [("2 learners", f"{SPY} (spy)")]
    assert picture.predictions(learners) == [("1 of 2 wrong", f"{PREDICTIONS[KEPT_DICTIONARY]['question']} ({KEPT_DICTIONARY})")]


def test_a_lesson_that_nobody_has_begun_is_on_no_slide(folder):
    learners, _ = class_records.read_folder(folder)
    assert class_records.begun(learners) == [lesson("addresses")]


def whole_class(number):
    """Learners who have tried all, with mistakes of all kinds and wrong predictions."""
    everything = record({name: {"tries": 12, "mistakes": [mistake.short for mistake in exercise.mistakes]}
                         for name, exercise in EXERCISES.items()}, {name: {**RIGHT, "right": False} for name in PREDICTIONS})
    return [class_records.Learner(f"A learner with a long name {number_}", "", everything, ()) for number_ in range(number)]


@pytest.mark.parametrize("number", [1, 6, 30])
def test_no_words_of_a_slide_lie_on_others_or_beyond_its_edge(number):
    for name, figure in picture.slides(whole_class(number)):
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
        boxes = np.array([text.get_window_extent(renderer).extents for text in texts])
        low, high = boxes[:, :2], boxes[:, 2:]      # (x, y) of each text
        outside = (low < figure.bbox.min).any(axis=1) | (high > figure.bbox.max).any(axis=1)
        assert [(name, texts[place].get_text()) for place in np.flatnonzero(outside)] == []
        common = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
        on_others = np.triu((common[..., 0] >= 1) & (common[..., 1] >= 1.5), k=1)
        assert [(name, texts[first].get_text(), texts[second].get_text()) for first, second in np.argwhere(on_others)] == []


def test_a_large_class_has_several_slides_of_learners(monkeypatch):
    monkeypatch.setattr(picture, "LEARNERS", 4)
    figures = dict(picture.slides(whole_class(6)))
    assert list(figures) == ["lessons", "learners", "learners-2", "mistakes"]
    assert all(len(figures[name].axes[0].get_yticks()) <= picture.LEARNERS for name in ("learners", "learners-2"))


def test_a_class_that_has_not_begun_has_slides_too():
    figures = dict(picture.slides([class_records.Learner("ada", "", record(), ())]))
    assert len(figures) == 3 and figures["lessons"].axes[0].get_yticklabels() == []
    # 100 percent, and room for six rows: a single one would be as high as the slide.
    assert [axes.axis() for axes in figures["lessons"].axes] == [(0, 100, 5.5, -0.5)] * 2
    assert figures["learners"].axes[0].get_ylim() == (6, -0.5)


# Doubts ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("exercises, predictions, doubt", [
    ({"spy": {"solved": True}}, {}, "spy is solved and was never tried"),
    ({"spy": {"tries": 1, "hints": 9}}, {}, "spy has 1 tries and 9 hints, of 2"),
    ({"spy": {"tries": -1}}, {}, "spy has -1 tries and 0 hints, of 2"),
    ({"spy": {"tries": 1, "mistakes": ["I made this up"]}}, {}, "spy has a mistake that the course does not know"),
    ({"nothing": {"tries": 1}}, {}, "there is no exercise nothing"),
    ({}, {"addresses-gone": {"right": True}}, "the prediction addresses-gone is marked and has no answer"),
])
def test_a_record_that_no_notebook_has_written_is_doubted(exercises, predictions, doubt):
    assert list(class_records.doubts(record(exercises, predictions))) == [doubt]


def test_all_hints_before_the_first_try_and_an_answer_that_is_not_marked_yet_are_not_doubted():
    assert list(class_records.doubts(record({"spy": {"hints": 2}}, {KEPT_DICTIONARY: {"answer": "no"}}))) == []


def test_a_record_that_checks_have_written_is_not_doubted(tmp_path, in_new_process):
    """A learner who names the wrong thing first, then solves it, in a process with a record of its own."""
    program = """
import course_lib
import pycuda.autoinit
from courseware import exercises
from courseware.exercises import EXERCISES
for name in "views", "translate":
    exercise = EXERCISES[name]
    exercises.check(name, exercise.answer(exercise.mistakes[0].code))
    exercises.hint(name)
    exercises.check(name, exercise.answer(exercise.solution))
"""
    assert in_new_process(program, COURSE_PROGRESS=str(tmp_path / "ada.json")).returncode == 0
    (learner,), refused = class_records.read_folder(tmp_path)
    assert not refused and learner.doubts == ()
    entry = learner.exercise("views")
    assert entry["solved"] and entry["tries"] == 2 and entry["mistakes"] == [EXERCISES["views"].mistakes[0].short]


def test_a_sitting_whose_number_somebody_wrote_by_hand_is_passed_over():
    assert results({"sitting ²": {"drawn": "a"}, "sitting 1": {"drawn": "a b"}, "1 a": {"right": True}}) == {1: (1, 2)}


def test_the_mistakes_of_an_exercise_differ_in_their_short_form():
    for exercise in EXERCISES.values():
        shorts = [mistake.short for mistake in exercise.mistakes]
        assert all(5 < len(short) < 200 for short in shorts), exercise.id
        assert len(set(shorts)) == len(shorts), exercise.id


# What learners may hand in --------------------------------------------------------------------------------------------

ESCAPE = "\x1b]0;owned\x07\x1b[2J"
LIE = "Your teacher cannot count"
HOSTILE = {
    "no mistakes": record({"spy": {"mistakes": None}}), "a sitting 007": record(exam={"sitting 007": {"drawn": "a"}}),
    "half a character": record({"\ud800": {"tries": 1}}), "numbers": record({"spy": {"tries": 10 ** 4000}}),
    "a sitting ²": record(exam={"sitting ²": {"drawn": "a"}}), "no sitting": record(exam={"sitting 1": {}, "1 a": {"right": True}}),
    "a hundred listings": record(exam={"sitting 1": {"drawn": " ".join(map(str, range(100)))},
                                       **{f"1 {number}": {"right": True} for number in range(100)}}),
    "a mistake of its own": record({"spy": {"tries": 1, "mistakes": [LIE, LIE * 5000]}}), "names": record({ESCAPE * 1000: {"tries": 1}}),
    "Gruppe $A$ und $\\B{$": SOLVED, f"name {ESCAPE}": SOLVED, "=1+1": SOLVED, "‮ada": SOLVED, "a\nb": SOLVED, os.fsdecode(b"\xff"): SOLVED,
    "lists": {"schema": 1, "exercises": [], "predictions": None}, "a list": [], "text": "x", "other": {"schema": True}}


@pytest.fixture
def class_of_hostile(tmp_path):
    """A folder in which everything else is as bad as can be, and ada has solved an exercise."""
    put(tmp_path, {"ada/course-progress.json": SOLVED, **{f"{name}/course-progress.json": data for name, data in HOSTILE.items()}})
    for name in ("a pipe", "a device", "another's", "a folder", "a large file"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "a pipe" / "course-progress.json")
    (tmp_path / "a device" / "course-progress.json").symlink_to("/dev/zero")
    (tmp_path / "another's" / "course-progress.json").symlink_to(tmp_path / "ada" / "course-progress.json")
    (tmp_path / "a folder" / "course-progress.json").mkdir()
    (tmp_path / "a large file" / "course-progress.json").write_bytes(b" " * (collecting.MOST_BYTES + 1))
    return tmp_path


def test_one_learners_record_costs_that_learner_alone_and_is_named(class_of_hostile, capsys):
    assert graded(class_of_hostile, drawn=True) == 0
    printed = capsys.readouterr().out
    rows = {row["learner"]: row for row in gradebook(class_of_hostile)}
    assert rows["ada"][f"solved of {len(EXERCISES)}"] == "1" and rows["Gruppe $A$ und $\\B{$"]["exam right of 8"] == ""
    assert "another's" not in rows and "a pipe" not in rows
    for name in ("no mistakes", "half a character", "numbers", "lists", "a list", "text", "other", "a pipe", "a device", "another's", "a folder",
                 "a large file"):
        assert f"{name}/course-progress.json: not read, " in printed, name
    assert int(rows["a hundred listings"]["exam right of 8"]) <= 8
    assert "a hundred listings/course-progress.json: looks made by hand, sitting 1 of the exam has 100 listings, of 8" in printed


def test_nothing_that_others_wrote_moves_the_cursor_or_fills_the_screen(class_of_hostile, capsys):
    graded(class_of_hostile)
    printed = capsys.readouterr().out
    assert all(character == "\n" or character.isprintable() for character in printed) and max(map(len, printed.splitlines())) < 1000
    assert r"name \x1b]0;owned\x07\x1b[2J" in [row["learner"] for row in gradebook(class_of_hostile)]


def test_a_mistake_that_the_course_does_not_know_is_on_no_slide(class_of_hostile):
    learners, _ = class_records.read_folder(class_of_hostile)
    shown = "".join(text.get_text() for _, figure in picture.slides(learners) for text in figure.findobj(Text))
    assert "solved" in shown and LIE not in shown


def test_a_file_of_a_zip_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/course-progress.json", json.dumps(SOLVED))
        archive.writestr(f"{'n' * 300}/course-progress.json", json.dumps(SOLVED))
        archive.writestr("bomb/course-progress.json", b" " * (collecting.MOST_BYTES + 1))
        archive.writestr("torn/course-progress.json", json.dumps(SOLVED))
        torn = archive.getinfo("torn/course-progress.json")
    whole = bytearray((tmp_path / "all.zip").read_bytes())
    start = torn.header_offset + 30 + len(torn.filename)
    whole[start:start + 4] = b"\xff\xff\xff\xff"
    (tmp_path / "all.zip").write_bytes(whole)
    learners, refused = names(tmp_path / "all.zip")
    assert learners == ["ada", "n" * 300] and {name.split("/")[0]: why.partition(":")[0] for name, why in refused} == {
        "bomb": "not read, it is too large for a record", "torn": "not read, Error -3 while decompressing data"}


EXAM = sorted(LISTINGS)[:12]
LEAF = some.none() | some.booleans() | some.integers() | some.text(max_size=5) | some.lists(some.text(max_size=3), max_size=2)
NAMES = some.sampled_from(["spy", "views", KEPT_DICTIONARY, "sitting 1", "sitting 007", "sitting 2", "1 " + EXAM[0], "2 " + EXAM[1], "$x$"]) | some.text(max_size=4)
FIELD_NAMES = sorted({field for fields in progress_file.FIELDS.values() for field in fields})


def values(field, types):
    """What a field of this name may hold: mostly of its type, and else anything."""
    right = {str: some.sampled_from([" ".join(EXAM), "a | b", "no", ""]), bool: some.booleans(), int: some.integers(-2, 40),
             list: some.lists(some.sampled_from([SPY, LIE]), max_size=2)}
    return some.one_of(*(right[type_] for type_ in types), *[right[types[0]]] * 4, LEAF)


FIELD_VALUES = {field: values(field, [fields[field] for fields in progress_file.FIELDS.values() if field in fields]) for field in FIELD_NAMES}
ENTRIES = some.fixed_dictionaries({}, optional=FIELD_VALUES) | LEAF
RECORDS = some.fixed_dictionaries({"schema": some.sampled_from([1, 1, 1, 1, 0, 2, "1"])}, optional={
    part: some.dictionaries(NAMES, ENTRIES, max_size=4) | LEAF for part in progress_file.FIELDS})


@given(some.lists(RECORDS, max_size=3))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_records_are_graded_or_named_and_shown_in_the_learners_own_notebook(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("class")
    put(folder, {"ada.json": SOLVED, **{f"{number}.json": record_ for number, record_ in enumerate(records)}})
    lines = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("courseware.grading.draw", lambda learners, path: [name for name, _ in picture.slides(learners)])
        assert 1 <= grade(folder, folder / "gradebook.csv", class_list=None, say=lines.append) <= len(records) + 1
        assert [row["learner"] for row in gradebook(folder)].count("ada") == 1
        for number, _ in enumerate(records):
            patch.setenv("COURSE_PROGRESS", str(folder / f"{number}.json"))
            progress_file.record.cache_clear()
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                progress.show()
                progress.lesson("pinned")
                progress.certificate(folder / f"{number}.md")
                for exercise in ("spy", "views"):
                    exercises.hint(exercise)
            assert "all lessons" in shown.getvalue()
    progress_file.record.cache_clear()


# What the teacher has written -----------------------------------------------------------------------------------------

def test_remarks_in_a_gradebook_are_not_written_over(folder, capsys):
    assert graded(folder) == 0 and graded(folder) == 0
    with open(folder / "gradebook.csv", "a") as file:
        file.write("my remark\n")
    capsys.readouterr()
    assert graded(folder) == 1
    assert "changed since" in capsys.readouterr().out and (folder / "gradebook.csv").read_text().endswith("my remark\n")


def test_a_record_named_as_the_table_by_mistake_stays(folder, capsys):
    before = (folder / "ben.json").read_bytes()
    assert main(["grade", str(folder), "--table", str(folder / "ben.json"), "--picture", str(folder / "class.png")]) == 1
    assert "is left as it is" in capsys.readouterr().out and (folder / "ben.json").read_bytes() == before
