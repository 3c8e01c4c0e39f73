"""Special registers: %tid, %ctaid, %laneid, %clock64, ... (PTX ISA 10).

The table at the end says which exist; `mov` (moves.py) reads them.
"""

from __future__ import annotations

import time

import numpy as np

MULTIPROCESSORS = 132       # of an H200

U32 = np.uint32


class SpecialRegisters:
    """The values of one wave's special registers, as arrays over its lanes or one int."""

    def __init__(self):
        self.cache = {}

    def read(self, name: str, group):
        if name in CHANGING:
            return CHANGING[name](group.wave)
        value = self.cache.get(name)
        if value is None:
            value = self.cache[name] = FIXED[name](group.wave)
        if type(value) is int:
            return value
        # A copy: no two registers share an array, so that one can be written in place.
        return value.copy() if group.whole else (int(value[group.lanes[0]]) if group.count == 1
                                                 else value[group.lanes])


def _spread(values, over_lanes):
    """One int where all values are the same, else an array over lanes."""
    values = values.astype(U32)
    return int(values[0]) if (values == values[0]).all() else over_lanes(values)


def _of_threads(function):
    """A register that depends on the thread's number in its block: the same in every wave of a launch, and in every block."""
    return lambda wave: wave.launch.once((function, wave.blocks), lambda: _spread(
        function(wave.launch, np.arange(wave.threads)), lambda values: np.tile(values, wave.blocks)))


def _of_blocks(function):
    """A register that depends on the block's number: computed once for each block of the wave."""
    return lambda wave: _spread(function(wave.launch, np.arange(wave.blocks) + wave.first_block),
                                lambda values: np.repeat(values, wave.threads))


def _along(axis: int, extent: str):
    """The x, y or z of a number, x running fastest."""
    def function(launch, number):
        x, y, _ = getattr(launch, extent)
        return number % x if axis == 0 else number // x % y if axis == 1 else number // (x * y)
    return function


def _lane_mask(bits):
    """The masks of PTX ISA 10.9 ff., from the bit of the lane itself."""
    return _of_threads(lambda launch, number: bits(np.uint64(1) << (number % 32).astype(np.uint64)))


FIXED = {
    "%laneid": _of_threads(lambda launch, number: number % 32),
    "%warpid": _of_threads(lambda launch, number: number // 32),
    "%nwarpid": lambda wave: 64,
    "%smid": _of_blocks(lambda launch, number: number % MULTIPROCESSORS),
    "%nsmid": lambda wave: MULTIPROCESSORS,
    "%gridid": lambda wave: 1,
    "%lanemask_eq": _lane_mask(lambda bit: bit),
    "%lanemask_lt": _lane_mask(lambda bit: bit - np.uint64(1)),
    "%lanemask_le": _lane_mask(lambda bit: bit * np.uint64(2) - np.uint64(1)),
    "%lanemask_gt": _lane_mask(lambda bit: ~(bit * np.uint64(2) - np.uint64(1))),
    "%lanemask_ge": _lane_mask(lambda bit: ~(bit - np.uint64(1))),
    "%dynamic_smem_size": lambda wave: wave.launch.dynamic_shared,
    "%total_smem_size": lambda wave: wave.launch.shared_bytes,
}
# Where the blocks of a cooperative launch count who has come to grid.sync, as cooperative_groups reads it; 0 for another launch.
FIXED["%envreg1"] = lambda wave: wave.launch.machine.grid_barrier >> 32
FIXED["%envreg2"] = lambda wave: wave.launch.machine.grid_barrier & 0xFFFFFFFF
for _axis, _name in enumerate("xyz"):
    FIXED[f"%tid.{_name}"] = _of_threads(_along(_axis, "block"))
    FIXED[f"%ctaid.{_name}"] = _of_blocks(_along(_axis, "grid"))
    FIXED[f"%ntid.{_name}"] = lambda wave, axis=_axis: wave.launch.block[axis]
    FIXED[f"%nctaid.{_name}"] = lambda wave, axis=_axis: wave.launch.grid[axis]

CHANGING = {
    "%clock": lambda wave: wave.launch.machine.clock() & 0xFFFFFFFF,
    "%clock_hi": lambda wave: wave.launch.machine.clock() >> 32 & 0xFFFFFFFF,
    "%clock64": lambda wave: wave.launch.machine.clock(),
    "%globaltimer": lambda wave: time.time_ns(),     # an H200's is the host's clock as well
    "%globaltimer_lo": lambda wave: time.time_ns() & 0xFFFFFFFF,
    "%globaltimer_hi": lambda wave: time.time_ns() >> 32,
}
OF_64_BITS = {"%clock64", "%globaltimer"}     # the others have 32; %gridid is read as either
