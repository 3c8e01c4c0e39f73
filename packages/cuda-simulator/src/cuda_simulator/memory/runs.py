"""A value for each page, kept by runs of pages that share it: a terabyte of which one page differs is three runs.

Not here: what the values mean (advice.py, residency.py).
"""
import math
from bisect import bisect_right


class Runs:
    """A value for every whole number from `first` on; all are `value` at first. Who shares it with threads takes a lock."""

    def __init__(self, value, first=0):
        self._starts, self._values = [first], [value]

    def __len__(self):
        """How many runs there are."""
        return len(self._starts)

    def between(self, first, last):
        """The runs of [first, last) as [(start, end, value), ...], in order; none where last <= first."""
        runs = []
        while first < last:
            position = self._position(first)
            end = min(self._end(position), last)
            runs.append((first, end, self._values[position]))
            first = end
        return runs

    def change(self, first, last, change):
        """Replace the value of each number in [first, last) by `change` of it."""
        if first < last:
            low, high = self._cut(first), self._cut(last)
            self._values[low:high] = map(change, self._values[low:high])
            self._join(first, last)

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

    def _join(self, first, last):
        """Make one run of those beside each other that are alike, where they begin in [first, last] or end there."""
        for position in range(self._position(last), max(self._position(first), 1) - 1, -1):
            if self._values[position] == self._values[position - 1]:
                del self._starts[position], self._values[position]


class StridingRuns(Runs):
    """Runs as an H200's driver (580.159.04) goes through them: each time by the length of the run that it is in.

    Where it came into the middle of a run, it so passes over what follows. A run is changed as a whole, and first becomes one
    with neighbours that are then alike. This explains the 757 answers about ranges in the recorded sequences; that every page
    is looked at, as documented (CUDA Driver API, cuMemRangeGetAttribute), explains all but 11.
    """

    def between(self, first, last):
        """What a walk over [first, last) sees: [(start, end, value), ...]."""
        runs = []
        while first < last:
            position = self._position(first)
            runs.append((first, min(self._end(position), last), self._values[position]))
            first += self._end(position) - self._starts[position]
        return runs

    def change(self, first, last, change):
        """Replace the values that a walk over [first, last) comes to by `change` of them."""
        if first >= last:
            return
        self._cut(first)
        self._cut(last)
        at = first
        while at < last:
            position = self._position(at)
            self._values[position] = change(self._values[position])
            self._join(at, self._end(position))
            position = self._position(at)
            at += self._end(position) - self._starts[position]
        self._join(first, last)
