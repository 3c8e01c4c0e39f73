"""The stand-in library: whatever is called with whatever, the process lives and gets an error code."""
import ctypes
import shutil
import subprocess
import sys
import textwrap

from cuda_simulator import STAND_IN
from cuda_simulator.libcuda import library, stand_in
from cuda_simulator.libcuda.library import _entries

import pytest

PRELUDE = f"""
import ctypes, random, sys
sys.path.insert(0, {str(STAND_IN.parent.parent.parent)!r})
import cuda_simulator
cuda_simulator.attach()
from cuda_simulator.libcuda import library as table
library = table.attach(lambda: True)
names = sorted(entry.name.decode() for entry in table._entries(library))
"""


def python(code, *arguments, timeout=600):
    """Run a program of its own; its output, after checking that it ended well."""
    result = subprocess.run([sys.executable, "-c", PRELUDE + textwrap.dedent(code), *map(str, arguments)],
                            capture_output=True, text=True, timeout=timeout)
    assert result.returncode == 0, f"status {result.returncode}\n{result.stdout[-2000:]}\n{result.stderr[-4000:]}"
    return result.stdout


def test_the_library_calls_itself_libcuda_so_1():
    """PyCUDA's NEEDED entry is matched by this name, whatever the file is called."""
    assert b"libcuda.so.1\0" in STAND_IN.read_bytes()


def test_what_is_written_to_an_address_that_may_be_wrong_is_first_tried_by_the_kernel():
    """The C library's getrandom() may write by itself (glibc 2.41 on Linux 6.11 does), and would end the process."""
    assert b"\0getrandom\0" not in STAND_IN.read_bytes()


def test_every_function_of_the_headers_is_there_and_known_by_name():
    names = [entry.name.decode() for entry in _entries(stand_in.load())]
    assert len(names) == len(set(names)) > 450
    library = ctypes.CDLL(str(STAND_IN))
    assert all(hasattr(library, name) for name in names)


def test_a_function_that_is_not_simulated_answers_not_supported():
    assert python("print(library.cuGraphCreate(0, 0), library.cuTexRefCreate(0), library.cuArrayDestroy(0))"
                  ) == "801 801 801\n"


def test_a_library_that_was_built_from_older_sources_is_refused_with_the_command_that_builds_it(monkeypatch):
    monkeypatch.setattr(library, "_library", None)
    monkeypatch.setattr(stand_in, "load", lambda: ctypes.CDLL("libc.so.6"))
    with pytest.raises(stand_in.StandInMissing, match="older than this package: run `make clean setup`"):
        library.attach(lambda: False)


# As cuda.core's destructors do: an exception is on its way, the lock is let go of, and a call made.
UNWINDING = """
extern void *PyExc_KeyError, *PyEval_SaveThread(void);
extern void PyErr_SetString(void *, const char *), PyEval_RestoreThread(void *);
void *unwind(int (*call)(void *), void *count, int *answer, int let_go) {
    PyErr_SetString(PyExc_KeyError, "of the program");
    void *thread = let_go ? PyEval_SaveThread() : 0;
    *answer = call(count);
    if (let_go) PyEval_RestoreThread(thread);
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
@pytest.mark.parametrize("let_go", [0, 1])
def test_an_exception_that_is_on_its_way_outlives_a_call(let_go, tmp_path):
    (tmp_path / "unwinding.c").write_text(UNWINDING)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "unwinding.so", tmp_path / "unwinding.c"], check=True)
    assert python("""
        unwind = ctypes.PyDLL(sys.argv[1]).unwind
        unwind.restype = ctypes.py_object
        library.cuInit(0)
        count, answer = ctypes.c_int(), ctypes.c_int(-1)
        try:
            unwind(library.cuDeviceGetCount, ctypes.byref(count), ctypes.byref(answer), int(sys.argv[2]))
        except KeyError as error:
            print(error, answer.value, count.value)
        """, tmp_path / "unwinding.so", let_go) == "'of the program' 0 1\n"


def test_before_cuInit_calls_answer_not_initialized():
    assert python("print(library.cuDeviceGetCount(0), library.cuMemAlloc_v2(0, 16), library.cuCtxSynchronize())"
                  ) == "3 3 3\n"


@pytest.mark.parametrize("seed", range(4))
def test_random_arguments_to_every_function_end_in_an_error_code(seed):
    """Small numbers, huge ones, addresses of real buffers, real handles: in any position of any function."""
    python("""
        seed = int(sys.argv[1])
        random.seed(seed)
        # Pages with nothing around them: what is told to write far past their end must be refused, and cannot
        # spoil the memory of this very program.
        from cuda_simulator.libcuda import process_memory
        base = process_memory.reserve(96 << 20) + (32 << 20)
        process_memory.open_pages(base, 1 << 20)
        out = base + (1 << 19)
        library.cuInit(0)
        handles = []
        def made(function, *arguments):
            slot = ctypes.c_size_t()
            assert function(ctypes.byref(slot), *arguments) == 0
            handles.append(slot.value)
        made(library.cuCtxCreate_v2, 0, 0)
        made(library.cuMemAlloc_v2, ctypes.c_size_t(4096))
        made(library.cuMemHostAlloc, ctypes.c_size_t(8192), 2)
        made(library.cuStreamCreate, 0)
        made(library.cuEventCreate, 0)
        made(library.cuMemAddressReserve, ctypes.c_size_t(4 << 20), ctypes.c_size_t(0), ctypes.c_size_t(0), ctypes.c_uint64(0))
        # As sizes, 24 bits are few enough: pinned memory is there at once, and the system clears gigabytes for seconds.
        def value():
            return random.choice([
                lambda: random.randrange(0, 8), lambda: 0, lambda: random.getrandbits(64), lambda: random.getrandbits(24),
                lambda: (1 << 64) - 1, lambda: base + 8 * random.randrange(1000), lambda: random.choice(handles),
                lambda: out, lambda: random.choice(handles) + random.randrange(5000),
                lambda: random.choice([4096, 1 << 20, 2 << 20, 1 << 47, 1 << 62])])()
        # Host functions are given to be called: a random one is the caller's own crash, here and on a GPU.
        skipped = {"cuLaunchHostFunc", "cuStreamAddCallback"}
        for name in names:
            if name in skipped:
                continue
            function = getattr(library, name)
            function.restype = ctypes.c_int
            for _ in range(12):
                # What the functions read of a buffer is random as well, and every pointer out of it.
                ctypes.memset(base, 0, 4096)
                for i in range(0, 256, 8):
                    ctypes.c_uint64.from_address(base + i).value = value()
                arguments = [ctypes.c_uint64(value()) for _ in range(11)]
                answer = function(*arguments)
                assert 0 <= answer <= 999, (name, answer)
                if name.startswith(("cuCtxDestroy", "cuCtxDetach", "cuCtxPop", "cuCtxSetCurrent", "cuDevicePrimary")):
                    library.cuCtxSetCurrent(ctypes.c_size_t(handles[0]))
    """, seed)


def test_interpreter_exit_is_silent_while_objects_still_hold_handles():
    result = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import cuda_simulator
        cuda_simulator.attach()
        import pycuda.autoinit
        import pycuda.driver as cuda
        memory, stream, event = cuda.mem_alloc(64), cuda.Stream(), cuda.Event()
        pinned = cuda.pagelocked_empty(10, "f4")
        import builtins
        builtins.kept = memory, stream, event, pinned
    """)], capture_output=True, text=True, timeout=600)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_forked_child_is_told_that_the_driver_is_not_initialized():
    assert python("""
        import os
        library.cuInit(0)
        if os.fork() == 0:
            answer = library.cuDeviceGetCount(ctypes.addressof(ctypes.c_int()))
            os._exit(answer)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    """) == "3\n"


NUMPY_ALONE = """
import ctypes, sys
THERE = {*sys.stdlib_module_names, "numpy", "cuda_simulator", "cuda_without_toolkit"}
class Hides:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return self.finder.find_spec(name, path, target) if name.partition(".")[0] in THERE else None
sys.meta_path = [Hides(finder) for finder in sys.meta_path]
import cuda_simulator
cuda_simulator.attach()
cuda, context, address = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
print(cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context))
print(cuda.cuMemAlloc_v2(ctypes.byref(address), 16), cuda.cuMemcpyHtoD_v2(address, b"back and forth", 14))
text = ctypes.create_string_buffer(14)
print(cuda.cuMemcpyDtoH_v2(text, address, 14), text.raw.decode())
"""


def test_a_program_needs_nothing_but_numpy(in_new_process):
    result = in_new_process(NUMPY_ALONE)
    assert result.stdout == "0 0 0\n0 0\n0 back and forth\n", result.stderr


FOREIGN = """
#include <pthread.h>
int cuCtxSetCurrent(void *), cuCtxGetCurrent(void **);
static void *body(void *context) {
    void *current = 0;
    if (cuCtxSetCurrent(context)) return (void *)1;
    for (int i = 0; i < 3; i++)
        if (cuCtxGetCurrent(&current) || current != context) return (void *)2;
    return 0;
}
int on_threads(void *context) {
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        void *failed;
        if (pthread_create(&thread, 0, body, context) || pthread_join(thread, &failed) || failed) return 1 + i;
    }
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="takes a C compiler")
def test_a_thread_that_python_did_not_start_keeps_its_current_context_between_two_calls(tmp_path):
    source, library = tmp_path / "foreign.c", tmp_path / "libforeign.so"
    source.write_text(FOREIGN)
    subprocess.run(["gcc", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
    assert python("""
        import threading
        from cuda_simulator.libcuda import state
        library.cuInit(0)
        context = ctypes.c_size_t()
        library.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
        ctypes.CDLL(str(cuda_simulator.STAND_IN), mode=ctypes.RTLD_GLOBAL)
        foreign = ctypes.CDLL(sys.argv[1])
        print(foreign.on_threads(ctypes.c_void_p(context.value)), threading.active_count())
    """, library) == "0 1\n"


def test_what_gives_things_back_after_python_has_ended_succeeds():
    """cuda.core asks for the current context before it gives something back, and warns where one of the two fails."""
    code = f"""
        import atexit, ctypes
        def last():         # registered before the driver is attached, it runs after that has let go
            library, context = ctypes.CDLL({str(STAND_IN)!r}), ctypes.c_void_p(1)
            print(library.cuCtxGetCurrent(ctypes.byref(context)), context.value, [
                getattr(library, name)(0, 0) for name in (
                    "cuMemFree_v2", "cuMemFreeAsync", "cuMemPoolDestroy", "cuLibraryUnload", "cuMemFreeHost", "cuMemAlloc_v2")])
        atexit.register(last)
        import cuda_simulator
        cuda_simulator.attach()
        """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=600)
    assert (result.stdout, result.stderr) == ("0 None [0, 0, 0, 0, 0, 4]\n", "")
