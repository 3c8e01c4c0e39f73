"""``python -m course_lib ask``: which driver it asks, what it says where it cannot, and to whom it hands over."""
import importlib.util
import os
import subprocess
import sys
import types

from course_lib import driver
from courseware import __main__ as command, questions

import pytest


def run(*arguments, folder, **environment):
    return subprocess.run(
        [sys.executable, "-m", "course_lib", "ask", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(questions.SOURCE)} | environment,
    )


def test_the_simulated_driver_is_compared_from_any_folder(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "__init__.py").write_text("raise SystemExit('these are not the questions')")
    done = run("--driver", "simulated", "--only", "free_null", "--jobs", "1", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 answer, 1 alike, 0 different." in done.stdout
    (file,) = tmp_path.glob("*.json")
    assert file.name.startswith("nvidia-h200-simulated-") and str(file) in done.stdout


def test_no_gpu_is_asked_by_a_simulated_driver(tmp_path):
    done = run(folder=tmp_path, COURSE_DRIVER="simulated")
    assert done.returncode == 1 and not list(tmp_path.iterdir())
    assert done.stdout.startswith(
        "Nothing is asked: the simulated driver is attached, because COURSE_DRIVER=simulated. Unset COURSE_DRIVER."
    )


@pytest.mark.parametrize(
    "choice, told",
    [("auto", "needs an NVIDIA GPU that `nvidia-smi` lists, and its driver 580"), ("simulated", "Unset COURSE_DRIVER")],
)
def test_what_to_do_without_a_gpu(monkeypatch, choice, told):
    monkeypatch.setattr(driver, "attached", types.SimpleNamespace(simulated=True, why="it is so"))
    monkeypatch.setattr(driver, "choice", lambda: choice)
    assert told in questions.lacking(questions.REAL) and "because it is so" in questions.lacking(questions.REAL)
    assert questions.lacking(questions.SIMULATED) == ""


def test_a_driver_that_cannot_be_attached_is_told(monkeypatch, capsys):
    def attach():
        raise driver.DriverError("COURSE_DRIVER=real, but no device answers: a reason.")

    monkeypatch.setattr(driver, "attach", attach)
    assert command.main(["ask"]) == 1
    assert capsys.readouterr().out == "Nothing is asked: COURSE_DRIVER=real, but no device answers: a reason.\n"


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert questions.lacking(questions.SIMULATED).startswith("cuda-bindings is not installed here.")


def test_without_the_source_it_says_where_the_questions_are(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(questions, "SOURCE", tmp_path)
    assert questions.ask(questions.SIMULATED) == 1
    assert "Clone the repository, type `make setup`" in capsys.readouterr().out


def test_the_gpus_library_and_every_option_are_handed_on(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(driver, "attached", types.SimpleNamespace(simulated=False, library="/usr/lib/libcuda.so.1"))
    called = []
    monkeypatch.setattr(os, "execve", lambda *arguments: called.append(arguments))
    command.main(["ask", "--only", "a", "--only", "b", "--jobs", "3", "--patience", "9", "--output", "mine.json"])
    ((program, arguments, environment),) = called
    assert arguments == [
        program,
        "-m",
        "tests.conformance.systems",
        "ask",
        "--library",
        "/usr/lib/libcuda.so.1",
        "--folder",
        str(tmp_path),
        "--only=a",
        "--only=b",
        "--jobs=3",
        "--patience=9",
        f"--output={tmp_path / 'mine.json'}",
    ]
    assert environment["PYTHONPATH"].startswith(str(questions.SOURCE)) and os.getcwd() == str(questions.SOURCE)
