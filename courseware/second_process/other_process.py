"""A second process that takes turns with this one.

    with other_process() as other:
        theirs = other.keep(sharing.open_handle, handle)    # what the call gives there stays there
        other.run(look, theirs)                             # a function of the notebook, run there

It is a new program (never a fork), with the same driver and a CUDA context of its own. It ends with this process,
however that ends, and with the thread that started it. As with the sandbox: it protects from accidents, not from
malice.

Not here: what it does in a turn (turns.py), and how it is started (sandbox/process.py).
"""
import array
import os
import pickle
import signal
import socket
import sys
import tempfile
from multiprocessing.connection import Connection

from course_lib.core.errors import Released, WrongArgument, WrongSize
from course_lib.core.ownership import Resource
from course_lib.driver import DriverError
from course_lib.sharing import Descriptor

from ..sandbox import Outcome, process, returned, sent
from .turns import READY, Reference

START = 60      # seconds that it may take to start


class OtherFailed(RuntimeError):
    """The function raised an exception in the other process.

    name:        CUDA's name of the error, where it was one
    explanation: what the other process wrote to standard error: the simulated driver explains faults there
    traceback:   of the exception, there
    """

    def __init__(self, message, name=None, explanation="", traceback=""):
        super().__init__(message + (f"\n{explanation.strip()}" if explanation.strip() else ""))
        self.name, self.explanation, self.traceback = name, explanation, traceback


class OtherEnded(OtherFailed):
    """The other process is gone: killed, crashed, or stopped when its time was up."""


class Kept:
    """Something that stays in the other process. As an argument of `run` and `keep` it stands for it."""

    def __init__(self, owner, number, kind):
        self._owner, self._number, self._kind = owner, number, kind

    def __repr__(self):
        return f"<{self._kind} in the other process>"


def other_process():
    """Start another process with the same driver and a context of its own; returns OtherProcess. Use it in ``with``.

    It starts in about a second. Raises driver.DriverError where it finds no driver to run on.
    """
    return OtherProcess()


class OtherProcess(Resource):
    """A process that runs what it is given, one function at a time. `pid` is its number."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        descriptors, their_descriptors = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self._read = {}     # file -> how much of it was read
        program = "import sys; from courseware.second_process import turns; turns.main(*map(int, sys.argv[1:]))"
        with theirs, their_descriptors:
            fds = (theirs.fileno(), their_descriptors.fileno())
            self._process = process.start(program, os.getpid(), *fds, pass_fds=fds, stdout=self._out, stderr=self._err)
        self._line, self._descriptors = Connection(ours.detach()), descriptors
        self._end, self.pid = None, self._process.pid
        self._hold(_end_all, self._process, self._line, descriptors, self._out, self._err)
        try:
            self._answer(START)
        except OtherEnded as error:
            self.release()
            last_line = error.explanation.strip().rpartition("\n")[2].removeprefix("course_lib.driver.DriverError: ")
            raise DriverError(last_line or f"the other process did not start: {error}") from None

    def run(self, function, *arguments, descriptors=(), timeout=60):
        """Call a function there, and return what it returns. What it prints is printed here.

        function:    one of a notebook takes along what it uses, as in `sandbox.run`
        arguments:   numbers, text, bytes, NumPy arrays; and what `keep` gave
        descriptors: file descriptors (numbers, or objects with `fileno`). The function gets duplicates of them, as
                     numbers of its own process, as its first arguments; it has to close them
        timeout:     in seconds, after which the process is stopped

        Raises OtherFailed where the function raised, with its message and the driver's explanation; OtherEnded where
        the process ended over it, or is gone already; WrongArgument for what cannot be sent.
        """
        return self._turn(function, arguments, descriptors, timeout, keep=False)

    def keep(self, function, *arguments, descriptors=(), timeout=60):
        """The same, but what the function returns stays there; returns a Kept, which stands for it in later calls.

        `run` waits for what the function gave to streams, and `keep` does not: its work may go on, until a later `run`.
        """
        return Kept(self, *self._turn(function, arguments, descriptors, timeout, keep=True))

    def _turn(self, function, arguments, descriptors, timeout, keep):
        self._require()
        if not callable(function):
            raise WrongArgument(f"the other process runs a function, not {type(function).__name__}: pass the "
                                "function itself, and its arguments after it: run(f, x) instead of run(f(x))")
        if not timeout > 0:
            raise WrongSize(f"a timeout of {timeout} seconds leaves no time to run: give it some, such as 10")
        fds = [_number(descriptor) for descriptor in descriptors]
        job = sent.pickled((function, arguments, len(fds), keep), self._pickler)
        if self._end:
            raise OtherEnded(f"the other process {self._end}: start another with other_process()")
        try:
            self._line.send_bytes(job)
            for fd in fds:
                self._descriptors.sendmsg([b"fd"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        except BrokenPipeError:
            raise self._ended_error() from None
        return self._answer(timeout)

    def _pickler(self, buffer):
        return _Pickler(buffer, self)

    def _answer(self, timeout):
        """The answer to what was sent last."""
        try:
            if not self._line.poll(timeout):
                process.end(self._process)
                self._end = f"was stopped after {timeout} seconds without an answer"
                raise self._ended_error()
            answer = self._line.recv_bytes()
        except (EOFError, ConnectionResetError):
            raise self._ended_error() from None
        except KeyboardInterrupt:       # its answer would be taken for the next one's
            process.end(self._process)
            self._end = "was stopped with the cell that waited for it"
            raise
        if answer == READY:
            return None
        ended = returned.unpack(answer)
        sys.stdout.write(self._written(self._out))
        explanation = self._written(self._err)
        if "exception" in ended:
            message = f"in the other process: {ended['exception']}"
            raise OtherFailed(message, ended["error"], explanation, ended["traceback"])
        return ended["value"]

    def _ended_error(self):
        """The OtherEnded that says how it ended."""
        if not self._end:
            status = self._process.wait()
            outcome = Outcome(signal=signal.Signals(-status).name) if status < 0 else Outcome(status=status)
            self._end = outcome.ending
        sys.stdout.write(self._written(self._out))
        return OtherEnded(f"the other process {self._end}", explanation=self._written(self._err))

    def _written(self, file):
        """What it has written since the last turn."""
        start = self._read.get(file, 0)
        written = os.pread(file.fileno(), os.fstat(file.fileno()).st_size - start, start)
        self._read[file] = start + len(written)
        return written.decode("utf-8", "replace")

    def _require(self):
        if self.released:
            raise Released("the other process has ended, with its `with` block or because it was released: start "
                           "another with other_process()")

    def _name(self):
        return "other process"

    def __repr__(self):
        return f"<other process, {self._end or ('ended' if self.released else 'waiting for its turn')}>"


class _Pickler(sent.Pickler):
    """Puts a reference in the place of what is kept there."""

    def __init__(self, buffer, owner):
        super().__init__(buffer)
        self._owner = owner

    def persistent_id(self, item):
        if isinstance(item, Descriptor):
            raise pickle.PicklingError("a file descriptor goes by descriptors=[...]")
        if not isinstance(item, Kept):
            return None
        if item._owner is not self._owner:
            raise pickle.PicklingError(f"{item!r} is in a different one")
        return Reference(item._number)


def _number(descriptor):
    number = descriptor.fileno() if hasattr(descriptor, "fileno") else descriptor
    if isinstance(number, bool) or not isinstance(number, int):
        raise WrongArgument(f"{descriptor!r} is not a file descriptor: pass its number, or an object with fileno()")
    try:
        os.fstat(number)
    except OSError:
        raise WrongArgument(f"descriptor {number} is not open") from None
    return number


def _end_all(running, line, descriptors, *files):
    """Let it end by itself, by closing the line; else end it."""
    line.close()
    try:
        running.wait(5)
    except Exception:       # subprocess.TimeoutExpired; whatever else, it has to end
        pass
    process.end(running)
    for file in (descriptors, *files):
        file.close()
