"""A value for each page, kept by runs of pages that share it: a terabyte of which one page differs is three runs.

Not here: what the values mean (advice.py, residency.py).
"""
import math
from bisect import bisect_right


class Runs:
    """A value for every whole number from `start` on; all are `value` at first. Who shares it with threads takes a lock."""

    def __init__(self, value, start=0):
        self._starts, self._values = [start], [value]

    def __len__(self):
        """How many runs there are."""
        return len(self._starts)

    def between(self, start, end):
        """The runs of [start, end) as [(start, end, value), ...], in order; none where end <= start."""
        runs = []
        while start < end:
            position = self._position(start)
            run_end = min(self._end(position), end)
            runs.append((start, run_end, self._values[position]))
            start = run_end
        return runs

    def change(self, start, end, change):
        """Replace the value of each number in [start, end) by `change` of it."""
        if start < end:
            low, high = self._cut(start), self._cut(end)
            self._values[low:high] = map(change, self._values[low:high])
            self._join(start, end)

    def _position(self, number):
        """Where the run is that holds this number."""
        return bisect_right(self._starts, number) - 1

    def _end(self, position):
        """The first number after a run; infinity after the last one."""
        return self._starts[position + 1] if position + 1 < len(self._starts) else math.inf

    def _cut(self, at):
        """Where the run is that begins at `at`, which is made if need be."""
        position = self._position(at)
        if self._starts[position] != at:
            position += 1
            self._starts.insert(position, at)
            self._values.insert(position, self._values[position - 1])
        return position

    def _join(self, start, end):
        """Make one run of those beside each other that are alike, where they begin in [start, end] or end there."""
        for position in range(self._position(end), max(self._position(start), 1) - 1, -1):
            if self._values[position] == self._values[position - 1]:
                del self._starts[position], self._values[position]


class StridingRuns(Runs):
    """Runs as an H200's driver (580.159.04) goes through them: each time by the length of the run that it is in.

    Where it came into the middle of a run, it so passes over what follows. A run is changed as a whole, and first becomes one
    with neighbours that are then alike. This explains the 757 answers about ranges in the recorded sequences; that every page
    is looked at, as documented (CUDA Driver API, cuMemRangeGetAttribute), explains all but 11.
    """

    def between(self, start, end):
        """What a walk over [start, end) sees: [(start, end, value), ...]."""
        runs = []
        while start < end:
            position = self._position(start)
            runs.append((start, min(self._end(position), end), self._values[position]))
            start += self._end(position) - self._starts[position]
        return runs

    def change(self, start, end, change):
        """Replace the values that a walk over [start, end) comes to by `change` of them."""
        if start >= end:
            return
        self._cut(start)
        self._cut(end)
        at = start
        while at < end:
            position = self._position(at)
            self._values[position] = change(self._values[position])
            self._join(at, self._end(position))
            position = self._position(at)
            at += self._end(position) - self._starts[position]
        self._join(start, end)
