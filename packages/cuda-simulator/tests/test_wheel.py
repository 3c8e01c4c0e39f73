"""The distribution: a wheel with the stand-in in it, for every Python 3 of the platform, that requires NumPy alone."""
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import cuda_simulator

ROOT = Path(__file__).resolve().parents[1]


def test_a_wheel_carries_a_stand_in_that_loads_and_the_headers_for_kernels(tmp_path):
    # A copy, for the build writes beside the sources.
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("__pycache__", "libcuda.so.1", "other_name.so", "lanes.so", "tests", "*.egg-info", "build"))
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation",
                    "--wheel-dir", tmp_path, source], check=True, capture_output=True)
    wheel, = tmp_path.glob("*.whl")
    assert wheel.name.startswith(f"cuda_simulator-{cuda_simulator.__version__}-py3-none-linux_")
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        libraries = [Path(content.extract(f"cuda_simulator/{name}", tmp_path)) for name in ("libcuda/libcuda.so.1", "libcuda/other_name.so", "ptx/lanes.so")]
        metadata = next(content.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    assert [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line] == [
        "Requires-Dist: numpy>=1.26"]
    assert {"cuda_simulator/ptx/lanes.so", "cuda_without_toolkit/device_headers/stdint.h", "cuda_simulator/children/sitecustomize.py"} <= set(names)
    assert {name.partition("/")[0] for name in names} - {"cuda_simulator", "cuda_without_toolkit"} == {
        f"cuda_simulator-{cuda_simulator.__version__}.dist-info"}
    library = libraries[0]
    # In a process of its own, for a libcuda.so.1 stays where it is loaded. 801 is CUDA_ERROR_NOT_SUPPORTED.
    code = f"import ctypes; print(ctypes.CDLL({str(library)!r}).cuInit(0))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "801\n"
    assert not any(b"libpython" in path.read_bytes() or b"PyInit" in path.read_bytes() for path in libraries)


def test_a_build_without_a_compiler_says_what_it_takes(tmp_path):
    result = subprocess.run([sys.executable, "setup.py", "build_ext", "--build-temp", tmp_path, "--build-lib", tmp_path], cwd=ROOT,
                            env={**os.environ, "CC": "/no/such/cc"}, capture_output=True, text=True)
    assert result.returncode == 1 and "that takes a C compiler (Debian, Ubuntu: apt install gcc libc6-dev)" in result.stderr, result.stderr
    assert "Traceback" not in result.stderr
