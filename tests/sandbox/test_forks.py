"""Over the simulated driver a run of the sandbox is a fork, and nothing in it differs from a new program."""
import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor

from courseware import sandbox
from courseware.course import LESSONS
from courseware.exercises import values
from courseware.exercises.catalogue import module_of, of_lesson
from courseware.sandbox import forks, process

import pytest

from ..helpers.processes import ended

ALIVE = '''
import os, threading, time
from courseware import sandbox
from courseware.sandbox import forks
sandbox.run("1", simulated=True)
print(forks._forker.process.pid, flush=True)
def kill():
    while not os.path.exists("told"):
        time.sleep(0.01)
    os.kill(os.getpid(), 9)
threading.Thread(target=kill).start()
sandbox.run("""import os, subprocess, time
with open("part", "w") as file:
    print(os.getpid(), STARTED, file=file)
os.rename("part", "told")
time.sleep(1000)""", simulated=True)
'''


def run(what, *arguments, **how):
    return sandbox.run(what, *arguments, simulated=True, **how)


def parent():
    return run("import os; os.getppid()").value


def test_runs_are_forks_of_one_process_which_has_one_thread_and_no_driver():
    assert parent() == parent() == forks._forker.process.pid
    assert len(os.listdir(f"/proc/{forks._forker.process.pid}/task")) == 1
    assert run("import pycuda.driver as cuda; cuda.Device.count()", context=False).error == "CUDA_ERROR_NOT_INITIALIZED"


def test_a_module_of_the_course_is_imported_before_the_fork_and_calls_no_driver():
    assert run(values.same, 3, 3, imports=[module_of(lesson) for lesson in LESSONS if of_lesson(lesson)]).value
    seen = run("import sys\nimport pycuda.driver as cuda\nprint('courseware.exercises.values' in sys.modules,\n"
               "      'courseware.lessons.pinned.harness' in sys.modules)\ncuda.Device.count()", context=False)
    assert seen.printed == "True True\n" and seen.error == "CUDA_ERROR_NOT_INITIALIZED"


def test_a_run_has_the_environment_of_its_time(monkeypatch):
    assert run("import os; os.environ.get('COURSES')").value is None
    monkeypatch.setenv("COURSES", "later")
    monkeypatch.delenv("HOME")
    assert run("import ctypes, os; ctypes.CDLL(None).getenv.restype = ctypes.c_char_p\n"
               "os.environ['COURSES'], 'HOME' in os.environ").value == ("later", False)
    assert run("import subprocess; subprocess.run('echo $COURSES$HOME', shell=True)").printed == "later\n"
    assert run("import os; os.environ.get('OPENBLAS_NUM_THREADS')").value == os.environ.get("OPENBLAS_NUM_THREADS")


def test_a_run_is_where_this_process_is_also_in_a_folder_that_is_gone(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.path", [path for path in sys.path if path])
    monkeypatch.chdir(tmp_path)
    assert run("import os; os.getcwd()").value == str(tmp_path)
    (tmp_path / "written.py").write_text("value = 5")
    assert run("import written; written.value").value == 5
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run("1 + 1").value == 2


@pytest.mark.parametrize("name", ["CUDA_SIMULATOR_KERNEL_SECONDS", "PYTHONHASHSEED"])
def test_after_a_variable_that_imports_read_has_changed_another_process_forks(monkeypatch, name):
    before = parent()
    monkeypatch.setenv(name, "7")
    assert parent() not in (before, os.getpid()) and run(f"import os; os.environ['{name}']").value == "7"
    assert ended(before)


def test_what_the_process_that_forks_takes_to_start_is_no_part_of_a_runs_time(monkeypatch):
    waited, start = [], forks.Forker.__init__

    def noted(self, environment, timeout):
        waited.append(timeout)
        start(self, environment, timeout)
    monkeypatch.setattr(forks.Forker, "__init__", noted)
    monkeypatch.setenv("CUDA_SIMULATOR_KERNEL_SECONDS", "8")
    assert run("1 + 1", timeout=5).value == 2 and waited == [forks.STARTS] and forks.STARTS > 5


def test_so_it_is_after_a_limit_has_changed():
    before, (soft, hard) = parent(), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    try:
        assert parent() not in (before, os.getpid())
        assert run("import resource; resource.getrlimit(resource.RLIMIT_NOFILE)[0]").value == soft - 1
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_run_with_more_devices_is_a_fork_too():
    assert run("import os, pycuda.driver as cuda; cuda.Device.count(), os.getppid()", devices=3).value == (3, parent())


def test_what_the_code_writes_and_reads_goes_where_a_new_program_s_would():
    ended = run("import os, sys\nos.write(1, b'one\\n')\nprint('two')\nos.system('echo three')\nprint('four', file=sys.stderr)\n"
                "sys.stdin.read(), sys.argv[0], __name__, os.getpid() == os.getsid(0) == os.getpgid(0)")
    assert ended.printed == "one\ntwo\nthree\n" and ended.explanation == "four\n"
    assert ended.value == ("", "-c", "__main__", True)


def test_the_code_may_start_threads_and_processes_and_wait_for_them():
    ended = run("import signal, subprocess, threading\nseen = []\none = threading.Thread(target=seen.append, args=[5])\n"
                "one.start(); one.join()\nseen, subprocess.run('exit 3', shell=True).returncode, "
                "signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL, signal.set_wakeup_fd(-1)")
    assert ended.value == ([5], 3, True, -1)


def test_random_numbers_differ_from_run_to_run():
    def drawn():
        import random

        import numpy as np
        return random.random(), np.random.rand()
    first, second = run(drawn).value, run(drawn).value
    assert first[0] != second[0] and first[1] != second[1]


def test_what_one_run_changes_the_next_does_not_see():
    run("import os, sys, builtins\nbuiltins.len = None\nos.environ['COURSES'] = 'x'\nsys.modules['json'] = None")
    assert run("import os, json; len([1]), os.environ.get('COURSES')").value == (1, None)


def test_the_end_of_the_interpreter_is_the_usual_one():
    ended = run("import atexit, sys\natexit.register(print, 'last')\nsys.exit('a reason')")
    assert ended.status == 1 and ended.printed == "last\n" and ended.explanation == "a reason\n"


def test_runs_at_the_same_time_do_not_disturb_each_other(tmp_path):
    code = """import os, time
open({path!r} + "/{n}", "w").close()
while len(os.listdir({path!r})) < 4:
    time.sleep(0.01)
{n}"""
    with ThreadPoolExecutor(4) as threads:
        runs = list(threads.map(lambda n: run(code.format(path=str(tmp_path), n=n)), range(4)))
    assert [run.value for run in runs] == [0, 1, 2, 3]


def test_an_interrupt_ends_the_run_and_what_it_has_started(tmp_path):
    numbers = tmp_path / "told"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)     # a shell's background jobs ignore it

    def interrupt():
        while not numbers.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run(f"import os, subprocess, time\nother = subprocess.Popen(['sleep', '1000']).pid\n"
                f"open('{numbers}.part', 'w').write(f'{{os.getpid()}} {{other}}')\nos.rename('{numbers}.part', '{numbers}')\ntime.sleep(1000)")
    finally:
        signal.signal(signal.SIGINT, before)
    assert all(map(ended, numbers.read_text().split()))


def test_code_that_stops_the_process_that_forks_runs_out_of_time_and_the_next_run_has_another(monkeypatch):
    run("1")
    stopped = forks._forker.process

    def out_of_time(*_):
        os.waitid(os.P_PID, stopped.pid, os.WSTOPPED)
        raise TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(forks, "ANSWERS", 0.1)
        patch.setattr(process, "in_time", out_of_time)
        assert run("import os, signal; os.kill(os.getppid(), signal.SIGSTOP)").timed_out
    assert stopped.poll() == -signal.SIGKILL
    assert run("1 + 1").value == 2


def test_runs_go_on_after_the_process_that_forks_was_killed():
    before = parent()
    lost = run("import os, signal, time\nprint(os.getpid())\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(1000)")
    assert lost.signal == "SIGKILL" and ended(lost.printed.strip())
    assert parent() not in (before, os.getpid())


def test_a_fork_of_this_process_has_runs_too_and_leaves_the_process_that_forks():
    before = parent()
    number = os.fork()
    if not number:
        os._exit(run("1 + 1").value == 2)
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 1
    assert parent() == before


def test_nothing_of_it_outlives_this_process(in_new_process, tmp_path):
    killed = in_new_process(ALIVE.replace("STARTED", "subprocess.Popen(['sleep', '1000']).pid"))
    assert killed.returncode == -signal.SIGKILL
    assert all(map(ended, [killed.stdout.strip(), *(tmp_path / "told").read_text().split()]))
    left = in_new_process("from courseware import sandbox\nfrom courseware.sandbox import forks\n"
                          "sandbox.run('1', simulated=True)\nprint(forks._forker.process.pid)")
    assert not left.stderr and not os.path.exists(f"/proc/{left.stdout.strip()}")


FORK = """
child = os.fork()
if not child:
    os.close(1)
    os.close(2)
    time.sleep(1000)
print(child, flush=True)
"""
HIDDEN = """
import os, time
reading, writing = os.pipe()
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    os.write(writing, str(os.getpid()).encode())
    time.sleep(1000)
os.wait()
with open(PATH + "part", "wb") as file:
    file.write(os.read(reading, 20))
os.rename(PATH + "part", PATH)
"""


@pytest.fixture
def hides(tmp_path, monkeypatch):
    """Run code that hides a process, and ends so, or is ended once that process is there; returns its number."""
    path = tmp_path / "hidden"

    def until_it_is_there(wait, number, timeout):
        while not path.exists():
            time.sleep(0.01)
        raise subprocess.TimeoutExpired("code", timeout) if forks.run is no_fork else TimeoutError

    def hide(end):
        if end == "while True: pass":
            monkeypatch.setattr(process, "in_time", until_it_is_there)
        run(HIDDEN.replace("PATH", repr(str(path))) + end)
        return path.read_text()
    return hide


def no_fork(*_):
    raise forks.NoFork


@pytest.mark.parametrize("end", ["1", "raise SystemExit(3)", "os.abort()", "while True: pass"])
def test_a_process_that_the_code_has_hidden_ends_with_it(hides, end):
    assert ended(hides(end))


@pytest.mark.parametrize("end", ["1", "while True: pass"])
def test_so_does_one_of_a_new_program(hides, monkeypatch, end):
    monkeypatch.setattr(forks, "run", no_fork)
    assert ended(hides(end))


def test_a_new_program_ends_with_this_process(in_new_process, tmp_path):
    killed = in_new_process(ALIVE.replace("STARTED", "''").replace("def kill", "def no_fork(*_):\n    raise forks.NoFork\n"
                                                                    "forks.run = no_fork\ndef kill"))
    assert killed.returncode == -signal.SIGKILL and ended((tmp_path / "told").read_text().strip())


@pytest.mark.parametrize("started_by, meanwhile", [
    ("sandbox.run('1', simulated=True)", "os.kill(forks._forker.process.pid, signal.SIGSTOP)"),
    ("thread = threading.Thread(target=sandbox.run, args=['1'], kwargs={'simulated': True}); thread.start(); thread.join()", FORK)],
    ids=["while it is stopped", "started by a thread, with a fork of this one that goes on"])
def test_the_process_that_forks_ends_with_this_one(in_new_process, started_by, meanwhile):
    killed = in_new_process("import os, signal, threading, time\nfrom courseware import sandbox\nfrom courseware.sandbox import forks\n"
                            f"{started_by}\nprint(forks._forker.process.pid, flush=True)\n{meanwhile}\nos.kill(os.getpid(), 9)")
    forker, *goes_on = map(int, killed.stdout.split())
    try:
        assert killed.returncode == -signal.SIGKILL and ended(forker)
    finally:
        for number in goes_on:
            os.kill(number, signal.SIGKILL)


def test_runs_leave_neither_processes_nor_descriptors():
    def tables():
        forker = forks._forker.process.pid
        with open(f"/proc/{forker}/task/{forker}/children") as children:
            return children.read(), *(len(os.listdir(f"/proc/{number}/fd")) for number in (os.getpid(), forker))
    parent()
    before = tables()
    for what in ("1", "raise SystemExit(3)", "import os; os.abort()"):
        run(what)
    assert run("while True: pass", timeout=0.3).timed_out
    until = time.monotonic() + 5        # the one that forks hears of an end a moment after it
    while tables() != before and time.monotonic() < until:
        time.sleep(0.01)
    assert tables() == before


def test_where_no_fork_is_to_be_had_a_new_program_does_the_same(monkeypatch):
    def ended_before_it_was_ready(*how, **streams):
        return start("import sys; sys.exit(1)", variables=streams.pop("variables"), **streams)
    start = forks.process.start
    monkeypatch.setattr(forks, "_forker", None)
    monkeypatch.setattr(forks, "process", types.SimpleNamespace(start=ended_before_it_was_ready, end=forks.process.end))
    assert parent() == os.getpid()
    ended = run("import os; print('before', flush=True); os.abort()")
    assert ended.signal == "SIGABRT" and ended.printed == "before\n"
    assert run("while True: pass", timeout=1).timed_out


# Its time -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("without_a_core, waits", [(lambda asked: 0, 1), (lambda asked: 1e9, 2), (lambda asked: 3 * asked, 4)])
def test_the_time_that_other_programs_have_of_the_processor_is_not_the_codes_own_up_to_an_end(monkeypatch, without_a_core, waits):
    asked = []

    def wait(seconds):
        asked.append(seconds)
        if len(asked) < 4:
            raise TimeoutError
        return "came"

    monkeypatch.setattr(process, "seconds_without_a_core", lambda number: without_a_core(len(asked)))
    with contextlib.suppress(TimeoutError):
        assert process.in_time(wait, 1, 10) == "came" and waits == 4
    assert len(asked) == waits


def test_a_process_that_has_ended_lacks_no_core():
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert process.seconds_without_a_core(gone.pid) == 0 <= process.seconds_without_a_core("self")
