"""A release: version and day go into each file that names them, and nothing else changes."""
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
import release  # in tools/, where test_bootstrap has led
import yaml

from .test_bootstrap import ROOT


@pytest.fixture
def checkout(tmp_path):
    for name in release.CHANGES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_each_file_has_the_version(checkout):
    release.change(checkout, "7.8.9", "2031-02-03")
    assert [name for name in release.CHANGES if "7.8.9" not in (checkout / name).read_text()] == []
    citation = yaml.safe_load((checkout / "CITATION.cff").read_text())
    assert (citation["version"], str(citation["date-released"])) == ("7.8.9", "2031-02-03")
    assert "## [Unreleased]\n\n## [7.8.9] - 2031-02-03\n\n###" in (checkout / "CHANGELOG.md").read_text()


def test_what_changed_in_a_release_stays_written_down(checkout):
    before = (checkout / "CHANGELOG.md").read_text().partition("### Added")[2]
    release.change(checkout, "7.8.9", "2031-02-03")
    assert (checkout / "CHANGELOG.md").read_text().endswith(before)


def test_a_file_without_a_place_leaves_all_as_they_were(checkout):
    (checkout / "CHANGELOG.md").write_text("nothing of the kind\n")
    with pytest.raises(ValueError, match="Nothing was changed"):
        release.change(checkout, "7.8.9", "2031-02-03")
    assert "7.8.9" not in (checkout / "CITATION.cff").read_text()


@pytest.mark.parametrize("version", [[], ["v1.2.3"], ["1.2"], ["1.2.3", "now"]])
def test_what_is_no_version_changes_nothing(version):
    assert "python3 tools/release.py" in release.main(version)


@pytest.fixture
def clone(checkout, monkeypatch):
    """A clone with a stranger's file in it, and a uv that packs what lies in the folder that it is given."""
    (checkout / ".gitignore").write_text(".build\n")
    for command in ["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@a", "commit", "-qm", "a"]:
        subprocess.run(["git", "-C", checkout, *command], check=True)
    (checkout / "course_lib" / "diary.py").write_text("dear diary")

    def uv(command, check):
        out, folder = Path(command[command.index(next(word for word in command if word.endswith("-dir"))) + 1]), Path(command[-1])
        files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".gitignore"] if folder.is_dir() else []
        (out / f"{folder.stem}.whl").write_text("".join(f"{path.name} {path.read_text()}" for path in files))
        if "--wheel" not in command and "build" in command:
            (out / f"{folder.stem}.tar.gz").write_text("sources")
    real = subprocess.run
    monkeypatch.setattr(release.subprocess, "run", lambda command, **how: (uv if command[0] == "uv" else real)(command, **how))
    return checkout


def test_the_wheels_have_what_was_committed_with_the_version(clone):
    wheels = release.build(clone, "uv", lambda source: release.change(source, "7.8.9", "2031-02-03"))
    text = "".join(wheel.read_text() for wheel in wheels)
    assert '__version__ = "7.8.9"' in text and "diary" not in text and "7.8.9" not in (clone / "CITATION.cff").read_text()
    assert release.build(clone, "uv")       # and again


def test_each_file_of_a_release_has_its_digest_beside_it(clone):
    release.build(clone, "uv")
    folder = clone / ".build" / "release"
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True, capture_output=True)
    names = {line.split()[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    assert names == {path.name for kind in ("*.whl", "*.tar.gz") for path in folder.glob(kind)} and "cuda-simulator.tar.gz" in names


def test_a_folder_of_wheels_that_somebody_put_something_into_stays(clone):
    release.build(clone, "uv")
    (clone / ".build" / "release" / "thesis.tex").write_text("mine")
    with pytest.raises(release.NotOurs, match="thesis.tex"):
        release.build(clone, "uv")
    assert (clone / ".build" / "release" / "thesis.tex").read_text() == "mine"


@pytest.fixture
def step(tmp_path):
    """``step(job, words)``: runs the step of the release's workflow that has these words, in a folder of its own. What it would upload is
    named in the file `uploaded`."""
    def ran(job, words):
        workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
        script, = (step["run"] for step in workflow["jobs"][job]["steps"] if words in step.get("run", ""))
        (tmp_path / "gh").write_text('#!/bin/sh\nfor file; do test -f "$file" && echo "$file"; done >> uploaded\n')
        (tmp_path / "gh").chmod(0o755)
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_REF_NAME": "v7.8.9"}
        subprocess.run(["bash", "-euc", script], cwd=tmp_path, env=environment, check=True)
    return ran


def test_a_release_has_wheels_sources_and_pages_and_the_digest_of_each(step, tmp_path):
    files = ["3.12-13.0/pycuda.whl", "course.whl", "simulator.tar.gz", "pages.zip"]
    for name in files:
        (tmp_path / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "made" / name).write_text(name)
    step("release", "gh release create")
    names = {Path(name).name for name in files}
    assert {Path(name).name for name in (tmp_path / "uploaded").read_text().split()} == {*names, "SHA256SUMS"}
    digests = (tmp_path / "files" / "SHA256SUMS").read_text().splitlines()
    assert {line.split()[1] for line in digests} == names
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path / "files", check=True, capture_output=True)


def test_the_pages_of_a_release_unpack_into_one_folder(step, tmp_path):
    (tmp_path / ".build" / "site" / "reference").mkdir(parents=True)
    for name in "index.html", ".nojekyll", "reference/index.html":
        (tmp_path / ".build" / "site" / name).write_text(name)
    step("pages", "zipfile")
    archive, = tmp_path.glob("*.zip")
    names = zipfile.ZipFile(archive).namelist()
    folder = names[0]
    assert {f"{folder}index.html", f"{folder}reference/index.html"} <= {*names} and all(name.startswith(folder) for name in names)


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_an_action_is_named_by_its_digest(workflow):
    jobs = yaml.safe_load(workflow.read_text())["jobs"].values()
    used = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    assert used and [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []
