"""Run a function that fills a vector on the device in pieces, and see what its copies and kernels may do.

Not here: how a stream is stopped (holds.py), and what a learner is told (lessons/growing_vector/fill_harness.py).
"""
import functools
import time
from dataclasses import dataclass

from course_lib import kernels, pinned, reservation
from course_lib.core.address import address_of
from course_lib.core.errors import WrongArgument, WrongPointer, ask, do
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .holds import NO_TIMES, Holds, Keeper, handle_of, query_event, query_stream
from .waits import LOOK, Waits, not_pending

SLOW = ("copies", "copies, stream 1 first", "kernels")
BEHIND = 64             # numbers behind the vector, to see who goes too far
NOTHING = -1            # what every number is at first
REST_SECONDS = 0.03     # what is not held has run by then, unless it waits for what is
HELD_SECONDS = 0.3      # a copy that can arrive while a kernel is held has arrived by then
NON_BLOCKING = cu.CUstream_flags.CU_STREAM_NON_BLOCKING

SOURCE = """
__global__ void triple_and_one(int *numbers, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) numbers[i] = 3 * numbers[i] + 1;
}
"""


@dataclass(frozen=True, repr=False)
class FillReport:
    """What came of a fill."""

    pieces: tuple       # (first number, how many) of each kernel, in order
    beside: tuple       # of each kernel, where kernels were held: did another piece arrive while it was?
    early: bool         # did it return before all work was done?
    numbers: object     # the vector afterwards, and BEHIND more: an array of int32
    used: tuple         # of each buffer: was anything put into it?
    turns: tuple        # of each copy from the host, where copies were held: the number of its buffer, None for none

    def __repr__(self):
        last_number = len(self.beside) - 1
        return "\n".join(f"the kernel of piece {number}: " + (
            "the last one" if number == last_number else "another piece arrived while it was held" if beside else
            "no other piece arrived while it was held") for number, beside in enumerate(self.beside))


def numbers(count):
    """The numbers that a vector is filled with: no two are equal."""
    return np.arange(count, dtype=np.int32) * 7 + 2


def worked_on(some):
    """What the kernel makes of numbers."""
    return 3 * some + 1


def run(fill, count, piece, slow="kernels"):
    """Call ``fill(address, data, buffers, streams, work)`` while its streams are held back; returns a FillReport.

    count: how many numbers (int32) `data` has
    piece: how many each of the two pinned `buffers` holds
    slow:  what is held until the host waits. "kernels": each kernel, to see what arrives beside it. "copies": each copy
           from the host, and each stream behind a kernel, those of stream 0 being opened first; "copies, stream 1
           first": the other way round

    ``work(address, count, stream)`` launches the kernel on one piece. What `fill` raises is raised here, after all work
    has ended. Raises WrongArgument for another `slow`.
    """
    if slow not in SLOW:
        raise WrongArgument(f"{slow!r} cannot be held back: choose one of {', '.join(SLOW)}")
    current_context()
    with reservation.GrowingBuffer(reservation.round_up(4 * (count + BEHIND))) as vector:
        vector.grow(vector.most)
        do(cu.cuMemsetD32, vector.device_address, NOTHING & 0xffffffff, count + BEHIND)
        do(cu.cuCtxSynchronize)
        buffers = [pinned.allocate(piece, np.int32) for _ in range(2)]
        for buffer in buffers:
            buffer.array[:] = NOTHING
        one_call = _Run(vector.device_address, count, slow)
        try:
            one_call.call(fill, numbers(count), [buffer.array for buffer in buffers])
        finally:
            one_call.close()
        used = tuple(bool((buffer.array != NOTHING).any()) for buffer in buffers)
        turns = tuple(_buffer_at(source, buffers) for source in one_call.sources)
    return FillReport(tuple(one_call.pieces), tuple(one_call.beside), one_call.early, one_call.numbers, used, turns)


def _buffer_at(address, buffers):
    """The number of the buffer that an address is in; None for no buffer."""
    for number, buffer in enumerate(buffers):
        if buffer.host_address <= address < buffer.host_address + buffer.nbytes:
            return number
    return None


def source_address(source):
    """Where a copy begins to read; None for what is not known by its address."""
    try:
        return address_of(source if isinstance(source, (int, np.ndarray)) else np.frombuffer(source, np.uint8))
    except (TypeError, ValueError, WrongPointer):       # the copy itself says what is wrong with it
        return None


def _on_device(address):
    """Is it device memory? A copy from there brings nothing from the host."""
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return int(error) == 0 and int(kind) == int(cu.CUmemorytype.CU_MEMORYTYPE_DEVICE)


class _Run:
    """One call of a fill."""

    def __init__(self, address, count, slow):
        self.address, self.count, self.slow = address, count, slow
        self.streams = [cuda.Stream(), cuda.Stream()]
        self.pieces, self.beside, self.early, self.numbers = [], [], False, None
        self._code, self._reader = _code(current_context()), ask(cu.cuStreamCreate, NON_BLOCKING)
        self._seen = pinned.allocate(count + BEHIND, np.int32)
        self._since, self._ends = None, []
        self.holds = self.waits = None
        self.sources = []       # addresses on the host that copies read from

    def call(self, fill, data, buffers):
        kernels_held = self.slow == "kernels"
        step = self._open_a_kernel if kernels_held else self._open_a_copy
        with (Holds() as self.holds, Waits(self._all_done, None if kernels_held else self._hold_copy) as self.waits,
              Keeper(self.waits.waiting, step) as keeper):
            try:
                fill(self.address, data, buffers, self.streams, self.work)
                self.early = any(int(query_event(event)[0]) for event in self._ends)
            finally:
                keeper.over.set()
                self.holds.open_all()
        if keeper.failed is not None:
            raise keeper.failed
        if self.slow == "kernels":      # nobody waited for the others
            self.beside += [False] * (len(self.pieces) - len(self.beside))
        self.numbers = self._read().copy()

    def _hold_copy(self, stream, source):
        address = source_address(source)
        if address is not None and not _on_device(address):
            self.sources.append(address)
        self.holds.put(stream)

    def close(self):
        """Give back what it has. PyCUDA's streams have to be let go on this thread, and not by a cycle's collector."""
        for event in self._ends:
            cu.cuEventDestroy(event)
        cu.cuStreamDestroy(self._reader)
        self._seen.release()
        del self.streams, self.holds, self.waits

    def work(self, address, count, stream):
        """Put a kernel on a stream, which works on `count` numbers at `address` in place: each becomes 3 x + 1."""
        first_number, remainder = divmod(int(address) - self.address, 4)
        if not (remainder or count):
            return      # a piece of no numbers, where there are none
        if remainder or first_number < 0 or count < 1 or first_number + count > self.count + BEHIND:
            where = "not the address of a number" if remainder else "not within the vector"
            raise ValueError(f"work on {count} numbers, {int(address) - self.address} bytes behind the vector's first: "
                             f"that is {where}")
        self.waits.note()
        if self.slow == "kernels":
            self.holds.put(stream)
        self.pieces.append((first_number, int(count)))
        self._code.triple_and_one(-(-int(count) // 64), 64, int(address), int(count), stream=stream)
        if self.slow != "kernels":
            self.holds.put(stream)
        self._ends.append(ask(cu.cuEventCreate, NO_TIMES))      # behind the hold: who does not wait is always too early
        do(cu.cuEventRecord, self._ends[-1], handle_of(stream))
        self.waits.note()

    def _all_done(self):
        return all(not_pending(query_stream(handle)) for handle in (0, *map(handle_of, self.streams)))

    def _open_a_copy(self, over):
        streams = self.streams if self.slow == "copies" else self.streams[::-1]
        closed = [number for stream in streams for number in self.holds.closed(stream)] or self.holds.closed()
        self._since = self._since or time.monotonic()
        # A kernel that may run already runs first: a GPU that other processes use, too, takes its time.
        if closed and (all(map(self.holds.at_rest, streams)) or time.monotonic() - self._since > REST_SECONDS):
            self._since = None
            self.holds.open(closed[0], over)

    def _open_a_kernel(self, over):
        """Open the oldest kernel's hold: once more has arrived than the pieces up to its own, or cannot any more."""
        closed = self.holds.closed()
        if not closed:
            return
        number, clock, moment = closed[0], time.monotonic(), self.waits.moment
        self._since = self._since or clock
        # In this order: what can arrive has arrived when all streams are at rest, if the host has waited all the while.
        at_rest = all(map(self.holds.at_rest, self.streams))
        arrived = int((self._read() != NOTHING).sum())
        at_rest = at_rest and self.waits.waiting() and self.waits.moment == moment
        up_to_its_own = sum(count for _, count in self.pieces[:number + 1])
        beside = arrived > up_to_its_own
        if beside or up_to_its_own >= self.count or at_rest or clock - self._since > HELD_SECONDS:
            self.beside.append(beside)
            self._since = None
            self.holds.open(number, over)

    def _read(self):
        """What the vector holds now, on a stream that waits for no other."""
        do(cu.cuMemcpyDtoHAsync, self._seen.host_address, self.address, self._seen.nbytes, self._reader)
        while int(query_stream(self._reader)[0]):
            time.sleep(LOOK)
        return self._seen.array


@functools.lru_cache(1)
def _code(context):
    """The kernel, launched once: loading it may wait for all streams (CUDA C++ Programming Guide, Lazy Loading)."""
    code = kernels.compile(SOURCE)
    code.triple_and_one(1, 1, 0, 0)
    do(cu.cuCtxSynchronize)
    return code
