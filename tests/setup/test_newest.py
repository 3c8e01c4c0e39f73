"""The fourth environment: today's newest release of everything, resolved each time it is asked for."""
from pathlib import Path

import pytest

from .test_bootstrap import EVERYTHING, ROOT, bootstrap, commands, kinds, project, replaced, setup_steps  # noqa: F401
from .test_pins import group

NEWEST, PINNED = group("newest", "tools"), group(*bootstrap.GROUPS["course"])
# CUDA's compilers and headers, whose version follows the oldest driver.
OF_THE_TOOLKIT = "nvidia-"


@pytest.mark.parametrize("newest", NEWEST, ids=str)
def test_no_version_is_asked_for_but_that_of_cudas_toolkit(newest):
    assert bool(newest.specifier) == newest.name.startswith(OF_THE_TOOLKIT)


def test_it_asks_for_what_the_course_has_under_the_same_conditions():
    def conditions(asked):
        return {requirement.name: str(requirement.marker) for requirement in asked}
    assert conditions(NEWEST) == conditions(PINNED)


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


def test_it_is_resolved_each_time_and_changed_only_when_something_is_newer(project, commands, resolved, replaced):    # noqa: F811
    bootstrap.main(project, ["test-newest", "-x"])
    bootstrap.main(project, ["test-newest", "-x"])
    assert len(resolved) == 2
    assert all({"--upgrade", "newest", "tools"} < set(command) for command in resolved)
    # What resolves is the first environment's.
    assert kinds(commands) == [*EVERYTHING[:2], *EVERYTHING]
    newest = project.for_newest.requirements
    newest.write_text(newest.read_text() + "one-more==1.0\n")
    commands.clear()
    setup_steps.set_up(project.for_newest)
    assert kinds(commands) == ["requirements.txt"]


def test_its_checks_are_all_there_are(project, resolved, replaced):    # noqa: F811
    bootstrap.main(project, ["test-newest", "-x"])
    (command, _), = replaced
    assert command[0] == str(project.for_newest.python)
    assert {"tests", "notebooks"} <= set(command) and command[-1] == "-x"


def test_it_is_no_condition_for_a_change_but_is_run_every_week():
    """A release of somebody else's must not stop a change here, and must be seen soon."""
    assert "test-newest" not in (ROOT / ".ci" / "run").read_text()
    workflow = (ROOT / ".github" / "workflows" / "newest.yml").read_text()
    assert "make test-newest" in workflow and "schedule:" in workflow and "push:" not in workflow


def test_clean_removes_it(project, commands):    # noqa: F811
    (project.root / ".build").mkdir()
    project.for_newest.requirements.write_bytes((ROOT / "requirements/course.txt").read_bytes())
    setup_steps.set_up(project.for_newest)
    assert bootstrap.main(project, ["clean"]) == 0
    assert not project.for_newest.venv.exists()
