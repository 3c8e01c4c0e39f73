"""The rows of a warp: which of its lanes are at which line together, in the order in which the simulated driver runs them.

A row is what the same lanes do on one line before they come to another, or to the same place again, or others run. How the
driver orders lanes that have parted is its own way (ptx/scheduler.py): a GPU may order them otherwise.
"""
import numpy as np

from .records import Row


class Warp:
    """Collects the rows. `rows` has at most `limit`, and `count` is how many there were."""

    def __init__(self, in_source, limit):
        self.in_source, self.limit = in_source, limit
        self.rows, self.count, self.ended = [], 0, 0
        self._row, self._frame, self._seen, self._last = None, None, set(), None
        self._line_of = {}      # frame of a function without lines in the source -> the line that called it

    def arrive(self, group, lanes, instruction):
        """The lanes of a bit mask come to an instruction."""
        place = group.frame, lanes, id(instruction)
        if place == self._last:
            return
        line, frame = self.in_source(instruction), group.frame
        if line == 0 and self._row is not None:     # a header's
            line, frame = self._line_of.setdefault(frame, self._row.line), self._frame
        elsewhere = self._row is None or line is None or (line, frame, lanes) != (self._row.line, self._frame, self._row.lanes)
        jumps = instruction.opcode.startswith("bra") and instruction.guard is None
        if (elsewhere and not (jumps and self._row is not None and line == self._row.line)) or place in self._seen:
            self._begin(Row(line or 0, instruction.text, lanes, self.ended), frame)
        self._seen.add(place)
        self._last = place
        self._row.barrier |= instruction.opcode.startswith("bar")

    def leave(self, lanes):
        """The threads of these lanes end."""
        self.ended |= lanes

    def _begin(self, row, frame):
        self._row, self._frame, self._seen = row, frame, set()
        self.count += 1
        if self.count <= self.limit:
            self.rows.append(row)


def mask(group, first, count):
    """A bit for each of the warp's `count` lanes from number `first` on that is in a group."""
    if group.whole:
        return (1 << count) - 1
    start, end = np.searchsorted(group.lanes, (first, first + count))
    return sum(1 << int(lane) - first for lane in group.lanes[start:end])
