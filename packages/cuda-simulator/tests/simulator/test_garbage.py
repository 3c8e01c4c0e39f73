"""Garbage that owns something of the driver's: Python collects it in any thread, whenever that allocates. A driver that is not in Python
is never met by a finalizer in the midst of a call, and has no thread of its own that Python would use."""
import pytest

from .programs import output

# An Owner is in a cycle, so only the collector ends it: with another threshold each time, so that this falls on every place in turn.
OWNERS = """
import gc
from cuda.bindings import driver
answers = []
class Owner:
    def __init__(self, release, *arguments):
        self.cycle, self.release, self.arguments = self, release, arguments
    def __del__(self):
        answers.append(int(self.release(*self.arguments)[0]))
def made(answer):
    assert answer[0] == 0, answer
    return answer[1]
module = SourceModule("__global__ void add(int *x, int n) { for (int i = 0; i < n; i++) x[threadIdx.x] += i % 3; }")
add, stream, x = module.get_function("add"), cuda.Stream(), cuda.mem_alloc(4096)
here = np.zeros(1024, np.int32)
page = here.ctypes.data + -here.ctypes.data % 4096
ptx = b".version 7.0\\n.target sm_75\\n.address_size 64\\n.visible .entry f() { ret; }"
def context():
    handle = made(driver.cuCtxCreate(None, 0, 0))
    driver.cuCtxPopCurrent()
    return handle
def registered():
    memory = np.zeros(4096, np.int8)
    assert driver.cuMemHostRegister(memory.ctypes.data, 4096, 0)[0] == 0
    return lambda memory=memory: driver.cuMemHostUnregister(memory.ctypes.data)
def turn(make):
    Owner(*make()); add(x, np.int32(3), block=(32, 1, 1), stream=stream)
    Owner(*make()); cuda.memset_d32_async(x, 1, 16, stream)
    Owner(*make()); cuda.memcpy_htod_async(x, here[:8], stream)
    Owner(*make()); cuda.mem_alloc(600).free()
    Owner(*make()); cuda.Event().record(stream)
    Owner(*make()); stream.synchronize()
    Owner(*make()); cuda.mem_get_info()
    Owner(*make()); cuda.pagelocked_empty(100, np.int8)
"""
OWNED = {
    "device memory": "driver.cuMemFree, made(driver.cuMemAlloc(1000))",
    "managed memory": "driver.cuMemFree, made(driver.cuMemAllocManaged(1000, 1))",
    "pinned memory": "driver.cuMemFreeHost, made(driver.cuMemHostAlloc(1000, 0))",
    "registered memory": "registered(),",
    "memory of a pool": "driver.cuMemFreeAsync, made(driver.cuMemAllocAsync(1000, stream.handle)), stream.handle",
    "an event": "driver.cuEventDestroy, made(driver.cuEventCreate(0))",
    "a stream": "driver.cuStreamDestroy, made(driver.cuStreamCreate(0))",
    "a module": "driver.cuModuleUnload, made(driver.cuModuleLoadData(ptx))",
    "a context": "driver.cuCtxDestroy, context()",
}


@pytest.mark.parametrize("make", OWNED.values(), ids=OWNED)
def test_what_garbage_owns_is_given_back_while_calls_are_made_and_kernels_run(make):
    assert output(OWNERS + f"""
turn(lambda: ({make}))
gc.collect()
before, answers[:] = cuda.mem_get_info(), []
for objects in range(1, 400, 2):
    gc.set_threshold(objects)
    turn(lambda: ({make}))
gc.collect()
print(cuda.mem_get_info() == before, len(answers), set(answers))
""", timeout=60) == "True 1600 {0}\n"


def test_several_threads_leave_garbage_and_make_calls_at_once():
    assert output(OWNERS + f"""
kinds = [{", ".join(f"lambda: ({make})" for make in OWNED.values())}]
current, failed = cuda.Context.get_current(), []
def work():
    current.push()
    try:
        for objects in range(1, 400, 10):
            gc.set_threshold(objects)
            for make in kinds:
                turn(make)
    except BaseException as error:
        failed.append(error)
    finally:
        current.pop()
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
gc.collect()
print(failed, len(answers), set(answers))
""", timeout=120) == f"[] {4 * 40 * 8 * len(OWNED)} {{0}}\n"


def test_no_finalizer_runs_in_a_call_or_in_a_streams_thread():
    """PyCUDA gives memory back only in the thread that made its context."""
    assert output("""
import gc, traceback
x, stream = cuda.mem_alloc(4096), cuda.Stream()
add = SourceModule("__global__ void add(int *x) { for (int i = 0; i < 9; i++) x[threadIdx.x] += i % 3; }").get_function("add")
inside = []
class Garbage:
    def __init__(self):
        self.cycle, self.memory = self, cuda.mem_alloc(1 << 20)
    def __del__(self):
        inside.append(any("cuda_simulator" in frame.f_code.co_filename for frame, _ in traceback.walk_stack(sys._getframe())))
before = cuda.mem_get_info()
for objects in range(1, 400, 2):
    gc.set_threshold(objects)
    Garbage(); add(x, block=(32, 1, 1), stream=stream)
    Garbage(); stream.synchronize()
gc.collect()
print(cuda.mem_get_info() == before, len(inside), set(inside))
""", timeout=60) == "True 400 {False}\n"


# `collect_in_stream` has the collector run in a stream's thread; `hold_up` has another callback of its wait there, in this phase, until `left`.
IN_STREAM = OWNERS + """
from pycuda import tools
main, held_up, left = threading.get_ident(), threading.Event(), threading.Event()
@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def collect(_):
    gc.collect()
def collect_in_stream():
    driver.cuLaunchHostFunc(stream.handle, ctypes.cast(collect, ctypes.c_void_p).value, 0)
def hold_up(held_phase):
    def another(phase, info):
        if phase == held_phase and threading.get_ident() != main:
            held_up.set()
            left.wait(10)
    gc.callbacks.append(another)
    collect_in_stream()
    print(held_up.wait(10))
"""


def test_what_a_function_of_a_stream_collects_is_given_back_by_the_programs_thread():
    assert output(IN_STREAM + """
Owner(driver.cuMemFree, made(driver.cuMemAlloc(1000)))
collect_in_stream()
stream.synchronize()
print(answers)
""") == "[0]\n"


def test_garbage_that_is_left_while_another_callback_of_the_collector_runs_is_not_collected_in_a_streams_thread():
    """Hypothesis has such a callback. PyCUDA's pools end the process if their memory is given back in a thread without a context."""
    assert output(IN_STREAM + """
hold_up("start")
Owner(lambda memory: [threading.get_ident() != main], tools.DeviceMemoryPool().allocate(64))
left.set()
stream.synchronize()
print(answers)
""") == "True\n[0]\n"


def test_what_another_thread_lets_go_of_while_a_callback_of_the_collector_runs_does_not_end_in_a_streams_thread():
    assert output(IN_STREAM + """
owner = [tools.DeviceMemoryPool().allocate(64)]
hold_up("stop")
del owner
left.set()
stream.synchronize()
print("given back")
""") == "True\ngiven back\n"
