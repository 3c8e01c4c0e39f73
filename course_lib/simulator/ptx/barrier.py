"""Barriers: bar.sync, bar.arrive, bar.red and their `barrier` spellings (PTX ISA 9.7.13.1).

A barrier belongs to one block and has a number from 0 to 15. Lanes that come to it are counted, block by
block, and parked; when a block's count is complete, its lanes go on. Complete means: as many threads as the
instruction says, or, where it says nothing, all threads of the block that have not exited.
"""

from __future__ import annotations

import numpy as np

from .control import End
from .errors import ILLEGAL_INSTRUCTION
from .table import form
from .types import TYPES
from .wave import Group

NUMBERS = 16


class Barriers:
    """The barriers of one wave's blocks, and the groups parked at them."""

    def __init__(self, wave):
        self.arrived = np.zeros((NUMBERS, wave.blocks), np.int64)
        self.expected = np.zeros((NUMBERS, wave.blocks), np.int64)   # 0: all that are alive
        self.votes = np.zeros((NUMBERS, wave.blocks), np.int64)      # bar.red: predicates that were true
        self.parked = []                                             # (number, group, next pc, reduction, target)

    def arrive(self, group, number, count, next_block, waits, vote, reduction, target):
        """Lanes of a group come to barrier `number`; those that wait are parked there."""
        wave = group.wave
        blocks = group.blocks()
        self.arrived[number] += np.bincount(blocks, minlength=wave.blocks)
        self.expected[number][blocks] = count
        if vote is not None:
            self.votes[number] += np.bincount(blocks, weights=group.spread(vote, bool),
                                              minlength=wave.blocks).astype(np.int64)
        if waits:
            group.write_back(wave_live(group))
            self.parked.append((number, group, next_block, reduction, target))

    def check(self, wave):
        """Let the lanes of every complete barrier go on."""
        for number in {number for number, *_ in self.parked}:
            arrived, expected = self.arrived[number], self.expected[number]
            complete = (arrived > 0) & (arrived >= np.where(expected == 0, wave.alive_in_block, expected))
            if complete.any():
                self._release(wave, number, complete)

    def _release(self, wave, number, complete):
        parked, self.parked = self.parked, []
        for entry in parked:
            its_number, group, next_block, reduction, target = entry
            if its_number != number:
                self.parked.append(entry)
                continue
            going = complete[wave.block_of[group.lanes]]
            if not going.all():
                staying = Group(wave, group.frame, group.pc, group.lanes[~going])
                self.parked.append((number, staying, next_block, reduction, target))
            if going.any():
                released = Group(wave, group.frame, next_block, group.lanes[going])
                if reduction:
                    self._answer(released, number, reduction, target)
                wave.put(released)
        self.arrived[number][complete] = 0
        self.votes[number][complete] = 0

    def _answer(self, group, number, reduction, target):
        """bar.red: every lane gets the count, or whether all or any predicates of its block were true."""
        blocks = group.blocks()
        votes, arrived = self.votes[number][blocks], self.arrived[number][blocks]
        answer = {"popc": votes.astype(np.uint32), "and": votes == arrived, "or": votes > 0}[reduction]
        group.registers[target] = answer
        group.dirty.add(target)
        group.write_back({target})


def wave_live(group):
    return group.frame.code.blocks[group.pc].live_out


def _end(match, instruction, code, waits=True, reduction=None):
    operands = list(instruction.operands)
    target = vote = None
    negated = False
    if reduction:
        target = code.destination(operands.pop(0), TYPES["u32" if reduction == "popc" else "pred"])
        vote, negated = code.predicate(operands.pop())
    number_slot = code.source(operands[0], TYPES["u32"])
    count_slot = code.source(operands[1], TYPES["u32"]) if len(operands) > 1 else None
    next_block = code.next_block

    def run(group):
        wave = group.wave
        R = group.registers
        number = R[number_slot]
        count = 0 if count_slot is None else R[count_slot]
        if group.count == wave.alive and waits and not reduction and count == 0 and type(number) is int \
                and (wave.barriers is None or not wave.barriers.arrived[number].any()):
            return next_block           # everybody is here: nobody has to wait
        if wave.barriers is None:
            wave.barriers = Barriers(wave)
        ballot = None
        if vote is not None:
            ballot = R[vote]
            ballot = (ballot ^ 1 if type(ballot) is int else ~ballot) if negated else ballot
        numbers = [number] if type(number) is int else np.unique(number).tolist()
        if max(numbers) >= NUMBERS:
            raise wave.launch.fault(ILLEGAL_INSTRUCTION, f"there is no barrier {max(numbers)}", group, 0, instruction)
        for one in numbers:
            part, its_count, its_ballot = group, count, ballot
            if len(numbers) > 1:        # warps that name different barriers at the same instruction
                chosen = number == one
                group.write_back(wave_live(group))
                part = Group(wave, group.frame, group.pc, group.lanes[chosen])
                its_count = count if type(count) is int else count[chosen]
                its_ballot = ballot if ballot is None or type(ballot) is int else ballot[chosen]
            wave.barriers.arrive(part, one, its_count, next_block, waits, its_ballot, reduction, target)
        if not waits:
            group.write_back(wave_live(group))
            wave.put(Group(wave, group.frame, next_block, group.lanes))
        wave.barriers.check(wave)
        return None

    reads = tuple(slot for slot in (number_slot, count_slot, vote) if slot is not None)
    return End(run, reads, () if target is None else (target,), (next_block,), instruction)


@form("bar{.cta}.sync")
@form("barrier{.cta}.sync{.aligned}")
def bar_sync(match, instruction, code):
    return _end(match, instruction, code)


@form("bar{.cta}.arrive")
@form("barrier{.cta}.arrive{.aligned}")
def bar_arrive(match, instruction, code):
    return _end(match, instruction, code, waits=False)


@form("bar{.cta}.red.op.type", op="popc and or", type="u32 pred")
@form("barrier{.cta}.red.op{.aligned}.type", op="popc and or", type="u32 pred")
def bar_red(match, instruction, code):
    return _end(match, instruction, code, reduction=match["op"])
