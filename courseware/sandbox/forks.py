"""A process that has imported what every run needs, and forks a child for each: a tenth of what a new program costs.

Only over the simulated driver, which it has attached and never calls: a child that is forked after cuInit cannot use
CUDA. It starts with the first run, has one thread, and ends with the process that started it; so do its children.

    this process                     the process that forks         a child of it
    run: sends where to print,
    and a socket for this run   ->   wait: forks               ->   _become: a new program, by all that it can see
    waits at that socket        <-   sends the child's number when it has forked, and the exit status at its end
    or closes it                ->   ends the child

Not here: what a child does with its job (child.py), and the start of a new program (process.py), which is the way with
a GPU's driver.
"""
import contextlib
import gc
import importlib
import os
import pickle
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import weakref

from cuda_simulator.systems import SYSTEM

from . import process

PROGRAM = ("import os, sys; given = dict(os.environ); from courseware.sandbox import child, forks; "
           "child.main(*forks.wait(*map(int, sys.argv[1:3]), given))")
# Variables that are read while that is imported. What else is in the environment, each child gets anew.
READ_BY_IMPORTS = ("COURSE_", "CUDA_PYTHON_", "CUDA_SIMULATOR_EXAMINE", "CUDA_SIMULATOR_KERNEL", SYSTEM,
                   "CUDA_SIMULATOR_CONTEXTS", "LANG", "LC_", "LD_", "MPL", "NPY_",
                   "OMP_", "OPENBLAS_", "PYTHON")
LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
PACKAGE = __package__.partition(".")[0] + "."
LONGEST = 1 << 20       # bytes of a message; the kernel refuses much shorter ones
NUMBER = struct.Struct("i")
STARTS = 60             # seconds that imports may take on a slow or busy machine. They are no part of a run's time
ANSWERS = 20            # seconds in which a child is ended, and its status told
LOOKS_FOR_OWNER = 5     # seconds after which the process that forks sees at the latest that it forks for nobody

_forker = None          # the Forker of this process
_of_systems = {}        # name -> the Forker for runs on another system than this process's


class NoFork(Exception):
    """No fork can take a new program's place: one has to be started."""


class Forker:
    """The process that forks, seen from the one that it forks for. Raises OSError where it does not start in time."""

    def __init__(self, environment, timeout):
        self.takes = _taken(environment)
        self.line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # One thread, of NumPy's too: no other would be in a fork.
            variables = environment | {"OPENBLAS_NUM_THREADS": "1"}
            self.process = process.start(PROGRAM, theirs.fileno(), os.getpid(), pass_fds=[theirs.fileno()],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, variables=variables)
        weakref.finalize(self, _end, os.getpid(), self.line, self.process)
        self.line.settimeout(timeout)
        if not self.line.recv(1):
            raise OSError("it ended before it was ready")
        self.line.settimeout(None)

    def send(self, job, out, err):
        """Have a job done; returns the socket at which its exit status comes."""
        ours, theirs = socket.socketpair()
        folder = os.open(".", os.O_PATH)    # the descriptor, because a folder that was removed has no name
        try:
            socket.send_fds(self.line, [pickle.dumps(job)], [theirs.fileno(), folder, out.fileno(), err.fileno()])
        finally:
            os.close(folder)
            theirs.close()
        return ours


def _end(owner, line, running):
    """End the process that forks. A fork of its owner closes its own end of the line, and no more."""
    if os.getpid() == owner and running.poll() is None:
        process.end(running)
    line.close()


def _taken(environment):
    """What the process that forks takes from this one for good: a child of a later run would have it too."""
    return ({name: value for name, value in environment.items() if name.startswith(READ_BY_IMPORTS)},
            [resource.getrlimit(limit) for limit in LIMITS])


def _ready(environment, timeout):
    """The Forker of this process: a new one where it has none, has lost it, or has changed what that took from it.

    Runs of other threads keep theirs until they have ended.
    """
    global _forker
    system = environment.get(SYSTEM)
    beside = system != os.environ.get(SYSTEM)
    forker = _of_systems.get(system) if beside else _forker
    if forker is None or forker.process.poll() is not None or forker.takes != _taken(environment):
        forker = Forker(environment, timeout)
        if beside:
            _of_systems[system] = forker
        else:
            _forker = forker
    return forker


def run(what, arguments, timeout, environment, out, err, imports=()):
    """Do a job in a fork; returns its exit status as subprocess.Popen has it, or None where the time was up.

    what:        the function of the job, or its source text. A module of the course's that has the function is imported
                 before the fork, and is there for the next one too: none calls CUDA when it is imported
    imports:     names of others that are imported then
    arguments:   of child.main
    timeout:     in seconds, from the fork on, as process.in_time counts them
    environment: of the child, as process.environment gives it
    out, err:    files for what it prints

    Raises NoFork where the job is left to a new program.
    """
    if environment["COURSE_DRIVER"] != "simulated":
        raise NoFork("the driver of a GPU may not be forked, once it is initialised")
    try:
        forker = _ready(environment, STARTS)
        ours = forker.send(([*_module_of(what), *imports], arguments, environment), out, err)
    except OSError as error:
        raise NoFork("the process that forks does not answer") from error
    number = None       # of the child
    with ours:
        try:
            number = _number(ours, STARTS)
            return process.in_time(lambda seconds: _status(ours, seconds), number, timeout)
        except TimeoutError:
            return None
        finally:    # also when Ctrl-C ends the waiting
            ours.shutdown(socket.SHUT_WR)
            try:
                if number is None:
                    _number(ours, ANSWERS)
                _status(ours, ANSWERS)
            except TimeoutError:        # the code has stopped the process that forks
                process.end(forker.process)


def _module_of(what):
    """The name of the course's module that has a function, in a list; none for code of anybody else's."""
    name = getattr(what, "__module__", None) or ""
    return [name] if name.startswith(PACKAGE) else []


def _status(connection, seconds=None):
    """The exit status that comes. Where the process that forks has ended, it took its children along."""
    return _number(connection, seconds, -signal.SIGKILL)


def _number(connection, seconds=None, none=0):
    """The number that comes, or `none` where the process that forks has ended. Raises TimeoutError after so many
    seconds."""
    connection.settimeout(seconds)
    number = connection.recv(NUMBER.size)
    return NUMBER.unpack(number)[0] if number else none


def wait(line, owner, environment_before):
    """Fork a child for each message; returns in the child, with the arguments of its job.

    line:               the descriptor of the socket from which the messages come. This process ends with it
    owner:              the number of the process that this one forks for. It ends with that as well, since a fork of
                        that keeps the line open
    environment_before: the one with which this process was started
    """
    process.go_on_after(owner)
    process.adopt_orphans()
    _prepare()
    line = socket.socket(fileno=line)
    woken, wake = socket.socketpair()
    woken.setblocking(False)
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    set_by_imports = {name: value for name, value in os.environ.items() if environment_before.get(name) != value}
    children = {}       # socket of a run -> process number
    gc.collect()
    gc.freeze()         # a child that looked through all this for garbage would copy it
    line.send(b"r")     # ready
    while os.getppid() == owner:
        ready, _, _ = select.select([line, woken, *children], [], [], LOOKS_FOR_OWNER)
        if woken in ready:
            woken.recv(4096)
        for connection in list(children):
            if connection in ready or _has_ended(children[connection]):
                _end_child(children.pop(connection), connection, children.values())
        if line in ready:
            message, fds, *_ = socket.recv_fds(line, LONGEST, 4)
            if not message:
                break
            connection, this = socket.socket(fileno=fds[0]), os.getpid()
            modules, arguments, environment = pickle.loads(message)
            with contextlib.suppress(Exception):    # the child will say what is wrong with it
                for module in modules:
                    importlib.import_module(module)
            number = os.fork()
            if not number:
                _become(this, fds[1:], [connection, line, woken, wake, *children], environment | set_by_imports)
                sys.argv[1:] = arguments
                return arguments
            children[connection] = number
            with contextlib.suppress(OSError):
                connection.send(NUMBER.pack(number))
            for fd in fds[1:]:
                os.close(fd)
    while children:
        _end_child(*reversed(children.popitem()), children.values())
    os._exit(0)


def _prepare():
    """Do what every job would do first, and most of them next, as far as that does not initialise CUDA: its children
    could not use it then."""
    import pycuda.compiler  # noqa: F401
    import pycuda.gpuarray  # noqa: F401
    from cuda.bindings import driver, nvrtc
    driver.cuDriverGetVersion()     # at its first call cuda-bindings looks up all of the driver's functions
    with contextlib.suppress(RuntimeError):     # without NVRTC, a job that compiles says so
        nvrtc.nvrtcVersion()        # loads it


def _has_ended(number):
    return os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end_child(number, connection, others):
    """End a child and what it has started, and tell its status. Until it is waited for, no other process has its
    number.

    others: the numbers of the children that go on
    """
    process.end_tree(number)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    # What it has left behind when it ended is adopted by this process; what the others leave behind, by them, while
    # they run.
    others = set(others)
    while orphans := set(process.children_of(os.getpid())) - others:
        for orphan in orphans:
            if process.end_tree(orphan):
                os.waitpid(orphan, 0)
            else:
                others.add(orphan)
    with connection, contextlib.suppress(OSError):      # nobody may be there any more
        connection.send(NUMBER.pack(status))


def _become(parent, fds, connections, environment):
    """Make this child what a new program would be."""
    process.end_with(parent)
    process.adopt_orphans()
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for connection in connections:
        connection.close()
    folder, out, err = fds
    os.fchdir(folder)
    os.dup2(out, 1)
    os.dup2(err, 2)
    for fd in fds:
        os.close(fd)
    os.environ.clear()
    os.environ.update(environment)
    importlib.invalidate_caches()
    if "numpy.random" in sys.modules:       # Python's own random numbers differ in each fork
        sys.modules["numpy.random"].seed()
