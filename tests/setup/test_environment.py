"""conda's environment: what pip installs, at the versions that pip installs, wherever conda has the same."""
import re
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from .test_pins import GROUPS, PROJECT, REQUIREMENTS, group, requirements

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "environment.yml").read_text()
FILE = yaml.safe_load(TEXT)


def read(line):
    """(name, specifier): conda's =2.5 takes 2.5.5, and leaves the last number to what conda-forge has."""
    requirement = Requirement(re.sub(r"^([\w-]+)=(.+)", r"\1==\2.*", line))
    return requirement.name, requirement.specifier


SPECIFIERS = dict(map(read, FILE["dependencies"]))
# What each begins with, and None where no version is said.
VERSIONS = {name: next((part.version.removesuffix(".*") for part in specifier if part.operator in ("==", ">=")), None)
            for name, specifier in SPECIFIERS.items()}
RANGES = {name: specifier for name, specifier in SPECIFIERS.items() if {part.operator for part in specifier} == {">=", "<"}}
PYTHON = {"python_version": VERSIONS["python"], "python_full_version": VERSIONS["python"] + ".9", "sys_platform": "linux",
          "os_name": "posix", "platform_machine": "x86_64", "implementation_name": "cpython", "platform_system": "Linux",
          "platform_python_implementation": "CPython"}
CUDA12 = {pin.name: next(iter(pin.specifier)).version for pin in requirements("requirements/cuda12.txt")
          if not pin.marker or pin.marker.evaluate(PYTHON)}

# pip's packages that conda has under other names, or not at all.
OTHER_NAMES = {
    "nvidia-cuda-nvrtc-cu12": "cuda-nvrtc",
    "nvidia-cuda-runtime-cu12": "cuda-cudart-dev",
    "nvidia-cuda-cccl-cu12": "cuda-cudart-dev",     # it depends on cuda-cccl_linux-64
    "nvidia-cuda-nvcc-cu12": "cuda-nvvm-impl",      # of which the course needs NVVM: nothing is compiled against crt's headers
    "matplotlib": "matplotlib-base",                # conda's matplotlib adds Qt's windows
}
LEFT_OUT = {
    "nvidia-cuda-profiler-api-cu12": "PyCUDA comes compiled",
    "playwright": "conda-forge has none for Python",
    "axe-playwright-python": "it is for playwright, which conda-forge has not for Python",
    "jupyter-repo2docker": "it renders Binder's image, and is not part of it",
    **dict.fromkeys(("ruff", "mypy", "pytest-cov"), "it checks the code, and a class changes none"),
    "pdoc": "it makes the site's reference",
    "tomli": "newer Pythons have it",
    "cuda-simulator": "it lies in this repository: binder/postBuild installs it",
    "uv": "conda installs there",
}
# conda's packages whose version is not said, and what says it.
VERSION_FOLLOWS = {
    **dict.fromkeys(("cuda-nvrtc", "cuda-cudart-dev", "cuda-nvvm-impl", "cuda-nvvm-tools"), "cuda-version"),
    "gcc": "it builds one C file",
    "pip": "it installs this project alone",
}
ASKED = sorted({Requirement(line).name for line in REQUIREMENTS}
               | {pin.name for pin in group(*GROUPS["course"], "cuda12")
                  if pin.name in CUDA12})
# What pip tests, under conda's names; of the renamed, those alone whose version is said are the same package.
TESTED = {OTHER_NAMES.get(name, name): version for name, version in CUDA12.items()}
BOTH = sorted(name for name in SPECIFIERS.keys() & TESTED.keys() if SPECIFIERS[name])


def test_its_channel_is_conda_forge_alone():
    assert FILE["channels"] == ["conda-forge", "nodefaults"]


@pytest.mark.parametrize("name", ASKED)
def test_what_pip_is_asked_for_conda_is_asked_for_too(name):
    assert (OTHER_NAMES.get(name, name) in SPECIFIERS) != (name in LEFT_OUT)


@pytest.mark.parametrize("name", BOTH)
def test_a_package_that_both_have_may_come_at_the_version_that_pip_has(name):
    assert SPECIFIERS[name].contains(TESTED[name])


@pytest.mark.parametrize("name", sorted(RANGES))
def test_a_range_takes_nothing_newer_than_what_pip_has(name):
    # numpy 2.5.5 is tested: the range ends below 2.6, as =2.5 does.
    major, minor = Version(TESTED[name]).release[:2]
    assert [part.version for part in RANGES[name] if part.operator == "<"] == [f"{major}.{minor + 1}"]


def test_numba_and_numpy_have_a_pair_wherever_conda_forge_stands():
    # Numba before 0.67 takes no NumPy 2.5: who allows the one has to allow the other's predecessor.
    if SPECIFIERS["numba"].contains("0.65.1"):
        assert SPECIFIERS["numpy"].contains("2.4.6")


def test_setuptools_alone_may_be_any_newer_one():
    # Everything else is at one version (=2.5), in a range (>=2.4,<2.6), or at whatever another package says.
    ways = {name: {part.operator for part in specifier} for name, specifier in SPECIFIERS.items()}
    assert {name: way for name, way in ways.items() if way not in (set(), {"=="}, {">=", "<"})} == {"setuptools": {">="}}


def test_where_no_version_is_said_another_package_says_it_or_it_does_not_matter():
    assert {name for name, specifier in SPECIFIERS.items() if not specifier} == set(VERSION_FOLLOWS)


def test_cuda_is_of_the_version_that_the_third_environment_is_tested_with():
    # pip's compiler for Numba is older, for older drivers; there, conda's users have Numba's cells left out.
    of_cuda = {CUDA12[name] for name in CUDA12 if name.startswith(("nvidia-cuda-", "cuda-bindings")) and "nvcc" not in name}
    assert {version.rsplit(".", 1)[0] for version in of_cuda} == {VERSIONS["cuda-version"]} == {"12.9"}


def test_every_requirement_of_the_course_is_met():
    for requirement in (requirement for requirement in map(Requirement, REQUIREMENTS) if requirement.name not in LEFT_OUT):
        assert requirement.specifier.contains(VERSIONS[OTHER_NAMES.get(requirement.name, requirement.name)])
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(VERSIONS["python"])


def test_the_command_in_its_first_lines_names_this_file_and_this_environment():
    assert f"conda env create -f environment.yml && conda activate {FILE['name']} && bash binder/postBuild" in TEXT
