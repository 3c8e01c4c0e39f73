"""``pytest --nbval notebooks`` needs no further option: tools/course_pytest.py has what nbval is to overlook, and how long a cell may take."""
import os
import subprocess
import sys
from pathlib import Path

import course_pytest  # in tools/
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def option(pytestconfig):
    if not pytestconfig.option.nbval:
        pytest.skip("this run of pytest checks no notebooks")
    return pytestconfig.option


def test_addresses_and_pictures_are_overlooked(option):
    assert option.nbval_sanitize_with == str(course_pytest.SANITISE)
    assert course_pytest.SANITISE.is_file()


def test_cells_run_in_this_python_and_not_for_ever(option):
    assert option.nbval_current_env
    assert option.nbval_cell_timeout <= course_pytest.CELL_SECONDS


def passes(notebook, *options):
    """Whether nbval passes a notebook with the project's settings."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "course_pytest", "--nbval", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tools"), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([*command, notebook.name], cwd=notebook.parent, env=environment, capture_output=True).returncode == 0


def test_a_cell_that_says_something_else_when_it_is_run_again_is_refused_by_twice(tmp_path, option):
    cell = nbformat.v4.new_code_cell("told = globals().get('told', 0) + 1\nprint(told)", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="1\n")]
    notebook = tmp_path / "counts.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), notebook)
    assert passes(notebook)
    assert not passes(notebook, "--twice")
