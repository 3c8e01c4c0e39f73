"""Answers to the exercises of this lesson are tried here, in the sandbox, with memory that is made for them, and another process.

No address leaves it.
"""
import functools
import os

from course_lib import kernel_heap, kernels, managed, pinned, reservation, sharing
from course_lib.core.ownership import current_context
from course_lib.core.structures import put_bytes
from courseware import second_process

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ...exercises.exercise import Case
from ...exercises.values import Remark, same, settled
from ...exercises.watching import watched

VARIABLE = "__device__ int variable = 2; __global__ void use() { variable = 3; }"
NOBODYS = 0x5A5A5A5A      # in memory that an answer takes, and nobody has written


# way_to_share ---------------------------------------------------------------------------------------------------------

def kinds_of_memory(stack):
    """A Case for each kind of memory: how can it be shared?"""
    current_context()
    size, allocations = reservation.granularity(), [cuda.mem_alloc(1000), cuda.mem_alloc(3 << 20), cuda.mem_alloc(64)]
    code = stack.enter_context(kernels.compile(VARIABLE))
    host, moving = stack.enter_context(pinned.allocate(1000)), stack.enter_context(managed.allocate(1000))
    addresses, others = (stack.enter_context(reservation.reserve(2 * size)) for _ in range(2))
    for exportable, place in ((True, addresses), (False, others)):
        place.map(stack.enter_context(reservation.create(size, exportable=exportable))).set_access("readwrite")
    heap = stack.enter_context(kernel_heap.allocate([64])).addresses[0]
    in_order = int(cu.cuMemAllocAsync(1000, 0)[1])
    stack.callback(cu.cuMemFreeAsync, in_order, 0)
    freed = int(allocations[2])
    allocations.pop().free()
    for description, address, expected, hidden in (
            ("memory from `cuMemAlloc`", int(allocations[0]), "handle", False),
            ("mapped memory that was created to be exported", addresses.start, "descriptor", False),
            ("pinned memory", host.host_address, None, False),
            ("mapped memory that was not created to be exported", others.start, None, True),
            ("managed memory", moving.address, None, True),
            ("an address inside a large allocation", int(allocations[1]) + (2 << 20), "handle", True),
            ("an address inside a mapping that can be exported", addresses.start + 4096, "descriptor", True),
            ("a reservation where nothing is mapped", addresses.start + size, None, True),
            ("memory from `cuMemAllocAsync`", in_order, None, True),
            ("a `__device__` variable", code.variable("variable")[0], None, True),
            ("memory of the kernel heap", heap, None, True),
            ("freed memory", freed, None, True)):
        yield Case(description, (address,), expected, hidden, f"way_to_share(address of {description})")
    stack.push(lambda *_, references=allocations: None)    # it lives as long as the cases


def way_to_share(answer, address):
    """Ask `answer` about an address, and look what it leaves behind."""
    range_before = _range(address)
    with watched(answer, cu, "cuMemRetainAllocationHandle", "cuMemRelease", "cuMemExportToShareableHandle") as calls:
        way = answer(address)
    retained_handles = [int(result[1]) for name, _, result in calls if name == "cuMemRetainAllocationHandle" and not int(result[0])]
    # Without one the binding passes 0 on, which the driver refuses.
    if any(int(arguments[0] or 0) not in retained_handles for name, arguments, _ in calls if name == "cuMemExportToShareableHandle"):
        return Remark("the driver refused to retain a handle, and an export was asked for all the same: look at that error as well"
                    if any(name == "cuMemRetainAllocationHandle" for name, _, _ in calls) else
                    "an export was asked for without a handle: `cuMemRetainAllocationHandle` gives one for an address")
    succeeded = [name for name, _, result in calls if not int(result[0])]
    open_descriptors = {int(result[1]) for name, _, result in calls
                        if name == "cuMemExportToShareableHandle" and not int(result[0]) and _is_open(int(result[1]))}
    for number in open_descriptors:
        os.close(number)
    retained = succeeded.count("cuMemRetainAllocationHandle") - succeeded.count("cuMemRelease")
    for _ in range(-retained):    # its owner releases it, too
        cu.cuMemRetainAllocationHandle(address)
    if retained:
        return Remark("a handle was retained, and never released" if retained > 0 else "a handle was released too often")
    if open_descriptors:
        return Remark("a file descriptor was left open")
    return way if _range(address) == range_before else Remark("the memory that was asked about is there no more")


def _range(address):
    return [int(number or 0) for number in cu.cuMemGetAddressRange(address)]


def _is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


# received -------------------------------------------------------------------------------------------------------------

def numbers(seed, count):
    """What the other process has in its memory: int32 of both signs, without symmetry, most of which 16 bits do not hold."""
    return ((np.arange(count) * 37 + seed * seed + 5) % 1009 - 504) * 4_000_037


@functools.cache
def _owner():
    """The process that allocates: one for all answers that are tried in this process, and it ends with it."""
    return second_process.other_process()


def _take(seed, count):
    return cuda.to_device(numbers(seed, count).astype(np.int32))


def received(answer, seed, total, offset, count):
    """Let another process allocate `total` numbers, and `answer` fetch some; returns them, or what was left open."""
    current_context()
    handle = put_bytes(cu.CUipcMemHandle(), _owner().run(sharing.export, _owner().keep(_take, seed, total)))
    with (watched(answer, cu, "cuIpcOpenMemHandle", "cuMemFree", "cuIpcCloseMemHandle", "cuMemcpyDtoH", "cuMemcpy") as calls,
          watched(answer, cuda, "memcpy_dtoh") as by_pycuda):
        np.full(count, NOBODYS, np.int32)       # NumPy gives `np.empty` this memory again: what was not copied is not right by chance
        try:
            got = answer(handle, offset, count)
        finally:
            still_open = [result[1] for name, _, result in calls
                          if name == "cuIpcOpenMemHandle" and not int(result[0]) and _known(result[1])]
            succeeded = [name for name, _, result in calls if not int(result[0])]
            for address in still_open:        # once for each time that it was opened
                cu.cuIpcCloseMemHandle(address)
    if still_open and any(name == "cuMemFree" for name, *_ in calls):
        return Remark("cuMemFree was refused, and the memory is still open")
    if still_open:
        opened, closed = map(succeeded.count, ("cuIpcOpenMemHandle", "cuIpcCloseMemHandle"))
        counted = f": it was opened {opened} times, and closed {closed} time{'' if closed == 1 else 's'}" if closed else ""
        return Remark(f"the memory is still open{counted}")
    expected = numbers(seed, total)[offset // 4:offset // 4 + count]
    return got if same(settled(got), expected.tolist()) else _why(got, expected, calls, bool(by_pycuda))


def _why(got, expected, calls, by_pycuda):
    """What was copied, where it is not what was asked for; else what came."""
    copies = [(arguments, result) for name, arguments, result in calls if name.startswith("cuMemcpy")]
    refused = [result[0].name for _, result in copies if int(result[0])]
    copied = sum(int(arguments[2]) for arguments, result in copies if not int(result[0]))
    if refused:
        names = [name for name, *_ in calls]
        closed = "cuIpcCloseMemHandle" in names[:[name.startswith("cuMemcpy") for name in names].index(True)]
        return Remark(f"the copy was refused: {refused[0]}{', because the memory was closed before' if closed else ''}")
    if copies and not by_pycuda and copied < 4 * len(expected):
        kind = getattr(copies[0][0][0], "dtype", "")
        return Remark(f"{copied} bytes were copied{kind and f' into `{kind}`'}, and {4 * len(expected)} are asked for")
    kind = next((kind for kind in ("uint32", "float32", ">i4") if same(settled(got), expected.astype(np.int32).view(kind).tolist())), "")
    return Remark(f"the numbers, read as `{kind}`, not as signed 32-bit numbers") if kind else got


def _known(address):
    return not int(cu.cuMemGetAddressRange(address)[0])
