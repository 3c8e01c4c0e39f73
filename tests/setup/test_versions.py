"""The environments beside .venv, which `VERSIONS=` names: Google Colab's versions, CUDA 12's packages, the newest of everything."""
import re
from pathlib import Path

import pytest

from .test_bootstrap import EVERYTHING, KEPT, ROOT, bootstrap, commands, kinds, project, replaced, setup_steps  # noqa: F401
from .test_pins import LOCK, group, requirements

COLAB, CUDA12 = requirements("requirements/colab.txt"), requirements("requirements/cuda12.txt")
NEWEST, PINNED = group("newest", "tools"), group(*bootstrap.GROUPS["course"])
OF_CUDA = re.compile("pycuda|cuda-|nvidia-")
# Numba's compiler is older (test_which_cuda.py); cuda-pathfinder and cuda-core are for any CUDA, and have versions of their own.
OF_THE_RELEASE = ({pin.name for pin in CUDA12 if OF_CUDA.match(pin.name)}
                  - {"cuda-pathfinder", "cuda-core", "nvidia-cuda-nvcc-cu12"})
# CUDA's compilers and headers, whose version follows the oldest driver.
OF_THE_TOOLKIT = "nvidia-"


def version(pins, name):
    """The one version that a lock has of a package."""
    pinned, = {str(pin.specifier).removeprefix("==") for pin in pins if pin.name == name}
    return pinned


# What they have --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("requirement", group("colab"), ids=str)
def test_colabs_has_colabs_versions(requirement):
    assert requirement.specifier.contains(version(COLAB, requirement.name))


@pytest.mark.parametrize("name", [pin.name for pin in LOCK if re.match("pycuda|cuda-bindings|nvidia-", pin.name)])
def test_colabs_has_the_cuda_of_the_first(name):
    assert version(COLAB, name) == version(LOCK, name)


@pytest.mark.parametrize("name", sorted(OF_THE_RELEASE))
def test_cuda_12_is_12_9(name):
    assert re.match(r"12\.9\." if name != "pycuda" else r"2025\.1\.2", version(CUDA12, name))


def test_with_cuda_12_nothing_else_differs_from_the_first():
    def others(pins):
        return {str(pin) for pin in pins if not OF_CUDA.match(pin.name)}
    assert others(CUDA12) == others(LOCK)


@pytest.mark.parametrize("newest", NEWEST, ids=str)
def test_of_the_newest_no_version_is_asked_for_but_that_of_cudas_toolkit(newest):
    assert bool(newest.specifier) == newest.name.startswith(OF_THE_TOOLKIT)


def test_the_newest_are_of_what_the_course_has_under_the_same_conditions():
    def conditions(pins):
        return {requirement.name: str(requirement.marker) for requirement in pins}
    assert conditions(NEWEST) == conditions(PINNED)


# How they are made -----------------------------------------------------------------------------------------------------

@pytest.fixture
def other(project):    # noqa: F811
    """``other("colab")``: a checkout's environment with these versions, and its list."""
    def other(versions):
        environment = project.with_versions(versions)
        environment.requirements.parent.mkdir(exist_ok=True)
        lock = ROOT / "requirements" / f"{versions}.txt"
        environment.requirements.write_bytes((lock if lock.exists() else ROOT / "requirements/course.txt").read_bytes())
        return environment
    return other


# CUDA 12's PyCUDA is another one; that of the same CUDA is compiled once.
@pytest.mark.parametrize("versions, done", [("colab", KEPT), ("cuda12", EVERYTHING), ("newest", KEPT)])
def test_one_is_made_beside_the_first_and_takes_a_pycuda_that_was_compiled_for_its_cuda(project, other, commands, versions, done):    # noqa: F811
    environment = other(versions)
    setup_steps.set_up(project)
    commands.clear()
    setup_steps.set_up(environment)
    assert kinds(commands) == done
    assert environment.venv == project.root / f".venv-{versions}" and Path(commands[0][-1]) == environment.beside.venv
    assert not setup_steps.set_up(project) and not setup_steps.set_up(environment)


def test_the_headers_are_those_of_every_package_of_cuda_12(other):
    cuda12 = other("cuda12")
    packages = cuda12.venv / "lib" / "python3.11" / "site-packages" / "nvidia"
    for name in ("cuda_runtime", "cuda_nvcc", "cuda_profiler_api"):
        (packages / name / "include").mkdir(parents=True)
    headers = setup_steps.BuildPycuda(cuda12).headers()
    assert headers == [str(packages / name / "include") for name in ("cuda_nvcc", "cuda_profiler_api", "cuda_runtime")]


@pytest.mark.parametrize("versions", setup_steps.OTHER_VERSIONS)
def test_clean_removes_it_with_the_first(project, other, commands, versions):    # noqa: F811
    environment = other(versions)
    setup_steps.set_up(project)
    setup_steps.set_up(environment)
    assert bootstrap.main(project, ["clean"]) == 0
    assert not project.venv.exists() and not environment.venv.exists()


# What is done in them --------------------------------------------------------------------------------------------------

@pytest.fixture
def resolved(project, commands, monkeypatch):    # noqa: F811
    """The commands that resolve; uv answers with the first lock's versions."""
    compiled, listed = [], setup_steps.run

    def run(command, of, *rest):
        if "compile" not in command:
            return listed(command, of, *rest)
        compiled.append([str(part) for part in command])
        Path(command[command.index("-o") + 1]).write_bytes((ROOT / "requirements/course.txt").read_bytes())
    monkeypatch.setattr(setup_steps, "run", run)
    (project.root / ".build").mkdir()
    return compiled


@pytest.mark.parametrize("command, versions, checks", [
    ("test", "colab", {"notebooks", "tests/browser", "tests/explorers", "--lessons", "two"}),
    ("test", "cuda12", {"notebooks", "tests/helpers", "tests/exercises/test_table.py::test_a_solution_passes"}),
    ("test", "newest", {"notebooks", "tests", "--twice"}),
    ("test-simulator", "cuda12", {"tests/conformance/test_questions.py"}),
    ("test-simulator", "newest", {"tests"}),
])
def test_its_checks_are_those_of_what_its_versions_can_change(project, other, resolved, replaced, command, versions, checks):    # noqa: F811
    environment = other(versions)
    assert bootstrap.main(project, [f"--versions={versions}", command, "-x"]) == 0
    (typed, variables), = replaced
    assert typed[0] == str(environment.python) and variables["PATH"].split(":")[0] == str(environment.venv / "bin")
    assert checks <= set(typed) and typed[-1] == "-x" and ("--twice" in typed) == ("--twice" in checks)
    folder = ROOT if command == "test" else ROOT / "packages" / "cuda-simulator"
    paths = [word.partition("::")[0] for word in typed if re.match("tests|notebooks", word)]
    assert [path for path in paths if not (folder / path).exists()] == []


def test_the_newest_is_resolved_each_time_and_changed_only_when_something_is_newer(project, commands, resolved, replaced):    # noqa: F811
    bootstrap.main(project, ["--versions=newest", "test"])
    bootstrap.main(project, ["--versions=newest", "test"])
    assert len(resolved) == 2
    assert all({"--upgrade", "newest", "tools"} < set(command) for command in resolved)
    # What resolves is the first environment's.
    assert kinds(commands) == [*EVERYTHING[:2], *EVERYTHING]
    newest = project.with_versions("newest")
    newest.requirements.write_text(newest.requirements.read_text() + "one-more==1.0\n")
    commands.clear()
    setup_steps.set_up(newest)
    assert kinds(commands) == ["requirements.txt"]


@pytest.mark.parametrize("arguments, reason", [
    (["--versions=12", "test"], "VERSIONS=12 is not one of the course's: colab, cuda12, newest"),
    (["--versions=colab", "--cuda=12", "test"], "CUDA= is for .venv, and VERSIONS= for an environment beside it"),
    (["--versions=colab", "clean"], "clean removes every environment"),
    (["--cuda=12", "clean"], "clean removes every environment"),
])
def test_what_cannot_be_told_is_refused(project, commands, capsys, arguments, reason):    # noqa: F811
    assert bootstrap.main(project, arguments) == 1
    assert reason in capsys.readouterr().err and commands == []


def test_ci_runs_the_checks_of_each_and_those_of_the_newest_as_no_condition_for_a_change():
    """A release of somebody else's must not stop a change here, and must be seen soon."""
    weekly = (ROOT / ".github" / "workflows" / "newest.yml").read_text()
    ours = {path: (ROOT / ".ci" / path).read_text() for path in ("run", "versions")}
    assert all(f"make test VERSIONS={versions}\n" in ours["versions"] for versions in ("colab", "cuda12"))
    assert "VERSIONS=newest" in weekly and "schedule:" in weekly and "push:" not in weekly
    assert not any("newest" in text for text in ours.values())
