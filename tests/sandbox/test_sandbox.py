"""The sandbox reports every way in which code can end, and the notebook survives it."""
import ctypes

from course_lib.core import errors
from courseware import sandbox
from courseware.sandbox import process

import numpy as np
import pycuda.driver as cuda
import pytest

from ..helpers.processes import ended

FACTOR = 3
TABLE = {"a": np.arange(3)}


def times(n):
    return FACTOR * n


def fall(n):
    return 0 if n == 0 else fall(n - 1)


def of_a_notebook(source, name):
    """A function as a notebook has it: its module is __main__, and no file holds it."""
    names = {"__name__": "__main__"}
    exec(source, names)
    return names[name]


def test_the_value_comes_back():
    outcome = sandbox.run(times, 14)
    assert outcome.ok and outcome.value == 42 and repr(outcome) == "ended normally, and returned 42"


def test_a_function_of_a_notebook_takes_along_what_it_uses():
    function = of_a_notebook("""
import numpy as np
import pycuda.driver as cuda
SIZE = 5
table = {"a": np.arange(3)}
def helper(n):
    return n if n == 0 else helper(n - 1)
def experiment(add, *, more=1):
    memory = cuda.mem_alloc(SIZE)
    return helper(4) + SIZE + add + more + int(table["a"].sum())
""", "experiment")
    assert sandbox.run(function, 10).value == 19


NOTEBOOK_CLASSES = """
from dataclasses import dataclass
@dataclass
class Span:
    start: int
    nbytes: int
    @property
    def end(self):
        return self.start + self.nbytes
class Longer(Span):
    def grown(self):
        return Longer(self.start, 2 * super().end)
def inside(n):
    return Longer(n, 3).grown().end
def as_argument(span):
    return span.end, type(span).__name__, isinstance(span, Span)
def the_class_itself(kind):
    return kind(1, 2).end
span = Span(10, 4)
"""


def test_classes_of_a_notebook_work_as_arguments_and_inside_functions():
    def sent(name, *arguments):
        return sandbox.run(of_a_notebook(NOTEBOOK_CLASSES, name), *(of_a_notebook(NOTEBOOK_CLASSES, argument) for argument in arguments))
    assert sandbox.run(of_a_notebook(NOTEBOOK_CLASSES, "inside"), 1).value == 9
    assert sent("the_class_itself", "Span").value == 3
    names = {"__name__": "__main__"}
    exec(NOTEBOOK_CLASSES, names)
    assert sandbox.run(names["as_argument"], names["span"]).value == (14, "Span", True)


def test_a_script_s_own_functions_and_classes_work(tmp_path, in_new_process):
    (tmp_path / "script.py").write_text("""
import course_lib
from courseware import sandbox
class Pair:
    def __init__(self, one, other):
        self.sum = one + other
def even(n):
    return n == 0 or odd(n - 1)
def odd(n):
    return n > 0 and even(n - 1)
if __name__ == "__main__":
    print(sandbox.run(lambda pair: pair.sum, Pair(3, 4)).value, sandbox.run(even, 7).value)
""")
    ended = in_new_process("", tmp_path / "script.py")
    assert ended.stdout == "7 False\n", ended.stderr


def test_a_value_of_a_notebook_s_class_stays_in_its_process():
    ended = sandbox.run(of_a_notebook("class Span: pass\ndef make(): return Span()", "make"))
    assert ended.exception.startswith("TypeError: a Span cannot leave its process")


def test_an_attribute_is_not_taken_for_a_variable_of_the_notebook():
    function = of_a_notebook("""
import numpy as np
array = open("/dev/null")       # cannot be sent
def experiment():
    return int(np.array([2, 3]).sum())
""", "experiment")
    assert sandbox.run(function).value == 5


def test_lambdas_and_closures():
    captured = 5
    assert sandbox.run(lambda x: x + captured + len(TABLE), 1).value == 7


def test_source_text_gives_the_value_of_its_last_expression():
    assert sandbox.run("import numpy as np\nx = np.arange(4)\nx.sum() + 1").value == 7
    assert sandbox.run("x = 5").value is None


def test_printed_text_comes_in_order_kernels_included():
    outcome = sandbox.run("""
from course_lib import kernels
code = kernels.compile('#include <cstdio>\\nextern "C" __global__ void hello() { printf("kernel\\\\n"); }')
print("before")
code.hello(1, 1)
import pycuda.driver as cuda
cuda.Context.synchronize()
print("after")
""")
    assert outcome.ok, outcome
    assert outcome.printed == "before\nkernel\nafter\n"
    assert repr(outcome) == "ended normally\nprinted: before\nkernel\nafter"


def test_a_segmentation_fault():
    outcome = sandbox.run(lambda: print("about to") or ctypes.c_int.from_address(int(cuda.mem_alloc(64))).value)
    assert outcome.signal == "SIGSEGV" and not outcome.ok and outcome.printed == "about to\n"
    assert outcome.ending.startswith("ended by SIGSEGV: a segmentation fault")


def test_an_illegal_address_in_a_kernel():
    def experiment():
        from course_lib import kernels
        kernels.compile("__global__ void f(int *p) { *p = 1; }").f(1, 1, 8)
    outcome = sandbox.run(experiment)
    assert outcome.error == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert repr(outcome) == "ended by the CUDA error CUDA_ERROR_ILLEGAL_ADDRESS (700)"


def test_a_refused_call():
    assert sandbox.run(lambda: cuda.mem_alloc(0)).error == "CUDA_ERROR_INVALID_VALUE"


def test_a_python_exception():
    outcome = sandbox.run(lambda: [].pop())
    assert outcome.exception == "IndexError: pop from empty list" and outcome.error is None
    assert "line" in outcome.traceback


def test_code_that_never_ends():
    outcome = sandbox.run("print('x')\nwhile True: pass", timeout=1)
    assert outcome.timed_out and not outcome.ok and outcome.printed == "x\n"
    assert repr(outcome) == "did not end: stopped when its time was up\nprinted: x"


def test_processes_that_the_code_started_end_with_it():
    outcome = sandbox.run("import subprocess\nsubprocess.Popen(['sleep', '1000']).pid")
    assert ended(outcome.value)


@pytest.mark.parametrize("source, ending", [
    ("raise SystemExit(3)", "ended its process with exit status 3"),
    ("import os; os._exit(0)", "ended its process with exit status 0"),
    ("import os; os.abort()", "ended by SIGABRT: the process gave up by itself (abort)"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL: killed from outside, perhaps because memory ran out"),
    ("class C: pass\nC()", "ended by the exception TypeError: a C cannot leave its process: return numbers, text or NumPy arrays"),
    ("1 +", "ended by the exception SyntaxError: invalid syntax (<sandbox>, line 1)"),
    ("import pycuda.driver as cuda; cuda.mem_alloc(4)", "ended by the exception TypeError: a DeviceAllocation cannot leave its process: "
     "return numbers, text or NumPy arrays"),
])
def test_other_endings(source, ending):
    outcome = sandbox.run(source)
    assert outcome.ending == ending and not outcome.ok


@pytest.mark.parametrize("end", [{"error": "CUDA_ERROR_ILLEGAL_ADDRESS"}, {"exception": "KeyError: 3"}, {"signal": "SIGSEGV"}, {"timed_out": True}, {"status": 0}])
def test_only_a_run_that_came_to_its_end_is_ok(end):
    assert sandbox.Outcome(value=3, printed="text").ok and not sandbox.Outcome(**end).ok


def test_source_text_without_a_statement_gives_nothing():
    assert (outcome := sandbox.run("# nothing")).ok and outcome.value is None


def test_without_a_context():
    outcome = sandbox.run(lambda: cuda.mem_alloc(4), context=False)
    assert outcome.error in ("CUDA_ERROR_INVALID_CONTEXT", "CUDA_ERROR_NOT_INITIALIZED")


def test_it_uses_the_same_driver():
    import course_lib
    assert sandbox.run("import course_lib; course_lib.driver.attached.kind").value == course_lib.driver.attached.kind


def test_its_line_names_no_address_and_no_time():
    first, second = sandbox.run(times, 1), sandbox.run(times, 1)
    assert repr(first) == repr(second) and first == second and first.seconds > 0
    assert first._repr_html_() == "<div>&#10003; ended normally, and returned 3</div>"


def test_a_library_of_ctypes_and_pycuda_s_enumerations_come_along():
    function = of_a_notebook("""
import ctypes
import pycuda.driver as cuda
library, limit = ctypes.CDLL("libcuda.so.1"), cuda.limit.MALLOC_HEAP_SIZE
def asks():
    size = ctypes.c_size_t()
    return library.cuCtxGetLimit(ctypes.byref(size), int(limit)), size.value == cuda.Context.get_limit(limit)
""", "asks")
    assert sandbox.run(function).value == (0, True)


def test_a_function_of_pycuda_s_comes_along():
    function = of_a_notebook("""
from pycuda.driver import from_device, mem_alloc, memset_d8
def asks():
    memory = mem_alloc(4)
    memset_d8(memory, 7, 4)
    return from_device(memory, 4, "uint8").tolist()
""", "asks")
    assert sandbox.run(function).value == [7] * 4


def test_a_function_that_keeps_its_answers_comes_along():
    function = of_a_notebook("""
import functools
@functools.lru_cache(maxsize=8)
def square(number):
    return number * number
def asks():
    return square(3) + square(3), square.cache_info().hits
""", "asks")
    assert sandbox.run(function).value == (18, 1)


def test_what_cannot_be_sent_is_named():
    memory = cuda.mem_alloc(4)
    with pytest.raises(errors.WrongArgument, match="DeviceAllocation belongs to this process"):
        sandbox.run(lambda: memory)


@pytest.mark.parametrize("what", [5, None, (times, 14)])
def test_what_is_neither_a_function_nor_text_is_refused(what):
    with pytest.raises(errors.WrongArgument, match=f"the sandbox runs a function or source text, not {type(what).__name__}"):
        sandbox.run(what)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_timeout_that_leaves_no_time_is_refused(timeout):
    with pytest.raises(errors.WrongSize, match=f"a timeout of {timeout} seconds leaves no time to run"):
        sandbox.run(times, 14, timeout=timeout)


@pytest.mark.parametrize("devices", [0, -1, 1.5, True])
def test_a_number_of_devices_that_there_cannot_be_is_refused(devices):
    with pytest.raises(errors.WrongArgument, match="devices is how many devices the code needs, 1 or more"):
        sandbox.run(times, 14, devices=devices)


def test_only_code_that_needs_two_devices_leaves_those_that_the_learner_chose(monkeypatch):
    monkeypatch.setattr(process.driver, "child_environment", lambda: {"COURSE_DRIVER": "real", "CUDA_VISIBLE_DEVICES": "3"})
    monkeypatch.setattr(process, "peers", lambda devices: devices == 1)
    of_one_device, of_two = process.environment(), process.environment(devices=2)
    assert (of_one_device["COURSE_DRIVER"], of_one_device["CUDA_VISIBLE_DEVICES"]) == ("real", "3") and "CUDA_SIMULATOR_DEVICES" not in of_one_device
    assert (of_two["COURSE_DRIVER"], of_two["CUDA_SIMULATOR_DEVICES"]) == ("simulated", "2") and "CUDA_VISIBLE_DEVICES" not in of_two


def test_for_one_device_the_driver_of_this_process_is_asked_nothing(monkeypatch):
    monkeypatch.setattr(process, "peers", lambda devices: pytest.fail("cuInit would be called"))
    process.environment()
    process.environment(simulated=True)
