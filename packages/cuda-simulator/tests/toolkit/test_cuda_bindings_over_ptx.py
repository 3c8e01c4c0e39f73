"""cuda-bindings' nvrtcGetCUBIN gives PTX over the simulated driver, and only where the simulated device could run the code."""
import types

from cuda_simulator.over_ptx import cuda_bindings

import pytest

COMPILE = """
import sys
import cuda_simulator
cuda_simulator.attach()
from cuda.bindings import driver, nvrtc

program = nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void f(int *x) { *x = 7; }', b"f.cu", 0, [], [])[1]
options = [option.encode() for option in sys.argv[1:]]
assert not int(nvrtc.nvrtcCompileProgram(program, len(options), options)[0])
size = nvrtc.nvrtcGetCUBINSize(program)[1]
code = bytes(size)
got = int(nvrtc.nvrtcGetCUBIN(program, code)[0]) if size else "no code"
print(got, b".entry f" in code, code[:4] == b"\\x7fELF")
"""
RUN = """
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(code)[1], b"f")[1]
import ctypes
number = driver.cuMemAlloc(4)[1]
driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, ((number,), (None,)), 0)
out = bytearray(4)
driver.cuMemcpyDtoH(out, number, 4)
print(out[0])
"""


@pytest.mark.parametrize("buffer", ["bytes", "bytearray"])
def test_a_program_that_takes_machine_code_runs(in_new_process, buffer):
    program = (COMPILE + RUN).replace("code = bytes(size)", f"code = {buffer}(size)").replace("cuModuleLoadData(code)", "cuModuleLoadData(bytes(code))")
    result = in_new_process(program, "--gpu-architecture=sm_90")
    assert result.stdout == "0 True False\n7\n", result.stdout + result.stderr


@pytest.mark.parametrize("options, output", [
    (["--gpu-architecture=sm_120"], "0 False True"), (["--gpu-architecture=compute_90"], "no code False False"),
    (["--gpu-architecture=sm_90", "-dlto"], "no code False False")])
def test_what_the_device_could_not_run_stays_as_nvrtc_gives_it(in_new_process, options, output):
    result = in_new_process(COMPILE, *options)
    assert result.stdout == f"{output}\n", result.stdout + result.stderr


@pytest.mark.parametrize("target, machine_code, expected", [
    ("sm_90", b"\x7fELF", b".version 9.0\n.target sm_90\n"), ("sm_120", b"\x7fELF", b"\x7fELF"), ("sm_90", b"", b"")])
def test_the_functions_without_a_prefix_give_ptx_too(target, machine_code, expected):
    nvrtc = types.SimpleNamespace(get_cubin=lambda program: machine_code, get_cubin_size=lambda program: len(machine_code),
                                  get_ptx=lambda program: f".version 9.5\n.target {target}\n".encode())
    cuda_bindings._give_ptx_newly(nvrtc)
    cuda_bindings._give_ptx_newly(nvrtc)     # once more does nothing
    assert (nvrtc.get_cubin(1), nvrtc.get_cubin_size(1)) == (expected, len(expected))
