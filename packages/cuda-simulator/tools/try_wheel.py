"""Build the wheel, install it into an empty environment, and run another project's tests over it.

    python packages/cuda-simulator/tools/try_wheel.py

The environment gets what the wheel requires, and then what a project of a few lines needs: pytest, cuda-bindings and NVRTC. The exit
status is 0 if it is green, and if the driver works with the wheel's own requirement alone. Needs Python's venv module, pip, a C
compiler, and PyPI. Not here: the wheel's contents (tests/test_wheel.py).
"""
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

ALONE = """
import ctypes, cuda_simulator
cuda_simulator.attach()
cuda, address = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64()
assert cuda.cuInit(0) == 0
context = ctypes.c_void_p()
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(address), 64) == 0 and address.value
print("With NumPy alone: memory at", hex(address.value))
"""
PROJECT = """
import ctypes
import numpy as np
from cuda.bindings import driver, nvrtc, runtime

def test_what_is_copied_to_the_device_comes_back():
    numbers, copied = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    error, address = runtime.cudaMalloc(numbers.nbytes)
    assert driver.cuMemcpyHtoD(address, numbers, numbers.nbytes)[0] == 0
    assert driver.cuMemcpyDtoH(copied, address, copied.nbytes)[0] == 0
    assert (copied == numbers).all() and runtime.cudaFree(address)[0] == 0

def test_a_kernel_writes_where_it_is_told_to():
    source = b'extern "C" __global__ void fill(int *a) { a[threadIdx.x] = 2 * threadIdx.x; }'
    program, copied = nvrtc.nvrtcCreateProgram(source, b"fill.cu", 0, [], [])[1], np.zeros(16, np.int32)
    assert nvrtc.nvrtcCompileProgram(program, 0, [])[0] == 0
    ptx = bytes(nvrtc.nvrtcGetPTXSize(program)[1])
    nvrtc.nvrtcGetPTX(program, ptx)
    address = runtime.cudaMalloc(copied.nbytes)[1]
    fill = driver.cuModuleGetFunction(driver.cuModuleLoadData(ptx)[1], b"fill")[1]
    assert driver.cuLaunchKernel(fill, 1, 1, 1, 16, 1, 1, 0, 0, ((address,), (ctypes.c_void_p,)), 0)[0] == 0
    assert driver.cuMemcpyDtoH(copied, address, copied.nbytes)[0] == 0
    assert (copied == 2 * np.arange(16)).all()
"""
NEEDS = ["pytest", "cuda-bindings==13.0.*", "nvidia-cuda-nvrtc==13.0.*"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        python = work / "empty" / "bin" / "python"

        def run(*arguments, where=work):
            print("$", *arguments, flush=True)
            subprocess.run([str(argument) for argument in arguments], cwd=where, check=True)

        run(sys.executable, "-m", "venv", work / "empty")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
        run(*pip, "wheel", "--no-deps", "--wheel-dir", work / "wheels", PACKAGE)
        wheel, = (work / "wheels").glob("*.whl")
        run(*pip, "install", wheel)
        run(*pip, "check")
        run(python, "-c", ALONE)
        run(*pip, "install", *NEEDS)
        project = work / "project"
        project.mkdir()
        (project / "test_ten_lines.py").write_text(PROJECT)
        run(python, "-m", "pytest", "-q", "--cuda-simulator", where=project)
        print(f"{wheel.name}: installs and runs in an empty environment.")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(f"This failed with status {failed.returncode}: {' '.join(map(str, failed.cmd))}")
