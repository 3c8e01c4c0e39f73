"""``pytest --cuda-simulator``: another project's tests, in a folder and a process of their own."""
import shutil

import cuda_simulator

import pytest

CONFTEST = """
import pycuda.driver        # loads the driver: it has to be attached by now
"""
TESTS = """
import pytest, sys

def test_devices():
    import pycuda.autoinit, pycuda.driver as cuda
    assert cuda.Device.count() == 2

def test_graph():
    from cuda.bindings import driver
    driver.cuInit(0)
    assert driver.cuGraphCreate(0)[0] == driver.CUresult.CUDA_SUCCESS

def test_machine_code():
    from cuda.bindings import driver
    import pycuda.autoinit
    code = b"\\x7fELF" + bytes(14) + (190).to_bytes(2, "little") + bytes(80)
    assert driver.cuModuleLoadData(code)[0] == driver.CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU

@pytest.mark.no_cuda_simulator("textures")
def test_marked():
    assert False
"""
WITHOUT = """
import pytest, sys

@pytest.mark.no_cuda_simulator("textures")
def test_nothing_is_loaded():
    assert "cuda_simulator.pytest_plugin" in sys.modules
    assert not {"numpy", "ctypes.util", "cuda_simulator.calls", "cuda_simulator.libcuda.library"} & sys.modules.keys()
    assert not any("libcuda.so" in line for line in open("/proc/self/maps"))
"""


@pytest.fixture
def run(in_new_process, tmp_path):
    """pytest with the plugin, as a project gets it that installed the package; the project is files and their texts."""
    def run(*options, before="", **files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        code = f"import sys, pytest\n{before}\nsys.exit(pytest.main(sys.argv[1:]))"
        return in_new_process(code, "-p", "cuda_simulator.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:hypothesispytest",
                              "-p", "no:nbval", "-p", "no:anyio", "--strict-markers", *options,
                              CUDA_SIMULATOR_DEVICES=None, PYTEST_XDIST_WORKER=None)
    return run


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_a_projects_tests_run_and_what_is_not_simulated_is_told(run, tmp_path, workers):
    done = run("--cuda-simulator-devices", "2", "-rs", "--junit-xml=report.xml", *workers, conftest=CONFTEST, test_it=TESTS)
    said = done.stdout + done.stderr
    assert "1 failed, 2 passed, 1 skipped" in said and done.returncode == 1, said
    assert "cuda simulator: NVIDIA H200 (simulated), compute capability 9.0, CUDA 13.0, devices: 2\n" in said
    assert "Captured cuda simulator call" in said and "not simulated: cuGraphCreate\n" in said
    assert "cuGraphCreate: asked for by 1 of the tests, 1 failed\n" in said
    assert "machine code (cubin): asked for by 1 of the tests, 0 failed\n" in said
    assert "--cuda-simulator: textures" in said
    assert '<property name="cuda_simulator_lacks" value="cuGraphCreate" />' in (tmp_path / "report.xml").read_text()


def test_one_device_is_what_there_is_without_a_number(run):
    done = run("--cuda-simulator", conftest=CONFTEST, test_it=TESTS)
    assert "assert 1 == 2" in done.stdout and "devices: 1; CUDA_SIMULATOR_DEVICES=2 gives two" in done.stdout


def test_without_the_options_nothing_is_attached_imported_or_skipped(run):
    done = run("-p", "no:xdist", test_it=WITHOUT)
    assert "1 passed" in done.stdout and "cuda simulator" not in done.stdout, done.stdout


@pytest.mark.parametrize("number", ["0", "nine"])
def test_a_number_of_devices_that_cannot_be_is_a_usage_error(run, number):
    done = run(f"--cuda-simulator-devices={number}", test_it=TESTS)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --cuda-simulator: The simulated machine has 1 to 8 devices, not '{number}'" in done.stderr


def test_another_driver_that_is_loaded_already_is_named_with_what_to_do(run, tmp_path):
    other = tmp_path / "libcuda.so.1"     # any library under that name stands for a GPU's driver: what counts is its path
    shutil.copy(cuda_simulator.STAND_IN, other)
    done = run("--cuda-simulator", before=f"import ctypes; ctypes.CDLL({str(other)!r})", test_it=TESTS)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --cuda-simulator: {other} is already loaded" in done.stderr and "before importing PyCUDA" in done.stderr
