"""In which order warps and blocks run while a kernel is examined: orders that a GPU could choose, and lockstep never would.

The warps of a wave are dealt to two *squads*. One runs until all of it waits or has ended, then the other: so some warps are at
the next barrier before others have begun. Of a large grid some waves are dealt so, and the others run in lockstep, which takes
half the time. Blocks start in another order too. All by a seed, and so repeatable.
"""
import random

import numpy as np

WAVES_DEALT = 4     # the first waves, and of the rest every so manyth


class Schedule:
    """The order of one launch."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.dealt = 0          # waves so far

    def waves(self, starts, together):
        """In which order the pieces of a grid run.

        together: how many the device holds at once; pieces after those may wait for those before them, and never the other way
        """
        for position in range(0, len(starts), together):
            part = starts[position:position + together]
            self.random.shuffle(part)
            starts[position:position + together] = part
        return starts

    def deal(self, wave):
        """Each lane's squad, for good: True or False. Warps stay whole."""
        self.dealt += 1
        if self.dealt > WAVES_DEALT and self.dealt % WAVES_DEALT:
            return np.zeros(wave.lanes, bool)
        per_block = -(-wave.threads // 32)
        warp = wave.block_of * per_block + wave.launch.thread_numbers(wave.lanes) // 32
        numbers = list(range(wave.blocks * per_block))
        self.random.shuffle(numbers)
        in_first_squad = np.zeros(len(numbers), bool)
        in_first_squad[numbers[:len(numbers) // 2]] = True
        return in_first_squad[warp]

    def squads(self, group):
        """The lanes of a group in parts, as selections, in the order in which they run."""
        in_first_squad = group.wave.examined.squad[group.lanes]
        parts = [part for part in (np.flatnonzero(in_first_squad), np.flatnonzero(~in_first_squad)) if len(part)]
        self.random.shuffle(parts)
        return parts
