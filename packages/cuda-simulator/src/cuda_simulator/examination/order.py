"""Which accesses are ordered before which (happens-before), for the lanes of one wave.

Each lane knows, as times: what all threads of its block had done at their last common barrier (`block_limit`), what those of
its warp had done at their last __syncwarp (`warp_limit`), and, where only some took part or where blocks are
concerned, a VectorClock. An access with an earlier stamp is ordered before what the lane does now.

A shuffle or a vote orders no memory, as the CUDA C++ Programming Guide says of both, and as compute-sanitizer judges. Decided for
silence: whoever sees a value that was released needs no fence of its own (NVIDIA's own sample of a last block has none).

Not here: fences and what they hand over through atomics (handover.py).
"""
import numpy as np

from ..ptx.instructions.warp import alive_masks, warps_of
from .cells import EVENT
from .clocks import VectorClock, join

FULL = 0xFFFFFFFF


class Order:
    """What the lanes of one wave know of each other."""

    def __init__(self, wave, examiner):
        self.wave, self.examiner = wave, examiner
        self.first_block, self.threads = wave.first_block, wave.threads
        self.block_of = wave.block_of
        self.thread_of = wave.launch.thread_numbers(wave.lanes)
        self.block_limit = np.zeros(wave.lanes, np.int64)
        self.warp_limit = np.zeros(wave.lanes, np.int64)
        self.least_block_limit = 0
        self.of_warp = None         # where masks named a part of a warp: lane x 32 limits
        self.clocks = {}            # lane -> VectorClock
        self.arrived = {}           # number of a barrier -> when each lane came; 0: it did not
        self.fences = None          # handover.py
        self.copies = None          # copies.py
        self.squad = None           # schedule.py
        self.run_start = 0          # the stamp since which no other wave has run

    def forget(self):
        """The wave has ended; a large grid has thousands."""
        self.wave = self.block_limit = self.warp_limit = self.of_warp = self.fences = self.copies = self.squad = None
        self.clocks = self.arrived = None

    def now(self):
        """The limit that all that has been done so far lies before."""
        return (self.examiner.event + 1) << EVENT

    # -- barriers --------------------------------------------------------------------------------------------------

    def everybody_came(self):
        """All living lanes of the wave met at a barrier."""
        self.block_limit[:] = self.least_block_limit = self.now()
        if self.clocks:
            for block in set(self.block_of[list(self.clocks)].tolist()):
                self._share(np.arange(block * self.threads, (block + 1) * self.threads))

    def arrive(self, lanes, number):
        """Lanes came to the barrier of this number."""
        if number not in self.arrived:
            self.arrived[number] = np.zeros(self.wave.lanes, np.int64)
        self.arrived[number][lanes] = self.now()

    def release_whole(self, number, complete, waiting):
        """Barriers are complete, and `waiting` lanes go on: of which of these blocks are they all that live?

        For those it is done, for the others there is `release`.
        """
        blocks = self.wave.blocks
        came = np.bincount(self.block_of[self.arrived[number] != 0], minlength=blocks)
        went = np.bincount(self.block_of[waiting], minlength=blocks)
        whole = np.zeros(blocks, bool)
        whole[complete] = ((went == came) & (went >= self.wave.alive_in_block))[complete]
        lanes = whole[self.block_of]
        self.block_limit[lanes] = self.now()
        self.arrived[number][lanes] = 0
        self.least_block_limit = int(self.block_limit.min())
        if self.clocks:
            for block in set(self.block_of[list(self.clocks)].tolist()) & set(np.flatnonzero(whole).tolist()):
                self._share(waiting[self.block_of[waiting] == block])
        return whole[complete]

    def release(self, number, block, waiting):
        """The barrier of a part of a block: `waiting` lanes go on, and know what those that arrived had done."""
        piece = slice(block * self.threads, (block + 1) * self.threads)
        came = self.arrived[number][piece].copy()
        self.arrived[number][piece] = 0
        arrived_lanes = np.flatnonzero(came) + piece.start
        clock = VectorClock({self.first_block + block: came}).join(join(self.clocks.get(lane) for lane in arrived_lanes.tolist()))
        for lane in waiting.tolist():
            self.clocks[lane] = clock.join(self.clocks.get(lane))

    def _share(self, lanes):
        """These lanes now know what any of them knew of others."""
        lanes = lanes.tolist()
        clock = join(self.clocks.get(lane) for lane in lanes)
        if clock is not None:
            self.clocks.update(dict.fromkeys(lanes, clock))

    # -- warps -----------------------------------------------------------------------------------------------------

    def warp_sync(self, group, mask):
        """The lanes of a group have met those that their masks name."""
        if type(mask) is int and mask == FULL:
            self.warp_limit[group.lanes] = self.now()
            if self.clocks:
                warps = warps_of(group)
                for warp in np.unique(warps.warp[np.isin(group.lanes, list(self.clocks))]).tolist():
                    self._share(group.lanes[warps.warp == warp])
            return
        warps = warps_of(group)
        mask = np.full(group.count, mask, np.uint32) if type(mask) is int else mask
        starts = warps.warp[warps.starts]
        living = alive_masks(self.wave, starts)[warps.row]
        whole = living & ~mask == 0
        self.warp_limit[group.lanes[whole]] = self.now()
        if not whole.all():
            self._part_sync(group.lanes[~whole], mask[~whole], warps.warp[~whole])

    def _part_sync(self, lanes, mask, warp):
        if self.of_warp is None:
            self.of_warp = np.zeros((self.wave.lanes, 32), np.int64)
        self.of_warp[lanes] = np.maximum(self.of_warp[lanes], self.warp_limit[lanes, None])
        sets = np.unique(np.stack((warp, mask.astype(np.int64))), axis=1).T if len(lanes) < 4096 else ()
        for warp_number, named in sets:     # what one of them knew of others, all know now
            members = lanes[(warp == warp_number) & (mask == named)]
            self.of_warp[members] = self.of_warp[members].max(axis=0)
            if self.clocks:
                self._share(members)
        named = (mask[:, None] >> np.arange(32, dtype=np.uint32) & 1).astype(bool)
        self.of_warp[lanes] = np.where(named, self.now(), self.of_warp[lanes])

    # -- the question ----------------------------------------------------------------------------------------------

    def ordered(self, stamps, lanes, other_order, other_lanes):
        """Is the access of each of `other_lanes` (of the wave of `other_order`) before what `lanes` do now?"""
        threads, blocks = other_order.thread_of[other_lanes], other_order.block_of[other_lanes]
        if other_order is self:
            same_block = blocks == self.block_of[lanes]
            ordered = (other_lanes == lanes) | (same_block & (stamps < self.block_limit[lanes]))
            same_warp = same_block & (threads // 32 == self.thread_of[lanes] // 32)
            ordered |= same_warp & (stamps < self.warp_limit[lanes])
            if self.of_warp is not None:
                ordered |= same_warp & (stamps < self.of_warp[lanes, threads % 32])
        else:
            ordered = np.zeros(len(stamps), bool)
        if self.clocks:
            undecided = np.flatnonzero(~ordered)
            clocks = [self.clocks.get(lane) for lane in lanes[undecided].tolist()]
            for clock in {id(clock): clock for clock in clocks if clock is not None}.values():
                chosen = undecided[[lane_clock is clock for lane_clock in clocks]]
                ordered[chosen] |= clock.knows(other_order.first_block + blocks[chosen], threads[chosen], stamps[chosen])
        return ordered
