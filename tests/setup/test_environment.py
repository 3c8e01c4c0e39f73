"""conda's environment: what pip installs, at the versions that pip installs, wherever conda has the same."""
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
