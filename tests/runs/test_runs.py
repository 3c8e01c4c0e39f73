"""A run is written down if that was asked for, with what came of it; and docs/runs.md is what the records give."""
import json
import re
import shutil
import subprocess
import sys

import pytest

from . import page, records

RECORD = {"date": "2026-01-02", "command": "make test", "device": "NVIDIA H200", "driver": "580.1", "cuda": "13.0",
          "python": "3.12.1", "system": "Debian, x86_64", "packages": {"pycuda": "2026.1"}, "not of the lock": {},
          "counts": {"passed": 1234, "failed": 3}, "seconds": 600, "failures": ["tests/test_a.py::test_b"], "commit": "abc"}
TESTS = """
import pytest
def test_passes(): pass
def test_fails(): assert False
@pytest.mark.skip
def test_skipped(): pass
"""


def test_the_page_is_what_the_records_give():
    assert page.PAGE.read_text() == page.text(records.load())


def test_the_records_name_no_place():
    text = "".join(map(json.dumps, records.load()))
    assert not re.search(r"/(home|tmp|work|root|usr|opt|mnt)/|://|index-url|hostname", text)


def test_every_record_has_what_the_page_shows():
    assert [one for one in records.load() if one.keys() != RECORD.keys()] == []


def test_the_page_shows_the_newest_run_first_and_what_failed():
    later = {**RECORD, "date": "2026-02-03", "failures": [], "counts": {"passed": 5}}
    text = page.text([RECORD, later, {**later, "commit": "last"}])
    assert text.index("| last |") < text.index("2026-02-03", text.index("| last |")) < text.index("| 2026-01-02 | `make test` | NVIDIA H200, driver 580.1, CUDA 13.0, Debian")
    assert "1,234 passed, 3 failed | 10 min | abc |" in text
    assert "`tests/test_a.py::test_b`, and 2 more" in text and "Newer than the lock" not in text


def test_the_page_names_what_the_newest_leg_had_newer_and_cudas_packages_first():
    versions = {f"a{number}": "1" for number in range(40)} | {"pycuda": "2027.1"}
    text = page.text([{**RECORD, "command": "make test-newest", "not of the lock": versions}])
    assert re.search(r"`make test-newest`, NVIDIA H200.*: pycuda 2027\.1, a0 1, .* and 11 more\n", text)


@pytest.mark.parametrize("text, cut", [("pytest /home/me/course/tests -x", "pytest tests -x"),
                                       ("tests/a.py::test[1/2]", "tests/a.py::test[1/2]"),
                                       ("--junit-xml=/tmp/a.xml", "--junit-xml=a.xml")])
def test_paths_of_the_machine_are_cut(text, cut):
    assert records.without_places(text) == cut


def test_what_is_not_of_the_lock_is_named(monkeypatch):
    monkeypatch.setattr(records, "installed", lambda: {**records.locked(), "pycuda": "1999.1"})
    made = records.made("pytest", {"passed": 1, "failed": 0}, 1.2, machine={"device": "", "driver": "", "cuda": ""})
    assert made["not of the lock"] == {"pycuda": "1999.1"} and made["packages"]["pycuda"] == "1999.1"
    assert made["counts"] == {"passed": 1}
    assert made.keys() == RECORD.keys()


def test_where_there_is_no_git_the_commit_is_the_one_that_was_told(monkeypatch, tmp_path):
    monkeypatch.setattr(records, "ROOT", tmp_path)
    monkeypatch.setattr(records, "FILE", tmp_path / "records.jsonl")
    monkeypatch.setenv("COURSE_COMMIT", "0123456789abcdef")
    assert records.commit() == "012345678"
    monkeypatch.delenv("COURSE_COMMIT")
    assert records.commit() == "unknown"


@pytest.fixture
def checkout(project_root, tmp_path):
    """As much of the course as a recorded run takes, with three tests."""
    modules = (f"tests/runs/{name}.py" for name in ("__init__", "records", "page"))
    for name in ("conftest.py", "requirements.txt", "tests/__init__.py", *modules):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project_root / name, tmp_path / name)
    for name in ("course_lib", "cuda_simulator", "tests/conformance"):
        (tmp_path / name).symlink_to(project_root / name)
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests" / "test_three.py").write_text(TESTS)

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_three.py", *options]
        subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100)
        return tmp_path / "tests" / "runs" / "records.jsonl", tmp_path / "docs" / "runs.md"
    return run


@pytest.mark.parametrize("workers", [["-p", "no:xdist"], ["-n", "2"]], ids=["alone", "xdist"])
def test_a_run_that_is_asked_to_writes_itself_down_once(checkout, workers, monkeypatch):
    monkeypatch.delenv("COURSE_RUN", raising=False)
    file, shown = checkout(*workers, "--record-run")
    one, = map(json.loads, file.read_text().splitlines())
    assert one["counts"] == {"passed": 1, "failed": 1, "skipped": 1} and one["failures"] == ["tests/test_three.py::test_fails"]
    assert one["command"] == " ".join(["pytest -q -p no:cacheprovider tests/test_three.py", *workers])
    assert one["cuda"] and "1 passed, 1 failed, 1 skipped" in shown.read_text()


@pytest.mark.parametrize("options", [[], ["--record-run", "-k", "of_which_there_is_none"], ["--record-run", "--collect-only"]],
                         ids=["not asked", "no test", "not run"])
def test_no_other_run_writes_anything(checkout, options):
    file, shown = checkout("-p", "no:xdist", *options)
    assert not file.exists() and not shown.exists()
