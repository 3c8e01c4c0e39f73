"""The heap of kernels: what `malloc` and `free` in device code work on.

It belongs to a context. Its blocks are real to every kernel of the context and unknown to the driver's host
functions: no attribute, no copy, no cuMemFree finds them. That is why they are kept here and not in
`memory.allocations`.

An H200 lets a kernel read heap bytes that no block holds, by accident; here that is a fault.
"""
from dataclasses import dataclass

from .memory import GRANULARITY, Allocation, Kind, memory
from .process_memory import round_up
from .ranges import Gaps, RangeMap
from .results import CudaError, Result
from .state import lock

ALIGNMENT = 16               # of every pointer that malloc returns, on an H200
DEFAULT_SIZE = 8_388_608     # CU_LIMIT_MALLOC_HEAP_SIZE of a fresh context, on an H200


@dataclass(eq=False)
class HeapBlock(Allocation):
    """What one malloc in a kernel returned."""


class KernelHeap:
    """The heap of one context. Its size can be set until the first launch of a kernel that uses it."""

    def __init__(self, context):
        self.context = context
        self.limit = DEFAULT_SIZE
        self.blocks = RangeMap()
        self.start = 0    # 0 until the heap is in use

    def set_limit(self, size):
        """CU_LIMIT_MALLOC_HEAP_SIZE; INVALID_VALUE once a kernel that uses the heap was launched."""
        if self.start:
            raise CudaError(Result.INVALID_VALUE, "the heap is in use; set its size before the first kernel that uses it")
        self.limit = size

    def open(self):
        """Before the first launch that uses the heap: from now on its size is fixed."""
        with lock:
            if not self.start:
                size = round_up(max(self.limit, 1), GRANULARITY)
                self.start = memory.take_addresses(size, GRANULARITY)
                self.end = self.start + size
                self._backing = memory.backing.take(size)
                self._gaps = Gaps(self.start, self.start + self.limit)

    def malloc(self, size):
        """The address of `size` bytes, or 0 where the heap has no room: CUDA's malloc reports no other error."""
        with lock:
            start = self._gaps.take(round_up(max(size, 1), ALIGNMENT), ALIGNMENT)
            if start is None:
                return 0
            self.blocks.add(HeapBlock(Kind.HEAP, start, size, self.context, self.context.device,
                                      self._backing - self.start, maker="malloc in a kernel"))
            return start

    def free(self, address):
        """Free a block from its start; nothing for a null pointer. False where `address` is no block's start."""
        if address == 0:
            return True
        with lock:
            block = self.blocks.at(address)
            if block is None or block.start != address:
                return False
            self.blocks.remove(block)
            block.freed = True
            memory.history.append(block)
            self._gaps.give(block.start, round_up(max(block.size, 1), ALIGNMENT))
            return True

    def process_address(self, address, size):
        """Where bytes of the heap region are in this process, whether a block holds them or not; None outside it."""
        if self.start and self.start <= address and address + size <= self.end:
            return address + self._backing - self.start
        return None

    def close(self):
        """The context ends, and the heap with it."""
        if self.start:
            with lock:
                memory.backing.give(self._backing, self.end - self.start)
                memory.window.gaps.give(self.start, self.end - self.start)
                self.blocks, self.start = RangeMap(), 0
