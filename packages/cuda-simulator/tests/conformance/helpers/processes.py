"""A second process, which takes turns with the one that asks.

    process = OtherProcess()                   # has a context of device 0
    process.ask(open_memory, handle)           # what open_memory(handle) gives there
    process.ask(import_memory, size, fds=[fd]) # file descriptors are passed on, and are the last arguments
    fd = process.ask(descriptor)               # an answer FileDescriptor(fd) arrives as a descriptor of this process
    process.start(waits); process.finish()     # the same as ask, with something between
    process.kill()                             # "SIGKILL"

What a function leaves in `kept` it finds there at the next turn. An answer may be anything that can be pickled; a call that
was refused there is "refused: INVALID_VALUE", a process that died "SIGSEGV", one that gave no answer in time "no answer".

A process in which CUDA was initialised has no children that may use it. So a worker whose question starts others has, from
before cuInit, a *nursery*: an idle child of its own that is forked for each of them. Nursery and others die with their parent.

Not here: children that are forked on purpose after cuInit (threads_and_forks.py).
"""
import contextlib
import ctypes
import json
import os
import pickle
import select
import signal
import socket
import sys

from .calls import Refused

PATIENCE = 20         # seconds that one answer may take
ROOM = 1 << 17        # bytes that one question or answer may have
remembered = {}             # what a process remembers from turn to turn

_nursery = None       # the socket to it
_living = []


class FileDescriptor(int):
    """A file descriptor that the process that asked is to get; it is closed in the one that answered."""


class OtherProcess:
    """A process; its `device` is the number of the one that it has a context of, or None: then not even cuInit was called.

    `environment` is set before anything else.
    """

    def __init__(self, device=0, **environment):
        if _nursery is None:
            raise Refused("a question that has other processes says processes=True")
        self.line, theirs = _pair()
        socket.send_fds(_nursery, [json.dumps(["start", environment]).encode()], [theirs.fileno()])
        theirs.close()
        self.pid = json.loads(_nursery.recv(100))
        self.end = None
        _living.append(self)
        if device is not None:
            self.first_answer = self.ask(begin, device)

    def ask(self, function, *arguments, fds=(), patience=PATIENCE):
        """What function(*arguments, *fds) gives there, or how the process ended over it."""
        self.start(function, *arguments, fds=fds)
        return self.finish(patience)

    def start(self, function, *arguments, fds=()):
        """Let it begin with an answer that `finish` waits for."""
        question = pickle.dumps((function.__module__, function.__name__, arguments))
        with contextlib.suppress(OSError):    # that it is gone is what `finish` tells
            socket.send_fds(self.line, [question], list(fds))

    def finish(self, patience=PATIENCE):
        if self.end:
            return self.end
        if not select.select([self.line], [], [], patience)[0]:
            self.kill()
            self.end = "no answer"
            return self.end
        try:
            answer, fds, *_ = socket.recv_fds(self.line, ROOM, 1)
        except ConnectionError:
            answer = b""
        if not answer:
            return self._buried()
        return fds[0] if fds else pickle.loads(answer)

    def kill(self):
        """End it at once, and wait until it is gone."""
        if self.end is None:
            os.kill(self.pid, signal.SIGKILL)
        return self._buried()

    def leave(self):
        """Let it end by itself, without giving anything back first."""
        self.line.close()
        return self._buried()

    def _buried(self):
        if self.end is None:
            _nursery.send(json.dumps(["bury", self.pid]).encode())
            status = json.loads(_nursery.recv(100))
            self.end = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit status {os.WEXITSTATUS(status)}"
            self.line.close()
            _living.remove(self)
        return self.end


def answer_items(answers):
    """(label, answer) of a dict that another process gave; how that ended, where it gave none."""
    return answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]


def same_number(ours, theirs):
    """Two numbers of two processes."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return "nothing to compare"
    return "the same number" if ours == theirs else "another number"


def begin(device):
    """Initialise CUDA with a context of a device; done in the other process."""
    from cuda.bindings import driver as cu

    from .calls import must, new_context
    must(cu.cuInit(0))
    remembered["context"] = new_context(ordinal=device)
    return "SUCCESS"


def end_all():
    """End what a question has left, and forget what it kept."""
    end_all_processes()
    remembered.clear()


def end_all_processes():
    for process in list(_living):
        process.kill()


def start_nursery():
    """Fork it, in a process that has not initialised CUDA."""
    global _nursery
    ours, theirs = _pair()
    parent = os.getpid()
    if os.fork():
        theirs.close()
        _nursery = ours
        return
    try:
        die_with(parent)
        ours.close()
        _nurse(theirs)
    finally:
        os._exit(0)


def _pair():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def die_with(parent):
    """Let the kernel kill this process when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)    # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(0)


def _nurse(control):
    """In the nursery: start processes and bury them."""
    parent = os.getpid()
    while True:
        message, fds, *_ = socket.recv_fds(control, ROOM, 1)
        if not message:
            return
        verb, value = json.loads(message)
        if verb == "bury":
            control.send(json.dumps(os.waitpid(value, 0)[1]).encode())
            continue
        pid = os.fork()
        if not pid:
            die_with(parent)
            control.close()
            for name, text in value.items():
                os.environ.pop(name, None) if text is None else os.environ.update({name: text})
            _serve(socket.socket(fileno=fds[0]))
            return
        os.close(fds[0])
        control.send(json.dumps(pid).encode())


def _serve(line):
    """In another process: answer until nobody asks any more."""
    while True:
        message, fds, *_ = socket.recv_fds(line, ROOM, 8)
        if not message:
            return
        module, function, arguments = pickle.loads(message)
        try:
            answer = getattr(sys.modules[module], function)(*arguments, *fds)
        except Refused as error:
            answer = f"refused: {error}"
        except Exception as error:
            answer = f"raised {type(error).__name__}: {error}"
        descriptors = [int(answer)] if isinstance(answer, FileDescriptor) else []
        socket.send_fds(line, [pickle.dumps(None if descriptors else answer)], descriptors)
        for fd in descriptors:
            os.close(fd)
