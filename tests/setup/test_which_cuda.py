"""Which CUDA's packages the set-up takes: what the machine's driver and GPU can use, or what it is told."""
import importlib.util
import json
import re
import shutil
from pathlib import Path

from course_lib import driver

import pytest
import which_cuda

from .. import fake_libcuda
from .test_bootstrap import (  # noqa: F401
    COMPILING,
    EVERYTHING,
    ROOT,
    SIMULATOR,
    bootstrap,
    commands,
    kinds,
    project,
    replaced,
    setup_steps,
)
from .test_commands import make
from .test_pins import requirements


@pytest.fixture
def checkout(project):    # noqa: F811
    """The project with what asks a driver, and with both lists of packages."""
    for path in (*LISTS, "course_lib/driver/probe.py"):
        (project.root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, project.root / path)
    return project


LISTS = which_cuda.LISTS.values()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Make this a machine whose first libcuda.so.1 is made of `source`, or one that has none."""
    number = iter(range(100))

    def have(source):
        folder = fake_libcuda.build(tmp_path / f"lib{next(number)}", source) if source else "/nonexistent"
        monkeypatch.setenv("LD_LIBRARY_PATH", folder)
    return have


@pytest.fixture
def without_a_driver(checkout):
    """On a machine with a GPU too, no library is found but in LD_LIBRARY_PATH."""
    probe = checkout.root / "course_lib" / "driver" / "probe.py"
    text = re.sub(r"(?m)^USUAL_FOLDERS = .*\nLOADER_CACHE = .*$", 'USUAL_FOLDERS = ()\nLOADER_CACHE = "/nonexistent"',
                  probe.read_text())
    assert text.count("/nonexistent") == 1
    probe.write_text(text)
    return checkout


# By driver (the CUDA that it says) and GPU (compute capability): the packages, None where none serve them.
SERVED = {(driver, gpu): 13 if driver >= (13, 0) and gpu >= (7, 5) else 12
          for driver in ((12, 2), (12, 4), (12, 8), (13, 0), (13, 2)) for gpu in ((6, 1), (7, 0), (7, 5), (12, 0))}
SERVED.update({((11, 8), (8, 6)): None, ((12, 1), (8, 6)): None, ((12, 4), (3, 5)): None, ((13, 0), (5, 0)): 12})


@pytest.mark.parametrize("driver, gpu", SERVED)
def test_the_packages_are_those_that_serve_the_driver_and_the_gpu(checkout, machine, capsys, driver, gpu):
    machine(fake_libcuda.device(driver, gpu))
    settled = which_cuda.settle(checkout)
    served = SERVED[driver, gpu]
    assert settled.requirements == settled.root / which_cuda.LISTS[served or 13]
    line, = capsys.readouterr().out.splitlines()
    assert line.startswith(f"Taking the packages of CUDA {which_cuda.release(served or 13)}, because ")
    assert ("they serve Fake GPU" if served else "none serve Fake GPU and the simulated driver takes its place: ") in line
    assert served is None or settled.venv == checkout.venv      # whichever they are, .venv has them


@pytest.mark.parametrize("gpu, driver, why", [
    ((8, 6), (12, 4), "the driver is for CUDA 12.4, and CUDA 13.0's packages need driver 580 or newer"),
    ((6, 1), (13, 0), "the GPU has compute capability 6.1, and CUDA 13.0 compiles for 7.5 or higher"),
    ((8, 6), (11, 8), "the driver is for CUDA 11.8, and CUDA 12.9's packages need driver 535 or newer"),
    ((3, 7), (12, 4), "the GPU has compute capability 3.7, and CUDA 12.9 compiles for 5.0 or higher"),
])
def test_the_line_says_why_it_is_not_the_newer_packages_or_none(checkout, machine, capsys, gpu, driver, why):
    machine(fake_libcuda.device(driver, gpu))
    which_cuda.settle(checkout)
    assert why in capsys.readouterr().out


@pytest.mark.parametrize("source, why", [
    (None, "this machine has no libcuda.so.1"), (fake_libcuda.NO_DEVICE, "cuInit answers CUDA_ERROR_NO_DEVICE (100)"),
    (fake_libcuda.CRASHES, "a process that asked it failed"), (fake_libcuda.HANGS, "no answer in 1 s"),
])
def test_no_answer_is_no_failure(without_a_driver, machine, monkeypatch, capsys, source, why):
    monkeypatch.setattr(which_cuda, "PATIENCE", 1)
    machine(source)
    assert which_cuda.settle(without_a_driver).requirements.name == "course.txt"
    assert re.search(r"no GPU answers and the simulated driver takes its place \(.*" + re.escape(why), capsys.readouterr().out)


# What is kept ----------------------------------------------------------------------------------------------------------

OLD, NEW = fake_libcuda.device((12, 4), (8, 6)), fake_libcuda.device((13, 0), (8, 6))


def packages(project):    # noqa: F811
    """Of which CUDA the packages are that were installed."""
    installed = (project.stamps / "requirements.txt").read_text()
    assert ("nvidia-cuda-nvrtc-cu12==" in installed) != ("nvidia-cuda-nvrtc==" in installed)
    return 12 if "-cu12==" in installed else 13


@pytest.mark.parametrize("command", ["setup", "lab", "test", "site", "doctor"])
def test_every_command_of_venv_sets_up_the_packages_that_serve(checkout, machine, commands, replaced, command):    # noqa: F811
    (checkout.root / "notebooks").mkdir()
    (checkout.root / "notebooks" / "00_two_views.ipynb").touch()
    machine(OLD)
    assert bootstrap.main(checkout, [command]) == 0
    assert packages(checkout) == 12
    assert all(became[0] == str(checkout.python) for became, _ in replaced)


def test_a_driver_is_asked_once_and_again_by_setup(checkout, machine, commands, replaced, monkeypatch):    # noqa: F811
    asked, ask = [], which_cuda.ask
    monkeypatch.setattr(which_cuda, "ask", lambda *machine: asked.append(1) or ask(*machine))
    machine(NEW)
    bootstrap.main(checkout, ["doctor"])
    bootstrap.main(checkout, ["test"])
    assert len(asked) == 1
    bootstrap.main(checkout, ["setup"])
    assert len(asked) == 2


def test_setup_changes_packages_that_do_not_serve_any_more_and_makes_venv_anew(
        checkout, machine, commands, capsys):    # noqa: F811
    machine(NEW)
    bootstrap.main(checkout, ["setup"])
    machine(OLD)
    commands.clear()
    bootstrap.main(checkout, ["setup"])
    assert packages(checkout) == 12 and kinds(commands) == EVERYTHING
    machine(fake_libcuda.device((13, 0), (6, 1)))       # another driver and another card
    commands.clear()
    bootstrap.main(checkout, ["setup"])
    assert packages(checkout) == 12 and commands == []
    assert capsys.readouterr().out.count("Taking the packages of CUDA") == 2


def test_until_a_gpu_is_served_every_command_asks_for_one(without_a_driver, machine, commands, replaced, capsys):    # noqa: F811
    for source, served in ((None, 13), (fake_libcuda.NO_DEVICE, 13), (fake_libcuda.device((11, 8)), 13),
                           (OLD, 12), (None, 12), (NEW, 12)):
        machine(source)
        bootstrap.main(without_a_driver, ["doctor"])
        assert packages(without_a_driver) == served
    assert capsys.readouterr().out.count("Taking the packages") == 3    # none answers, one is not served, one is


@pytest.mark.parametrize("later", [NEW, fake_libcuda.NO_DEVICE, fake_libcuda.device((11, 8), (8, 6))])
def test_setup_leaves_packages_that_still_serve_or_that_no_others_would_replace(
        checkout, machine, commands, later):    # noqa: F811
    machine(OLD)
    bootstrap.main(checkout, ["setup"])
    machine(later)
    commands.clear()
    bootstrap.main(checkout, ["setup"])
    assert packages(checkout) == 12 and commands == []


def test_going_back_takes_the_compiled_pycuda_that_is_there(checkout, commands, machine):    # noqa: F811
    machine(NEW)
    for choice in ("", "12", "13"):
        commands.clear()
        bootstrap.main(checkout, [f"--cuda={choice}", "setup"])
    assert packages(checkout) == 13 and not {*COMPILING} & {*kinds(commands)}


def test_what_is_told_holds_until_auto(checkout, machine, commands, replaced, capsys):    # noqa: F811
    machine(NEW)
    bootstrap.main(checkout, ["--cuda=12", "doctor"])
    assert "Taking the packages of CUDA 12.9, because CUDA=12 says so." in capsys.readouterr().out
    bootstrap.main(checkout, ["setup"])
    bootstrap.main(checkout, ["test"])
    assert packages(checkout) == 12
    bootstrap.main(checkout, ["--cuda=auto", "setup"])
    assert packages(checkout) == 13


@pytest.mark.parametrize("command, reason", [
    (["--cuda=11", "setup"], "CUDA=11 is not one of the course's: 13, 12, or auto"),
    (["--cuda=/usr/local/cuda", "lab"], "is not one of the course's"),
])
def test_what_cannot_be_told_is_refused(checkout, commands, capsys, command, reason):    # noqa: F811
    assert bootstrap.main(checkout, command) == 1
    assert reason in capsys.readouterr().err and commands == []


@pytest.mark.parametrize("damaged", ["{", "[]", '{"cuda": 11, "why": "", "told": false, "served": true}', '{"cuda": 12}'])
def test_a_damaged_record_is_asked_for_again(checkout, machine, damaged):
    machine(NEW)
    checkout.build.mkdir()
    (checkout.build / "cuda.json").write_text(damaged)
    assert which_cuda.settle(checkout).requirements.name == "course.txt"
    assert json.loads((checkout.build / "cuda.json").read_text())["cuda"] == 13


def test_the_other_environments_ask_no_driver(checkout, commands, replaced, monkeypatch):    # noqa: F811
    monkeypatch.setattr(which_cuda, "ask", None)
    shutil.copy(ROOT / "requirements/colab.txt", checkout.root / "requirements")
    for command in (["--versions=colab", "test"], ["--versions=cuda12", "test"], ["clean"]):
        assert bootstrap.main(checkout, command) == 0


def test_make_tells_what_its_command_line_says_and_not_a_path_in_the_environment():
    assert make("setup", "CUDA=12", "ARGS=more") == "python3 tools/bootstrap.py --cuda=12 setup more\n"
    assert make("test", "VERSIONS=colab") == "python3 tools/bootstrap.py --versions=colab test \n"
    assert make("setup", "ARGS=more", CUDA="/usr/local/cuda") == "python3 tools/bootstrap.py setup more\n"


# What they serve -------------------------------------------------------------------------------------------------------

def pins(name):
    return {pin.name.removesuffix("-cu12"): next(iter(pin.specifier)).version for pin in requirements(name)
            if not pin.marker or pin.marker.evaluate({"platform_machine": "x86_64", "python_full_version": "3.12.9"})}


@pytest.mark.parametrize("major", which_cuda.LISTS)
def test_packages_are_of_the_release_that_the_table_says(major):
    assert which_cuda.served.PACKAGES.keys() == which_cuda.LISTS.keys()
    ours = pins(which_cuda.LISTS[major])
    assert {ours[name].rsplit(".", 1)[0] for name in ("cuda-bindings", "nvidia-cuda-nvrtc")} == {which_cuda.release(major)}


@pytest.mark.parametrize("major, nvvm", [(12, "nvidia-cuda-nvcc"), (13, "nvidia-nvvm")])
def test_numbas_compiler_is_no_newer_than_the_oldest_driver(major, nvvm):
    """It writes PTX, which an older driver refuses."""
    version = tuple(map(int, pins(which_cuda.LISTS[major])[nvvm].split(".")))
    assert version[:2] == which_cuda.served.PACKAGES[major].oldest_driver


def test_the_installed_compiler_compiles_for_the_oldest_gpu_and_none_before_it():
    from cuda.bindings import nvrtc
    result, numbers = nvrtc.nvrtcGetSupportedArchs()
    assert result == 0
    packages = which_cuda.served.PACKAGES[driver.installed_cuda()]
    assert divmod(min(numbers), 10) == packages.oldest_gpu


NAMES = SIMULATOR / "src" / "cuda_simulator" / "libcuda" / "stand_in_names.h"
SINCE = {name: divmod(int(version) // 10, 100)
         for name, version in re.findall(r"FUNCTION\((\w+), (\d+)\)", NAMES.read_text())}
# What the course asks of newer drivers alone.
NOT_OF_EVERY_DRIVER = {"cuFuncGetParamInfo": "kernels/layout.py looks into the PTX where an older driver lacks it"}


def first_form(name):
    """The CUDA version that brought a function, in its first form (cuda-bindings takes one that the driver has); None for no name
    of a function."""
    return min((SINCE[form] for form in (name, *(f"{name}_v{number}" for number in (2, 3, 4))) if form in SINCE), default=None)


def asked_by_the_course():
    """The driver's functions that the course and its notebooks call through cuda-bindings: their names, and since when."""
    texts = [path.read_text() for package in ("course_lib", "courseware") for path in (ROOT / package).rglob("*.py")]
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        texts += ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    names = {name for text in texts for name in re.findall(r"\bcu(?:\.|, \")(cu[A-Z]\w+)", text)}
    return {name: first_form(name) for name in names if first_form(name)}


def test_the_oldest_driver_that_is_served_has_every_function_that_the_course_calls():
    asked, oldest = asked_by_the_course(), min(packages_.oldest_driver for packages_ in which_cuda.served.PACKAGES.values())
    assert {"cuMemAddressReserve", "cuMemAdvise_v2"} <= asked.keys()
    assert {name for name, since in asked.items() if since > oldest} == set(NOT_OF_EVERY_DRIVER)


def test_the_oldest_driver_that_is_served_has_every_function_that_the_installed_pycuda_links_to():
    """A function that the driver lacks would fail the import."""
    library, = Path(importlib.util.find_spec("pycuda").origin).parent.glob("_driver*.so")
    names = {name.decode() for name in re.findall(rb"\0(cu[A-Z]\w+)(?=\0)", library.read_bytes())} & SINCE.keys()
    assert len(names) > 100
    oldest = which_cuda.served.PACKAGES[driver.installed_cuda()].oldest_driver
    assert {name for name in names if SINCE[name] > oldest} == set()
