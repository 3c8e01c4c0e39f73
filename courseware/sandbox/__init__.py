"""Run risky code in a process of its own, and say how it ended.

A kernel that follows a wrong address ends CUDA for its process, and only a new one helps; the host that
follows a device address ends with a segmentation fault. `run` gives such an experiment a fresh process with the
same driver, so that the notebook survives it:

    >>> from courseware import sandbox
    >>> def follow_a_device_address():
    ...     import ctypes, pycuda.driver as cuda
    ...     return ctypes.c_int.from_address(int(cuda.mem_alloc(64))).value
    >>> sandbox.run(follow_a_device_address)
    ended by SIGSEGV: a segmentation fault, the process touched an address that the CPU may not use

It protects from accidents, not from malice: the code may do whatever this process may. Not here: what goes to the
new process (sent.py), what happens inside it (child.py), what comes back (returned.py), and how it is started and
ended: as a fork over the simulated driver (forks.py), as a new program over a GPU's (process.py).
"""
import html
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from course_lib import driver
from course_lib.core.errors import WrongArgument, WrongSize, number_of
from cuda_simulator import systems

import numpy as np

from . import child, forks, process, returned, sent

SIGNALS = {"SIGSEGV": "a segmentation fault, the process touched an address that the CPU may not use",
           "SIGBUS": "a bus error, the memory behind an address is not there",
           "SIGABRT": "the process gave up by itself (abort)",
           "SIGFPE": "an arithmetic error, such as a whole number divided by 0",
           "SIGILL": "an instruction that the processor does not know",
           "SIGKILL": "killed from outside, perhaps because memory ran out"}


@dataclass(frozen=True, repr=False)
class Outcome:
    """How a run ended. Shown in a notebook as one line, and below it what the code printed.

    The line names no addresses and no times: it is the same with every driver and on every machine.
    """

    value: object = None            # what the function returned, or the source's last expression was
    printed: str = ""               # on standard output, by Python and by kernels
    error: str | None = None        # CUDA's name of the error that ended it, such as CUDA_ERROR_ILLEGAL_ADDRESS
    exception: str | None = None    # the Python exception that ended it, such as "ValueError: too small"
    signal: str | None = None       # the signal that ended it, such as SIGSEGV
    status: int | None = None       # the exit status, where the code ended the process by itself
    timed_out: bool = False         # True if it ran until its time was up
    system: str = ""                # the documented system that it ran on, or "": shown with the line
    seconds: float = field(default=0.0, compare=False)     # of the whole run, the start of the process included
    explanation: str = field(default="", compare=False)    # standard error: the simulated driver explains faults there
    traceback: str = field(default="", compare=False)      # of the exception, for finding the line

    @property
    def ok(self):
        """True if the code ran to its end."""
        return not (self.error or self.exception or self.signal or self.timed_out or self.status is not None)

    @property
    def observed(self):
        """What a prediction is compared with: the value, or the name of what ended the code, which is a signal, CUDA's
        error or an exception's class; "no end" if its time was up."""
        exception = self.exception and self.exception.partition(":")[0]
        return "no end" if self.timed_out else self.signal or self.error or exception or self.value

    @property
    def ending(self):
        """How it ended, in one line of text."""
        if self.timed_out:
            return "did not end: stopped when its time was up"
        if self.signal:
            return f"ended by {self.signal}" + (f": {SIGNALS[self.signal]}" if self.signal in SIGNALS else "")
        if self.error:
            return f"ended by the CUDA error {self.error} ({number_of(self.error)})"
        if self.exception:
            return f"ended by the exception {self.exception}"
        if self.status is not None:
            return f"ended its process with exit status {self.status}"
        value = self.value.item() if isinstance(self.value, np.generic) else self.value    # 3, not np.int32(3)
        return "ended normally" + (f", and returned {value!r}" if value is not None else "")

    @property
    def _mark(self):
        return f" [{self.system}: {systems.MARK}]" if self.system else ""

    def __repr__(self):
        return self.ending + self._mark + (f"\nprinted: {self.printed.rstrip()}" if self.printed.strip() else "")

    def _repr_html_(self):
        printed = f"<pre>{html.escape(self.printed.rstrip())}</pre>" if self.printed.strip() else ""
        return f"<div>{'&#10003;' if self.ok else '&#10007;'} {html.escape(self.ending + self._mark)}</div>{printed}"


def run(what, *arguments, timeout=60, context=True, simulated=False, devices=1, system=None, imports=()):
    """Run a function, or source text, in a fresh process with the same driver; returns an Outcome.

    what:      a function, called with `arguments`; one defined in a notebook takes along what it uses: modules,
               functions, classes, data that pickle can copy. Or source text; the value of its last expression is
               returned
    timeout:   in seconds, after which the process is stopped. Starting it takes up to half a second; over the simulated
               driver only the first time. What other programs have of the processor's time is not counted
    context:   make a CUDA context current before the code runs (``import pycuda.autoinit``)
    simulated: over the simulated driver, also on a machine with a GPU
    devices:   how many the code needs, each with access to the others' memory. Where this machine has fewer, the code
               runs on simulated ones
    system:    over the simulated driver, which then follows this system (docs/systems.md), such as
               "registered-differs". What comes of a documented system is marked so, and is no evidence
    imports:   names of the course's modules that the code imports: over the simulated driver once for all runs

    What the code does to its copies of the data stays there. Nothing that it does raises here; WrongArgument is
    raised for a `what` that cannot be sent and a system that there is not, WrongSize for a timeout that is not
    positive, DriverError where the other process finds no driver to run on.

    CUDA calls: none in this process. In the other, after the code, cuCtxSynchronize: an error of a kernel that
    was launched last shows then.
    """
    if not (callable(what) or isinstance(what, str)):
        raise WrongArgument(f"the sandbox runs a function or source text, not {type(what).__name__}: pass the function "
                            "itself, and its arguments after it: run(f, x) instead of run(f(x))")
    if not timeout > 0:
        raise WrongSize(f"a timeout of {timeout} seconds leaves no time to run: give it some, such as 10")
    with tempfile.TemporaryDirectory() as folder:
        job, answer = os.path.join(folder, "job"), os.path.join(folder, "answer")
        with open(job, "wb") as file:
            file.write(sent.pickled((what, arguments, context)))
        environment = process.environment(simulated, devices, system)
        started = time.monotonic()
        status, printed, explanation = _run_child(what, [job, answer], timeout, environment, imports)
        seconds = time.monotonic() - started
        ended = {}
        if os.path.exists(answer):
            with open(answer, "rb") as file:
                ended = returned.unpack(file.read())
        began = os.path.exists(job + child.BEGAN)
    if status and not began:    # the code has not run: that must not be taken for its end
        last_line = explanation.strip().rpartition("\n")[2].removeprefix("course_lib.driver.DriverError: ")
        no_reason = f"the process for the code ended with status {status} before it ran the code"
        raise driver.DriverError(last_line or no_reason)
    if status is None:
        ended = {"timed_out": True}
    elif status < 0:
        ended = {"signal": signal.Signals(-status).name}
    elif not ended:
        ended = {"status": status}
    return Outcome(printed=printed, explanation=explanation, seconds=seconds, system=_documented(system), **ended)


def _documented(system):
    """The name of the documented system that a run has, its own or this process's; "" for what was recorded, and for a
    GPU."""
    if system is None and not driver.attached.simulated:
        return ""
    followed = systems.checked(system) if system else systems.current_system()
    return "" if followed.recorded else followed.name


def simulated():
    """Does this process, and each that `run` starts from it, use the simulated driver?"""
    return driver.attached.simulated


def _run_child(what, arguments, timeout, variables, imports):
    """(exit status or None where the time was up, standard output, standard error) of the other process."""
    # Files, not pipes: a process that the code has started might hold a pipe open for ever.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            status = forks.run(what, arguments, timeout, variables, out, err, imports)
        except forks.NoFork:
            status = _run_program(arguments, timeout, variables, out, err)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return status, *texts


def _run_program(arguments, timeout, variables, out, err):
    """The same as forks.run, in a new program."""
    program = ("import sys; from courseware.sandbox import child, process; process.end_with(int(sys.argv[1])); "
               "process.adopt_orphans(); child.main(*sys.argv[2:])")
    running = process.start(program, os.getpid(), *arguments, variables=variables, stdout=out, stderr=err)
    try:
        return process.in_time(running.wait, running.pid, timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:    # also when Ctrl-C ends the waiting
        process.end(running)
