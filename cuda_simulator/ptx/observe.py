"""Watching a kernel, as only a simulation can: a trace of chosen lanes, and how accesses coalesce.

An observer is anything with these methods; `run(..., observer=...)` calls them for every instruction:

    access(group, instruction, space, addresses, size, access)   before the lanes of a group touch memory
    step(group, instruction)                                      after they have done an instruction
    end(group, end)                                               before they branch, wait, call or return
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from .program import Register, Vector
from .types import TYPES

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
class Access:
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
    """Counts memory transactions for each load, store and atomic: `counts` maps a PTX line to its Access."""

    def __init__(self):
        self.counts: dict[int, Access] = {}

    def access(self, group, instruction, space, addresses, size, access):
        if space not in ("global", "generic"):
            return
        wave = group.wave
        entry = self.counts.setdefault(instruction.line, Access(instruction, space, access))
        addresses = group.spread(addresses, np.uint64).astype(np.int64)
        # A warp is known by the number of its first lane in the wave.
        warp = group.lanes - wave.launch.thread_numbers(wave.lanes)[group.lanes] % 32
        first, last = addresses // SECTOR, (addresses + size - 1) // SECTOR
        touched = np.unique(np.stack((np.concatenate((warp, warp)), np.concatenate((first, last)))), axis=1)
        entry.requests += len(np.unique(warp))
        entry.transactions += touched.shape[1]
        entry.lanes += group.count
        entry.bytes_wanted += group.count * size


@dataclass
class Trace(Observer):
    """What chosen threads do: `lines` gets one (block, thread, instruction, {register: value}) for each step."""
    threads: list               # [(block, thread)], each an (x, y, z)
    limit: int = 10000
    lines: list = field(default_factory=list)
    executed: Counter = field(default_factory=Counter)     # PTX line -> lanes that executed it

    def step(self, group, instruction):
        self.executed[instruction.line] += group.count
        launch = group.wave.launch
        for lane in self._lanes(group):
            if len(self.lines) < self.limit:
                position = int(np.searchsorted(group.lanes, lane))
                self.lines.append((*launch.position(group, position), instruction,
                                   written(group, instruction, position)))

    def _lanes(self, group):
        """The numbers of the chosen threads' lanes that are in this group."""
        launch, wave = group.wave.launch, group.wave
        for block, thread in self.threads:
            number = _number(block, launch.grid) - wave.first_block
            lane = number * wave.threads + _number(thread, launch.block)
            if 0 <= number < wave.blocks and lane in group.lanes:
                yield lane


def _number(position, extent) -> int:
    return (position[2] * extent[1] + position[1]) * extent[0] + position[0]


def written(group, instruction, position: int) -> dict:
    """The registers that an instruction names, with one lane's values after it."""
    code, found = group.frame.code, {}
    for operand in instruction.operands:
        for one in operand.items if isinstance(operand, Vector) else (operand,):
            if isinstance(one, Register) and one.name in code.slots:
                value = group.registers[code.slots[one.name]]
                if value is not None:
                    bits = value if type(value) is int else int(value[position])
                    found[one.name] = number(bits, code.function.registers[one.name])
    return found


def number(bits: int, type_):
    """A register's bits as the number of its declared type; untyped ones as they are."""
    if type_.kind in "fs" and type_.bits > 16:
        return np.array(bits, type_.storage).view(TYPES[type_.name].dtype)[()]
    return bits
