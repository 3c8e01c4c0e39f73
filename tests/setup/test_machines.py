"""The course on machines of users: what it leaves there, what it says of their Python, and where it finds their driver."""
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from .. import fake_libcuda
from .test_bootstrap import ROOT, SIMULATOR, bootstrap, commands, project, replaced, setup_steps  # noqa: F401


@pytest.fixture
def checks(project, replaced):    # noqa: F811
    """How `make test` becomes pytest: its command, and its environment."""
    bootstrap.run_checks(project, ["notebooks"], [])
    return replaced[0]


def test_the_checks_read_and_write_no_folder_of_the_users(checks, project):    # noqa: F811
    _, environment = checks
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR",
                 "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        assert Path(environment[name]).is_relative_to(project.build), name


@pytest.fixture
def files_left(tmp_path, monkeypatch):
    """Run tests in a pytest of its own, with options; the names of the files that they leave in its /tmp."""
    def run(code, *options):
        (tmp_path / "tmp").mkdir(exist_ok=True)
        monkeypatch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path / "tmp"))
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")       # none of them has to do with it
        (tmp_path / "test_it.py").write_text(code)
        subprocess.run([sys.executable, "-m", "pytest", *options, "test_it.py"], cwd=tmp_path)
        return [path.name for path in (tmp_path / "tmp").rglob("*") if path.is_file() and path.name != ".lock"]
    return run


def test_the_folders_of_tests_that_passed_do_not_stay_in_tmp(checks, files_left):
    command, _ = checks
    options = [f"-o{value}" for option, value in zip(command, command[1:]) if option == "-o"]
    code = "def test_one(tmp_path): (tmp_path / 'of one that passed').touch()\n" \
           "def test_other(tmp_path): (tmp_path / 'of one that failed').touch(); assert 0\n"
    assert files_left(code, *options) == ["of one that failed"]


def test_a_python_that_is_too_new_for_a_pin_is_told_which_and_what_to_do(tmp_path):
    here = setup_steps.Project(tmp_path)
    with pytest.raises(setup_steps.Problem) as problem:       # pip itself, at an index that has nothing
        setup_steps.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", tmp_path / "out",
                       "cuda-bindings==13.0.3"], here, {"PIP_FIND_LINKS": ""})
    sentence = str(problem.value)
    assert sentence.startswith(f"The package index has nothing for {setup_steps.PYTHON} by this name (cuda-bindings==13.0.3).")
    assert "make clean setup PYTHON=python3.12" in sentence and str(here.log) in sentence


def test_uvs_words_for_it_are_understood_too(tmp_path):
    here = setup_steps.Project(tmp_path)
    here.uv, here.python = Path(sysconfig.get_path("scripts"), "uv"), Path(sys.executable)
    with pytest.raises(setup_steps.Problem, match="^There is no cuda-bindings==13.0.3 for Python "):
        setup_steps.uv(here, "install", "--no-index", "--no-deps", "--target", tmp_path / "out", "cuda-bindings==13.0.3")


# WSL 2 -----------------------------------------------------------------------------------------------------------------

# Has course_lib see a machine whose root is sys.argv[1], and which has no cache of the loader's.
UNDER_ANOTHER_ROOT = """
import importlib.util, sys, types
package = types.ModuleType("course_lib")
package.__path__ = importlib.util.find_spec("course_lib").submodule_search_locations
sys.modules["course_lib"] = package
from course_lib.driver import probe
probe.LOADER_CACHE, probe.USUAL_FOLDERS = "/nonexistent", [sys.argv[1] + folder for folder in probe.USUAL_FOLDERS]
del sys.modules["course_lib"]
import course_lib
print(course_lib.driver.describe())
"""
# How cuda-bindings asks for the other functions.
BY_NAME = """
#include <dlfcn.h>
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long long flags, int *status) {
    return (*found = dlsym(RTLD_DEFAULT, name)) ? 0 : 500;
}
"""


@pytest.fixture
def wsl(tmp_path):
    """Make a root whose libcuda.so.1, from this source, lies where WSL 2 keeps it; returns the root's name."""
    def make(source):
        (tmp_path / "root" / "usr" / "lib" / "wsl").mkdir(parents=True)
        fake_libcuda.build(tmp_path / "root" / "usr" / "lib" / "wsl" / "lib", source)
        return str(tmp_path / "root")
    return make


def test_a_driver_that_is_where_wsl_keeps_it_is_found_and_is_the_one_that_pycuda_and_cuda_bindings_reach(wsl, in_new_process):
    # PyCUDA loads only if every function is there.
    source = fake_libcuda.DEVICE + BY_NAME
    names = re.findall(r"FUNCTION\((\w+)", (SIMULATOR / "src" / "cuda_simulator" / "libcuda" / "stand_in_names.h").read_text())
    root = wsl(source + "".join(f"int {name}() {{ return 801; }}\n" for name in names if f" {name}(" not in source))
    result = in_new_process(UNDER_ANOTHER_ROOT + """
import pycuda.driver
pycuda.driver.init()
from cuda.bindings import driver
print("PyCUDA reaches", pycuda.driver.Device(0).name())
print("cuda-bindings reaches", driver.cuDeviceGetName(20, 0)[1].decode())
""", root, COURSE_DRIVER=None)
    assert result.returncode == 0, result.stderr
    assert "real, because a device answers" in result.stdout and f"{root}/usr/lib/wsl/lib/libcuda.so.1" in result.stdout
    assert "PyCUDA reaches Fake GPU" in result.stdout and "cuda-bindings reaches Fake GPU" in result.stdout


def test_wsl_without_a_gpu_gets_the_simulated_driver_and_is_told_why(wsl, in_new_process):
    root = wsl(fake_libcuda.NO_DEVICE)
    printed = in_new_process(UNDER_ANOTHER_ROOT, root, COURSE_DRIVER=None).stdout
    assert (f"simulated, because no device answers: {root}/usr/lib/wsl/lib/libcuda.so.1: cuInit answers "
            "CUDA_ERROR_NO_DEVICE (100)") in printed
