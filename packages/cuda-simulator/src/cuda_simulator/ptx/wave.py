"""Lanes, groups and frames: how many threads are run at once (SIMT).

A *wave* is as many blocks as are resident together. A *lane* is one thread of it, numbered block after block.
Lanes that are at the same instruction of the same call form a *group*, and an instruction is executed for a
whole group with a few NumPy operations. A register is an array over the group's lanes, or one int where all
lanes hold the same value.

Where lanes part (a branch), the group splits; where they meet again, groups merge. Each call has a *frame*
that keeps every lane's registers while its group is not running: a group loads what a basic block reads, and
writes back what it changed before it splits, merges or waits.

What runs when is scheduler.py's business, not decided here.
"""

from __future__ import annotations

import numpy as np

from .spaces import Windows
from .special import SpecialRegisters


class Frame:
    """One call of a function: a column of registers for each lane of the wave, and a piece of local memory."""

    def __init__(self, wave, code, parent=None, return_to=None, local_base=0, targets=()):
        self.code, self.parent, self.return_to = code, parent, return_to
        self.local_base = local_base
        self.targets = targets  # where the caller wants the results: [(offset, size)] in its local memory
        self.depth = parent.depth + 1 if parent else 0
        self.children = {}      # call site -> Frame: lanes that come to the same call later join it
        self.inside = 0         # lanes that have come to this call and have not returned from it
        self.registers = code.new_registers(wave, local_base)
        self.blank = code.no_registers(self.registers)
        self.own = set()        # registers whose array no other register shares: writable in place


class Group:
    """Lanes at one place of the program. `lanes` holds their numbers in ascending order."""

    __slots__ = ("wave", "frame", "pc", "lanes", "count", "whole", "registers", "dirty", "turns",
                 "idle", "state")

    def __init__(self, wave, frame, pc, lanes, turns=0):
        self.wave, self.frame, self.pc, self.lanes = wave, frame, pc, lanes
        self.count = len(lanes)
        self.turns = turns                          # loops made since others last had their turn
        self.whole = self.count == wave.lanes       # all lanes: work in the frame's registers themselves
        self.idle, self.state = 0, None             # turns in which nothing changed: scheduler.py
        self.dirty = set()
        if self.whole:
            frame.own.clear()
            self.registers = frame.registers
        else:
            self.registers = list(frame.blank)

    def load(self, slots):
        """Fetch the registers that a basic block reads."""
        R, home, lanes = self.registers, self.frame.registers, self.lanes
        for slot in slots:
            if R[slot] is None:
                value = home[slot]
                if type(value) is not int:
                    value = int(value[lanes[0]]) if self.count == 1 else value[lanes]
                R[slot] = value

    def write_back(self, live):
        """Store what this group changed and somebody still reads into the frame."""
        if self.whole:
            return
        home, own, size = self.frame.registers, self.frame.own, self.wave.lanes
        for slot in self.dirty & live:
            value, old = self.registers[slot], home[slot]
            if type(old) is int:
                if type(value) is int and (value == old or self.count == self.wave.alive):
                    home[slot] = value
                    continue
                old = np.full(size, old, self.frame.code.storage(slot))
            elif slot not in own:
                old = old.copy()
            old[self.lanes] = value
            home[slot] = old
            own.add(slot)
        self.dirty.clear()

    @property
    def live_out(self):
        """The registers that somebody still reads after the basic block where this group is."""
        return self.frame.code.blocks[self.pc].live_out

    def part(self, selection, pc: int | None = None):
        """Some of this group's lanes as a group that has loaded no registers yet, at `pc` or where this one is."""
        return Group(self.wave, self.frame, self.pc if pc is None else pc, self.lanes[selection])

    def elsewhere(self, frame, pc: int):
        """These lanes in another call: a loop that calls a function in each turn is still the same loop."""
        group = Group(self.wave, frame, pc, self.lanes, self.turns)
        group.idle, group.state = self.idle, self.state
        return group

    def blocks(self):
        """The block number within the wave of each lane."""
        return self.wave.block_of if self.whole else self.wave.block_of[self.lanes]

    def spread(self, value, dtype):
        """A register's value as an array with one element for each lane."""
        if type(value) is int:
            return np.full(self.count, value, dtype)
        return value


class Wave:
    """The blocks that are resident together, their shared and local memory, and their groups."""

    def __init__(self, launch, first_block: int, blocks: int):
        self.launch = launch
        self.first_block, self.blocks = first_block, blocks
        self.threads = launch.threads                       # of one block
        self.lanes = blocks * self.threads
        self.alive = self.lanes                             # lanes that have not exited
        self.alive_in_block = np.full(blocks, self.threads)
        self.lane_alive = np.ones(self.lanes, bool)
        self.numbers = launch.lane_numbers(self.lanes)
        self.block_of = launch.block_numbers(self.lanes)
        self.windows = Windows(launch, blocks)
        self.special = SpecialRegisters()
        self.ready = {}         # (frame, pc) -> Group that can run
        self.resting = {}       # groups that gave way to others, because they may be waiting for them
        self.gathering = {}     # groups that wait for more lanes of their warps
        self.held = []          # while examined: groups that run when all others wait
        self.examined = None    # what the examiner of the launch knows of this wave
        self.known_warps = None # of the group that last looked at its warps: warp.py
        self.barriers = None    # made by the first bar.sync: barrier.py
        root = Frame(self, launch.code)
        if launch.examiner is not None:
            launch.examiner.begin_wave(self)
        self.put_apart(Group(self, root, 0, self.numbers))

    # ---- groups ----------------------------------------------------------------------------------------------

    def put(self, group):
        """Add a group that can run; lanes at the same place of the same call become one group."""
        key = (group.frame, group.pc)
        for groups in (self.ready, self.resting, self.gathering):
            other = groups.pop(key, None)
            if other is not None:
                group = self.merge(group, other)
        self.ready[key] = group

    def put_apart(self, group):
        """Add a group of all that go on at once; a launch that is examined lets some of them go first."""
        if self.launch.examiner is None:
            self.put(group)
            return
        first, *later = self.launch.examiner.schedule.squads(group)
        if not later:
            self.put(group)
            return
        self.put(group.part(first))
        self.held += [group.part(squad) for squad in later]

    def merge(self, a, b):
        live = a.frame.code.blocks[a.pc].live_in
        a.write_back(live)
        b.write_back(live)
        if a.count + b.count == self.lanes:
            return Group(self, a.frame, a.pc, self.numbers, max(a.turns, b.turns))
        if a.count + b.count < self.lanes // 64:
            lanes = np.concatenate((a.lanes, b.lanes))
            lanes.sort()
        else:       # many lanes: marking them is faster than sorting
            is_member = np.zeros(self.lanes, bool)
            is_member[a.lanes] = is_member[b.lanes] = True
            lanes = np.flatnonzero(is_member)
        return Group(self, a.frame, a.pc, lanes, max(a.turns, b.turns))

    def split(self, group, parts):
        """Put parts of a group, [(pc, selection)], at new places; the group itself is no more."""
        group.write_back(group.live_out)
        for pc, selection in parts:
            self.put(Group(self, group.frame, pc, group.lanes[selection], group.turns + (pc <= group.pc)))

    # ---- leaving ---------------------------------------------------------------------------------------------

    def retire(self, group):
        """These lanes have exited: nobody waits for them any more."""
        self.alive -= group.count
        if not self.alive:
            return
        if self.blocks == 1:
            self.alive_in_block[0] -= group.count
        else:
            self.alive_in_block -= np.bincount(self.block_of[group.lanes], minlength=self.blocks)
        self.lane_alive[group.lanes] = False
        if self.barriers:
            self.barriers.check(self)
        for key in list(self.gathering):
            self.put(self.gathering.pop(key))

    def leave(self, frame, count):
        frame.inside -= count
        if not frame.inside:
            frame.parent.children = {site: child for site, child in frame.parent.children.items()
                                     if child is not frame}
