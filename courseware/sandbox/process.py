"""Start another Python process that has course_lib and the same driver, and end it with all that it has started.

Not here: what it is to do (child.py for the sandbox, second_process/turns.py for a process that takes turns with this
one).
"""
import contextlib
import ctypes
import itertools
import os
import signal
import subprocess
import sys
import time

from course_lib import driver
from course_lib.core.errors import WrongArgument
from cuda_simulator import systems
from cuda_simulator.processor_time import seconds_without_a_core

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36    # linux/prctl.h
PATIENCE = 10           # times its timeout, which a process gets at most on a busy machine
LEAST = 0.01            # of its timeout, for less of which nobody waits again


def start(program, *arguments, variables=None, **streams):
    """Start Python with a program's text; returns the subprocess.Popen.

    It is a new program, not a fork: a child that is forked after cuInit cannot use CUDA.

    variables: the environment; without them what `environment` gives
    streams:   as subprocess.Popen takes them
    """
    return subprocess.Popen([sys.executable, "-u", "-c", program, *map(str, arguments)], env=variables or environment(),
                            start_new_session=True, stdin=subprocess.DEVNULL, **streams)


def environment(simulated=False, devices=1, system=None):
    """The environment of such a process.

    simulated: over the simulated driver, also on a machine with a GPU
    devices:   how many it needs
    system:    over the simulated driver, which then follows this system. Raises WrongArgument where there is none of
               that name

    With `devices` above 1 it has as many that can reach each other's memory: this machine's, or simulated ones where
    this machine has fewer.
    """
    if isinstance(devices, bool) or not isinstance(devices, int) or devices < 1:
        raise WrongArgument(f"devices is how many devices the code needs, 1 or more, and not {devices!r}")
    variables = {**driver.child_environment(), "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    if system is not None:
        try:
            variables[systems.SYSTEM] = systems.checked(system).name
        except ValueError as error:
            raise WrongArgument(str(error)) from None
        simulated = True
    if simulated:
        variables["COURSE_DRIVER"] = "simulated"
    if devices > 1 and (simulated and not driver.attached.simulated or not peers(devices)):
        for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):      # they were meant for the machine's own
            variables.pop(name, None)
        variables.update(COURSE_DRIVER="simulated", CUDA_SIMULATOR_DEVICES=str(devices))
    return variables


def peers(devices):
    """Does this process have so many devices, each of which can reach the others' memory?

    CUDA calls: cuInit, cuDeviceGetCount, cuDeviceCanAccessPeer.
    """
    from cuda.bindings import driver as cu
    if int(cu.cuInit(0)[0]) or cu.cuDeviceGetCount()[1] < devices:
        return False
    return all(cu.cuDeviceCanAccessPeer(*two)[1] for two in itertools.permutations(range(devices), 2))


def in_time(wait, number, timeout):
    """What `wait(seconds)` returns, if it does before a process has had `timeout` seconds; raises its TimeoutError
    then.

    wait:   a function that returns when something has come, or raises TimeoutError or subprocess.TimeoutExpired after
            so many seconds
    number: of the process

    A busy machine is no fault of the code's: time that the process has no processor core for is not its own. A kernel
    over the simulated driver is ended by the same count, so it still says where it was. There is an end to that, too:
    PATIENCE times as long.
    """
    deadline, longest, queued = time.monotonic() + timeout, (PATIENCE - 1) * timeout, 0.0
    while True:
        try:
            return wait(max(deadline - time.monotonic(), 1e-3))
        except (TimeoutError, subprocess.TimeoutExpired):
            before, queued = queued, min(seconds_without_a_core(number), longest)
            if queued - before < LEAST * timeout:
                raise
            deadline += queued - before


def end(process):
    """End the process and those that it has started."""
    if process.poll() is None:
        end_tree(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def go_on_after(parent):
    """Have the kernel wake this process when its parent ends: one that code has stopped would wait for ever. (prctl(2))

    parent: its process number; if it has ended before, this process ends at once
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGCONT)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans():
    """Have processes that this one's children leave behind become its children: no session and no second fork hides
    one. (prctl(2))"""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_tree(number):
    """End a process, which its parent has not waited for yet, and all that it has started and adopted; returns whether
    it could."""
    try:
        os.kill(number, signal.SIGSTOP)     # so that it starts no more
        for child in children_of(number):
            end_tree(child)
        os.kill(number, signal.SIGKILL)
    except OSError:     # it runs as another user, say
        return False
    return True


def children_of(number):
    """The numbers of the processes that a process has started or adopted, and not waited for."""
    children = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):    # it has ended, or this kernel does not tell
        for task in os.listdir(f"/proc/{number}/task"):
            with open(f"/proc/{number}/task/{task}/children") as file:
                children += map(int, file.read().split())
    return children


def end_with(parent):
    """Have the kernel end this process when its parent ends, also while a kernel of the GPU runs that never ends.

    It is the end of the thread that started this process. (prctl(2))

    parent: its process number; if it has ended before, this process ends at once
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
