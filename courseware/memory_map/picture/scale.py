"""How long a block is drawn: true relative sizes, broken where they must be.

4 bytes beside 2 MiB cannot both be seen at one scale. So the scale is cut into *stretches* where no block ends for a
long way: from 8 bytes to 1 MiB in the example. A block that reaches past a cut shows it as a zigzag. What is drawn of
it after its last zigzag is to scale with the other blocks that are cut as often.

    >>> scale = Scale([4, 8, 1 << 20, 2 << 20], room=100)
    >>> [round(scale.length(size)) for size in (4, 8, 1 << 20, 2 << 20)]
    [20, 40, 70, 100]
    >>> [len(scale.cuts(size)) for size in (4, 8, 1 << 20, 2 << 20)]
    [0, 0, 1, 1]
"""
MOST_RATIO = 20         # of two sizes on one stretch, if it can be cut
GAP = 4                 # a stretch is cut only between sizes that differ by this factor
MOST_STRETCHES = 4
SHORTEST = 5            # a stretch's smallest block is not drawn shorter: it would not be seen


class Scale:
    """Lengths for sizes in bytes, in the units of `room`, the length of the largest."""

    def __init__(self, sizes, room):
        self.stretches = stretches(sorted(set(sizes)))
        first_share = 0.4 if len(self.stretches) > 1 else 1
        other_share = (1 - first_share) / max(len(self.stretches) - 1, 1)
        self._ends = [0, *(room * (first_share + other_share * number) for number in range(len(self.stretches)))]

    def length(self, size):
        """How long a block of that size is. A larger one is never shorter."""
        number = self._stretch(size)
        room = self._ends[number + 1] - self._ends[number]
        return self._ends[number] + max(room * size / self.stretches[number][-1], SHORTEST)

    def cuts(self, size):
        """Where such a block is cut: distances from its start."""
        return self._ends[1:self._stretch(size) + 1]

    def _stretch(self, size):
        return next(number for number, sizes in enumerate(self.stretches) if size <= sizes[-1])


def stretches(sizes):
    """Sizes in order, cut at the widest gaps: a list of lists."""
    cut = [sizes]
    while len(cut) < MOST_STRETCHES:
        gaps = [(sizes[place] / sizes[place - 1], number, place) for number, sizes in enumerate(cut)
                if sizes[-1] > MOST_RATIO * sizes[0] for place in range(1, len(sizes))]
        if not gaps or max(gaps)[0] < GAP:
            break
        _, number, place = max(gaps)
        cut[number:number + 1] = [cut[number][:place], cut[number][place:]]
    return cut
