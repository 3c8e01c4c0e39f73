"""Memory that a stream writes, or watches until it has a value (cuda.h: Stream Memory Operations)."""
import ctypes
import time

from ..examination.session import current_session
from ..libcuda.library import HEALTHY, call, handle, pointer, u32, u64
from ..libcuda.output import load_array
from ..libcuda.results import CallError, Result
from ..memory import heap, written
from ..memory.allocations import HOST_KINDS, MANAGED_KINDS, memory
from ..memory.moving import use
from ..memory.transfers import Role, segments
from .streams import stream_of

WAIT_GREATER_EQUAL, WAIT_EQUAL, WAIT_AND, WAIT_NOR, WAIT_FLUSH = 0, 1, 2, 3, 1 << 30    # CUstreamWaitValue_flags
_ARRIVED = {
    WAIT_GREATER_EQUAL: lambda word, value, bits: (word - value) % (1 << bits) < 1 << (bits - 1),
    WAIT_EQUAL: lambda word, value, bits: word == value,
    WAIT_AND: lambda word, value, bits: word & value != 0,
    WAIT_NOR: lambda word, value, bits: ~(word | value) % (1 << bits) != 0,
}
WIDTHS = {32: ctypes.c_uint32, 64: ctypes.c_uint64}
SECONDS = 0.0005    # between two looks


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


def _flag(context, address, bits):
    """The number in memory that a stream is to write or to watch, and whether it may be written."""
    ctype = WIDTHS[bits]
    if address % ctypes.sizeof(ctype):
        raise _invalid(f"not a multiple of {ctypes.sizeof(ctype)}")
    in_heap = heap.blocks.at(address)    # of kernels: reached, as by a memset
    if in_heap is not None and in_heap.mapped_for(context.device):
        return ctype.from_address(address + in_heap.delta), True
    allocation = memory.at(address)
    if (allocation is None or allocation.kind in MANAGED_KINDS or allocation.pool and allocation.kind not in HOST_KINDS
            or not allocation.mapped_for(context.device)):
        raise _invalid("managed memory, memory of a pool, or none that the device reaches")
    (place, _), = segments(address, ctypes.sizeof(ctype), Role.DEVICE, context, write=False)
    writable = allocation.writable(context.device)
    if writable:
        memory.backing.touch(place, ctypes.sizeof(ctype))
        written.note(address, ctypes.sizeof(ctype))
    return ctype.from_address(place), writable


def _write(context, address, value, flags, bits):
    """The work that writes a value; it fails on a page that may only be read."""
    if flags:
        raise _invalid("no flags are supported")
    flag, writable = _flag(context, address, bits)

    if (session := current_session()) is not None:
        session.hands_over()

    def action(work):
        if not writable:
            raise CallError(Result.LAUNCH_FAILED, "the device may not write here")
        flag.value = value
    return action, False


def _wait(context, address, value, flags, bits):
    """The work that ends when the memory has the value."""
    if flags & WAIT_FLUSH and flags & ~WAIT_FLUSH in _ARRIVED:
        raise CallError(Result.NOT_SUPPORTED, "the device flushes no remote writes")
    if flags not in _ARRIVED:
        raise _invalid(f"there is no comparison {flags}")
    flag, _ = _flag(context, address, bits)

    def action(work):
        while not _ARRIVED[flags](flag.value, value, bits) and not work.cancelled:
            use.step_aside()
            time.sleep(SECONDS)
    return action, True


def _queue(stream, operations):
    for action, background in operations:
        stream.submit(action, background=background, after_all=background)


@call("cuStreamWriteValue32_v2", needs=HEALTHY, in_host_functions=True)
def stream_write_value_32(number: handle, address: pointer, value: u32, flags: u32):
    stream = stream_of(number)
    _queue(stream, [_write(stream.context, address, value, flags, 32)])


@call("cuStreamWriteValue64_v2", needs=HEALTHY, in_host_functions=True)
def stream_write_value_64(number: handle, address: pointer, value: u64, flags: u32):
    stream = stream_of(number)
    _queue(stream, [_write(stream.context, address, value, flags, 64)])


@call("cuStreamWaitValue32_v2", needs=HEALTHY, in_host_functions=True)
def stream_wait_value_32(number: handle, address: pointer, value: u32, flags: u32):
    stream = stream_of(number)
    _queue(stream, [_wait(stream.context, address, value, flags, 32)])


@call("cuStreamWaitValue64_v2", needs=HEALTHY, in_host_functions=True)
def stream_wait_value_64(number: handle, address: pointer, value: u64, flags: u32):
    stream = stream_of(number)
    _queue(stream, [_wait(stream.context, address, value, flags, 64)])


# -- several at once ----------------------------------------------------------------------------------------------

class MemOp(ctypes.Structure):
    """CUstreamBatchMemOpParams, of which all kinds have their fields at the same places."""
    _fields_ = [("operation", ctypes.c_int), ("address", ctypes.c_uint64), ("value", ctypes.c_uint64),
                ("flags", ctypes.c_uint), ("alias", ctypes.c_uint64), ("pad", ctypes.c_uint64)]


_OPERATIONS = {1: (_wait, 32), 2: (_write, 32), 4: (_wait, 64), 5: (_write, 64)}    # CUstreamBatchMemOpType
BARRIER, MOST_OPERATIONS = 6, 256


@call("cuStreamBatchMemOp_v2", needs=HEALTHY, in_host_functions=True)
def stream_batch_mem_op(number: handle, count: u32, operations: pointer, flags: u32):
    """All of them in their order, or none if one is wrong."""
    stream, queued = stream_of(number), []
    if flags or count > MOST_OPERATIONS:
        raise _invalid(f"no flags, and at most {MOST_OPERATIONS} operations")
    for operation in load_array(operations, count, MemOp) if count else ():
        if operation.operation == BARRIER:    # memory is always in order here
            continue
        if operation.operation not in _OPERATIONS:
            raise _invalid(f"there is no operation {operation.operation}")
        make, bits = _OPERATIONS[operation.operation]
        queued.append(make(stream.context, operation.address, WIDTHS[bits](operation.value).value, operation.flags, bits))
    _queue(stream, queued)
