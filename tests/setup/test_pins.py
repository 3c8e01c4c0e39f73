"""The locks say exact versions, and nothing of where from; the first, requirements/course.txt, what pyproject.toml asks for."""
import re
import sys
from pathlib import Path

import pytest
from bootstrap import GROUPS
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]


def requirements(name):
    lines = (line.split("#")[0].removesuffix("\\").strip() for line in (ROOT / name).read_text().splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("--hash=")]


def group(*names):
    """What groups of pyproject.toml ask for, those that they include among them."""
    asked = []
    for line in [line for name in names for line in PYPROJECT["dependency-groups"][name]]:
        asked += [Requirement(line)] if isinstance(line, str) else group(line["include-group"])
    return asked


LOCKS = [f"requirements/{name}.txt" for name in GROUPS]
LOCK = requirements("requirements/course.txt")
OURS = {"cuda-simulator"}       # it lies in this repository
# Of course_lib and of the lessons.
REQUIREMENTS = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lessons"]]
ASKED = [requirement for requirement in [*group(*GROUPS["course"]), *map(Requirement, REQUIREMENTS)] if requirement.name not in OURS]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_exact(lock):
    assert [str(pin) for pin in requirements(lock) if not re.fullmatch(r"==[\w.+]+", str(pin.specifier))] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_digests(lock):
    packages = re.split(r"\n(?=\w)", (ROOT / lock).read_text())[1:]
    assert len(packages) == len(requirements(lock))
    assert [package for package in packages if not re.search(r"\\\n    --hash=sha256:[0-9a-f]{64}", package)] == []


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_what_is_asked_for_is_pinned_as_it_is_asked_for(asked):
    versions = [next(iter(pin.specifier)).version for pin in LOCK if pin.name == asked.name]
    assert versions and all(asked.specifier.contains(version) for version in versions)


@pytest.mark.parametrize("left_out", PYPROJECT["tool"]["uv"]["exclude-dependencies"])
def test_what_is_left_out_is_in_no_lock(left_out):
    assert [lock for lock in LOCKS if left_out in {pin.name for pin in requirements(lock)}] == []


def test_there_is_one_pin_of_each_package_for_each_python():
    for version in ("3.10", "3.11", "3.12", "3.13", "3.14"):
        environment = {"python_version": version, "python_full_version": version + ".9", "sys_platform": "linux",
                       "os_name": "posix", "implementation_name": "cpython", "platform_python_implementation": "CPython"}
        names = [pin.name for pin in LOCK if not pin.marker or pin.marker.evaluate(environment)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name", [*LOCKS, "pyproject.toml", "packages/cuda-simulator/pyproject.toml", "Makefile"])
def test_no_file_says_where_packages_come_from(name):
    assert not re.search(r"--(extra-)?index-url|--find-links|file://|https?://", (ROOT / name).read_text())


def test_the_oldest_python_is_the_same_everywhere():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    from course_lib.__main__ import OLDEST_PYTHON
    assert ".".join(map(str, OLDEST_PYTHON)) == oldest
    assert f"Python {oldest}" in (ROOT / "tools" / "bootstrap.py").read_text()
    assert f'"{oldest}"' in (ROOT / ".github" / "workflows" / "ci.yml").read_text()


def test_the_cuda_pins_are_of_one_release():
    versions = {pin.name: next(iter(pin.specifier)).version for pin in LOCK
                if pin.name.startswith(("nvidia-cuda-", "cuda-bindings"))}
    assert len(versions) == 6 and {version.rsplit(".", 1)[0] for version in versions.values()} == {"13.0"}
