"""Following a thread from a notebook: over the simulated driver, on every machine."""
import re

from course_lib import kernels
from course_lib.core.errors import WrongArgument
from courseware import kernel_views
from courseware.kernel_views.tracing import Trace
from cuda_simulator.stepping.records import Float, LaunchTrace, LineStep, MemoryAccess, PointerValue

import numpy as np
import pycuda.driver as cuda
import pytest

SOURCE = """
__global__ void part(int *x, float factor) {
    int i = threadIdx.x;
    if (i < 2)
        x[i] *= 10;
    else
        x[i] = -i;
    __syncthreads();
    x[7] = x[0];
}
"""


def part(address=None):
    code = kernels.compile(SOURCE)
    x = cuda.to_device(np.arange(8, dtype=np.int32))
    code.part(1, 4, x if address is None else address, 0.1)
    cuda.Context.synchronize()
    code.part(2, (2, 3), x, 0.2)


def without_a_launch():
    return len("no kernel here")


@pytest.fixture(scope="module")
def trace():
    return kernel_views.trace(part, thread=1)


def test_a_trace_tells_lines_variables_and_memory_by_their_names(trace):
    rows = repr(trace).splitlines()
    assert rows[0].split() == ["step", "line", "CUDA", "C++", "what", "happened"]
    assert re.fullmatch(r" +1 +2  __global__ void part\(int \*x, float factor\) \{  x = 0x\w+; factor = 0\.1", rows[1])
    assert re.fullmatch(r" +2 +3      int i = threadIdx.x; +i = 1", rows[2])
    assert re.fullmatch(r" +3 +4      if \(i < 2\) +%p1 = True; %p2 = False", rows[3])
    assert re.fullmatch(r" +4 +5          x\[i\] \*= 10; +reads x\[1\] = 1 \(global 0x\w+\); writes x\[1\] = 10 \(global 0x\w+\)", rows[4])
    assert re.fullmatch(r" +5 +8      __syncthreads\(\);", rows[5])
    assert rows[-1] == "Thread (1, 0, 0) of block (0, 0, 0) of part, on the simulated driver, compiled with -G."


def test_another_launch_block_and_thread_are_followed_on_request():
    other = kernel_views.trace(part, thread=(1, 2), block=1, launch=2, limit=3)
    assert (other.thread, other.block) == ((1, 2, 0), (1, 0, 0)) and other.steps[1].variables == {"i": 1}
    assert other.steps[0].variables["factor"] == np.float32(0.2) and "... 4 more steps." in repr(other)


def test_a_fault_is_followed_up_to_the_access_that_ends_the_kernel():
    broken = kernel_views.trace(part, 0, thread=1)
    assert [step.line for step in broken.steps] == [2, 3, 4, 5] and not broken.steps[-1].accesses[-1].done
    assert "tries to read global 0x4" in repr(broken) and "The function did not end well: LogicError" in repr(broken)


@pytest.mark.parametrize("settings, message", [
    ({"thread": 4}, "thread=(4, 0, 0) is not one of part's: the launch has threads (0, 0, 0) to (3, 0, 0)"),
    ({"launch": 3}, "launch=3, and the function's launches that began to run are 2"),
    ({"thread": -1}, "pass thread=3, or thread=(3, 0, 0)"), ({"block": (1, 2, 3, 4)}, "one to three whole numbers"),
    ({"thread": "3"}, "one to three"), ({"launch": 0}, "launch=0 is not a whole number from 1 on"), ({"limit": 2.5}, "limit=2.5")])
def test_what_is_not_there_and_what_cannot_be_is_refused_with_what_there_is(settings, message):
    with pytest.raises(WrongArgument) as error:
        kernel_views.trace(part, **settings)
    assert message in str(error.value)


def test_what_is_no_function_is_refused():
    with pytest.raises(WrongArgument, match="pass the function itself"):
        kernel_views.trace(part())


def test_a_function_that_launches_nothing_has_nothing_to_follow():
    with pytest.raises(WrongArgument, match="launch=1, and the function's launches that began to run are 0"):
        kernel_views.trace(without_a_launch)


# How records are shown --------------------------------------------------------------------------------------------------------

def shown(*accesses, **more):
    """The row of one step, as text."""
    record = LaunchTrace(kernel="k", source="line one\n" + "x" * 80, block=(1, 1, 1), grid=(1, 1, 1), named=True,
                    steps=[LineStep(1, "ret;", 0, accesses=list(accesses), **more)])
    return repr(Trace(record, (0, 0, 0), (0, 0, 0))).splitlines()[1]


@pytest.mark.parametrize("access, words", [
    (MemoryAccess("read", "shared", 12, "s[3]", 7, True), "reads s[3] = 7 (shared 0xc)"),
    (MemoryAccess("write", "global", 4096, "", 7, True), "writes global 0x1000 = 7"),
    (MemoryAccess("atomic", "global", 4096, "n", 7, True), "changes n, before: 7 (global 0x1000)"),
    (MemoryAccess("atomic", "global", 4096, "n", None, True), "changes n (global 0x1000)"),
    (MemoryAccess("read", "local", 0, "p.y", Float(np.float32(0.1)), True), "reads p.y = 0.1 (local 0x0)"),
    (MemoryAccess("write", "global", 4, "", None, False), "tries to write global 0x4")])
def test_an_access_is_told_in_words(access, words):
    assert shown(access).endswith(f"line one  {words}")


def test_registers_are_told_only_of_a_line_on_which_nothing_else_happened():
    registers = {f"%r{number}": number for number in range(6)}
    assert shown(registers=registers).endswith("%r0 = 0; %r1 = 1; %r2 = 2; %r3 = 3; ...")
    assert shown(registers=registers, variables={"p": PointerValue(16)}).endswith("line one  p = 0x10")
