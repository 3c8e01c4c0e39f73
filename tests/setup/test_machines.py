"""What the course leaves on the machines of its users: nothing outside its folder and the user's cache folder."""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
import bootstrap  # noqa: E402


@pytest.fixture
def checks(monkeypatch, tmp_path):
    """How `make test` becomes pytest: its command, and its environment."""
    became = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bootstrap.os, "execve", lambda path, command, environment: became.append((command, environment)))
    bootstrap.run_checks(bootstrap.Project(tmp_path), ["notebooks"], [])
    return became[0]


def test_the_checks_read_and_write_no_folder_of_the_users(checks, tmp_path):
    _, environment = checks
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        assert Path(environment[name]).is_relative_to(tmp_path / ".build"), name


@pytest.fixture
def files_left(tmp_path, monkeypatch):
    """Run a test in a pytest of its own, with options; the names of the files that it leaves in its /tmp."""
    def run(code, *options):
        (tmp_path / "tmp").mkdir(exist_ok=True)
        monkeypatch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path / "tmp"))
        (tmp_path / "test_it.py").write_text(code)
        subprocess.run([sys.executable, "-m", "pytest", *options, "test_it.py"], cwd=tmp_path)
        return [path.name for path in (tmp_path / "tmp").rglob("*") if path.is_file() and path.name != ".lock"]
    return run


def test_the_folders_of_tests_that_passed_do_not_stay_in_tmp(checks, files_left):
    command, _ = checks
    options = [f"-o{value}" for option, value in zip(command, command[1:]) if option == "-o"]
    assert files_left("def test(tmp_path): (tmp_path / 'file').touch()", *options) == []
    assert files_left("def test(tmp_path): (tmp_path / 'file').touch(); assert 0", *options) == ["file"]
