"""Fences, and what they hand over: a lock, a flag, a counter in memory (release and acquire).

A thread writes data, makes a fence, and then writes a word with an atomic or a volatile store. Whoever sees that word with
an atomic or a volatile load knows the data. A thread's fence also stands for what others did before a barrier that it came
to before the fence, and their own fences count when the barrier comes after them.

Not here: barriers and warps (order.py).
"""
import numpy as np

from .clocks import VectorClock


class Fences:
    """When the lanes of a wave made their last fence of one scope, and what each knew then."""

    def __init__(self, lanes):
        self.time = np.zeros(lanes, np.int64)
        self.block = np.zeros(lanes, np.int64)
        self.warp = np.zeros(lanes, np.int64)


class Handover:
    """The words of memory through which the threads of a launch hand over what they wrote."""

    def __init__(self):
        self.released = {}      # place -> VectorClock; (place, block) -> VectorClock for threads of that block (__threadfence_block)

    def fence(self, order, lanes, narrow):
        """Lanes make a fence; a narrow one counts within the block only."""
        if order.fences is None:
            order.fences = Fences(order.wave.lanes), Fences(order.wave.lanes)
        for fences in order.fences[narrow:]:
            fences.time[lanes] = order.now()
            fences.block[lanes], fences.warp[lanes] = order.block_limit[lanes], order.warp_limit[lanes]

    def pass_on(self, order, lanes, places, reads, writes, learns=True):
        """Lanes, one after another, read or write words by which others are told. Who does both and learns nothing comes to a barrier."""
        for lane, place in zip(lanes.tolist(), places.tolist()):
            block = order.first_block + int(order.block_of[lane])
            if reads and learns:
                for key in (place, (place, block)):
                    earlier = self.released.get(key)
                    if earlier is not None:
                        order.clocks[lane] = earlier.join(order.clocks.get(lane))
            if writes:
                for key, scope in ((place, 0), ((place, block), 1)):
                    clock = order.fences and self._clock(order, order.fences[scope], lane, block)
                    if clock is not None:
                        self.released[key] = clock.join(self.released.get(key)) if reads else clock
                    elif not reads:
                        self.released.pop(key, None)    # an atomic would have handed on what was there

    def _clock(self, order, fences, lane, block):
        """What a write by this lane tells, or None where there was no fence before it."""
        start = lane - int(order.thread_of[lane])
        threads = slice(start, start + order.threads)
        own = fences.time[threads]
        limits = np.full(order.threads, order.block_limit[lane])
        warp = slice(*(np.array([0, 32]) + int(order.thread_of[lane]) // 32 * 32))
        limits[warp] = np.maximum(limits[warp], order.warp_limit[lane])
        times = np.where(own <= limits, own, 0)         # others' fences, before a barrier that this lane came to
        times[lane - start] = own[lane - start]
        if fences.time[lane]:
            times = np.maximum(times, fences.block[lane])
            times[warp] = np.maximum(times[warp], fences.warp[lane])
        if not times.any():
            return None
        clock = VectorClock({block: times})
        return clock.join(order.clocks.get(lane)) if fences.time[lane] else clock
