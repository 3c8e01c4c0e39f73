"""What only a simulation can show of a kernel: how its warps' accesses coalesced, and where banks of shared memory or the
addresses of constants made a warp wait.

    from cuda_simulator.watch import Transactions, watching

    with watching(Transactions()) as seen:
        kernel(x, block=(32, 1, 1))
        cuda.Context.synchronize()
    for access in seen.counts.values():
        print(access.access, access.requests, access.transactions, access.efficiency)

Counts are facts about addresses, not times. They are had from the simulated driver alone: with a GPU's driver attached
nothing comes by. Another observer follows the threads of a small kernel (stepping/follower.py).

A whole program is looked into by two more: `calling` has each call of the driver with its answer, and `holding` holds work on
streams back until the host waits for it, which is as late as a GPU may do it.
"""
import contextlib
import threading

from .device import streams
from .examination.names import kernel_name
from .libcuda import library
from .libcuda.stand_in import inside
from .libcuda.state import thread
from .memory import heap, physical
from .memory.allocations import AllocationKind, memory
from .memory.transfers import bytes_at
from .ptx import BankConflicts, ConstantReads, Observer, Transactions

__all__ = ["BankConflicts", "ConstantReads", "Hold", "Observer", "Transactions", "allocations", "bytes_of", "calling",
           "heap_blocks", "held_memory", "holding", "kernels_allocating", "launch_of", "watching"]


@contextlib.contextmanager
def watching(observer):
    """Let `observer` see every kernel that this thread launches inside the block; the block's value is the observer.

    A launch only starts a kernel: synchronize before looking at what was seen.
    """
    before, thread.observer = thread.observer, observer
    try:
        yield observer
    finally:
        thread.observer = before


@contextlib.contextmanager
def calling(observer):
    """Let `observer.call(name, arguments, make)` make every call of the driver inside the block, of all threads.

    name:      of cuda.h, without its version: "cuMemAlloc"
    arguments: numbers, as C gave them
    make:      a function that makes the call, and returns the CUresult; `call` has to return it
    """
    library.report_calls(observer)
    try:
        yield observer
    finally:
        library.report_calls(None)


@contextlib.contextmanager
def kernels_allocating(see):
    """Call `see(address, size)` inside the block for each block of memory that malloc in a kernel returns, before the kernel has it."""
    heap.on_malloc = see
    try:
        yield
    finally:
        heap.on_malloc = None


def launch_of(work):
    """(the kernel's name, the bytes of its parameters) of work that is a launch, or None."""
    if work.launch is None:
        return None
    function, data = work.launch
    return kernel_name(function.name), data


@inside
def bytes_of(address, most):
    """The bytes at an address of the host's or the device's that CUDA knows, up to so many, as a NumPy array without a copy: to write
    changes them. They end where the memory does. None where the address is not CUDA's, or nothing is allowed to read there."""
    allocation = heap.blocks.at(address) or memory.at(address)
    if allocation is None:
        return None
    nbytes = min(most, allocation.end - address)
    if heap.blocks.at(address):
        return bytes_at(address + allocation.delta, nbytes)
    pieces = memory.segments(address, nbytes, allocation.device, False)
    if not pieces:
        return None
    piece, = pieces
    memory.backing.touch(*piece)
    return bytes_at(*piece)


@inside
def allocations():
    """(address, size) of each allocation that the program made by a call for memory: of the device, page-locked, or managed."""
    kinds = AllocationKind.DEVICE, AllocationKind.PINNED, AllocationKind.MANAGED
    return [(allocation.start, allocation.size) for allocation in memory.allocations
            if allocation.kind in kinds and allocation.original is allocation]


@inside
def heap_blocks():
    """(address, size) of each block that a kernel allocated."""
    return [(block.start, block.size) for block in heap.blocks]


@inside
def held_memory(handle):
    """The bytes of the physical memory that a handle of cuMemCreate stands for, as a NumPy array without a copy. None once the
    handle was released."""
    memory_behind = physical.physicals.get(handle)
    return bytes_at(memory_behind.backing, memory_behind.size) if memory_behind and memory_behind.owners else None


class Hold:
    """Work on streams that is held back: nothing of it is done before the host waits for it, and then only what it waits for.

    A subclass says what to do with `given`, `before` and `after`, each called with a device.streams.Work.
    """

    def __init__(self):
        self.held = []          # in the order in which it was given
        self._lock = threading.RLock()

    def given(self, work):
        """Work was given to a stream. It is held, unless it is a mere mark that has nothing to wait for."""
        if work.action is None and all(earlier.done for earlier in work.after):
            work.run()
            return
        with self._lock:
            self.held.append(work)

    def before(self, work):
        """It is about to be done."""

    def after(self, work):
        """It has been done."""

    def release(self, work):
        """The host waits for work: it is done now, on this thread, after what has to come before it."""
        for earlier in list(work.after):
            earlier.wait()
        with self._lock:
            if work not in self.held:       # done, or a worker is at it
                return
            self.held.remove(work)
        self.before(work)
        work.run()
        self.after(work)

    def asked(self, works):
        """The host has asked whether work is done, and was told no: until it asks again, one more piece is."""
        for work in works:
            earlier = work
            while pending := [work for work in earlier.after if not work.done]:
                earlier = pending[0]
            if earlier in self.held:
                self.release(earlier)
                return

    @inside
    def let_go(self):
        """Leave what is held to the streams' workers, for a host that waits without a call of the driver."""
        with self._lock:
            held, self.held = self.held, []
        for work in held:
            work.stream.start(work)


@contextlib.contextmanager
def holding(hold):
    """Hold back the work on streams inside the block. At its end what is left is let go."""
    streams.hold = hold
    try:
        yield hold
    finally:
        streams.hold = None
        hold.let_go()
