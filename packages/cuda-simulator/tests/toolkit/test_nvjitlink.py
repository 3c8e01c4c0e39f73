"""Where nvJitLink is installed, cuda.core and numba-cuda link with the driver all the same, and PTX of a newer CUDA 13 is taken there."""
import types

from cuda_simulator.device import modules
from cuda_simulator.over_ptx import nvjitlink, version

import cuda.bindings
import pytest


@pytest.mark.parametrize("version_written, version_read", [
    ("9.5", "9.0"), ("9.0", "9.0"), ("8.7", "8.7"), ("10.0", "10.0"), ("9.10", "9.0 ")])
def test_of_the_drivers_own_major_version_a_newer_minor_one_is_the_drivers(version_written, version_read):
    text = "// by NVVM\n\n.version {}\n.target sm_90\n.visible .entry f() {{ ret; }} // .version 9.9\n"
    assert version.lowered(text.format(version_written).encode()) == text.format(version_read).encode()


def test_the_drivers_version_is_the_newest_that_it_takes():
    assert version.NEWEST == divmod(modules.NEWEST_VERSION, 10)


@pytest.mark.parametrize("library, expected", [(types.SimpleNamespace(version=lambda: (13, 0)), True), (types.SimpleNamespace(), False)])
def test_nvjitlink_is_there_if_it_tells_its_version(monkeypatch, library, expected):
    monkeypatch.setattr(cuda.bindings, "nvjitlink", library, raising=False)
    assert nvjitlink.is_here() is expected


LINK = """
import warnings
warnings.simplefilter("error")
import cuda_simulator
cuda_simulator.attach()
from cuda_simulator.over_ptx import nvjitlink
nvjitlink.is_here = lambda: {here}
from cuda.core import Device, Linker, LinkerOptions, ObjectCode
Device().set_current()
code = ObjectCode.from_ptx(b".version 9.5\\n.target sm_90\\n.address_size 64\\n.visible .entry f() {{ ret; }}")
print(Linker.which_backend(), Linker(code, options=LinkerOptions(arch="sm_90")).link("cubin").get_kernel("f") is not None)
"""


def test_where_nvjitlink_is_ptx_of_a_newer_minor_version_is_linked_by_the_driver_without_a_warning(in_new_process):
    pytest.importorskip("cuda.core")
    result = in_new_process(LINK.format(here=True))
    assert result.stdout == "driver True\n", result.stdout + result.stderr


def test_where_it_is_not_the_driver_gets_that_ptx_and_refuses_it(in_new_process):
    pytest.importorskip("cuda.core")
    result = in_new_process(LINK.format(here=False).replace('("error")', '("ignore")'))
    assert "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" in result.stderr, result.stdout + result.stderr


def test_numba_cuda_hears_that_nvjitlink_is_not_there_and_numbas_own_target_is_not_asked():
    numba_cuda, numba = types.SimpleNamespace(_have_nvjitlink=lambda: True), types.SimpleNamespace()
    nvjitlink._compile_to_ptx(numba_cuda)
    nvjitlink._compile_to_ptx(numba)
    assert numba_cuda._have_nvjitlink() is False and not hasattr(numba, "_have_nvjitlink")
