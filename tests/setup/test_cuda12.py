"""The third environment: CUDA 12's packages, as older drivers and GPUs have them in .venv; the rest is as in the first."""
import re

import pytest

from .test_bootstrap import EVERYTHING, ROOT, bootstrap, commands, kinds, project, replaced, setup_steps  # noqa: F401
from .test_colab import version
from .test_pins import LOCK, requirements

CUDA12 = requirements("requirements/cuda12.txt")
OF_CUDA = re.compile("pycuda|cuda-|nvidia-")


# Numba's compiler is older (test_which_cuda.py); cuda-pathfinder and cuda-core are for any CUDA, and have versions of their own.
OF_THE_RELEASE = ({pin.name for pin in CUDA12 if OF_CUDA.match(pin.name)}
                  - {"cuda-pathfinder", "cuda-core", "nvidia-cuda-nvcc-cu12"})


@pytest.mark.parametrize("name", sorted(OF_THE_RELEASE))
def test_cuda_is_12_9(name):
    assert re.match(r"12\.9\." if name != "pycuda" else r"2025\.1\.2", version(CUDA12, name))


def test_nothing_else_differs_from_the_first():
    def others(pins):
        return {str(pin) for pin in pins if not OF_CUDA.match(pin.name)}
    assert others(CUDA12) == others(LOCK)


@pytest.fixture
def cuda12(project):    # noqa: F811
    (project.root / "requirements" / "cuda12.txt").write_bytes((ROOT / "requirements/cuda12.txt").read_bytes())
    return project.for_cuda12


def test_it_is_made_beside_the_first_with_a_compiled_pycuda_of_its_own(project, cuda12, commands):    # noqa: F811
    setup_steps.set_up(project)
    commands.clear()
    setup_steps.set_up(cuda12)
    assert kinds(commands) == EVERYTHING
    assert cuda12.venv == project.root / ".venv-cuda12"
    assert not setup_steps.set_up(project) and not setup_steps.set_up(cuda12)


def test_the_headers_are_those_of_every_package_of_cuda_12(cuda12):
    packages = cuda12.venv / "lib" / "python3.11" / "site-packages" / "nvidia"
    for name in ("cuda_runtime", "cuda_nvcc", "cuda_profiler_api"):
        (packages / name / "include").mkdir(parents=True)
    headers = setup_steps.BuildPycuda(cuda12).headers()
    assert headers == [str(packages / name / "include") for name in ("cuda_nvcc", "cuda_profiler_api", "cuda_runtime")]


def test_its_checks_are_those_of_the_lessons_and_what_they_import(project, cuda12, replaced):    # noqa: F811
    bootstrap.main(project, ["test-cuda12", "-x"])
    (command, _), = replaced
    assert command[0] == str(cuda12.python) and command[-1] == "-x" and "--twice" not in command
    paths = [word.partition("::")[0] for word in command if word == "notebooks" or re.match(r"tests/[a-z]+", word)]
    assert {"notebooks", "tests/helpers", "tests/exercises/test_table.py"} < set(paths)
    assert all((ROOT / path).exists() for path in paths)


def test_clean_removes_it(project, cuda12, commands):    # noqa: F811
    setup_steps.set_up(cuda12)
    assert bootstrap.main(project, ["clean"]) == 0
    assert not cuda12.venv.exists()


def test_ci_runs_its_checks_too():
    assert "make test-cuda12" in (ROOT / ".ci" / "versions").read_text()
