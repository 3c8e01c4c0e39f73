"""Numba and cuda.core beside PyCUDA: whose address is whose, and what happens where one of them is missing."""
import dataclasses
import importlib.util
import sys

from course_lib import driver
from courseware import sandbox
from courseware.notebook import needs

import pytest

needs_numba = pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="Numba is not installed")
needs_core = pytest.mark.skipif(not importlib.util.find_spec("cuda.core"), reason="cuda.core is not installed")

TOGETHER = """
import course_lib, numpy as np
import pycuda.autoprimaryctx, pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from numba import cuda as numba_cuda, config
from course_lib import pointers
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
numbers = np.array([3, 1, 4, 15], np.int32)
"""

# Four bytes of each kind of course_lib's memory, one after the other.
KINDS = """
from contextlib import contextmanager
from course_lib import managed, pinned, reservation

@contextmanager
def mapped(where):
    with reservation.reserve(reservation.granularity(where)) as addresses, reservation.create(addresses.nbytes, where) as physical:
        mapping = addresses.map(physical)
        mapping.set_access("readwrite")
        yield mapping

def kinds():
    for memory in (pinned.allocate(4, np.uint8), pinned.register(np.zeros(4, np.uint8)), managed.allocate(4, np.uint8),
                   mapped("device"), mapped("host")):
        with memory as entered:
            cuda.memcpy_htod(entered, np.arange(4, dtype=np.uint8))
            yield entered
"""


@pytest.fixture
def printed_by():
    """What code prints in a process of its own."""
    def run(code):
        ended = sandbox.run(code, context=False)
        assert ended.ok, ended.explanation
        return ended.printed.strip()
    return run


# Numba ---------------------------------------------------------------------------------------------------------------

@needs_numba
def test_the_driver_knows_numbas_memory_as_it_knows_pycudas(printed_by):
    code = TOGETHER + """
array = numba_cuda.to_device(numbers)
facts = pointers.facts(array)
print(facts.kind.name, facts.address == array.__cuda_array_interface__["data"][0], facts.nbytes)
"""
    assert printed_by(code) == "DEVICE True 16"


@needs_numba
def test_a_kernel_of_pycuda_changes_an_array_of_numba(printed_by):
    code = TOGETHER + """
array = numba_cuda.to_device(numbers)
add = SourceModule("__global__ void add(int *x) { x[threadIdx.x] += 100; }").get_function("add")
add(np.intp(array.__cuda_array_interface__["data"][0]), block=(4, 1, 1))
print(array.copy_to_host())
"""
    assert printed_by(code) == "[103 101 104 115]"


@needs_numba
def test_a_kernel_of_numba_changes_an_array_of_pycuda(printed_by):
    code = TOGETHER + """
@numba_cuda.jit
def add(x):
    x[numba_cuda.threadIdx.x] += 100
array = gpuarray.to_gpu(numbers)
add[1, 4](array)
print(array.get())
"""
    assert printed_by(code) == "[103 101 104 115]"


@needs_numba
def test_numbas_kernels_and_copies_take_every_kind_of_memory_by_its_interface(printed_by):
    code = TOGETHER + KINDS + """
@numba_cuda.jit
def add(x):
    x[numba_cuda.threadIdx.x] += 5
for memory in kinds():
    add[1, 4](memory)
    array = numba_cuda.as_cuda_array(memory)
    print(array.device_ctypes_pointer.value == memory.device_address, array.nbytes == memory.nbytes, array[:4].copy_to_host())
    del array
"""
    assert printed_by(code).splitlines() == 5 * ["True True [5 6 7 8]"]


@needs_numba
def test_numba_wants_the_primary_context(in_new_process):
    # Not printed_by: NVIDIA's numba-cuda has taken PyCUDA's context from the stack by then, and PyCUDA aborts at exit.
    code = TOGETHER.replace("autoprimaryctx", "autoinit") + """
try:
    numba_cuda.to_device(numbers)
except RuntimeError as error:
    print(error, flush=True)
"""
    assert "Numba cannot operate on non-primary CUDA context" in in_new_process(code).stdout


@needs_numba
def test_numba_loads_the_driver_that_is_attached(printed_by):
    code = "import course_lib\nfrom numba.cuda.cudadrv.driver import driver\nimport os\n" \
           "print(os.environ['NUMBA_CUDA_DRIVER'] == course_lib.driver.attached.library)"
    assert printed_by(code) == "True"


@needs_numba
@pytest.mark.skipif(bool(importlib.util.find_spec("numba_cuda")), reason="numba-cuda finds its compiler by itself")
def test_numba_compiles_with_pips_nvvm_and_needs_no_toolkit(printed_by):
    code = TOGETHER + """
import os, sysconfig
@numba_cuda.jit
def add(x):
    x[numba_cuda.threadIdx.x] += 100
add[1, 4](numba_cuda.to_device(numbers))
with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if "libnvvm" in line or "libcudart" in line}
print(len(loaded), all(path.startswith(sysconfig.get_path("purelib")) for path in loaded))
"""
    assert printed_by(code) == "2 True"


# cuda.core -----------------------------------------------------------------------------------------------------------

SHARED = """
import course_lib, numpy as np
import pycuda.autoprimaryctx
from pycuda import gpuarray
from course_lib import pointers
from cuda.core import Buffer, Device
from cuda.core.utils import StridedMemoryView
Device().set_current()
numbers = np.array([3, 1, 4, 15], np.int32)
array = gpuarray.to_gpu(numbers)
"""


@needs_core
def test_the_primary_context_is_pycudas_and_cuda_cores(printed_by):
    code = SHARED + """
from cuda.bindings import driver as cu
print(int(cu.cuCtxGetCurrent()[1]) == int(cu.cuDevicePrimaryCtxRetain(0)[1]))
"""
    assert printed_by(code) == "True"


@needs_core
def test_a_buffer_and_a_view_of_cuda_core_are_of_pycudas_own_memory(printed_by):
    code = SHARED + """
buffer = Buffer.from_handle(array.ptr, array.nbytes, owner=array)
for view in StridedMemoryView.from_dlpack(buffer, -1), StridedMemoryView.from_any_interface(array, -1):
    print(view.ptr == int(buffer.handle) == array.ptr, view.shape, view.dtype)
"""
    assert printed_by(code) == "True (16,) int8\nTrue (4,) int32"


@needs_core
@pytest.mark.parametrize("own_stream", [False, True])
def test_cuda_core_takes_every_kind_of_memory_for_the_devices_whatever_stream_it_works_on(printed_by, own_stream):
    code = SHARED + "import pycuda.driver as cuda" + KINDS + f"""
own = Device().create_stream()
stream = int(own.handle) if {own_stream} else -1
for memory in kinds():
    view = StridedMemoryView.from_any_interface(memory, stream)
    print(view.ptr == memory.device_address, view.is_device_accessible, view.readonly)
    del view
"""
    assert printed_by(code).splitlines() == 5 * ["True True False"]


@needs_core
def test_an_array_lives_as_long_as_a_buffer_that_has_it_for_its_owner(printed_by):
    code = SHARED + """
buffer, address = Buffer.from_handle(array.ptr, array.nbytes, owner=array), array.ptr
del array
print(pointers.facts(address).kind.name)
del buffer
print(pointers.facts(address).kind.name)
"""
    assert printed_by(code) == "DEVICE\nFREED"


@needs_core
def test_numpy_takes_pinned_memory_of_cuda_core_and_no_device_memory(printed_by):
    code = SHARED + """
from cuda.core import LegacyPinnedMemoryResource
pinned = LegacyPinnedMemoryResource().allocate(16)
print(np.from_dlpack(pinned).ctypes.data == int(pinned.handle), pinned.__dlpack_device__())
try:
    np.from_dlpack(Buffer.from_handle(array.ptr, array.nbytes, owner=array))
except (RuntimeError, BufferError):
    print("refused")
"""
    assert printed_by(code) == "True (3, 0)\nrefused"


# Where one is missing ------------------------------------------------------------------------------------------------

@pytest.fixture
def without(monkeypatch):
    """Take a module away, as seen by importlib.util.find_spec."""
    find_spec = importlib.util.find_spec

    def take_away(name):
        monkeypatch.setattr(importlib.util, "find_spec", lambda asked: None if asked == name else find_spec(asked))
    return take_away


def test_a_cell_without_the_line_is_run_as_it_is():
    cell = ["import numba\n", "%%needs numba\n"]
    assert needs.needs(cell) == cell
    assert needs.needs([]) == []


@needs_numba
def test_the_line_goes_where_the_library_is_here_and_line_numbers_stay():
    assert needs.needs(["%%needs numba\n", "x = 1\n"]) == ["\n", "x = 1\n"]


@pytest.mark.parametrize("name, package", [("numba", "numba"), ("cuda.core", "cuda-core")])
def test_a_cell_whose_library_is_missing_says_how_to_install_it(without, capsys, name, package):
    without(name)
    line, = needs.needs([f"%%needs {name}\n", "raise SystemExit\n"])
    exec(line)
    printed = capsys.readouterr().out
    assert f"needs {name}, which is not installed" in printed and f"%pip install {package}" in printed


@pytest.fixture
def older_driver(monkeypatch):
    """The attached driver says that it is one for CUDA 12.4, as Google Colab's has been."""
    monkeypatch.setattr(driver, "attached", dataclasses.replace(driver.attached, cuda_version=(12, 4)))
    needs._numbas_complaint.cache_clear()
    yield
    needs._numbas_complaint.cache_clear()


@needs_numba
def test_with_an_older_driver_a_cell_is_run_where_numba_can_compile_for_it(older_driver):
    assert needs.missing("numba") is None
    assert needs._numbas_complaint.cache_info().misses == 1


@needs_core
def test_with_an_older_driver_a_cell_for_cuda_core_is_run_without_asking_numba(older_driver):
    assert needs.missing("cuda.core") is None
    assert needs._numbas_complaint.cache_info().misses == 0


@needs_numba
def test_with_an_older_driver_that_refuses_numbas_code_a_cell_says_so(older_driver, monkeypatch):
    # What such a driver says, said in the other process in the place of Numba.
    run = sandbox.run
    refusal = "raise RuntimeError('[222] Call to cuLinkAddData results in CUDA_ERROR_UNSUPPORTED_PTX_VERSION')"
    monkeypatch.setattr(sandbox, "run", lambda code, **how: run(refusal, **how))
    assert "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" in needs.missing("numba")
    assert needs.needs(["%%needs numba\n", "x\n"])[0].startswith("print('Left out: ")


@needs_numba
def test_with_the_courses_own_driver_nothing_is_compiled_to_find_out(monkeypatch):
    monkeypatch.setattr(sandbox, "run", None)
    assert needs.missing("numba") is None


@pytest.mark.parametrize("line", ["%%needs", "%%needs cupy", "%%needs numba,cupy", "%%needs numba cupy"])
def test_a_name_that_is_none_of_them_is_told(line):
    assert "%%needs takes numba or cuda.core, not" in needs.needs([line])[0]


def test_a_notebook_kernel_learns_the_line_once(monkeypatch):
    ipython = pytest.importorskip("IPython")
    shell = ipython.core.interactiveshell.InteractiveShell()
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: shell)
    needs.install()
    needs.install()
    assert shell.input_transformers_cleanup.count(needs.needs) == 1
    assert shell.run_cell("%%needs cupy\nvalue = 1").success and "value" not in shell.user_ns
    if importlib.util.find_spec("numba"):
        assert shell.run_cell("%%needs numba\nvalue = 2").success and shell.user_ns["value"] == 2
