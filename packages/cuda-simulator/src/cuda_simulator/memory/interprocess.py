"""IPC handles of device memory: what cuIpcGetMemHandle writes, and what another process opens by it.

A handle stands for an allocation; what is shared is the block that it lies in, as on an H200. In a process that opened it, the
block is mapped once for each device, in one context, and has addresses of that process's own. The device of that context is
then said to be the memory's, wherever it lies, and no other has a way there.

Not here: handles of events (device/interprocess_events.py), file descriptors (physical.py, shared_pools.py).
"""
import struct

from ..libcuda.results import CallError, Result
from ..libcuda.state import lock
from . import directory
from .allocations import AllocationKind, memory
from .blocks import ForeignBlock, foreign

SIZE = 64    # bytes of a handle
_MAGIC = b"sim. mem"
# process and its start, directory and entry, inode of the block's file; offset and size of the allocation. An H200
# does not look at the first bytes either.
_HANDLE = struct.Struct("=4x iQ iIQ QQ 8s")


def handle_of(allocation):
    """The 64 bytes that stand for an allocation, for other processes."""
    file = memory.share(allocation)
    entry = directory.enter(file, allocation.device)
    packed = _HANDLE.pack(*directory.process(), *entry, file.identity[1], allocation.start - allocation.block.start, allocation.size,
                          _MAGIC)
    return packed.ljust(SIZE, b"\0")


def open_handle(handle, context):
    """The allocation of another process, in a context of this one; opened again, it is counted."""
    pid, start, folder, number, inode, offset, size, magic = _HANDLE.unpack(handle[:_HANDLE.size])
    if magic != _MAGIC:
        raise CallError(Result.INVALID_VALUE, "this is not the handle of memory")
    if (pid, start) == directory.process():
        raise CallError(Result.INVALID_CONTEXT, "a process does not open its own memory")
    with lock:
        key = inode, context.device.ordinal
        block = foreign.get(key)
        if block is None:
            file = directory.open_file(pid, start, folder, number, inode)
            if offset >= file.size:
                file.close()
                raise CallError(Result.INVALID_VALUE, "a handle that was changed: it begins behind what it stands for")
            block = ForeignBlock(context, key, file, file.size)
            file.close()    # the mapping holds it, without a descriptor
        elif block.owner is not context:
            raise CallError(Result.INVALID_HANDLE, "another context of this process has it open")
        size = min(size, block.size - offset)      # a handle that was changed; an H200 gives no more than there is, either
        if size <= 0:
            raise CallError(Result.INVALID_VALUE, "a handle that was changed: it begins behind what it stands for")
        allocation = memory.at(block.start + offset)
        if allocation is not None and (allocation.start, allocation.size) == (block.start + offset, size):
            allocation.opened += 1
            return allocation
        return memory.add_opened(block, offset, size)


def close(address):
    """Close what was opened, once. At the last time the address means nothing any more."""
    with lock:
        allocation = memory.at(address)
        if allocation is None or allocation.kind is not AllocationKind.OPENED or allocation.start != address:
            raise CallError(Result.INVALID_VALUE, "this is not the start of memory that was opened here")
        allocation.opened -= 1
        if allocation.opened:
            return
    allocation.context.synchronize()    # without the lock, which kernels may want
    memory.free(allocation)
