"""The heap of kernels: what `malloc` and `free` in device code work on.

It belongs to a context. Its blocks are real to every kernel of the context and unknown to the driver's host
functions: no attribute, no copy, no cuMemFree finds them. That is why they are kept here and not in
`memory.allocations`.

An H200 lets a kernel read heap bytes that no block holds, by accident; here that is a fault.
"""
from dataclasses import dataclass

from ..libcuda.process_memory import round_up
from ..libcuda.state import lock
from .allocations import Allocation, AllocationKind, memory
from .ranges import Gaps, RangeMap
from .windows import GRANULARITY, take_addresses

ALIGNMENT = 16               # of every pointer that malloc returns, on an H200


@dataclass(eq=False)
class HeapBlock(Allocation):
    """What one malloc in a kernel returned."""


blocks = RangeMap()          # of all contexts: on one device, a kernel of any of them may follow the address
on_malloc = None             # called with the address and the size of each new block (watch.py)


class KernelHeap:
    """The heap of one context. Its size can be set until the first launch of a kernel that uses it."""

    def __init__(self, context):
        self.context = context
        self.start = self.end = 0    # until the heap is in use

    @property
    def in_use(self):
        """Was a kernel launched that uses the heap? Then its size is fixed."""
        return self.start != 0

    def open(self, limit):
        """Before the first launch that uses the heap: set it up with `limit` bytes."""
        with lock:
            if not self.in_use:
                size = round_up(limit, GRANULARITY)
                self.start = take_addresses(size, GRANULARITY, gaps=self.context.space.gaps)
                self.end = self.start + size
                self._backing = memory.backing.take(size)
                self._gaps = Gaps(self.start, self.start + limit)

    def malloc(self, size):
        """The address of `size` bytes, or 0 where the heap has no room: CUDA's malloc reports no other error."""
        with lock:
            start = self._gaps.take(round_up(max(size, 1), ALIGNMENT), ALIGNMENT)
            if start is None:
                return 0
            blocks.add(HeapBlock(AllocationKind.HEAP, start, size, self.context, self.context.device,
                                 self._backing - self.start, maker="malloc in a kernel", known_since=memory.unexamined))
            if on_malloc:
                on_malloc(start, size)
            return start

    def process_address(self, address, size):
        """Where bytes of the heap region are in this process, whether a block holds them or not; None outside it."""
        if self.start <= address and address + size <= self.end:
            return address + self._backing - self.start
        return None

    def close(self):
        """The context ends, and the heap with it."""
        if self.in_use:
            with lock:
                for block in blocks.overlapping(self.start, self.end):
                    blocks.remove(block)
                memory.backing.give(self._backing, self.end - self.start)
                self.context.space.gaps.give(self.start, self.end - self.start)
                self.start = self.end = 0


def free(address):
    """What free in a kernel does; nothing for a null pointer. False where `address` is no block's start."""
    if address == 0:
        return True
    with lock:
        block = blocks.at(address)
        if block is None or block.start != address:
            return False
        blocks.remove(block)
        block.freed = True
        memory.history.append(block)
        block.context.heap._gaps.give(block.start, round_up(max(block.size, 1), ALIGNMENT))
        return True
