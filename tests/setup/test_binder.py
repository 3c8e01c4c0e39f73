"""Binder: its environment is conda's, and its two scripts do what they are for, in a clean folder with a home of its own."""
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from .test_environment import ROOT, TEXT, VERSIONS


def test_binder_has_the_same_environment():
    assert (ROOT / "binder" / "environment.yml").read_text() == TEXT


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_its_scripts_stop_at_a_failure_and_can_be_executed(name):
    script = ROOT / "binder" / name
    assert re.search(r"^set -eu?", script.read_text(), flags=re.MULTILINE) and os.access(script, os.X_OK)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A clone of the course, in a folder with a home of its own."""
    folder = copied(tmp_path_factory.mktemp("binder"))
    for command in ["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@a", "commit", "-qm", "a"]:
        subprocess.run(["git", "-C", folder / "course", *command], check=True)
    return folder


def copied(folder):
    """Put what a clone holds of the project into `folder`, and a home beside it."""
    wanted = ("course_files", "course_lib", "courseware", "packages", "requirements", "tools", "binder", "notebooks",
              "*.py", "*.toml", "*.yml", "README.md", "LICENSE", "MANIFEST.in", "Dockerfile")
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *wanted],
                           cwd=ROOT, capture_output=True, text=True)
    if files.returncode:
        pytest.skip("not a clone made by git")
    for name in filter(lambda name: (ROOT / name).is_file(), files.stdout.split("\n")):
        (folder / "course" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "course" / name)
    (folder / "home").mkdir()
    return folder


def test_repo2docker_takes_the_files_in_binder(copy):
    pytest.importorskip("repo2docker", reason="repo2docker is not installed: pip install jupyter-repo2docker")
    ran = subprocess.run([sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."], cwd=copy / "course",
                         capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in ran.stdout
    assert "RUN ./binder/postBuild" in ran.stdout
    assert 'ENV R2D_ENTRYPOINT="${REPO_DIR}/binder/start"' in ran.stdout
    assert f"Building conda environment for python={VERSIONS['python']}\n" in ran.stderr


@pytest.fixture(scope="module")
def environment(copy):
    return python_without_the_course(copy)[0]


def python_without_the_course(folder):
    """A Python with everything installed but the course, as conda leaves it, and where its packages are. They are pip's."""
    venv.create(folder / "environment")
    packages, = folder.glob("environment/lib/python*/site-packages")
    ours = re.compile("cuda_memory_course|__editable__|pycuda_import_hint|missing_name")
    for installed in Path(sysconfig.get_path("purelib")).iterdir():
        if not ours.match(installed.name):
            (packages / installed.name).symlink_to(installed)
    path = os.pathsep.join([str(folder / "environment" / "bin"), os.path.dirname(sys.executable), os.environ["PATH"]])
    return {"PATH": path, "HOME": str(folder / "home"), "COURSE_DRIVER": "simulated"}, packages


def run(command, environment, folder):
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built(copy, environment):
    """postBuild has run."""
    ran = run([copy / "course" / "binder" / "postBuild"], environment, copy / "course")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_post_build_builds_the_simulated_driver_and_ends_with_the_doctor(copy, built):
    assert (copy / "course" / "packages" / "cuda-simulator" / "src" / "cuda_simulator" / "libcuda" / "libcuda.so.1").is_file()
    assert "simulated" in built and str(copy / "course") in built


def test_after_post_build_the_notebooks_are_trusted(copy, built, environment):
    code = ("import nbformat, nbformat.sign, pathlib, sys\n"
            "notary = nbformat.sign.NotebookNotary()\n"
            "notebooks = pathlib.Path('notebooks').rglob('*.ipynb')\n"
            "print({notary.check_signature(nbformat.read(path, 4)) for path in notebooks})")
    ran = run(["python", "-c", code], environment, copy / "course")
    assert ran.stdout == "{True}\n", ran.stderr


def test_jupyterlab_is_set_in_a_file_of_the_courses_own(copy, built, environment):
    labconfig, = copy.glob("environment/etc/jupyter/labconfig")
    assert [str(path.relative_to(labconfig)) for path in labconfig.rglob("*.json")] == [
        "default_setting_overrides.d/cuda-memory-course.json"]
    code = ("from jupyterlab_server.settings_utils import _get_overrides\n"
            "print(*_get_overrides('/nonexistent')[0])")
    assert set(json.loads((ROOT / "tools" / "jupyterlab_settings.json").read_text())) <= set(
        run(["python", "-c", code], environment, copy / "home").stdout.split())


def test_start_becomes_the_command_that_it_is_given(copy, built, environment):
    code = "import os, sys, course_lib; print(os.environ['OPENBLAS_NUM_THREADS'], sys.argv[1:], course_lib.__file__)"
    ran = run([copy / "course" / "binder" / "start", "python", "-c", code, "two words"], environment, copy / "home")
    assert ran.stdout == f"1 ['two words'] {copy / 'course' / 'course_lib' / '__init__.py'}\n", ran.stderr


def test_a_start_whose_command_fails_fails(copy, environment):
    ran = run([copy / "course" / "binder" / "start", "sh", "-c", "exit 3"], environment, copy / "home")
    assert ran.returncode == 3


def test_post_build_fails_where_the_course_cannot_run(copy, built, environment):
    ran = run([copy / "course" / "binder" / "postBuild"], {**environment, "CC": "/nonexistent/cc"}, copy / "course")
    assert ran.returncode != 0
