"""cuda.core asks for PTX where it would make machine code, and for the driver where it would ask the runtime."""
import types

from cuda_simulator.over_ptx import cuda_core as cuda_core_over_ptx

import pytest


@pytest.fixture
def module():
    """In the place of cuda.core._program, which need not be installed."""
    class Program:
        """A program."""

        def __init__(self, backend):
            self.backend = backend

        def compile(self, target_type, name_expressions=()):
            return str(target_type), name_expressions
    made = types.SimpleNamespace(Program=Program)
    cuda_core_over_ptx._compile_to_ptx(made)
    return made


@pytest.mark.parametrize("backend, asked, got", [("NVRTC", "cubin", "ptx"), ("NVVM", "cubin", "cubin"), ("NVRTC", "ltoir", "ltoir"),
                                                 ("driver", "cubin", "cubin"), ("nvJitLink", "cubin", "cubin")])
def test_only_a_compiler_is_asked_for_ptx_in_the_place_of_machine_code(module, backend, asked, got):
    assert module.Program(backend).compile(asked, name_expressions=("f",)) == (got, ("f",))


def test_done_twice_it_is_done_once(module):
    before = module.Program
    cuda_core_over_ptx._compile_to_ptx(module)
    assert module.Program is before and before.__doc__ == "A program."


RUNTIME = """
import cuda_simulator
cuda_simulator.attach(devices=2)
from cuda.bindings import driver, runtime
print(int(runtime.cudaDeviceSynchronize()[0]), int(driver.cuCtxGetCurrent()[1]) == int(driver.cuDevicePrimaryCtxRetain(0)[1]))
print(runtime.cudaGetDeviceCount()[1], runtime.cudaDeviceGetPCIBusId(13, 1)[1] == driver.cuDeviceGetPCIBusId(13, 1)[1])
print(int(runtime.cudaDeviceGetPCIBusId(13, 2)[0]))
"""


def test_the_runtimes_functions_that_cuda_core_calls_are_answered_by_the_driver(in_new_process):
    ended = in_new_process(RUNTIME, CUDA_SIMULATOR_DEVICES=None)
    assert ended.stdout == "0 True\n2 True\n101\n", ended.stdout + ended.stderr
