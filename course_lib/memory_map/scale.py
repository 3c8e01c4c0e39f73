"""How long a block is drawn: true relative sizes, broken where they must be.

Sizes within a factor of 16 are drawn to one scale. Where memory differs by more, 4 bytes and 2 MiB, the scale is broken:
each *decade* of sizes that are near each other gets a stretch of the scale of its own. A block that reaches into a later
stretch is cut at each border on its way (the zigzag), and what is drawn of it after the last cut is to scale with
other blocks cut as often.

    >>> scale = Scale([4, 8, 2 << 20], room=100)
    >>> [round(scale.length(size)) for size in (4, 8, 2 << 20)], [len(scale.breaks(size)) for size in (4, 2 << 20)]
    ([20, 40, 100], [0, 1])
"""
MOST_RATIO = 16         # of two sizes on one stretch
MOST_STRETCHES = 4
SHORTEST = 5            # units of the picture, for the smallest block of a stretch


class Scale:
    """Lengths for sizes, in the units of `room`, which is the length of the largest. None stands for an unknown size."""

    def __init__(self, sizes, room):
        self.stretches = _stretches(sorted({size for size in sizes if size}))     # [(smallest, largest)]
        first = 0.4 if len(self.stretches) > 1 else 1
        rest = (1 - first) / max(len(self.stretches) - 1, 1)
        self._bounds = [0, *(room * (first + rest * number) for number in range(len(self.stretches)))]

    def length(self, size):
        """How long a block of that size is. A larger size is never shorter."""
        if not size or not self.stretches:
            return min(SHORTEST * 3, self._bounds[-1] or SHORTEST * 3)
        number, largest = self._stretch(size)
        low, high = self._bounds[number], self._bounds[number + 1]
        return low + max((high - low) * min(size / largest, 1), SHORTEST)

    def breaks(self, size):
        """Where such a block is cut: distances from its start."""
        return self._bounds[1:self._stretch(size)[0] + 1] if size and self.stretches else []

    def _stretch(self, size):
        for number, (_, largest) in enumerate(self.stretches):
            if size <= largest:
                break
        return number, largest


def _stretches(sizes):
    """Sizes in order, cut where neighbours are far apart: [(smallest, largest)] of each group."""
    groups = []
    for size in sizes:
        if groups and size <= MOST_RATIO * groups[-1][0]:
            groups[-1] = groups[-1][0], size
        else:
            groups.append((size, size))
    while len(groups) > MOST_STRETCHES:     # join the two groups that are nearest to each other
        at = min(range(len(groups) - 1), key=lambda number: groups[number + 1][1] / groups[number][0])
        groups[at:at + 2] = [(groups[at][0], groups[at + 1][1])]
    return groups
