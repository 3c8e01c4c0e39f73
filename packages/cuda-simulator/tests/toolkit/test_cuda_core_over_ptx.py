"""cuda.core asks for PTX where it would make machine code, and for the driver where it would ask the runtime."""
import types

from cuda_simulator.over_ptx import cuda_core as cuda_core_over_ptx

import pytest

PTX = b".version 9.5\n.target sm_90\n"


class ObjectCode(types.SimpleNamespace):
    """In the place of cuda.core's ObjectCode."""

    def __init__(self, code, code_type, name="", symbol_mapping=None):
        super().__init__(code=code, code_type=code_type, name=name, symbol_mapping=symbol_mapping)

    @classmethod
    def from_ptx(cls, module, *, name="", symbol_mapping=None):
        return cls(module, "ptx", name, symbol_mapping)


@pytest.fixture
def module():
    """In the place of cuda.core._program, which need not be installed."""
    class Program:
        """A program."""

        def __init__(self, backend):
            self.backend = backend

        def compile(self, target_type, name_expressions=()):
            return ObjectCode(PTX if str(target_type) == "ptx" else b"", str(target_type), symbol_mapping=name_expressions)
    module = types.SimpleNamespace(Program=Program)
    cuda_core_over_ptx._compile_to_ptx(module)
    return module


@pytest.mark.parametrize("backend, target_type, code_type",
                         [("NVRTC", "cubin", "ptx"), ("NVVM", "cubin", "cubin"), ("NVRTC", "ltoir", "ltoir"),
                                                 ("driver", "cubin", "cubin"), ("nvJitLink", "cubin", "cubin")])
def test_only_a_compiler_is_asked_for_ptx_in_the_place_of_machine_code(module, backend, target_type, code_type):
    code = module.Program(backend).compile(target_type, name_expressions=("f",))
    assert (code.code_type, code.symbol_mapping) == (code_type, ("f",))


def test_what_stands_for_machine_code_of_a_newer_cuda_is_of_this_driver(module):
    assert module.Program("NVRTC").compile("cubin").code == b".version 9.0\n.target sm_90\n"
    assert module.Program("NVRTC").compile("ptx").code == PTX


RUNTIME = """
import cuda_simulator
cuda_simulator.attach(devices=2)
from cuda.bindings import driver, runtime
print(int(runtime.cudaDeviceSynchronize()[0]), int(driver.cuCtxGetCurrent()[1]) == int(driver.cuDevicePrimaryCtxRetain(0)[1]))
print(runtime.cudaGetDeviceCount()[1], runtime.cudaDeviceGetPCIBusId(13, 1)[1] == driver.cuDeviceGetPCIBusId(13, 1)[1])
print(int(runtime.cudaDeviceGetPCIBusId(13, 2)[0]))
"""


def test_the_runtimes_functions_that_cuda_core_calls_are_answered_by_the_driver(in_new_process):
    result = in_new_process(RUNTIME, CUDA_SIMULATOR_DEVICES=None)
    assert result.stdout == "0 True\n2 True\n101\n", result.stdout + result.stderr
