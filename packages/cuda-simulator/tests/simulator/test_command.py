"""``python -m cuda_simulator`` runs a program as Python would, over the simulated driver; and says what there is."""
import os
import subprocess
import sys
from pathlib import Path

import cuda_simulator
from cuda_simulator.libcuda import stand_in

import pytest

ROOT = Path(cuda_simulator.__file__).parents[1]

PROGRAM = """
import sys
import numpy as np, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

def main():
    double = SourceModule("__global__ void twice(int *x) { x[threadIdx.x] *= 2; }").get_function("twice")
    numbers = np.arange(4, dtype=np.int32)
    double(cuda.InOut(numbers), block=(4, 1, 1))
    print(__name__, sys.argv[1:], numbers.tolist())

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def run(tmp_path):
    """``python -m cuda_simulator`` in a folder that has a program, without nvcc in reach."""
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "cuda_simulator", *arguments], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": path, "PATH": "/nonexistent", "XDG_CACHE_HOME": str(tmp_path)})
    return run


@pytest.mark.parametrize("how", [["program.py"], ["-m", "program"], ["-c", PROGRAM]])
def test_a_program_that_knows_nothing_of_it_runs_without_a_gpu_and_without_nvcc(run, how):
    result = run(*how, "one", "--two")
    assert (result.stdout, result.stderr) == ("__main__ ['one', '--two'] [0, 2, 4, 6]\n", "")


SAY = "import sys; print(__name__, sys.argv, sys.path[0], len(sys.path))"


@pytest.mark.parametrize("how", [["say.py"], ["folder/say.py"], ["-m", "say"], ["-m", "folder.say"], ["-c", SAY]])
def test_a_program_finds_its_arguments_and_its_folder_where_python_puts_them(tmp_path, how):
    (tmp_path / "folder").mkdir()
    for name in ("say.py", "folder/say.py"):
        (tmp_path / name).write_text(SAY)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])}
    by_python, over_it = (subprocess.run([sys.executable, *command, *how, "one", "--two"], cwd=tmp_path, env=environment,
                                         capture_output=True, text=True) for command in ([], ["-m", "cuda_simulator"]))
    assert (over_it.stdout, over_it.returncode) == (by_python.stdout, 0)


def test_the_exit_status_is_the_programs(run):
    assert run("-c", "raise SystemExit(3)").returncode == 3
    failed = run("-c", "import cuda.bindings.driver\n1 / 0")
    assert failed.returncode == 1 and "ZeroDivisionError" in failed.stderr


@pytest.mark.parametrize("arguments", [[], ["-m"], ["-c"], ["--no-such-option"]])
def test_a_command_line_that_names_no_program_is_told_what_to_type(run, arguments):
    result = run(*arguments)
    assert result.returncode == 2 and "python -m cuda_simulator script.py" in result.stderr


def test_a_file_that_is_not_there_is_named(run):
    result = run("missing.py")
    assert result.returncode == 2 and result.stderr.startswith("There is no file missing.py.")


def test_a_program_of_machine_code_is_told_how_it_runs(run):
    result = run(sys.executable)
    assert result.returncode == 2 and "is no Python program" in result.stderr and "gcc -shared -fPIC" in result.stderr


def test_a_library_that_no_python_has_attached_says_so():
    code = f"import ctypes; print(ctypes.CDLL({str(stand_in.PATH)!r}).cuInit(0))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert result.stdout == "801\n" and result.stderr.startswith("cuda_simulator: this libcuda.so.1 has its functions in Python")


def test_the_doctor_says_what_there_is(run):
    result = run("--doctor")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "compute capability 9.0" in result.stdout and "PyCUDA" in result.stdout
    assert "A program over the simulated driver can run." in result.stdout


def test_the_doctor_does_not_name_what_is_absent_and_may_be(in_new_process):
    result = in_new_process("import sys; sys.modules['pycuda'] = None; from cuda_simulator.__main__ import main; sys.exit(main(['--doctor']))")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "PyCUDA" not in result.stdout and "To mend" not in result.stdout


def test_the_doctor_names_cuda_bindings_where_it_is_the_one_that_lacks(in_new_process):
    result = in_new_process("import sys; sys.modules['cuda'] = None; from cuda_simulator.__main__ import main; sys.exit(main(['--doctor']))")
    assert result.returncode == 1 and result.stdout.count("To mend") == 1, result.stdout
    assert "To mend cuda-bindings:" in result.stdout and "not asked, because cuda-bindings" in result.stdout, result.stdout


def test_a_time_for_kernels_that_cannot_be_is_refused_in_one_line(in_new_process):
    result = in_new_process("", "-m", "cuda_simulator", "-c", "pass", CUDA_SIMULATOR_KERNEL_SECONDS="soon")
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr == "CUDA_SIMULATOR_KERNEL_SECONDS is 'soon': it has to be a number of seconds above 0, such as 300\n"


def test_attaching_after_another_driver_is_refused_with_the_reason(tmp_path):
    library = tmp_path / "libcuda.so.1"
    subprocess.run(["gcc", "-shared", "-o", library, "-xc", "/dev/null", "-Wl,-soname,libcuda.so.1"], check=True)
    code = f"import ctypes; ctypes.CDLL({str(library)!r}); import cuda_simulator; cuda_simulator.attach()"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert f"{library} is already loaded in this process" in result.stderr


ASKING = """
from cuda.bindings import driver
driver.cuInit(0)
context = driver.cuDevicePrimaryCtxRetain(0)[1]
driver.cuCtxSetCurrent(context)
for _ in range(3):
    driver.cuGraphCreate(0)
driver.cuModuleLoadData(b".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry f() .explicitcluster { ret; }")
"""


BY_ITSELF = "import cuda_simulator; cuda_simulator.attach(); cuda_simulator.attach()\n" + ASKING


@pytest.mark.parametrize("arguments", [("-m", "cuda_simulator", "-c", ASKING), ("-c", BY_ITSELF)], ids=["command", "by itself"])
def test_what_was_asked_for_and_is_not_simulated_is_told_when_the_program_ends(arguments, in_new_process):
    result = in_new_process("", *arguments, CUDA_SIMULATOR_QUIET=None)
    why = "PTX: the simulation does not know .explicitcluster: clusters of blocks are not simulated"
    failed = [f"cuModuleLoadData: CUDA_ERROR_INVALID_PTX: PTX line 4: {why.removeprefix('PTX: ')}"] if "-m" in arguments else []
    assert (result.returncode, result.stderr.splitlines()) == (0, failed + [
        "not simulated: cuGraphCreate (asked 3 times)",
        f"not simulated: {why} (asked once)",
        "(CUDA_SIMULATOR_QUIET=1 leaves out what is not simulated.)"])


@pytest.mark.parametrize("arguments", [("-m", "cuda_simulator", "-c", ASKING), ("-c", BY_ITSELF)], ids=["command", "by itself"])
def test_it_is_left_out_where_nobody_wants_it(arguments, in_new_process):
    result = in_new_process("", *arguments, CUDA_SIMULATOR_QUIET="1")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("variable, seconds", [(None, "600"), ("5", "5")])
def test_a_program_of_others_has_ten_minutes_for_a_kernel_where_it_says_nothing(in_new_process, variable, seconds):
    code = "from cuda_simulator.device import execution; print(int(execution.kernel_seconds()))"
    result = in_new_process("", "-m", "cuda_simulator", "-c", code, CUDA_SIMULATOR_KERNEL_SECONDS=variable)
    assert result.stdout == f"{seconds}\n", result.stderr


def test_a_call_that_fails_says_why_once(run):
    result = run("-c", """if True:
        from cuda.bindings import driver
        driver.cuInit(0)
        for size in (0, 0, 1 << 60):
            driver.cuMemAlloc(size)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        for size in (0, 0):
            driver.cuMemAlloc(size)
        driver.cuPointerGetAttribute(driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, 4096)      # a question, no mistake
    """)
    assert result.stderr == ("cuMemAlloc: CUDA_ERROR_INVALID_CONTEXT: no context is current on this thread\n"
                             "cuMemAlloc: CUDA_ERROR_INVALID_VALUE: there is no allocation of 0 bytes\n")


def test_a_program_is_told_of_parameters_that_its_buffer_leaves_out(run):
    result = run("-c", """if True:
        import ctypes
        from cuda.bindings import driver
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        module = driver.cuModuleLoadData(b".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry f(.param .u64 p, .param .u32 n) { ret; }")[1]
        function = driver.cuModuleGetFunction(module, b"f")[1]
        buffer, length = ctypes.create_string_buffer(8), ctypes.c_size_t(8)
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(length), None)
        print(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, ctypes.addressof(extra))[0].name)
    """)
    assert result.stdout == "CUDA_SUCCESS\n"
    assert result.stderr.startswith("cuLaunchKernel: 8 bytes of parameters; the kernel takes 12: it finds zeros in the rest")


def test_processes_that_a_program_starts_have_the_driver(run, tmp_path):
    (tmp_path / "child.py").write_text("from cuda.bindings import driver\nprint(driver.cuInit(0)[0].name, driver.cuDeviceGetCount()[1])\n")
    (tmp_path / "parent.py").write_text("""if True:
        import multiprocessing, subprocess, sys
        def ask(_):
            from cuda.bindings import driver
            return driver.cuInit(0)[0].name, driver.cuDeviceGetCount()[1]
        if __name__ == "__main__":
            subprocess.run([sys.executable, "child.py"], check=True)
            for how in ("spawn", "forkserver"):
                with multiprocessing.get_context(how).Pool(1) as pool:
                    print(*pool.map(ask, [0])[0], flush=True)
    """)
    result = run("--devices", "2", "parent.py")
    assert (result.stdout, result.stderr) == ("CUDA_SUCCESS 2\n" * 3, "")


def test_ctypes_opens_the_driver_by_either_name(run):
    result = run("-c", "import ctypes; print(*(ctypes.CDLL(name).cuInit(0) for name in ('libcuda.so.1', 'libcuda.so')))")
    assert (result.stdout, result.stderr) == ("0 0\n", "")


def test_little_address_space_gets_a_sentence(tmp_path):
    result = subprocess.run(["sh", "-c", f"ulimit -v 2000000; exec {sys.executable} -m cuda_simulator -c pass"], cwd=tmp_path,
                            capture_output=True, text=True)
    assert result.returncode == 1 and "ulimit -v unlimited" in result.stderr and "Traceback" not in result.stderr


def test_a_refused_cuda_runtime_is_told_at_the_end_and_nvrtcs_question_is_not(run):
    ask = "import ctypes; ctypes.CDLL('libcuda.so.1').cuGetExportTable(ctypes.byref(ctypes.c_void_p()), bytes.fromhex({!r}))"
    assert "not simulated: the CUDA runtime, libcudart" in run("-c", ask.format("6bd5fb6c5bf4e74a8987d93912fd9df9")).stderr
    assert run("-c", ask.format("da9151d33ae6cc41a5c04f26d533e328")).stderr == ""


def test_a_stream_that_does_not_capture_has_a_status_and_nothing_else(run):
    """As an H200 answers, for the three forms of the call."""
    result = run("-c", """if True:
        import ctypes
        from cuda.bindings import driver
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        cuda, stream = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(int(driver.cuStreamCreate(0)[1]))
        for name, others in (("cuStreamGetCaptureInfo", 1), ("cuStreamGetCaptureInfo_v2", 4), ("cuStreamGetCaptureInfo_v3", 5)):
            status, rest = ctypes.c_int(77), [ctypes.c_uint64(77) for _ in range(others)]
            call = getattr(cuda, name)
            print(call(stream, ctypes.byref(status), *map(ctypes.byref, rest)), status.value, {one.value for one in rest}, call(stream, None, None))
    """)
    assert result.stdout == "0 0 {77} 1\n" * 3, result.stderr


def test_older_forms_of_a_function_are_found_by_the_version_that_brought_them(run):
    """numba-cuda-mlir asks for cuDevicePrimaryCtxRelease as of CUDA 7. The names are those that an H200's driver found."""
    result = run("-c", """if True:
        import ctypes
        cuda, place, status = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_int()
        for name, version, form in (("cuDevicePrimaryCtxRelease", 7000, ""), ("cuDevicePrimaryCtxRelease", 10999, ""),
                                    ("cuDevicePrimaryCtxRelease", 11000, "_v2"), ("cuCtxDestroy", 2000, ""), ("cuGetProcAddress", 11030, ""),
                                    ("cuStreamGetCaptureInfo", 10010, ""), ("cuLinkCreate", 5050, ""), ("cuStreamDestroy", 3999, "")):
            cuda.cuGetProcAddress_v2(name.encode(), ctypes.byref(place), version, ctypes.c_uint64(0), ctypes.byref(status))
            print(status.value, place.value == ctypes.cast(getattr(cuda, name + form), ctypes.c_void_p).value)
    """)
    assert result.stdout == "0 True\n" * 8, result.stderr
