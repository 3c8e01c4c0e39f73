"""The process that opens what another process shares, and says how long each call took. sharing.py starts it.

A request is JSON: the size, the sample whose pattern the memory holds, and an IPC handle; where there is none, a file
descriptor comes along. The answer is {call: seconds}, or {"wrong": sentence} where the memory does not hold the pattern, or
{"refused": sentence} where the driver refuses a call. What was opened is given back before the answer.
It ends when the other end of the socket is closed.
"""
import contextlib
import json
import os
import socket
import time

from course_lib.core.errors import CudaError, ask
from course_lib.core.structures import put_bytes
from course_lib.reservation.mapping import RIGHTS
from course_lib.reservation.physical import location

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from . import patterns
from .costs import no_collection

POSIX = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
LAZY = 1            # CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, which cuIpcOpenMemHandle wants
LOOKED_AT = 1 << 20     # bytes of what was opened
REQUEST = 1 << 16


def opened(request):
    """{call: seconds} of an IPC handle."""
    handle, taken = put_bytes(cu.CUipcMemHandle(), bytes.fromhex(request["ipc"])), {}
    address = _timed(taken, "open IPC handle", cu.cuIpcOpenMemHandle, handle, LAZY)
    _look(address, request)
    _timed(taken, "close IPC handle", cu.cuIpcCloseMemHandle, address)
    return taken


def imported(request, descriptor):
    """{call: seconds} of a file descriptor."""
    nbytes, taken = request["nbytes"], {}
    with contextlib.ExitStack() as held:
        memory = _timed(taken, "import descriptor", cu.cuMemImportFromShareableHandle, descriptor, POSIX)
        held.callback(ask, cu.cuMemRelease, memory)
        address = ask(cu.cuMemAddressReserve, nbytes, 0, 0, 0)
        held.callback(ask, cu.cuMemAddressFree, address, nbytes)
        _timed(taken, "map", cu.cuMemMap, address, nbytes, 0, memory, 0)
        held.callback(ask, cu.cuMemUnmap, address, nbytes)
        access = cu.CUmemAccessDesc()
        access.location, access.flags = location("device"), cu.CUmemAccess_flags(RIGHTS["readwrite"])
        _timed(taken, "set access", cu.cuMemSetAccess, address, nbytes, [access], 1)
        _look(address, request)
    return taken


def answered(request, descriptors):
    """The answer to a request; descriptors that came along are closed."""
    try:
        return opened(request) if "ipc" in request else imported(request, *descriptors)
    except patterns.WrongData as error:
        return {"wrong": str(error)}
    except CudaError as error:
        return {"refused": str(error)}
    finally:
        for one in descriptors:
            os.close(one)


def _timed(taken, name, call, *arguments):
    """What the call gives; the seconds that it took are put into `taken`."""
    with no_collection():
        start = time.perf_counter()
        given = ask(call, *arguments)
        taken[name] = time.perf_counter() - start
    return given


def _look(address, request):
    """Raise WrongData unless the memory begins with the pattern that the other process wrote."""
    words = np.empty(min(request["nbytes"], LOOKED_AT) // 4, np.uint32)
    cuda.memcpy_dtoh(words, int(address))
    patterns.check(words, request["sample"])


def main(number, device):
    """Answer what comes on the socket of this number, with a context of this device."""
    cuda.init()
    context = cuda.Device(device).make_context()
    try:
        with socket.socket(fileno=number) as line:
            while True:
                content, descriptors, *_ = socket.recv_fds(line, REQUEST, 1)
                if not content:
                    return
                line.send(json.dumps(answered(json.loads(content), descriptors)).encode())
    finally:
        context.pop()
        context.detach()
