"""The second environment: Google Colab's versions, and everything else as in the first."""
import re
from pathlib import Path

import pytest

from .test_bootstrap import KEPT, ROOT, bootstrap, commands, kinds, project, replaced, setup_steps  # noqa: F401
from .test_pins import LOCK, group, requirements

COLAB = requirements("requirements/colab.txt")


def version(pins, name):
    """The one version that a lock has of a package."""
    pinned, = {str(pin.specifier).removeprefix("==") for pin in pins if pin.name == name}
    return pinned


@pytest.mark.parametrize("asked", group("colab"), ids=str)
def test_it_has_colabs_versions(asked):
    assert asked.specifier.contains(version(COLAB, asked.name))


@pytest.mark.parametrize("name", [pin.name for pin in LOCK if re.match("pycuda|cuda-bindings|nvidia-", pin.name)])
def test_cuda_is_the_same_in_both(name):
    assert version(COLAB, name) == version(LOCK, name)


@pytest.fixture
def colab(project):    # noqa: F811
    (project.root / "requirements" / "colab.txt").write_bytes((ROOT / "requirements/colab.txt").read_bytes())
    return project.for_colab


def test_it_is_made_beside_the_first_and_takes_its_compiled_pycuda(project, colab, commands):    # noqa: F811
    setup_steps.set_up(project)
    commands.clear()
    setup_steps.set_up(colab)
    assert kinds(commands) == KEPT
    assert colab.venv == project.root / ".venv-colab" and Path(commands[0][-1]) == colab.beside.venv
    assert not setup_steps.set_up(project) and not setup_steps.set_up(colab)


def test_its_checks_are_those_of_what_shows_in_a_notebook(project, colab, replaced):    # noqa: F811
    bootstrap.main(project, ["test-colab", "-x"])
    (command, environment), = replaced
    assert command[0] == str(colab.python) and environment["PATH"].split(":")[0] == str(colab.venv / "bin")
    assert {"notebooks", "tests/browser", "tests/explorers", "--lessons", "two"} <= set(command) and command[-1] == "-x"
    assert "--twice" not in command


def test_all_of_its_checks_exist(project, colab, replaced):    # noqa: F811
    bootstrap.main(project, ["test-colab"])
    (command, _), = replaced
    paths = [word for word in command if word.startswith("tests/")]
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []


def test_clean_removes_both(project, colab, commands):    # noqa: F811
    setup_steps.set_up(project)
    setup_steps.set_up(colab)
    assert bootstrap.main(project, ["clean"]) == 0
    assert not project.venv.exists() and not colab.venv.exists()


def test_ci_runs_its_checks_too():
    assert "make test-colab" in (ROOT / ".ci" / "versions").read_text()
