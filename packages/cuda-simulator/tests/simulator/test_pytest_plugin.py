"""``pytest --cuda-simulator``: another project's tests, in a folder and a process of their own."""
import shutil

import cuda_simulator
from cuda_simulator.libcuda import lacking

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

@pytest.mark.no_cuda_simulator
def test_marked_without_a_reason():
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
FOR_ALL = """
import pytest
from cuda.bindings import driver

@pytest.fixture(scope="session")
def capture():
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    stream = driver.cuStreamCreate(0)[1]
    code, = driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL)
    assert not int(code)

@pytest.mark.parametrize("n", [1, 2, 3])
def test_that_needs_it(capture, n):
    pass

def test_newer_ptx():
    newer = b".version 9.5\\n.target sm_90\\n.address_size 64"
    assert driver.cuModuleLoadData(newer)[0] == driver.CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION

def test_link():
    link, code = driver.cuLinkCreate(0, [], [])[1], b"code"
    kind = driver.CUjitInputType.CU_JIT_INPUT_CUBIN
    assert int(driver.cuLinkAddData(link, kind, code, len(code), b"", 0, [], [])[0])

def test_array():
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, 16
    copy.dstMemoryType, copy.dstHost = driver.CUmemorytype.CU_MEMORYTYPE_HOST, bytearray(4)
    copy.WidthInBytes, copy.Height = 4, 1
    assert driver.cuMemcpy2D(copy)[0] == driver.CUresult.CUDA_ERROR_NOT_SUPPORTED
"""
FAULT = """
import pytest
from cuda.bindings import driver

PTX = (b".version 9.0\\n.target sm_90\\n.address_size 64\\n.visible .entry astray()\\n"
       b"{ .reg .b64 %a; .reg .b32 %n; mov.b64 %a, 64; mov.b32 %n, 1; st.global.b32 [%a], %n; ret; }")

def test_before():
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])

def test_culprit():
    code, module = driver.cuModuleLoadData(PTX)
    assert not int(code)
    kernel = driver.cuModuleGetFunction(module, b"astray")[1]
    driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
    assert not int(driver.cuCtxSynchronize()[0])

def test_later():
    assert not int(driver.cuMemAlloc(16)[0])

def test_without_the_context():
    pass
"""

PAST_THE_END = """
import pytest
from cuda.bindings import driver

PTX = (b".version 9.0\\n.target sm_90\\n.address_size 64\\n.visible .entry past(.param .u64 x)\\n"
       b"{ .reg .b64 %a; .reg .b32 %n; ld.param.b64 %a, [x]; mov.b32 %n, 1; st.global.b32 [%a + 412], %n; ret; }")

@pytest.mark.parametrize("n", [1, 2])
def test_both(n):
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(PTX)[1], b"past")[1]
    memory = driver.cuMemAlloc(400)[1]
    driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, ((memory,), (None,)), 0)
    assert not int(driver.cuCtxSynchronize()[0])
    driver.cuMemFree(memory)
"""


@pytest.fixture
def run(in_new_process, tmp_path):
    """pytest with the plugin, as a project gets it that installed the package; the project is files and their texts.
    Names in capitals are environment variables; `before` and `after` are run in its process."""
    def run(*options, before="", after="", **files):
        variables = {name: files.pop(name) for name in list(files) if name.isupper()}
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        code = f"import sys, pytest\n{before}\ncode = pytest.main(sys.argv[1:])\n{after}\nsys.exit(code)"
        # Without the plugins of others that are installed beside it: their imports are two thirds of such a run.
        return in_new_process(code, "-p", "cuda_simulator.pytest_plugin", "-p", "no:cacheprovider", "--strict-markers", *options,
                              **{"CUDA_SIMULATOR_DEVICES": None, "PYTEST_XDIST_WORKER": None, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                                 **variables})
    return run


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")])
def test_a_projects_tests_run_and_what_is_not_simulated_is_told(run, tmp_path, workers):
    result = run("--cuda-simulator-devices", "2", "-rs", "--junit-xml=report.xml", *workers, conftest=CONFTEST, test_it=TESTS,
                 before="import os\nbefore = dict(os.environ)", after="print('left behind:', {name for name, _ in os.environ.items() ^ before.items()} - {'PYTEST_CURRENT_TEST'})")
    printed = result.stdout + result.stderr
    assert "left behind: set()\n" in printed
    assert "1 failed, 2 passed, 2 skipped" in printed and result.returncode == 1, printed
    assert "cuda simulator: NVIDIA H200 (simulated), compute capability 9.0, CUDA 13.0, devices: 2\n" in printed
    assert "Captured cuda simulator call" in printed and "not simulated: cuGraphCreate\n" in printed
    assert "cuGraphCreate: needed by 1 of the tests, 1 failed\n" in printed
    assert "take nvrtcGetPTX in place of nvrtcGetCUBIN, nvcc --ptx in place of --cubin: needed by 1 of the tests, 0 failed\n" in printed
    assert "--cuda-simulator: textures\n" in printed and "--cuda-simulator: marked no_cuda_simulator\n" in printed
    assert '<property name="cuda_simulator_lacks" value="cuGraphCreate" />' in (tmp_path / "report.xml").read_text()


def test_one_device_is_what_there_is_without_a_number(run):
    result = run("--cuda-simulator", conftest=CONFTEST, test_it=TESTS)
    assert "assert 1 == 2" in result.stdout and "devices: 1; --cuda-simulator-devices 2 gives two" in result.stdout
    assert result.stdout.count("- Captured cuda simulator ") == result.stdout.count("\nnot simulated: ")    # a failure that needed nothing has no part


def test_without_the_options_nothing_is_attached_imported_or_skipped(run):
    result = run("-p", "no:xdist", test_it=WITHOUT)
    assert "1 passed" in result.stdout and "cuda simulator" not in result.stdout, result.stdout


@pytest.mark.parametrize("number", ["0", "nine"])
def test_a_number_of_devices_that_cannot_be_is_a_usage_error(run, number):
    result = run(f"--cuda-simulator-devices={number}", test_it=TESTS)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --cuda-simulator: The simulated machine has 1 to 8 devices, not '{number}'" in result.stderr


def test_another_driver_that_is_loaded_already_is_named_with_what_to_do(run, tmp_path):
    library = tmp_path / "libcuda.so.1"     # any library under that name stands for a GPU's driver: what counts is its path
    shutil.copy(cuda_simulator.STAND_IN, library)
    result = run("--cuda-simulator", before=f"import ctypes; ctypes.CDLL({str(library)!r})", test_it=TESTS)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --cuda-simulator: {library} is already loaded" in result.stderr and "before importing PyCUDA" in result.stderr


def test_tests_that_share_a_fixture_are_all_told_what_it_needed(run):
    result = run("--cuda-simulator", test_it=FOR_ALL)
    assert "3 passed, 3 errors" in result.stdout, result.stdout
    assert result.stdout.count("not simulated: cuStreamBeginCapture (graphs)\n") == 3
    assert "cuStreamBeginCapture (graphs): needed by 3 of the tests, 3 failed\n" in result.stdout
    for need in ("cuMemcpy2D, cuMemcpy3D (CUDA arrays)", "PTX 9.5, of a newer CUDA than 13.0: take nvidia-cuda-nvrtc 13.0",
                 lacking.MACHINE_CODE):
        assert f"{need}: needed by 1 of the tests, 0 failed\n" in result.stdout


def test_a_kernel_that_reaches_past_the_end_is_told_though_its_test_passes(run):
    result = run("--cuda-simulator", test_it=PAST_THE_END)
    assert "2 passed" in result.stdout, result.stdout
    report = result.stdout[result.stdout.index("- mistakes in kernels -"):]
    assert "test_it.py::test_both[1] and 1 more: out-of-bounds: kernel past: thread (0,0,0) writes " in report
    assert "12 bytes past the end of the 400-byte allocation" in report


def test_tests_after_a_kernel_that_broke_cuda_are_told_where(run):
    result = run("--cuda-simulator", test_it=FAULT)
    assert "2 failed, 2 passed" in result.stdout, result.stdout
    assert result.stdout.count("a kernel broke CUDA for this process in test_it.py::test_culprit (CUDA_ERROR_ILLEGAL_ADDRESS)") == 1
    assert "in test_it.py::test_culprit; later tests that failed in that process: 1\n" in result.stdout


@pytest.mark.parametrize("seconds", ["abc", "0", "nan"])
def test_a_time_for_kernels_that_cannot_be_is_a_usage_error(run, seconds):
    result = run("--cuda-simulator", test_it=TESTS, CUDA_SIMULATOR_KERNEL_SECONDS=seconds)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --cuda-simulator: CUDA_SIMULATOR_KERNEL_SECONDS is '{seconds}': it has to be a number of seconds" in result.stderr


def test_a_plugin_that_looked_for_cuda_before_the_driver_was_attached_is_told(run):
    """pytest-grunnur does; its tests were skipped, and nothing was said."""
    result = run("--cuda-simulator", "-q", before="import pycuda", test_it="def test_it():\n    pass\n")
    assert "a plugin imported pycuda before the driver was attached, and may have found no CUDA: run python -m cuda_simulator -m" in result.stdout
    assert "before the driver was attached" not in run("--cuda-simulator", "-q", test_it="def test_it():\n    pass\n").stdout


RACES = '''
import numpy as np, pycuda.autoinit, pycuda.driver as cuda, pytest
from pathlib import Path
from pycuda.compiler import SourceModule

SOURCE = """__global__ void count(int *x) {
    *x += 1;
}"""

@pytest.mark.parametrize("name", ["", "count,50%.cu", "lib/site-packages/count.cu"])
def test_count(name):
    begin = f'#line 1 "{Path(__file__).parent / name}"\\n' if name else ""
    SourceModule(begin + SOURCE).get_function("count")(cuda.to_device(np.zeros(1, np.int32)), block=(32, 1, 1))
    cuda.Context.synchronize()
'''


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")])
def test_on_githubs_runners_a_finding_is_an_annotation_at_its_line_or_at_its_test(run, tmp_path, workers):
    (tmp_path / "count,50%.cu").touch()     # what separates the parts of a command is escaped in them
    (installed := tmp_path / "lib" / "site-packages").mkdir(parents=True)
    (installed / "count.cu").touch()        # no file of the checkout: its annotation is at the test, as that without a file
    variables = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(tmp_path.parent)}
    result = run("--cuda-simulator-examine", *workers, test_it=RACES, **variables)
    assert "3 passed" in result.stdout, result.stdout + result.stderr
    annotations = [line.partition("::race: kernel count: thread ") for line in result.stdout.splitlines() if line.startswith("::")]
    folder = tmp_path.name
    assert [place for place, _, message in annotations if message.endswith("use an atomic (atomicAdd).")] == [
        f"::error file={folder}/test_it.py,line=10,title=CUDA race", f"::error file={folder}/count%2C50%25.cu,line=2,title=CUDA race"], result.stdout


def test_elsewhere_nothing_is_annotated_and_without_the_option_nothing_is_examined(run):
    assert "::error" not in run("--cuda-simulator-examine", test_it=RACES, GITHUB_ACTIONS=None).stdout
    assert "mistakes in kernels" not in run("--cuda-simulator", test_it=RACES, GITHUB_ACTIONS="true").stdout
