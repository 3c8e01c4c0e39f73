"""What runs in the other process: wait for a function, call it, send back what came of it.

Not here: the side that asks (other_process.py).
"""
import collections
import fcntl
import io
import os
import pickle
import socket
import sys
from multiprocessing.connection import Connection

from ..sandbox import child, process, returned

READY = b"ready"
OUT_OF_THE_WAY = 500    # no number that a program with a few dozen open files has, and below the usual limit of 1024

Reference = collections.namedtuple("Reference", "number")     # to something that is kept here


class _Unpickler(pickle.Unpickler):
    """Puts what is kept here in the place of references."""

    def __init__(self, data, values):
        super().__init__(io.BytesIO(data))
        self._kept = values

    def persistent_load(self, reference):
        return self._kept[reference.number]


def main(parent, line, descriptors):
    """Take turns until the parent closes the line, or ends.

    parent:      its process number
    line:        the descriptor of the socket for questions and answers
    descriptors: the descriptor of the socket through which descriptors come
    """
    process.end_with(parent)
    line, descriptors = Connection(_moved(line)), socket.socket(fileno=_moved(descriptors))
    child.unbuffer()
    import pycuda.autoinit  # noqa: F401
    line.send_bytes(READY)
    values = []
    while True:
        try:
            job = line.recv_bytes()
        except EOFError:
            break
        line.send_bytes(_answer_to(job, values, descriptors))
    # No clean-up: the driver takes back what a process had, and broken CUDA would only complain.
    os._exit(0)


def _moved(fd):
    """The same descriptor under a high number. Who sends the number of a descriptor here by mistake, and closes it,
    must not hit it."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)
    os.close(fd)
    return moved


def _answer_to(job, values, descriptors):
    """Do a job; returns the answer as bytes."""
    import pycuda.driver as cuda
    try:
        function, arguments, count, keep = _Unpickler(job, values).load()
        fds = [_received(descriptors) for _ in range(count)]
        value = function(*fds, *arguments)
        if not keep:
            cuda.Context.synchronize()      # an error of a kernel that was launched last shows now
        else:
            values.append(value)            # what it gave to streams may still be under way
            value = len(values) - 1, type(value).__name__
        try:
            answer = returned.pack({"value": value})
        except TypeError as error:
            raise TypeError(f"{error}. What is to stay there, keep() calls in the place of run()") from None
    except Exception as error:
        answer = returned.pack(child.described(error))
    sys.stdout.flush()
    sys.stderr.flush()
    return answer


def _received(descriptors):
    return socket.recv_fds(descriptors, 16, 1)[1][0]
