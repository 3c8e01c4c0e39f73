"""The site as `make site` makes it, for the tests of its pages (test_site.py) and of the pages in a browser (../browser/test_site.py).

It is made once: pytest's workers share it.
"""
import fcntl
import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup

from .test_bootstrap import ROOT

CANARY = "canary-of-ada-lovelace"       # what nobody may find in what leaves the machine


def git(folder, *command):
    return subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def worked_in(tmp_path_factory):
    """A checkout in which somebody learns and teaches: what is in it since its commit, and its place, have CANARY in it. In it `make site`
    was run, by the first worker that came here."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent      # which all workers have
    checkout, making = folder / CANARY / "course", folder / "making the site"
    with open(folder / "the site's lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not making.exists():
            making.touch()
            _work_in(checkout)
            shell = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}    # whose locale is not UTF-8
            printed = subprocess.run([sys.executable, "tools/website"], cwd=checkout, env=shell, check=True, capture_output=True, text=True).stdout
            (checkout.parent / "said.txt").write_text(printed)
    return checkout


def _work_in(checkout):
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git", ".venv*", ".build", "build", "__pycache__", ".*_cache"))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as it ships"]):
        git(checkout, "-c", "user.name=A", "-c", "user.email=a@example.org", *command)
    git(checkout, "remote", "add", "origin", "git@github.com:some-one/a.course.git")
    notebooks = checkout / "notebooks"
    lesson = nbformat.read(notebooks / "02_pinned_memory.ipynb", as_version=4)
    cell = next(cell for cell in lesson.cells if cell.cell_type == "code")
    cell.source += f"\n# {CANARY}"
    cell.outputs = [nbformat.v4.new_output("stream", name="stderr", text=f"/home/{CANARY}: TOKEN={CANARY}")]
    lesson.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"1": {"answer": CANARY}}}}
    nbformat.write(lesson, notebooks / "02_pinned_memory.ipynb")
    diary = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"# {CANARY}")])
    (notebooks / "mine").mkdir()
    for place in (notebooks, notebooks / "mine", notebooks / "side_trips"):
        nbformat.write(diary, place / "diary.ipynb")
    nbformat.write(nbformat.v4.new_notebook(), notebooks / "Untitled.ipynb")
    for name in ("docs/glossary.md", "docs/notes.md", "docs/pictures/mine.svg", "README.md", "gradebook.csv", "class-learners.png"):
        with open(checkout / name, "a") as file:
            file.write(f"\n{CANARY}\n")
    for name in ("course_lib/pinned.py", "courseware/lessons/pinned/predictions.toml"):
        path = checkout / name
        path.write_text(path.read_text().replace("pinned", f"pinned {CANARY}", 1))


@pytest.fixture(scope="session")
def printed(worked_in):
    """What `make site` says in that checkout."""
    return (worked_in.parent / "said.txt").read_text()


@pytest.fixture(scope="session")
def site(worked_in, printed):
    """The folder of a site as `make site` makes it."""
    return worked_in / ".build" / "site"


@pytest.fixture(scope="session")
def soups(site):
    """{name: the parsed page}."""
    return {path.name: BeautifulSoup(path.read_text(), "html.parser") for path in sorted(site.glob("*.html"))}
