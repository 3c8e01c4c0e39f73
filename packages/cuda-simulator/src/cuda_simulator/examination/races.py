"""Races: two accesses to a byte by different threads, at least one a plain write or against one, and no order between them.

For each access the cells that it touches are looked up (cells.py); what was done to them before by other threads, and is
not ordered before it (order.py), is a race. Whether a race shows in the result does not matter.

Decided for silence: atomics, and volatile, relaxed, acquire and release accesses, do not race with each other. With one
exception: a volatile read and a volatile write of shared memory by threads of one warp, with no __syncwarp() between them. So
reductions were written when warps ran in step, and CUDA's guide says that it is wrong now. What waits in a loop is left alone.
"""
import bisect

import numpy as np

from ..ptx.instructions.memory_access import gather
from .cells import EVENT, INSTRUCTION, INSTRUCTION_MASK, LANE_MASK, STRONG
from .copies import NOT_YET


class Races:
    """The races of one launch."""

    def __init__(self, examiner):
        self.examiner, self.floor = examiner, (examiner.event + 1) << EVENT
        self.starts, self.orders = [], []       # since when which wave has run

    def runs(self, order):
        """Another wave runs from now on."""
        order.run_start = order.now()
        self.starts.append(order.run_start)
        self.orders.append(order)

    def access(self, order, cells, lanes, places, size, doing, event, values):
        """Look at one access of some lanes to pieces of memory, and remember it."""
        reading = doing.reads and not doing.writes
        stamp = event << EVENT | doing.number << INSTRUCTION | (STRONG if doing.strong else 0)
        if type(places) is int:
            if reading:                         # all read the same: who else did is told by two of them
                return self._broadcast(order, cells, lanes, places, size, doing, stamp)
            places = np.full(len(lanes), places)
        index, span = cells.of(places, size)
        lane_of = np.repeat(lanes, span) if span > 1 else lanes
        mine = stamp | lane_of
        look = lambda earlier, was_read: self._look(order, earlier, lane_of, span, doing, was_read, places, size, values)  # noqa: E731
        look(cells.written[index], False)
        read = cells.read[index]
        if reading:
            if read.max() >= self.floor:
                by_others = (read >= self.floor) & (((read & LANE_MASK) != lane_of) | (read < order.run_start))
                if type(index) is slice:
                    cells.read_too[index][by_others] = read[by_others]
                else:
                    cells.read_too[index[by_others]] = read[by_others]
            cells.read[index] = mine
            if type(index) is not slice:
                lost = cells.read[index] != mine
                if lost.any():
                    cells.read_too[index[lost]] = mine[lost]
            return self._keep_first_read(order, cells, index, mine)
        if read.max() >= self.floor:
            look(read, True)
            read_too, read_first = cells.read_too[index], cells.read_first[index]
            look(read_too, True)
            look(np.where((read_first == read) | (read_first == read_too), 0, read_first), True)
        cells.written[index] = mine
        if type(index) is not slice and not doing.strong and not doing.volatile:
            self._at_once(order, cells.written[index], mine, lane_of, span, doing, places, size, values)

    def _broadcast(self, order, cells, lanes, place, size, doing, stamp):
        index, span = cells.of(np.array([place]), size)
        earlier = cells.written[index]
        if earlier.max() >= self.floor:
            for earlier_stamp in earlier.tolist():
                self._look(order, np.full(len(lanes), earlier_stamp), lanes, 1, doing, False, None, size, None)
        for lane in (lanes[0], lanes[-1]):
            read = cells.read[index]
            by_others = (read >= self.floor) & (((read & LANE_MASK) != lane) | (read < order.run_start))
            cells.read_too[index][by_others] = read[by_others]
            cells.read[index] = stamp | int(lane)
            self._keep_first_read(order, cells, index, stamp | int(lane))

    def _keep_first_read(self, order, cells, index, mine):
        """Who reads first stays known, also where others of the warp read a cell after that and before somebody writes it."""
        read_first = cells.read_first[index]
        if read_first.min() < max(self.floor, order.least_block_limit):
            outdated = (read_first < self.floor) | (read_first >= order.run_start) & (read_first < order.least_block_limit)
            cells.read_first[index] = np.where(outdated, mine, read_first)

    def _look(self, order, earlier, lanes, span, doing, was_read, places, size, values):
        """Races of what `lanes` do now with the `earlier` stamps of their cells."""
        # In shared memory only this block's threads are: what lies before the last barrier of all needs no second look.
        suspect = earlier >= (max(order.least_block_limit, self.floor) if doing.space == "shared" else self.floor)
        if not suspect.any():
            return
        suspect &= ((earlier & LANE_MASK) != lanes) | (earlier < order.run_start) | (earlier >= NOT_YET)
        if doing.strong:
            suspect &= (earlier & STRONG) == 0
        if not suspect.any():
            return
        chosen = np.flatnonzero(suspect)
        for other_order, part in self._by_wave(order, earlier[chosen]):
            positions = chosen if part is None else chosen[part]
            stamps = earlier[positions]
            other_lanes = stamps & LANE_MASK
            racing = ~order.ordered(stamps, lanes[positions], other_order, other_lanes) | (stamps >= NOT_YET)
            if not racing.any():
                continue
            positions, other_lanes = positions[racing], other_lanes[racing]
            numbers = stamps[racing] >> INSTRUCTION & INSTRUCTION_MASK
            for number in np.unique(numbers).tolist():
                with_it = numbers == number
                self._report(order, doing, positions[with_it], lanes, span, other_order, other_lanes[with_it],
                             self.examiner.doings[number], was_read, places, size, values, int(stamps.max()) >= NOT_YET)

    def _by_wave(self, order, stamps):
        """[(the wave's Order that made them, positions or None for all)]"""
        if int(stamps.min()) >= order.run_start:
            return [(order, None)]
        runs = np.array([bisect.bisect_right(self.starts, stamp) - 1 for stamp in stamps.tolist()])
        orders = [self.orders[run] for run in runs.tolist()]
        return [(order, np.flatnonzero([other is order for other in orders]))
                for order in {id(order): order for order in orders}.values()]

    def _report(self, order, doing, positions, lanes, span, other_order, other_lanes, other_doing, was_read, places, size, values,
                under_way):
        both_pass_on = doing.passes_on and other_doing.passes_on
        if both_pass_on and (doing.narrow or other_doing.narrow):       # of block scope: no race with its like of the same block
            far = (other_order.first_block + other_order.block_of[other_lanes]) != (order.first_block + order.block_of[lanes[positions]])
            positions, other_lanes = positions[far], other_lanes[far]
            if not len(positions):
                return
        elif both_pass_on and not (doing.atomic and other_doing.atomic):
            if not (doing.volatile and other_doing.volatile) or doing.waits or other_doing.waits \
                    or doing.writes and not was_read and other_doing.writes:
                return
            near = order.thread_of[other_lanes] // 32 == order.thread_of[lanes[positions]] // 32
            positions, other_lanes = positions[near], other_lanes[near]
            if not len(positions):
                return
        same_value = False
        if not was_read and not doing.reads and values and not other_doing.reads:
            same_value = self._write_same_value(positions, span, places, size, values)
        furthest = self._furthest(order, lanes[positions], other_order, other_lanes)
        address = self.examiner.address_of(positions[furthest] // span)
        self.examiner.report.race(order, int(lanes[positions[furthest]]), doing, other_order, int(other_lanes[furthest]), other_doing,
                                  was_read, address, size, len(positions), same_value, under_way)

    @staticmethod
    def _furthest(order, lanes, other_order, other_lanes):
        """The pair that is told of many: of two blocks if there is one, else of two warps. What orders those orders all."""
        blocks = other_order.first_block + other_order.block_of[other_lanes] != order.first_block + order.block_of[lanes]
        warps = other_order.thread_of[other_lanes] // 32 != order.thread_of[lanes] // 32
        return int(np.argmax(2 * blocks + warps))

    def _write_same_value(self, positions, span, places, size, values):
        """Do these lanes write what is there already?"""
        chosen = np.unique(positions // span)
        for number, value in enumerate(values):
            width = size // len(values)
            present = gather(places[chosen] + number * width, 8 * width)
            mask = (1 << 8 * width) - 1
            value = value & mask if type(value) is int else value[chosen] & value.dtype.type(mask & int(np.iinfo(value.dtype).max))
            if not np.all(present == value):
                return False
        return True

    def _at_once(self, order, stamps, mine, lanes, span, doing, places, size, values):
        """Several lanes write one cell with the same instruction."""
        lost = np.flatnonzero(stamps != mine)
        if not len(lost):
            return
        winners = stamps[lost] & LANE_MASK
        differ = winners != lanes[lost]
        if doing.narrow:        # it races with those of other blocks
            differ &= order.block_of[winners] != order.block_of[lanes[lost]]
        lost, winners = lost[differ], winners[differ]
        if not len(lost):
            return
        position_of = {lane: position for position, lane in enumerate(lanes.tolist())}
        winning = np.array([position_of[lane] for lane in winners.tolist()])
        same_value = not doing.atomic and all(
            type(value) is int or np.array_equal(value[lost // span], value[winning // span]) for value in values)
        address = self.examiner.address_of(lost[0] // span)
        self.examiner.report.race(order, int(lanes[lost[0]]), doing, order, int(winners[0]), doing, False, address, size,
                                  len(lost), same_value)
