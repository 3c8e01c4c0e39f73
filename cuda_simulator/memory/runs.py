"""A value for each page, kept by runs of pages that share it: a terabyte of which one page differs is three runs.

Not here: what the values mean (advice.py, residency.py).
"""
from bisect import bisect_left, bisect_right


class Runs:
    """A value for every whole number from 0 on; all are `value` at first. Who uses it from several threads takes a lock."""

    def __init__(self, value):
        self._starts, self._values = [0], [value]

    def __len__(self):
        """How many runs there are."""
        return len(self._starts)

    def between(self, first, last):
        """The runs of [first, last) as [(start, end, value), ...], in order; none where last <= first."""
        if last <= first:
            return []
        low, high = bisect_right(self._starts, first) - 1, bisect_left(self._starts, last)
        starts = [first, *self._starts[low + 1:high], last]
        return list(zip(starts, starts[1:], self._values[low:high]))

    def change(self, first, last, change):
        """Replace the value of each number in [first, last) by `change` of it."""
        if last <= first:
            return
        low, high = self._cut(first), self._cut(last)
        self._values[low:high] = map(change, self._values[low:high])
        for position in range(high, max(low, 1) - 1, -1):
            if self._values[position] == self._values[position - 1]:
                del self._starts[position], self._values[position]

    def _cut(self, at):
        """Where the run is that begins at `at`, which is made if need be."""
        position = bisect_right(self._starts, at) - 1
        if self._starts[position] == at:
            return position
        self._starts.insert(position + 1, at)
        self._values.insert(position + 1, self._values[position])
        return position + 1
