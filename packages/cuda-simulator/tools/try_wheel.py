"""Build the wheel, install it into an empty environment, and run another project's tests over it.

    python packages/cuda-simulator/tools/try_wheel.py

The environment gets what the wheel requires, and then what the project of ten lines needs: pytest, cuda-bindings and NVRTC. The exit
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
import numpy as np
from cuda.bindings import driver, runtime

def test_what_is_copied_to_the_device_comes_back():
    numbers, found = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    error, address = runtime.cudaMalloc(numbers.nbytes)
    assert driver.cuMemcpyHtoD(address, numbers, numbers.nbytes)[0] == 0
    assert driver.cuMemcpyDtoH(found, address, found.nbytes)[0] == 0
    assert (found == numbers).all() and runtime.cudaFree(address)[0] == 0
"""
NEEDS = ["pytest", "cuda-bindings==13.0.*", "nvidia-cuda-nvrtc==13.0.*"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        python = work / "empty" / "bin" / "python"

        def run(*arguments, where=work):
            print("$", *arguments, flush=True)
            subprocess.run([str(one) for one in arguments], cwd=where, check=True)

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
