"""Asynchronous copies to shared memory (cp.async): their bytes are there when the thread that asked for them has waited.

Until then the cells have a stamp from the future, which nothing is ordered after: whoever touches them is too early.
"""
import numpy as np

from .cells import EVENT, INSTRUCTION, LANE_MASK

FUTURE = (1 << (63 - EVENT)) - 1        # an event that never comes
NOT_YET = FUTURE << EVENT               # stamps from here on are of copies under way


class Copies:
    """The copies under way in one wave."""

    def __init__(self, order):
        self.order = order
        self.groups = np.zeros(order.wave.lanes, np.int64)      # how many groups each lane has committed
        self.under_way = []                                     # [lanes, cells of each, number, group of each]

    def start(self, cells, lanes, places, size, doing):
        """Lanes ask for a copy to these places."""
        index, span = cells.of(places, size)
        if type(index) is slice:
            index = np.arange(index.start, index.stop)
        lanes = np.repeat(lanes, span)
        cells.written[index] = NOT_YET | doing.number << INSTRUCTION | lanes
        self.under_way.append((lanes, index, self.groups[lanes]))

    def commit(self, lanes):
        """What these lanes have asked for since the last time is a group."""
        self.groups[lanes] += 1

    def wait(self, cells, lanes, except_last=None):
        """Lanes wait for all that they asked for, or for all groups but the last few."""
        self.order.examiner.event += 1
        waits = np.zeros(self.order.wave.lanes, bool)
        waits[lanes] = True
        pending = []
        for owners, index, group in self.under_way:
            is_complete = waits[owners]
            if except_last is not None:
                is_complete &= group < self.groups[owners] - except_last
            chosen = index[is_complete]
            stamps = cells.written[chosen]
            mine = (stamps >= NOT_YET) & ((stamps & LANE_MASK) == owners[is_complete])
            cells.written[chosen[mine]] = (stamps[mine] & ((1 << EVENT) - 1)) | self.order.examiner.event << EVENT
            if not is_complete.all():
                pending.append((owners[~is_complete], index[~is_complete], group[~is_complete]))
        self.under_way = pending
