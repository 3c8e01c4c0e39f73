"""Ranges of addresses: which one holds this address, and where is there room for another.

`RangeMap` finds, `Gaps` finds room. Both keep sorted lists and look things up by bisection, so that ten
thousand live allocations cost a lookup no more than a few comparisons.

Not here: what a range means. The items of a `RangeMap` are any objects with ``start`` and ``end``.
"""
import threading
from bisect import bisect_left, bisect_right


class RangeMap:
    """Ranges [start, end) that do not overlap, by address. Threads may look while another one changes it."""

    def __init__(self):
        self._starts = []
        self._items = []
        self._lock = threading.Lock()    # the two lists change together
        self.version = 0    # counts the changes, for whoever keeps a copy

    def __iter__(self):
        with self._lock:
            return iter(list(self._items))

    def __len__(self):
        return len(self._items)

    def add(self, item):
        """Add a range; ValueError where it overlaps one that is there."""
        with self._lock:
            if self._overlapping(item.start, item.end):
                raise ValueError(f"[{item.start:#x}, {item.end:#x}) overlaps another range")
            position = bisect_left(self._starts, item.start)
            self._starts.insert(position, item.start)
            self._items.insert(position, item)
            self.version += 1

    def remove(self, item):
        """Take out a range that was added."""
        with self._lock:
            position = bisect_left(self._starts, item.start)
            if position == len(self._items) or self._items[position] is not item:
                raise KeyError(f"no range at {item.start:#x}")
            del self._starts[position], self._items[position]
            self.version += 1

    def at(self, address):
        """The range that holds `address`, or None."""
        with self._lock:
            position = bisect_right(self._starts, address) - 1
            item = self._items[position] if position >= 0 else None
        return item if item is not None and address < item.end else None

    def overlapping(self, start, end):
        """All ranges with a byte in [start, end), in order."""
        with self._lock:
            return self._overlapping(start, end)

    def _overlapping(self, start, end):
        position = bisect_right(self._starts, start) - 1
        if position < 0 or self._items[position].end <= start:
            position += 1
        return self._items[position:bisect_left(self._starts, end, position)]

    def neighbours(self, address):
        """The last range that starts at or below `address`, and the first above it (None where there is none)."""
        with self._lock:
            position = bisect_right(self._starts, address)
            below = self._items[position - 1] if position else None
            above = self._items[position] if position < len(self._items) else None
        return below, above


class Gaps:
    """Free space in [start, end). What was released is given out again at once to whoever asks for as much, as on an H200;
    who asks for something else gets what nobody has had."""

    def __init__(self, start, end):
        self._starts, self._ends = [start], [end]

    def take(self, size, alignment=1, slack=0):
        """The start of `size` free bytes at a multiple of `alignment`, or None. A gap may be larger by `slack` bytes."""
        best = None
        for position, (lowest, end) in enumerate(zip(self._starts, self._ends)):
            start = -(-lowest // alignment) * alignment
            if start + size <= end:
                order = self._order(position, lowest, end - lowest - size - slack)
                if best is None or order < best[0]:
                    best = order, position, start
        if best is None:
            return self.take(size, alignment, slack) if self._join(0, len(self._starts)) else None
        _, position, start = best
        self._cut(position, start, start + size)
        return start

    def _order(self, position, lowest, too_large):
        """The gap with the least of these is taken."""
        return too_large > 0, position != len(self._starts) - 1, lowest

    def take_at(self, start, size):
        """Take exactly [start, start + size); False unless all of it is free."""
        position = bisect_right(self._starts, start) - 1
        if position < 0:
            return False
        self._join(position, bisect_left(self._starts, start + size))
        if start + size > self._ends[position]:
            return False
        self._cut(position, start, start + size)
        return True

    def _join(self, first, end):
        """Join those of the gaps [first, end) that touch; False if none do."""
        touching = [position for position in range(first + 1, end) if self._starts[position] == self._ends[position - 1]]
        for position in reversed(touching):
            del self._starts[position], self._ends[position - 1]
        return touching != []

    def _cut(self, position, start, end):
        before, after = (self._starts[position], start), (end, self._ends[position])
        gaps = [gap for gap in (before, after) if gap[0] < gap[1]]
        self._starts[position:position + 1] = [gap[0] for gap in gaps]
        self._ends[position:position + 1] = [gap[1] for gap in gaps]

    def give(self, start, size, apart=False):
        """Release [start, start + size), which was taken. apart: not joined with what is free beside it, until nothing else fits."""
        position = bisect_left(self._starts, start)
        self._starts.insert(position, start)
        self._ends.insert(position, start + size)
        if not apart:
            self._join(max(position - 1, 0), min(position + 2, len(self._starts)))


class PieceGaps(Gaps):
    """The same within a piece of memory: the smallest gap that is large enough is taken, also in part; of those that are alike
    the one that was freed first."""

    def __init__(self, start, end):
        super().__init__(start, end)
        self._freed, self._clock = {}, 0    # end of what was freed -> when

    def _order(self, position, lowest, too_large):
        return self._ends[position] - lowest, self._freed.get(self._ends[position], 0)

    def give(self, start, size):
        super().give(start, size)
        self._clock += 1
        self._freed[self._ends[bisect_right(self._starts, start) - 1]] = self._clock
