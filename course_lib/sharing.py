"""Memory that several processes use: export it in one, open it in another.

An address means something in one process. What can be sent to another is a handle, which the driver
turns into an address there: the same bytes, at an address of that process's own.

- memory from `cuMemAlloc` (`cuda.mem_alloc`, GPUArray) has an IPC handle, 64 bytes;
- memory from `cuMemCreate` (`reservation.create(nbytes, exportable=True)`) is exported as a file
  descriptor.

    >>> from course_lib import sharing
    >>> memory = cuda.mem_alloc(64)
    >>> handle = sharing.export(memory)         # another process calls sharing.open_handle(handle)
    >>> len(handle)
    64

Not here: how a handle gets from one process to the other. Any channel can carry it: IPC handles are
bytes, and descriptors go through a Unix socket.
"""
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.bindings import driver as cu

from . import reservation
from .core import journal
from .core.address import address_of
from .core.device_memory import DeviceMemory
from .core.errors import CudaError, NotSupported, WrongArgument, WrongOrder, WrongPointer, WrongSize, ask, ask_all, do
from .core.ownership import ContextOf, Resource, current_context, in_context
from .core.structures import HANDLE_SIZE, bytes_of, put_bytes
from .reservation.physical import DESCRIPTOR, whole

LAZY_ENABLE_PEER_ACCESS = 1     # cuda.h: the only flag of cuIpcOpenMemHandle, and not optional


def export(memory: Any) -> "bytes | Descriptor":
    """What another process can open this memory by.

    memory: device memory from cuMemAlloc (an address, a DeviceAllocation, a GPUArray), or physical
            memory from ``reservation.create(nbytes, exportable=True)``

    Returns its IPC handle, 64 bytes, or a Descriptor. An IPC handle is of the whole allocation: an
    address inside it gives the handle of its start.

    Raises WrongPointer for memory that cannot be exported, Released for what was released.
    CUDA calls: cuIpcGetMemHandle (CUDA Driver API, Memory Management) or
    cuMemExportToShareableHandle (CUDA Driver API, Virtual Memory Management).
    """
    current_context()
    if isinstance(memory, reservation.Mapping):
        raise WrongPointer("a mapping is not exported, but the memory that is mapped: export(mapping.memory)")
    if isinstance(memory, reservation.Memory):
        return Descriptor(memory)
    try:
        return bytes_of(ask(cu.cuIpcGetMemHandle, address_of(memory)))
    except CudaError as error:
        if error.name != "CUDA_ERROR_INVALID_VALUE":
            raise
        raise WrongPointer("this address has no IPC handle: only living memory from cuMemAlloc has one (cuda.mem_alloc, "
                           "GPUArray), in the process that allocated it. Pinned, managed and mapped memory have none") from error


class Descriptor(Resource):
    """A file descriptor of physical memory, `nbytes` of it. While it is open, the memory lives. Use
    it in ``with``."""

    def __init__(self, memory: reservation.Memory) -> None:
        self.nbytes = memory.nbytes
        try:
            self._fd = int(ask(cu.cuMemExportToShareableHandle, memory.handle, DESCRIPTOR, 0))
        except CudaError as error:
            if error.name != "CUDA_ERROR_INVALID_VALUE":
                raise
            raise WrongPointer("this memory was created without the right to be exported, or was imported: "
                               "reservation.create(nbytes, exportable=True) makes some that can be") from error
        self._hold(os.close, self._fd)

    def fileno(self) -> int:
        """The descriptor, a number that means something in this process alone."""
        self._require()
        return self._fd

    def _name(self) -> str:
        return "file descriptor"

    def __repr__(self) -> str:
        return "<file descriptor, closed>" if self.released else f"<file descriptor of {self.nbytes} bytes of physical memory>"


class Opened(DeviceMemory, Resource):
    """Memory of another process, open in this one. Use it in ``with``, or call `close`.

    Closing takes it from this process's addresses. It does not free it: that is for whoever
    allocated it.
    """

    def __init__(self, address: int, nbytes: int, close: Callable[..., object], *arguments: object) -> None:
        super().__init__()
        self._address, self.nbytes = address, nbytes
        self._hold(close, *arguments)

    @property
    def device_address(self) -> int:
        """Where it starts, in this process: an int."""
        self._require()
        return self._address

    def close(self) -> None:
        """Close it: the same as `release`. The last use of its address has to be over."""
        self.release()

    def _name(self) -> str:
        return "opened memory"

    def __repr__(self) -> str:
        return f"<{self._name()}, closed>" if self.released else f"<{self._name()} of {self.nbytes} bytes>"


def open_handle(handle: "bytes | cu.CUipcMemHandle") -> Opened:
    """Open memory of another process by its IPC handle; returns Opened.

    handle: the 64 bytes that `export` gave there, or cuda-bindings' CUipcMemHandle

    Raises WrongPointer where the handle stands for nothing (its memory was freed, its process is
    gone, its bytes are others), WrongOrder in the process that made the memory, WrongArgument for
    what is no handle.
    CUDA calls: cuIpcOpenMemHandle, and cuIpcCloseMemHandle when it is closed (CUDA Driver API,
    Memory Management).
    """
    context = current_context()
    if isinstance(handle, Descriptor):
        raise WrongArgument("this is a file descriptor: open_descriptor(descriptor, nbytes) opens it")
    if isinstance(handle, cu.CUipcMemHandle):
        handle = bytes(handle.reserved)
    if not isinstance(handle, (bytes, bytearray)) or len(handle) != HANDLE_SIZE:
        raise WrongArgument(f"an IPC handle is {HANDLE_SIZE} bytes, as export(memory) gives in the process that has the memory. "
                            "An address is not one")
    ipc_handle = put_bytes(cu.CUipcMemHandle(), bytes(handle))
    # The same answer as without a context, which there is: so not ask(), which would say that there
    # is none.
    status, address = cu.cuIpcOpenMemHandle(ipc_handle, LAZY_ENABLE_PEER_ACCESS)
    if status == cu.CUresult.CUDA_ERROR_INVALID_CONTEXT:
        raise WrongOrder("this memory is this process's own: use the address that it has here. A handle is for others")
    if int(status):
        raise WrongPointer(f"the handle opens nothing (cuIpcOpenMemHandle answers {status.name}): its memory was freed, the "
                           "process that exported it is gone, or these are other bytes")
    start, nbytes = (int(number) for number in ask_all(cu.cuMemGetAddressRange, address))
    return Opened(start, nbytes, _close, start, context, journal.note("opened memory", start, nbytes, context))


def _close(address: int, context: ContextOf, entry: journal.Entry) -> None:
    """Close an IPC handle's memory when nothing uses it any more. What is still running could be
    using it."""
    journal.note_freed(entry)
    in_context(context, _wait_and_close, address)


def _wait_and_close(address: int) -> None:
    do(cu.cuCtxSynchronize)
    do(cu.cuIpcCloseMemHandle, address)


def open_descriptor(fd: int | Descriptor, nbytes: int) -> Opened:
    """Import physical memory by its descriptor, map all of it, and give this device access; returns
    Opened.

    fd:     the descriptor, as this process knows it. It stays open: close it when it is no longer
            needed
    nbytes: of the memory. Nothing tells an importer its size: send it along

    Raises WrongPointer for a descriptor of something else, or closed; WrongSize for another size
    than the memory has, or no multiple of the granularity; WrongArgument for what is no descriptor.
    CUDA calls: cuMemImportFromShareableHandle, cuMemAddressReserve, cuMemMap, cuMemSetAccess,
    cuMemRelease (CUDA Driver API, Virtual Memory Management).
    """
    current_context()
    whole(nbytes, "open_descriptor")
    number = fd.fileno() if hasattr(fd, "fileno") else fd
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise WrongArgument(f"a file descriptor is a number from 0 on, not {fd!r}")
    try:
        handle = ask(cu.cuMemImportFromShareableHandle, int(number), DESCRIPTOR)
    except CudaError as error:
        raise WrongPointer(f"descriptor {number} is not one of exported memory, or not open in this process: the number means "
                           "something in one process alone, so send the descriptor itself") from error
    where = ask(cu.cuMemGetAllocationPropertiesFromHandle, handle).location.type
    if where != cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE:
        do(cu.cuMemRelease, handle)
        raise NotSupported("this memory is on the host: import it with the driver's own calls, and give the host access too")
    with reservation.Memory(handle, nbytes, "device") as memory:      # released at the end: the mapping keeps the memory
        addresses = reservation.reserve(nbytes)
        try:
            addresses.map(memory).set_access("readwrite")
        except CudaError as error:
            addresses.release()
            if error.name == "CUDA_ERROR_NOT_SUPPORTED":
                raise WrongSize(f"the memory has another size than {nbytes} bytes: only the whole of it can be mapped") from error
            raise
    return Opened(addresses.start, nbytes, addresses.release)
