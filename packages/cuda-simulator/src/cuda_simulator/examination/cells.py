"""What was last done to each piece of memory, and by whom: shadow memory for one launch.

A *cell* stands for 4 bytes, or for one where somebody used less than 4: the last write, the last two reads, and the first read since the
last barrier, each as one number of 64 bits that tells when, by which instruction and by which lane. Events are numbered on from launch
to launch, so that a stamp below a launch's first one means: never in this launch.

Not here: whether one access is ordered before another (order.py), what of it is a race (races.py).
"""
import mmap

import numpy as np

EVENT, INSTRUCTION, STRONG = 30, 17, 1 << 16    # a stamp: event << 30 | instruction << 17 | strong << 16 | lane
LANE_MASK = STRONG - 1
INSTRUCTION_MASK = (1 << (EVENT - INSTRUCTION)) - 1
POOLED = 32                                     # chunks that are kept for later launches
CHUNK_SHIFT = 22                                # global memory is kept in pieces of 4 MiB, made when touched

_pool = []      # (last event in it, four arrays of a chunk)


class Cells:
    """The cells of `size` bytes from the place `start` on."""

    def __init__(self, start, size, arrays=None):
        self.start, self.shift = start, 2
        self.low, self.high = start + size, start       # what was used of it lies between
        self.written, self.read, self.read_too, self.read_first = arrays or [_zeros(-(-size // 4)) for _ in range(4)]

    def split(self):
        """From now on one cell for each byte."""
        self.shift = 0
        self.written, self.read, self.read_too, self.read_first = (
            np.repeat(shadow, 4) for shadow in (self.written, self.read, self.read_too, self.read_first))

    def of(self, places, size):
        """(the cells at these places, how many belong to each): a slice where they lie side by side."""
        if size < 4 and self.shift:
            self.split()
        span = max(size >> self.shift, 1)
        starts = (places - self.start) >> self.shift
        count = len(starts)
        if count == 1:
            return slice(int(starts[0]), int(starts[0]) + span), span
        if int(starts[-1]) - int(starts[0]) == (count - 1) * span and (starts[1:] - starts[:-1] == span).all():
            return slice(int(starts[0]), int(starts[-1]) + span), span
        if span > 1:
            starts = (starts[:, None] + np.arange(span)).ravel()
        return starts, span


class GlobalCells:
    """The cells of global memory, by place."""

    def __init__(self, first_event):
        self.chunks, self.first_event = {}, first_event

    def pieces(self, places, size):
        """The places cut by chunks: (Cells, positions in `places`); the positions None where one chunk has all."""
        start, end = int(places.min()), int(places.max()) + size
        low, high = start >> CHUNK_SHIFT, (end - 1) >> CHUNK_SHIFT
        if low == high:
            chunk = self._chunk(low)
            chunk.low, chunk.high = min(chunk.low, start), max(chunk.high, end)
            return [(chunk, None)]
        numbers = places >> CHUNK_SHIFT
        touched = range(low, high + 1) if high - low < 8 else np.unique(numbers).tolist()
        pieces = [(number, np.flatnonzero(numbers == number)) for number in touched]
        pieces = [(self._chunk(number), chosen) for number, chosen in pieces if len(chosen)]
        for chunk, _ in pieces:
            chunk_end = chunk.start + (1 << CHUNK_SHIFT)
            chunk.low, chunk.high = min(chunk.low, max(chunk.start, start)), max(chunk.high, min(chunk_end, end))
        return pieces

    def _chunk(self, number):
        if number not in self.chunks:
            self.chunks[number] = Cells(number << CHUNK_SHIFT, 1 << CHUNK_SHIFT, _used_before(self.first_event))
        return self.chunks[number]

    def give_back(self, last_event):
        """The launch has ended: others may use its arrays."""
        for cells in self.chunks.values():
            if cells.shift and len(_pool) < POOLED:
                _pool.append((last_event, (cells.written, cells.read, cells.read_too, cells.read_first)))
        self.chunks = {}


def _used_before(first_event):
    """Arrays of a launch that ended before this one began, or None. Fresh ones would cost page faults."""
    for position, (last_event, arrays) in enumerate(_pool):
        if last_event <= first_event:
            del _pool[position]
            return arrays
    return None


def _zeros(count):
    """Zeros that cost memory only where they are touched."""
    if count < 1 << 14:
        return np.zeros(count, np.int64)
    return np.frombuffer(mmap.mmap(-1, 8 * count), np.int64)
