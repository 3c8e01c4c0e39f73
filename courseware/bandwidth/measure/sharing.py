"""What it costs to come into reach of a device's memory: for another process by a handle, for another device as a peer.

By the host's clock, from the call until it returns. The other process is opener.py, which times its own calls. Not here:
what using the memory costs afterwards (peers.py).
"""
import contextlib
import json
import os
import socket
import subprocess
import sys

from course_lib import driver
from course_lib.core.errors import NotSupported, ask
from course_lib.core.structures import bytes_of
from course_lib.reservation.mapping import RIGHTS
from course_lib.reservation.physical import location, properties, round_up

import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ..recording import EXPERIMENTS
from .buffers import Buffer
from .costs import no_collection
from .job import Job, powers
from .opener import POSIX
from .patterns import WrongData

METHOD = {
    "sharing cost": "x bytes of memory of device 0, filled before. In a second process that has a context of device 0 (own "
                    "device) or of device 1 (other device), each call by itself, by that process's clock: "
                    "cuIpcOpenMemHandle of memory of cuMemAlloc and cuIpcCloseMemHandle; or of memory of cuMemCreate "
                    "cuMemImportFromShareableHandle of a file descriptor, cuMemMap and cuMemSetAccess. All is undone after "
                    "each sample, and one sample before is not counted. Peer access: cuCtxEnablePeerAccess from device 1 "
                    "to a context of device 0 that has these x bytes, and cuCtxDisablePeerAccess.",
}
SMALLEST, LARGEST = 2 << 20, 256 << 20
ANSWER = 1 << 16        # bytes that the other process's answer may have
PATIENCE = 60           # seconds that it may take
PROGRAM = "import sys; from courseware.bandwidth.measure import opener; opener.main(*map(int, sys.argv[1:]))"
IPC = ("open IPC handle", "close IPC handle")


def jobs(effort):
    """The jobs of this module's experiment."""
    for what in EXPERIMENTS["sharing cost"].whats:
        yield Job("sharing cost", what, "device", "driver", powers(SMALLEST, LARGEST, max(4, effort.step)),
                  peer_access if what.endswith("peer access") else handles, lambda x: (1 << 20, x),
                  lambda x: effort.samples * 0.05 + 0.3)


def peer_access(pair, job, xs):
    """Microseconds of enabling or disabling peer access, for each size of the peer's memory."""
    for nbytes in xs:
        with pair.memory(0, nbytes):
            samples = [_switched(pair, job.what) for _ in range(pair.effort.samples + 1)]
        yield samples[1:]


def _switched(pair, what):
    """One sample: access from device 1 to device 0 is taken away and given again."""
    context = pair.contexts[0]
    with pair.benches[1].current(), no_collection():
        taken = {"disable peer access": pair.clock.on_host(lambda: ask(cu.cuCtxDisablePeerAccess, context), warm_up=False),
                 "enable peer access": pair.clock.on_host(lambda: ask(cu.cuCtxEnablePeerAccess, context, 0), warm_up=False)}
    return 1e6 * taken[what]


def handles(pair, job, xs):
    """Microseconds of one call in another process, for each size of the memory."""
    call, whose = job.what.split(", ")
    with Opener(0 if whose == "own device" else 1) as opener:
        for nbytes in xs:
            offer = _ipc_memory if call in IPC else _descriptor_memory
            with offer(pair, nbytes) as (made, request, descriptors):
                samples = []
                for _ in range(pair.effort.samples + 1):
                    sample = pair.next_sample()
                    with pair.benches[0].current():
                        pair.benches[0].fill(made, made.nbytes, sample)
                    samples.append(1e6 * opener.ask(dict(request, sample=sample), descriptors)[call])
            yield samples[1:]


@contextlib.contextmanager
def _ipc_memory(pair, nbytes):
    """(a Buffer on device 0, what to tell the other process of it, file descriptors to send along)"""
    with pair.memory(0, nbytes) as made, pair.benches[0].current():
        handle = ask(cu.cuIpcGetMemHandle, made.address)
        yield made, {"ipc": bytes_of(handle).hex(), "nbytes": nbytes}, ()


@contextlib.contextmanager
def _descriptor_memory(pair, nbytes):
    """The same of physical memory that a file descriptor stands for."""
    with contextlib.ExitStack() as held:
        held.enter_context(pair.benches[0].current())
        held.callback(cuda.Context.synchronize)
        what = properties("device")
        what.requestedHandleTypes = POSIX
        nbytes = round_up(nbytes)
        memory = ask(cu.cuMemCreate, nbytes, what, 0)
        held.callback(ask, cu.cuMemRelease, memory)
        descriptor = ask(cu.cuMemExportToShareableHandle, memory, POSIX, 0)
        held.callback(os.close, descriptor)
        address = ask(cu.cuMemAddressReserve, nbytes, 0, 0, 0)
        held.callback(ask, cu.cuMemAddressFree, address, nbytes)
        ask(cu.cuMemMap, address, nbytes, 0, memory, 0)
        held.callback(ask, cu.cuMemUnmap, address, nbytes)
        access = cu.CUmemAccessDesc()
        access.location, access.flags = location("device"), cu.CUmemAccess_flags(RIGHTS["readwrite"])
        ask(cu.cuMemSetAccess, address, nbytes, [access], 1)
        yield Buffer("mapped reservation", nbytes, int(address), None), {"nbytes": nbytes}, (descriptor,)


class Opener:
    """The other process (opener.py), with the same driver and a context of one device. Use it in ``with``."""

    def __init__(self, number):
        """number: of the device"""
        self._number = number

    def __enter__(self):
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._line.settimeout(PATIENCE)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(theirs.fileno()), str(self._number)],
                env={**driver.child_environment(), "PYTHONPATH": paths}, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *exception):
        self._line.close()      # it ends when nobody asks any more
        if self._process.returncode is None:
            self._ended()

    def _ended(self):
        """What it wrote to its standard error. It is killed if it does not end by itself."""
        try:
            return self._process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.communicate()[1]

    def ask(self, request, descriptors=()):
        """{call: seconds} of one opening.

        Raises WrongData where the other process found other data, NotSupported where the driver refused it a call, and
        RuntimeError with its last words where it gave no answer.
        """
        try:
            socket.send_fds(self._line, [json.dumps(request).encode()], list(descriptors))
            answer = self._line.recv(ANSWER)
        except OSError:
            answer = b""
        if not answer:
            said = self._ended().strip()
            raise RuntimeError(f"the process that was to open the handle gave no answer: {said or 'it said nothing'}")
        taken = json.loads(answer)
        if "wrong" in taken:
            raise WrongData(f"in the process that opened the memory {taken['wrong']}")
        if "refused" in taken:
            raise NotSupported(f"in the process that was to open the memory {taken['refused']}")
        return taken
