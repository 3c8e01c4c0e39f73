"""Watching a kernel, as only a simulation can; and how accesses coalesce.

An observer is anything with these methods; `run(..., observer=...)` calls them for every instruction:

    access(group, instruction, space, addresses, size, access)   before the lanes of a group touch memory
    step(group, instruction)                                      after they have done an instruction
    end(group, end)                                               before they branch, wait, call or return
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SECTOR = 32         # bytes that one memory transaction moves (CUDA Best Practices Guide, coalesced access)


class Observer:
    """Does nothing; others override what they want to see."""

    def access(self, group, instruction, space, addresses, size, access):
        pass

    def step(self, group, instruction):
        pass

    def end(self, group, end):
        pass


@dataclass
class AccessCost:
    """What one memory instruction cost, summed over all warps that executed it."""
    instruction: object
    space: str
    access: str
    requests: int = 0           # warps that executed it
    lanes: int = 0
    transactions: int = 0       # 32-byte sectors that those warps touched
    bytes_wanted: int = 0

    @property
    def efficiency(self) -> float:
        """The bytes that lanes asked for, as a part of those that moved."""
        return self.bytes_wanted / (self.transactions * SECTOR)


class Transactions(Observer):
    """Counts memory transactions for each load, store and atomic: `counts` maps a PTX line to its AccessCost."""

    def __init__(self):
        self.counts: dict[int, AccessCost] = {}

    def access(self, group, instruction, space, addresses, size, access):
        if space not in ("global", "generic"):
            return
        wave = group.wave
        entry = self.counts.setdefault(instruction.line, AccessCost(instruction, space, access))
        addresses = group.spread(addresses, np.uint64).astype(np.int64)
        # A warp is known by the number of its first lane in the wave.
        warp = group.lanes - wave.launch.thread_numbers(wave.lanes)[group.lanes] % 32
        first_sector, last_sector = addresses // SECTOR, (addresses + size - 1) // SECTOR
        touched = np.unique(np.stack((np.concatenate((warp, warp)), np.concatenate((first_sector, last_sector)))), axis=1)
        entry.requests += len(np.unique(warp))
        entry.transactions += touched.shape[1]
        entry.lanes += group.count
        entry.bytes_wanted += group.count * size
