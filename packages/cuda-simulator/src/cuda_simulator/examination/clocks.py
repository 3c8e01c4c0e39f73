"""What a thread knows of threads of other blocks, or of some of its own: up to when their accesses are ordered before its own.

A VectorClock maps a block's number to an array of times, one for each thread of the block. Times are stamps as in
cells.py. A VectorClock never changes: many threads share one.
"""
import numpy as np


class VectorClock:
    """{block: times of its threads}"""
    __slots__ = ("times",)

    def __init__(self, times):
        self.times = times

    def join(self, other):
        """What either knows."""
        if other is None or other is self:
            return self
        times = dict(self.times)
        for block, time in other.times.items():
            mine = times.get(block)
            if mine is time:        # handed on from one to the next: most of them, where a whole grid waits
                continue
            if mine is None:
                times[block] = time
            else:
                times[block] = np.maximum(mine, time)
        return VectorClock(times)

    def knows(self, blocks, threads, stamps):
        """For accesses by these threads of these blocks: is each before what this clock knows of its thread?"""
        is_known = np.zeros(len(stamps), bool)
        for block in np.unique(blocks).tolist():
            time = self.times.get(block)
            if time is not None:
                chosen = blocks == block
                is_known[chosen] = stamps[chosen] < time[threads[chosen]]
        return is_known


def join(clocks):
    """What any of these clocks knows; None for no clock at all."""
    joined = None
    for clock in {id(clock): clock for clock in clocks if clock is not None}.values():
        joined = clock if joined is None else joined.join(clock)
    return joined
