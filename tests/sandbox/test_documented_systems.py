"""A run of the sandbox on a system that documents describe: the same calls, and a mark on what comes of it."""

from course_lib import driver
from course_lib.core.errors import WrongArgument
from courseware import sandbox, second_process
from courseware.sandbox import process

import numpy as np
import pytest


def kernel_adds(address):
    from pycuda.compiler import SourceModule
    SourceModule("__global__ void add(int *p) { p[threadIdx.x] += 1; }").get_function("add")(np.intp(address), block=(4, 1, 1))


def kernel_writes_an_array():
    import pycuda.driver as cuda
    numbers = np.zeros(4, np.int32)
    kernel_adds(numbers.ctypes.data)
    cuda.Context.synchronize()
    return numbers.tolist()


def numbers_of_registered_memory():
    from course_lib import mapped, pinned, pointers
    numbers = np.zeros(1024, np.int32)
    with pinned.register(numbers):
        device = mapped.device_address(numbers)
        return device == numbers.ctypes.data, pointers.host_pointer_for(device + 5) - numbers.ctypes.data


def numbers_in_two_contexts():
    import cuda_simulator

    import pycuda.driver as cuda
    cuda.init()
    cuda_simulator.contexts_begin(0x100000, 0x900000)
    addresses = []
    for _ in range(2):
        cuda.Device(0).make_context(cuda.ctx_flags.MAP_HOST)
        host = cuda.pagelocked_zeros(4, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
        addresses.append(hex(int(host.base.get_device_pointer()) >> 20))
    return addresses


MARK = " [{}: as documented, not recorded]"


def test_a_kernel_writes_an_ordinary_array_where_pageable_memory_is_accessible():
    outcome = sandbox.run(kernel_writes_an_array, system="pageable-access")
    assert repr(outcome) == "ended normally, and returned [1, 1, 1, 1]" + MARK.format("pageable-access")
    assert MARK.format("pageable-access").strip() in outcome._repr_html_()


def test_registered_memory_has_two_numbers_and_the_way_back_leads_to_the_hosts():
    outcome = sandbox.run(numbers_of_registered_memory, system="registered-differs")
    assert outcome.value == (False, 5) and repr(outcome).endswith(MARK.format("registered-differs"))


def test_contexts_begin_where_they_are_told_to():
    outcome = sandbox.run(numbers_in_two_contexts, system="no-unified-addressing", context=False)
    assert outcome.value == ["0x1", "0x9"], outcome.traceback


def test_a_recorded_system_has_no_mark():
    outcome = sandbox.run(numbers_of_registered_memory, system="h200")
    assert repr(outcome) == "ended normally, and returned (True, 5)"


def test_the_driver_that_the_code_describes_has_the_mark():
    assert "as documented, not recorded" in sandbox.run("from course_lib import driver; driver.describe()",
                                                        system="registered-differs", context=False).value


def test_a_run_without_a_system_is_as_before():
    sandbox.run("1", system="pageable-access", context=False)
    outcome = sandbox.run("from course_lib import driver; driver.attached.device", simulated=True, context=False)
    assert outcome.value == "NVIDIA H200 (simulated)" and outcome.system == ""


def test_a_system_that_there_is_not_is_refused_with_those_that_there_are():
    with pytest.raises(WrongArgument, match="registered-differs"):
        sandbox.run("1", system="wsl")


@pytest.mark.skipif(not driver.attached.simulated, reason="a GPU's driver follows no system")
@pytest.mark.parametrize("start", [lambda: sandbox.run("1"), second_process.other_process], ids=["a sandbox", "another process"])
def test_a_process_that_finds_no_driver_says_why(start, monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_SYSTEM", "nowhere")
    with pytest.raises(driver.DriverError, match="^ValueError: There is no system 'nowhere'"):
        start()


def test_it_runs_over_the_simulated_driver_on_a_machine_with_a_gpu_too(monkeypatch):
    monkeypatch.setenv("COURSE_DRIVER", "real")
    variables = process.environment(system="registered-differs")
    assert (variables["COURSE_DRIVER"], variables["CUDA_SIMULATOR_SYSTEM"]) == ("simulated", "registered-differs")


def test_runs_on_a_system_are_forks_of_one_program_which_stays_while_others_are_tried():
    systems = ("pageable-access", "registered-differs")
    parents = [[sandbox.run("import os\nos.getppid()", system=system).value for system in systems] for _ in range(2)]
    assert parents[0] == parents[1] and parents[0][0] != parents[0][1]
