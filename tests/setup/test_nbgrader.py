"""Assignments for nbgrader: every exercise once, its starter without its solution, and the same check behind it."""
import importlib.util
import json
import re

from courseware.exercises.catalogue import EXERCISES

import pytest

from course_files import NotOurs

from .test_bootstrap import ROOT

spec = importlib.util.spec_from_file_location("nbgrader_assignments", ROOT / "tools" / "nbgrader_assignments.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)

SOLUTION = re.compile(r"\n*### BEGIN SOLUTION\n(.*?)\n### END SOLUTION", re.DOTALL)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    return {name: json.loads((folder / "source" / name / f"{name}.ipynb").read_text()) for name in tool.write(folder)[0]}


@pytest.fixture(scope="module")
def graded(course):
    """{exercise's id: (the learner's cell, the graded cell)}."""
    cells_of = {}
    for notebook in course.values():
        cells = notebook["cells"]
        cells_of |= {cell["id"]: (cells[number - 1], cell) for number, cell in enumerate(cells)
                     if cell["metadata"].get("nbgrader", {}).get("grade")}
    return cells_of


def test_every_exercise_is_graded_once_and_locked(graded):
    assert sorted(graded) == sorted(EXERCISES)
    for name, (mine, check) in graded.items():
        marks = check["metadata"]["nbgrader"]
        assert marks["locked"] and not marks["solution"] and marks["points"] == EXERCISES[name].minutes
        assert mine["metadata"]["nbgrader"]["solution"] and not mine["metadata"]["nbgrader"]["locked"]


def test_grade_ids_are_unique_in_a_notebook(course):
    for notebook in course.values():
        ids = [cell["metadata"]["nbgrader"]["grade_id"] for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_lies_between_the_marks_and_the_starter_outside(name, graded):
    source = "".join(graded[name][0]["source"])
    exercise, solution = EXERCISES[name], SOLUTION.search(source)[1]
    rest = SOLUTION.sub("", source)
    assert exercise.solution.strip() in solution and exercise.solution.strip() not in rest
    assert "exercises.check" not in source
    if not exercise.answer_kind.is_puzzle:
        assert exercise.starter.strip("\n").replace("'''", '"""') in rest


def test_no_output_and_no_answer_is_left_in_an_assignment(course):
    for notebook in course.values():
        assert all(not cell.get("outputs") for cell in notebook["cells"])


@pytest.mark.parametrize("name", ["walk", "translate", "vmm-order", "lend", "may-read"])
def test_the_graded_cell_passes_the_solution_and_fails_the_starter(name, graded, in_new_process):
    mine, check = ("".join(cell["source"]) for cell in graded[name])
    begin = "import course_lib, pycuda.autoinit\nfrom courseware import exercises\n"
    assert in_new_process(f"{begin}{mine}\n{check}").returncode == 0
    failed = in_new_process(f"{begin}{SOLUTION.sub('', mine)}\n{check}")
    assert failed.returncode == 1 and f"AssertionError: {name} is not solved" in failed.stderr


def test_what_a_teacher_changed_is_left_alone_and_named(course, tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("mine")
    names, _ = tool.write(tmp_path)
    edited = tmp_path / "source" / names[0] / f"{names[0]}.ipynb"
    edited.write_text(edited.read_text().replace("# ", "# mine ", 1))
    before = edited.read_text()
    again, left_alone = tool.write(tmp_path)
    assert (tmp_path / "nbgrader_config.py").read_text() == "mine" and edited.read_text() == before
    assert again == names[1:] and len(left_alone) == 1 and str(edited) in left_alone[0] and "is left as it is" in left_alone[0]


@pytest.mark.parametrize("name", ["source", "nbgrader_config.py"])
@pytest.mark.parametrize("target", ["theirs", "nothing"])
def test_nothing_is_written_through_a_link(tmp_path, name, target):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / name).symlink_to(tmp_path / target)
    with pytest.raises(NotOurs, match=f"{name} is a link"):
        tool.write(tmp_path / "course")
    assert list((tmp_path / "theirs").iterdir()) == [] and not (tmp_path / "nothing").exists()


def test_the_folder_of_an_assignment_that_is_a_link_is_named_and_left_alone(tmp_path, course):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "course" / "source").mkdir(parents=True)
    name, *others = course
    (tmp_path / "course" / "source" / name).symlink_to(tmp_path / "theirs")
    names, (left_alone,) = tool.write(tmp_path / "course")
    assert names == others and f"{name} is a link" in left_alone and list((tmp_path / "theirs").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr("sys.argv", ["nbgrader_assignments.py", str(tmp_path / "file" / "course")])
    with pytest.raises(SystemExit, match="Not a directory"):
        tool.main()
