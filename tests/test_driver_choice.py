"""Which driver `import course_lib` attaches, and what it says where it cannot."""
from course_lib.driver import served

import pytest

from . import fake_libcuda

# Has course_lib see no libcuda.so.1 but those in LD_LIBRARY_PATH, so that these tests say the same on a machine with a GPU.
ON_A_MACHINE_WITHOUT_A_DRIVER = """
import importlib.util, sys, types
package = types.ModuleType("course_lib")
package.__path__ = importlib.util.find_spec("course_lib").submodule_search_locations
sys.modules["course_lib"] = package
from course_lib.driver import probe
probe.LOADER_CACHE, probe.USUAL_FOLDERS = "/nonexistent", ()
del sys.modules["course_lib"]
"""
ATTACH = ON_A_MACHINE_WITHOUT_A_DRIVER + """
import course_lib
print(course_lib.driver.describe())
print("loaded", sorted({line.split()[5] for line in open("/proc/self/maps") if "libcuda.so" in line}))
"""


@pytest.fixture
def attach(in_new_process, tmp_path):
    """`import course_lib` on a machine whose only libcuda.so.1 is made from `library`, if any."""
    def run(library=None, code=ATTACH, **environment):
        folder = fake_libcuda.build(tmp_path / "lib", library) if library else None
        return in_new_process(code, LD_LIBRARY_PATH=folder, **{"COURSE_DRIVER": None, **environment})
    return run


def last_line(result):
    assert result.returncode != 0
    return result.stderr.strip().splitlines()[-1]


def test_without_a_libcuda_the_simulated_driver_is_attached(attach):
    report = attach().stdout
    assert "simulated, because this machine has no libcuda.so.1" in report
    assert "cuda_simulator/libcuda/libcuda.so.1" in report


def test_a_program_is_told_once_that_no_gpu_answered(attach):
    warning = attach().stderr
    assert warning.count("\n") == 1 and "uses the simulated CUDA driver, because this machine has no libcuda.so.1" in warning


def test_a_program_is_told_once_for_all_the_processes_that_it_starts(attach):
    program = attach(code=ON_A_MACHINE_WITHOUT_A_DRIVER + """
import course_lib, importlib, multiprocessing
process = multiprocessing.get_context("spawn").Process(target=importlib.import_module, args=("course_lib",))
process.start(); process.join(); assert process.exitcode == 0
""")
    assert program.returncode == 0 and program.stderr.count("uses the simulated CUDA driver") == 1, program.stderr


def test_a_program_that_asked_for_the_simulated_driver_is_told_nothing(attach):
    assert attach(COURSE_DRIVER="simulated").stderr == ""


def test_a_notebook_is_told_by_its_first_cell_alone(attach):
    assert attach(code="import sys; sys.modules['ipykernel'] = sys\n" + ATTACH).stderr == ""


@pytest.mark.parametrize("library, answers", [
    (fake_libcuda.NO_DEVICE, "cuInit answers CUDA_ERROR_NO_DEVICE (100)"), (fake_libcuda.DEVICE.replace("*count = 1", "*count = 0"), "it finds no device"),
    ("int cuda;", "it has no cuInit")])
def test_a_library_without_a_device_is_asked_elsewhere_and_not_loaded(attach, tmp_path, library, answers):
    report = attach(library).stdout
    assert "simulated, because no device answers" in report
    assert answers in report
    assert str(tmp_path) not in report[report.index("loaded"):]


def test_a_device_that_answers_is_preferred(attach, tmp_path):
    report = attach(fake_libcuda.DEVICE).stdout
    assert "real, because a device answers" in report
    assert "Fake GPU, compute capability 8.6" in report
    assert "13.1" in report
    assert str(tmp_path / "lib" / "libcuda.so.1") in report[report.index("loaded"):]


@pytest.mark.parametrize("attributes, words", [
    ({}, "as those that were recorded"),
    ({"PAGEABLE_MEMORY_ACCESS": 1}, "like pageable-access (PAGEABLE_MEMORY_ACCESS is 1): docs/systems.md"),
    ({"CONCURRENT_MANAGED_ACCESS": 0}, "like registered-differs (CONCURRENT_MANAGED_ACCESS is 0): docs/systems.md"),
    ({"CONCURRENT_MANAGED_ACCESS": 0, "PAGEABLE_MEMORY_ACCESS": 1}, "; like pageable-access"),
    ({"UNIFIED_ADDRESSING": 0, "CONCURRENT_MANAGED_ACCESS": 0}, "like no-unified-addressing (UNIFIED_ADDRESSING is 0): docs")])
def test_a_device_says_by_its_attributes_which_documented_system_it_is_like(attach, attributes, words):
    assert words in attach(fake_libcuda.device(**attributes)).stdout


def test_simulated_is_taken_over_a_device_when_asked_for(attach):
    report = attach(fake_libcuda.DEVICE, COURSE_DRIVER="simulated").stdout
    assert "simulated, because COURSE_DRIVER=simulated" in report


def test_real_is_taken_when_asked_for(attach):
    assert "real, because COURSE_DRIVER=real" in attach(fake_libcuda.DEVICE, COURSE_DRIVER="Real ").stdout


def test_an_empty_choice_is_auto(attach):
    assert "simulated, because this machine has no" in attach(COURSE_DRIVER="").stdout


def test_a_library_that_crashes_does_not_take_the_process_along(attach):
    assert "a process that asked it ended with status -11" in attach(fake_libcuda.CRASHES).stdout


def test_a_library_that_hangs_is_given_up(attach):
    code = ATTACH.replace("from course_lib.driver import probe", "from course_lib import driver; from course_lib.driver import probe; driver.PROBE_TIMEOUT = 1")
    assert "no answer in 1 s" in attach(fake_libcuda.HANGS, code=code).stdout


def test_real_without_a_library_says_what_was_looked_for(attach):
    error = last_line(attach(COURSE_DRIVER="real"))
    assert error.startswith("course_lib.driver.DriverError: COURSE_DRIVER=real, but this machine has no libcuda.so.1")
    assert "LD_LIBRARY_PATH" in error and "unset COURSE_DRIVER" in error


def test_real_without_a_device_says_what_the_library_answered(attach, tmp_path):
    error = last_line(attach(fake_libcuda.NO_DEVICE, COURSE_DRIVER="real"))
    assert f"{tmp_path}/lib/libcuda.so.1: cuInit answers CUDA_ERROR_NO_DEVICE (100)" in error
    assert "nvidia-smi" in error


# (driver's CUDA, GPU's compute capability) -> what is said where they are not served by CUDA 12's packages, or by CUDA 13's.
SERVED = {
    ((11, 8), (8, 6)): {12: "the driver is for CUDA 11.8, and CUDA 12.9's packages need driver 535 or newer",
                        13: "the driver is for CUDA 11.8, and CUDA 13.0's packages need driver 580 or newer"},
    ((12, 0), (8, 6)): {12: "the driver is for CUDA 12.0, and CUDA 12.9's packages need driver 535 or newer",
                        13: "the driver is for CUDA 12.0"},
    ((12, 4), (7, 5)): {13: "the driver is for CUDA 12.4"},
    ((13, 0), (6, 1)): {13: "the GPU has compute capability 6.1, and CUDA 13.0 compiles for 7.5 or higher"},
    ((13, 0), (3, 5)): {12: "the GPU has compute capability 3.5, and CUDA 12.9 compiles for 5.0 or higher",
                        13: "the GPU has compute capability 3.5"},
    ((12, 2), (5, 0)): {13: "the driver is for CUDA 12.2"}, ((12, 8), (12, 0)): {13: "the driver is for CUDA 12.8"}, ((13, 0), (7, 5)): {},
}


@pytest.mark.parametrize("cuda_version, compute_capability", SERVED)
@pytest.mark.parametrize("installed", [12, 13])
def test_what_cudas_packages_do_not_serve_is_told_by_the_driver_or_by_the_gpu(cuda_version, compute_capability, installed):
    refusal, refusals = served.refusal(installed, cuda_version, compute_capability), SERVED[cuda_version, compute_capability]
    assert refusal.startswith(refusals[installed]) if installed in refusals else refusal == ""


@pytest.mark.parametrize("cuda_version, compute_capability, installed", [((12, 4), (7, 5), 12), ((12, 4), (7, 5), 13), ((13, 0), (3, 5), 12)])
def test_a_driver_or_gpu_that_the_installed_packages_do_not_serve_is_passed_over(attach, cuda_version, compute_capability, installed):
    code = ATTACH.replace("import course_lib\n", f"""
import importlib.metadata
version = importlib.metadata.version
importlib.metadata.version = lambda name: "{installed}.0.0" if name == "cuda-bindings" else version(name)
import course_lib
""", 1)
    report = attach(fake_libcuda.device(cuda_version, compute_capability), code=code).stdout
    if refused := SERVED[cuda_version, compute_capability].get(installed):
        assert report.startswith("driver   simulated, because Fake GPU is not used: ") and refused in report
        assert "(`make doctor` says what to do)" in report
    else:
        assert report.startswith("driver   real")


def test_a_driver_that_is_too_old_is_refused_when_asked_for(attach):
    assert "is for CUDA 11.8, and" in last_line(attach(fake_libcuda.device((11, 8)), COURSE_DRIVER="real"))


def test_a_simulated_driver_that_was_not_built_is_told_so(attach):
    code = ATTACH.replace("from course_lib.driver import probe", """from course_lib.driver import probe
import cuda_simulator
def attach():
    raise cuda_simulator.StandInMissing("the stand-in is not built: run `make setup`")
cuda_simulator.attach = attach""")
    error = last_line(attach(code=code))
    assert "The simulated driver is needed (this machine has no libcuda.so.1), but the stand-in is not built: run `make setup`" in error


def test_an_unknown_choice_is_named(attach):
    assert "COURSE_DRIVER=gpu is not a driver: set it to auto, real, simulated" in last_line(attach(COURSE_DRIVER="gpu"))


def test_a_library_that_was_loaded_before_is_refused_with_the_way_out(attach):
    code = 'import ctypes; ctypes.CDLL("libcuda.so.1")\n' + ATTACH
    error = last_line(attach(fake_libcuda.NO_DEVICE, code=code))
    assert "is already loaded in this process. Restart it" in error
    assert "import course_lib before PyCUDA" in error


def test_the_simulated_driver_that_was_loaded_before_is_not_mistaken_for_a_real_one(attach):
    error = last_line(attach(fake_libcuda.DEVICE, code=ON_A_MACHINE_WITHOUT_A_DRIVER + """
import os
os.environ["COURSE_DRIVER"] = "simulated"
import course_lib
os.environ["COURSE_DRIVER"] = "real"
course_lib.driver.attached = None
course_lib.driver.attach()
"""))
    assert "The real driver cannot be attached" in error


def test_after_a_refusal_another_choice_can_be_made_in_the_same_process(attach):
    code = ON_A_MACHINE_WITHOUT_A_DRIVER + """
import os
try:
    import course_lib
except RuntimeError as error:
    print(error)
os.environ["COURSE_DRIVER"] = "auto"
import course_lib
print(course_lib.driver.attached.kind)
"""
    assert attach(code=code, COURSE_DRIVER="real").stdout.splitlines()[-1] == "simulated"


def test_a_child_process_gets_the_same_driver(attach):
    code = ON_A_MACHINE_WITHOUT_A_DRIVER + """
import course_lib, subprocess, sys
print(subprocess.run([sys.executable, "-c", "import course_lib; print(course_lib.driver.attached.why)"],
                     env=course_lib.driver.child_environment(), text=True, capture_output=True).stdout)
"""
    assert "COURSE_DRIVER=simulated" in attach(code=code).stdout


@pytest.mark.parametrize("arguments", [["-m", "program"], ["program", "course_lib"]])
def test_whatever_a_program_is_called_by_and_with_it_gets_a_driver(in_new_process, tmp_path, arguments):
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "__init__.py").write_text("import course_lib")
    (tmp_path / "program" / "__main__.py").write_text("import course_lib; print(course_lib.driver.attached.kind)")
    result = in_new_process(None, *arguments, COURSE_DRIVER="simulated")
    assert result.stdout == "simulated\n", result.stderr


def test_importing_course_lib_imports_neither_pycuda_nor_cuda_bindings_nor_matplotlib(attach):
    code = "import course_lib, sys; print(sorted({'pycuda', 'cuda.bindings', 'matplotlib', 'IPython'} & sys.modules.keys()))"
    assert attach(code=code).stdout.strip() == "[]"


def test_pycuda_before_course_lib_is_told_the_order_and_can_then_be_imported(in_new_process, project_root):
    # What tools/bootstrap.py puts in the environment's start; imported by hand here.
    code = """
import sys
sys.path.append(sys.argv[1])
import pycuda_import_hint
try:
    import pycuda.autoinit
except ImportError as error:
    print(error)
import course_lib
import pycuda.driver
pycuda.driver.init()
print(pycuda.driver.Device(0).name())
"""
    result = in_new_process(code, str(project_root / "tools"))
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[-1]
    if len(lines) == 2:     # a machine with a driver has nothing to be told
        assert "`import course_lib` before" in lines[0]


def test_the_description_names_the_driver_in_html_too(in_new_process):
    shown = in_new_process("import course_lib; print(course_lib.driver.attached._repr_html_())", COURSE_DRIVER="simulated").stdout
    assert "simulated, because COURSE_DRIVER=simulated" in shown and "measures nothing" in shown
