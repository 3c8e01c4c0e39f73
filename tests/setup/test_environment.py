"""conda's environment, and what Binder makes of it."""
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from .test_pins import PROJECT, requirements

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "environment.yml").read_text()
FILE = yaml.safe_load(TEXT)
VERSIONS = dict((*line.replace(">=", "=>=").split("=", 1), "")[:2] for line in FILE["dependencies"])
PYTHON = {"python_version": VERSIONS["python"], "python_full_version": VERSIONS["python"] + ".9", "sys_platform": "linux",
          "os_name": "posix", "platform_machine": "x86_64", "implementation_name": "cpython", "platform_system": "Linux",
          "platform_python_implementation": "CPython"}
CUDA12 = {pin.name: next(iter(pin.specifier)).version for pin in requirements("requirements-cuda12.txt")
          if not pin.marker or pin.marker.evaluate(PYTHON)}

# pip's packages that conda has under other names, or not at all.
OTHER_NAMES = {
    "nvidia-cuda-nvrtc-cu12": "cuda-nvrtc",
    "nvidia-cuda-runtime-cu12": "cuda-cudart-dev",
    "nvidia-cuda-cccl-cu12": "cuda-cudart-dev",     # it depends on cuda-cccl_linux-64
    "nvidia-cuda-nvcc-cu12": "cuda-nvvm-impl",      # of which the course needs NVVM: nothing is compiled against crt's headers
    "pocl-binary-distribution": "pocl",
}
LEFT_OUT = {
    "nvidia-cuda-profiler-api-cu12": "PyCUDA comes compiled",
    "playwright": "conda-forge has none for Python",
    "jupyter-repo2docker": "it renders Binder's image, and is not part of it",
}
# conda's packages whose version is not said, and what says it.
VERSION_FOLLOWS = {
    **dict.fromkeys(("cuda-nvrtc", "cuda-cudart-dev", "cuda-nvvm-impl", "cuda-nvvm-tools"), "cuda-version"),
    "gcc": "it builds one C file",
    "pip": "it installs this project alone",
    "pocl": "any will do; pip's PoCL, 3.0, is older than conda-forge's for this Python",
}
ASKED = sorted({Requirement(line).name for line in PROJECT["dependencies"]}
               | {pin.name for pin in requirements("requirements.in") + requirements("requirements-cuda12.in") if pin.name in CUDA12})


# The environment ------------------------------------------------------------------------------------------------------

def test_its_channel_is_conda_forge_alone():
    assert FILE["channels"] == ["conda-forge", "nodefaults"]


@pytest.mark.parametrize("name", ASKED)
def test_what_pip_is_asked_for_conda_is_asked_for_too(name):
    assert (OTHER_NAMES.get(name, name) in VERSIONS) != (name in LEFT_OUT)


@pytest.mark.parametrize("name", sorted(VERSIONS.keys() & CUDA12.keys()))
def test_a_package_that_has_one_name_in_both_has_one_version(name):
    version = VERSIONS[name]
    if version.startswith(">="):
        assert Requirement(name + version).specifier.contains(CUDA12[name])
    else:
        # conda's =2.5 takes 2.5.5, and leaves the last number to what conda-forge has.
        assert f"{CUDA12[name]}.".startswith(f"{version}.")


def test_where_no_version_is_said_another_package_says_it_or_it_does_not_matter():
    assert {name for name, version in VERSIONS.items() if not version} == set(VERSION_FOLLOWS)


def test_cuda_is_of_the_version_that_the_third_environment_is_tested_with():
    of_cuda = {CUDA12[name] for name in CUDA12 if name.startswith(("nvidia-cuda-", "cuda-bindings"))}
    assert {version.rsplit(".", 1)[0] for version in of_cuda} == {VERSIONS["cuda-version"]} == {"12.9"}


def test_every_requirement_of_the_course_is_met():
    for requirement in map(Requirement, PROJECT["dependencies"]):
        assert requirement.specifier.contains(Version(VERSIONS[requirement.name]).base_version)
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(VERSIONS["python"])


def test_the_command_in_its_first_lines_names_this_file_and_this_environment():
    assert f"conda env create -f environment.yml && conda activate {FILE['name']} && bash binder/postBuild" in TEXT


# Binder ---------------------------------------------------------------------------------------------------------------

def test_binder_has_the_same_environment():
    assert (ROOT / "binder" / "environment.yml").read_text() == TEXT


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_its_scripts_stop_at_a_failure_and_can_be_executed(name):
    script = ROOT / "binder" / name
    assert re.search(r"^set -eu?", script.read_text(), flags=re.MULTILINE) and os.access(script, os.X_OK)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """What a clone holds of the project, in a folder with a home of its own."""
    folder = tmp_path_factory.mktemp("binder")
    wanted = ("course_lib", "tools", "binder", "notebooks", "*.py", "*.toml", "*.yml", "README.md", "LICENSE", "MANIFEST.in")
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
                         capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in ran.stdout
    assert "RUN ./binder/postBuild" in ran.stdout
    assert 'ENV R2D_ENTRYPOINT="${REPO_DIR}/binder/start"' in ran.stdout
    assert f"Building conda environment for python={VERSIONS['python']}\n" in ran.stderr


@pytest.fixture(scope="module")
def environment(copy):
    """A Python in which everything is installed but the course, as conda leaves it. These are pip's packages."""
    folder = copy / "environment"
    venv.create(folder)
    packages, = folder.glob("lib/python*/site-packages")
    ours = re.compile("cuda_memory_course|__editable__|pycuda_import_hint")
    for installed in Path(sysconfig.get_path("purelib")).iterdir():
        if not ours.match(installed.name):
            (packages / installed.name).symlink_to(installed)
    commands = os.pathsep.join([str(folder / "bin"), os.path.dirname(sys.executable), os.environ["PATH"]])
    return {"PATH": commands, "HOME": str(copy / "home"), "COURSE_DRIVER": "simulated"}


def run(command, environment, folder):
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built(copy, environment):
    """postBuild has run."""
    ran = run([copy / "course" / "binder" / "postBuild"], environment, copy / "course")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_post_build_builds_the_simulated_driver_and_ends_with_the_doctor(copy, built):
    assert (copy / "course" / "course_lib" / "simulator" / "libcuda.so.1").is_file()
    assert "simulated" in built and str(copy / "course") in built


def test_after_post_build_the_notebooks_are_trusted(copy, built, environment):
    code = ("import nbformat, nbformat.sign, pathlib, sys\n"
            "notary = nbformat.sign.NotebookNotary()\n"
            "notebooks = pathlib.Path('notebooks').glob('*.ipynb')\n"
            "print({notary.check_signature(nbformat.read(path, 4)) for path in notebooks})")
    ran = run(["python", "-c", code], environment, copy / "course")
    assert ran.stdout == "{True}\n", ran.stderr


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
