"""Order of work: what waits for what, and what the host may do meanwhile."""
import types
from unittest import mock

from cuda_simulator.device import execution
from cuda_simulator.device.execution import GONE

import pytest

from .programs import PRELUDE, output, run

SPIN = """
module = SourceModule('''
__global__ void wait_for(volatile int *flag, int *out, int value) { while (*flag == 0); *out = value; }
__global__ void put(int *out, int value) { *out = value; }
__global__ void add(int *out, int value) { *out += value; }
''')
wait_for, put = module.get_function("wait_for"), module.get_function("put")
flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
at = np.intp(flag.base.get_device_pointer())
out = cuda.mem_alloc(4)
cuda.memset_d32(out, 0, 1)
single_thread = dict(block=(1, 1, 1), grid=(1, 1))
"""


def test_a_kernel_that_waits_for_the_host_ends_when_the_host_writes():
    assert output(SPIN + """
stream = cuda.Stream()
wait_for(at, out, np.int32(7), stream=stream, **single_thread)
time.sleep(.05)
print(stream.is_done())
flag[0] = 1
stream.synchronize()
got = np.zeros(1, np.int32); cuda.memcpy_dtoh(got, out)
print(stream.is_done(), got[0])
""") == "False\nTrue 7\n"


OTHERS_KERNEL = """
one_stream, other = cuda.Stream(), cuda.Stream()
wait_for(at, out, np.int32(5), stream=one_stream, **single_thread)
put(at, np.int32(1), stream=other, **single_thread)
until = time.monotonic() + PATIENCE
while not one_stream.is_done() and time.monotonic() < until: pass
print(one_stream.is_done())
flag[0] = 1
one_stream.synchronize()
got = np.zeros(1, np.int32); cuda.memcpy_dtoh(got, out)
print(got[0])
"""


def test_a_kernel_that_waits_for_another_stream_s_kernel_ends():
    assert output(SPIN + "PATIENCE = 60" + OTHERS_KERNEL) == "True\n5\n"


NAMED_LATE = OTHERS_KERNEL.replace("put(at", "module.get_function('add')(at")


def test_a_kernel_that_is_named_beside_one_that_runs_waits_for_it_unless_modules_are_loaded_eagerly():
    assert output(SPIN + "PATIENCE = .2" + NAMED_LATE) == "False\n5\n"
    assert output("import os; os.environ['CUDA_MODULE_LOADING'] = 'EAGER'" + SPIN + "PATIENCE = 60" + NAMED_LATE) == "True\n5\n"


def test_the_null_stream_waits_for_created_streams_and_non_blocking_ones_do_not_wait_for_it():
    assert output(SPIN + """
from cuda.bindings import driver
stream = cuda.Stream()
free = driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)[1]
wait_for(at, out, np.int32(1), stream=stream, **single_thread)
put(out, np.int32(2), **single_thread)                                # NULL stream: after the kernel that waits
event = cuda.Event(); event.record()
print(event.query(), driver.cuStreamQuery(free)[0].name)    # the NULL stream is busy, the free one idle
flag[0] = 1
event.synchronize()
got = np.zeros(1, np.int32); cuda.memcpy_dtoh(got, out)
print(got[0])
""") == "False CUDA_SUCCESS\n2\n"


def test_a_stream_waits_for_an_event_of_another_stream():
    assert output(SPIN + """
one_stream, other = cuda.Stream(), cuda.Stream()
wait_for(at, out, np.int32(1), stream=one_stream, **single_thread)
event = cuda.Event(); event.record(one_stream)
other.wait_for_event(event)
put(out, np.int32(2), stream=other, **single_thread)
print(other.is_done())
flag[0] = 1
other.synchronize()
got = np.zeros(1, np.int32); cuda.memcpy_dtoh(got, out)
print(got[0])
""") == "False\n2\n"


def test_between_events_is_no_time_that_could_be_taken_for_one_and_a_program_may_divide_by_it():
    assert output("""
first, last = cuda.Event().record(), cuda.Event().record()
last.synchronize()
forth, back = first.time_till(last), last.time_till(first)
print(0 < forth < 1e-37, back == -forth, first.time_till(first), 64 / (forth * 1e-3) > 1e40)
""") == "True True 0.0 True\n"


def test_an_asynchronous_copy_from_pinned_memory_lets_the_host_go_on():
    assert output(SPIN + """
stream = cuda.Stream()
source = cuda.pagelocked_empty(1, np.int32); source[0] = 3
wait_for(at, out, np.int32(1), stream=stream, **single_thread)
cuda.memcpy_htod_async(out, source, stream)
source[0] = 4                                               # the copy has not happened yet
flag[0] = 1
stream.synchronize()
got = np.zeros(1, np.int32); cuda.memcpy_dtoh(got, out)
print(got[0])
""") == "4\n"


def test_destroying_a_stream_lets_its_work_end():
    assert output(SPIN + """
stream = cuda.Stream()
wait_for(at, out, np.int32(9), stream=stream, **single_thread)
del stream
flag[0] = 1
cuda.Context.synchronize()
got = np.zeros(1, np.int32); cuda.memcpy_dtoh(got, out)
print(got[0])
""") == "9\n"


# NVRTC sets SIGINT's handler anew when it compiles, so each kernel here is one that was never compiled before.
FRESH = """
flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
at, single_thread = np.intp(flag.base.get_device_pointer()), dict(block=(1, 1, 1))
spin = SourceModule("__global__ void spin(volatile int *flag) { while (!*flag) ; } // %d" % time.time_ns()).get_function("spin")
"""


@pytest.mark.parametrize("send, arrives", [
    ("threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()", "KeyboardInterrupt()"),
    ("signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.5)", "TimeoutError('of the alarm')")])
def test_what_a_signals_handler_raises_ends_a_kernel_that_was_just_compiled_and_arrives_in_the_program(send, arrives):
    result = run(f"""
def late(*_):
    raise TimeoutError("of the alarm")
{FRESH}
spin(at, **single_thread)
{send}
try:
    cuda.Context.synchronize()
except (KeyboardInterrupt, TimeoutError) as error:          # and no error of PyCUDA's, which would come before it
    print(repr(error))
try:
    cuda.mem_alloc(4)
except cuda.LaunchError as error:
    print(error)
sys.stdout.flush()
os._exit(0)                                                 # past PyCUDA's warnings about the dead context
""")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"{arrives}\ncuMemAlloc failed: the launch timed out and was terminated\n"
    assert result.stderr == f"kernel spin was interrupted. {GONE}\n"


def test_a_handler_that_raises_nothing_leaves_the_kernel_alone():
    assert output(f"""
{FRESH}
def release(*_):
    flag[0] = 1
signal.signal(signal.SIGALRM, release); signal.setitimer(signal.ITIMER_REAL, 0.2)
spin(at, **single_thread)
cuda.Context.synchronize()
print("done")
""") == "done\n"


# A signal every half millisecond of which the handler is not running, until it has run 300 times.
SIGNALS = """
came = 0
def again():
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
def calls():
    cuda.memset_d32(x, 1, 16), cuda.memcpy_htod(x, here), cuda.memcpy_dtoh(here, x), cuda.mem_get_info()
    return cuda.mem_alloc(600), cuda.pagelocked_empty(100, np.int8), cuda.Event().record(stream).query()
x, here, stream = cuda.mem_alloc(4096), np.zeros(16, np.int32), cuda.Stream()
"""


def test_a_handler_that_calls_cuda_runs_when_the_call_has_returned_in_which_its_signal_came():
    assert output(SIGNALS + """
import traceback
within = set()
def handler(number, frame):
    global came
    came += 1
    within.update(each.f_code.co_name for each, _ in traceback.walk_stack(frame) if "cuda_simulator" in each.f_code.co_filename)
    calls()
    stream.synchronize()
    again()
signal.signal(signal.SIGALRM, handler)
add = SourceModule("__global__ void add(int *x) { x[threadIdx.x] += 1; }").get_function("add")
again()
while came < 300:
    add(x, block=(16, 1, 1), stream=stream)
    calls()
    if came % 2:
        stream.synchronize()
same = signal.signal(signal.SIGALRM, signal.SIG_IGN) is handler
print(same, not within or "let_handlers_run" in within)
""", timeout=120) == "True True\n"


def test_what_a_handler_raises_leaves_no_call_half_done():
    assert output(SIGNALS + """
class Late(Exception):
    pass
def handler(*_):
    raise Late
signal.signal(signal.SIGALRM, handler)
calls()
before = cuda.mem_get_info()
while came < 300:
    try:
        again()
        while True:
            calls()
    except Late:
        came += 1
print(cuda.mem_get_info() == before)
""", timeout=120) == "True\n"


# What the stop button sends, once the thread of the cell is in the driver.
PRESSED_IN_THE_DRIVER = """
import os, signal, sys, threading, time, traceback
def press(cell=threading.get_ident()):
    while not any("cuda_simulator" in frame.f_code.co_filename for frame, _ in traceback.walk_stack(sys._current_frames()[cell])):
        time.sleep(1e-3)
    os.kill(os.getpid(), signal.SIGINT)
pressed = threading.Thread(target=press)
"""


def test_the_stop_button_ends_a_kernel_that_a_notebook_just_compiled():
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    kernel, client = manager.start_new_kernel(startup_timeout=300)
    try:
        client.execute_interactive(PRELUDE + FRESH + PRESSED_IN_THE_DRIVER, allow_stdin=False, timeout=300)
        texts = []
        reply = client.execute_interactive("spin(at, **single_thread); pressed.start(); cuda.Context.synchronize()", allow_stdin=False, timeout=300,
                                           output_hook=lambda message: texts.append(message["content"].get("text", "")))
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        assert f"kernel spin was interrupted. {GONE}" in "".join(texts)
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


def test_the_watchdog_ends_a_kernel_that_never_ends_and_says_so():
    result = run(SPIN + """
wait_for(at, out, np.int32(1), **single_thread)
try:
    cuda.Context.synchronize()
except cuda.LaunchError as error:
    print(error)
sys.stdout.flush()
os._exit(0)                                                 # past PyCUDA's warnings about the dead context
""", CUDA_SIMULATOR_KERNEL_SECONDS="0.3")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "cuCtxSynchronize failed: the launch timed out and was terminated\n"
    assert result.stderr == (f"kernel wait_for was ended after 0.3 seconds: it seems never to end. Its thread (0,0,0) of block (0,0,0) was at line 2 when its time was up. {GONE} If it needs longer, set "
                             "the environment variable CUDA_SIMULATOR_KERNEL_SECONDS\n")


def test_a_kernel_that_never_ends_does_not_keep_the_process():
    result = run(SPIN + """
wait_for(at, out, np.int32(1), stream=cuda.Stream(), **single_thread)
import atexit; atexit.register(lambda: flag.__setitem__(0, 1))
""")
    assert result.returncode == 0, result.stderr


def test_a_kernel_gets_the_time_once_more_in_which_other_programs_had_the_cores(monkeypatch):
    seconds = types.SimpleNamespace(passed=0, without_a_core=0)
    monkeypatch.setenv(execution.WATCHDOG, "10")
    monkeypatch.setattr(execution, "time", types.SimpleNamespace(monotonic=lambda: seconds.passed))
    monkeypatch.setattr(execution, "seconds_without_a_core", lambda process, thread: seconds.without_a_core)
    machine = execution.KernelMachine(types.SimpleNamespace(cancelled=False, cancel=None), mock.MagicMock(), mock.MagicMock())
    machine.poll()
    seconds.passed, seconds.without_a_core = 12, 3
    machine.poll()
    seconds.passed = 14
    with pytest.raises(execution.Stopped, match="was ended after 10 seconds"):
        machine.poll()


def test_between_two_events_is_no_time_that_a_clock_could_have_measured_and_its_sign_says_which_was_first():
    assert output("""
        first, second = cuda.Event(), cuda.Event()
        first.record(), second.record()
        second.synchronize()
        smallest = float(np.finfo(np.float32).tiny)
        print(second.time_since(first) == smallest, first.time_since(second) == -smallest, first.time_since(first))
    """) == "True True 0.0\n"


def test_a_function_of_a_stream_that_waits_for_its_own_stream_is_told_that_it_would_wait_for_ever():
    assert output("""
import ctypes
library, stream, answers = ctypes.CDLL("libcuda.so.1"), cuda.Stream(), []
handle = ctypes.c_void_p(stream.handle)
event = ctypes.c_void_p()
library.cuEventCreate(ctypes.byref(event), 0)
def act(data):
    library.cuEventRecord(event, handle)
    answers.extend([library.cuStreamSynchronize(handle), library.cuEventSynchronize(event), library.cuStreamQuery(handle)])
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(act)
library.cuLaunchHostFunc(handle, function, None)
stream.synchronize()
print(answers)
""") == "[800, 800, 600]\n"
