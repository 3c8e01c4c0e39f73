"""Barriers: bar.sync, bar.arrive, bar.red and their `barrier` spellings (PTX ISA 9.7.13.1).

A barrier belongs to one block and has a number from 0 to 15. Lanes that come to it are counted, block by
block, and parked; when a block's count is complete, its lanes go on. Complete means: as many threads as the
instruction says, or, where it says nothing, all threads of the block that have not exited.

A Bar is one such instruction of the program; Barriers are the counts of a wave while it runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ILLEGAL_INSTRUCTION
from ..program import Immediate
from ..types import TYPES
from ..wave import Group
from .forms import form
from .steps import End

NUMBERS = 16


@dataclass
class Parked:
    """Lanes that wait at a barrier, and the instruction that brought them there."""
    bar: Bar
    number: int
    group: Group


class Barriers:
    """The barriers of one wave's blocks: a row for each number, a column for each block."""

    def __init__(self, wave):
        self.arrived = np.zeros((NUMBERS, wave.blocks), np.int64)    # threads that have come
        self.expected = np.zeros((NUMBERS, wave.blocks), np.int64)   # 0: all that are alive
        self.votes = np.zeros((NUMBERS, wave.blocks), np.int64)      # bar.red: predicates that were true
        self.parked: list[Parked] = []

    def arrive(self, bar, group, number, count, ballot):
        """Lanes of a group come to barrier `number`; those that wait are parked there."""
        wave = group.wave
        blocks = group.blocks()
        self.arrived[number] += np.bincount(blocks, minlength=wave.blocks)
        self.expected[number][blocks] = count
        if ballot is not None:
            self.votes[number] += np.bincount(blocks, weights=group.spread(ballot, bool),
                                              minlength=wave.blocks).astype(np.int64)
        if wave.examined is not None:
            wave.examined.arrive(group.lanes, number)
        if bar.waits:
            group.dirty.discard(bar.target)     # its result comes with the release
            group.write_back(group.live_out)
            self.parked.append(Parked(bar, number, group))

    def check(self, wave):
        """Let the lanes of every complete barrier go on."""
        for number in {entry.number for entry in self.parked}:
            arrived, expected = self.arrived[number], self.expected[number]
            complete = (arrived > 0) & (arrived >= np.where(expected == 0, wave.alive_in_block, expected))
            if complete.any():
                self._release(wave, number, complete)

    def _release(self, wave, number, complete):
        """Move the lanes of the blocks that are complete behind the barrier, and start its counts anew."""
        parked, self.parked = self.parked, []
        all_released = []
        for entry in parked:
            if entry.number != number:
                self.parked.append(entry)
                continue
            bar, group = entry.bar, entry.group
            going = complete[wave.block_of[group.lanes]]
            if not going.all():
                self.parked.append(Parked(bar, number, group.part(~going)))
            if going.any():
                released = group.part(going, bar.next_block)
                if bar.reduction:
                    self._answer(released, number, bar)
                all_released.append((bar, released))
        if wave.examined is not None:
            wave.launch.examiner.released(wave, number, np.flatnonzero(complete), all_released)
        for _, released in all_released:
            wave.put_apart(released)
        self.arrived[number][complete] = 0
        self.votes[number][complete] = 0

    def _answer(self, group, number, bar):
        """bar.red: every lane gets the count, or whether all or any predicates of its block were true."""
        blocks = group.blocks()
        votes, arrived = self.votes[number][blocks], self.arrived[number][blocks]
        answer = {"popc": votes.astype(np.uint32), "and": votes == arrived, "or": votes > 0}[bar.reduction]
        group.registers[bar.target] = answer
        group.dirty.add(bar.target)
        group.write_back({bar.target})


class Bar:
    """One instruction: bar.sync number{, count}, or bar.red result, number{, count}, predicate."""

    def __init__(self, instruction, code, waits=True, reduction=None):
        self.instruction, self.waits, self.reduction = instruction, waits, reduction
        self.next_block = code.next_block
        operands = list(instruction.operands)
        self.target = self.vote = None      # slots of the result and of the predicate
        if reduction:
            self.target = code.destination(operands.pop(0), TYPES["u32" if reduction == "popc" else "pred"])
            self.vote, self.negated = code.predicate(operands.pop())
        number, count = (*operands, None)[:2]
        if isinstance(number, Immediate) and not 0 <= number.value < NUMBERS:
            code.refuse(instruction, f"there is no barrier {number.value}: they are 0 to {NUMBERS - 1}")
        if isinstance(count, Immediate) and count.value % 32:
            code.refuse(instruction, "a barrier counts threads in whole warps")
        if len(operands) > 2 or not self.waits and count is None:
            code.refuse(instruction, "a barrier's number, and how many threads")
        self.number = code.source(operands[0], TYPES["u32"])
        self.count = code.source(operands[1], TYPES["u32"]) if len(operands) > 1 else None

    def end(self) -> End:
        """The instruction as the end of a basic block."""
        reads = tuple(slot for slot in (self.number, self.count, self.vote) if slot is not None)
        return End(self.run, reads, () if self.target is None else (self.target,), (self.next_block,),
                   self.instruction)

    def run(self, group):
        wave, R = group.wave, group.registers
        number, count = R[self.number], 0 if self.count is None else R[self.count]
        examiner = wave.launch.examiner
        if self._everybody_is_here(group, number, count):
            if examiner is None:
                return self.next_block
            examiner.everybody_came(group, self.instruction)
            group.write_back(group.live_out)
            wave.put_apart(group.part(slice(None), self.next_block))
            return None
        if wave.barriers is None:
            wave.barriers = Barriers(wave)
        largest = number if type(number) is int else int(number.max())
        if largest >= NUMBERS:
            raise wave.launch.fault(ILLEGAL_INSTRUCTION, f"there is no barrier {largest}", group, 0,
                                    self.instruction)
        if type(number) is int:
            wave.barriers.arrive(self, group, number, count, self._ballot(R))
        else:
            self._arrive_at_several(group, number, count, self._ballot(R))
        if not self.waits:
            group.write_back(group.live_out)
            wave.put(group.part(slice(None), self.next_block))
        wave.barriers.check(wave)
        return None

    def _everybody_is_here(self, group, number, count) -> bool:
        """Whether all living lanes of the wave are in this group, and so nobody has to wait."""
        wave = group.wave
        return (group.count == wave.alive and self.waits and not self.reduction and type(number) is int
                and type(count) is int and count == 0
                and (wave.barriers is None or not wave.barriers.arrived[number].any()))

    def _ballot(self, R):
        """The predicate of bar.red, negated where the instruction says !p."""
        if self.vote is None:
            return None
        ballot = R[self.vote]
        if not self.negated:
            return ballot
        return ballot ^ 1 if type(ballot) is int else ~ballot

    def _arrive_at_several(self, group, numbers, count, ballot):
        """Warps may name different barriers at the same instruction."""
        group.write_back(group.live_out)
        for number in np.unique(numbers).tolist():
            chosen = numbers == number
            its_count, its_ballot = (value[chosen] if isinstance(value, np.ndarray) else value
                                     for value in (count, ballot))
            group.wave.barriers.arrive(self, group.part(chosen), number, its_count, its_ballot)


@form("bar{.cta}.sync")
@form("barrier{.cta}.sync{.aligned}")
def bar_sync(match, instruction, code):
    """__syncthreads, or a barrier with a number and a count."""
    return Bar(instruction, code).end()


@form("bar{.cta}.arrive")
@form("barrier{.cta}.arrive{.aligned}")
def bar_arrive(match, instruction, code):
    """Be counted, and go on."""
    return Bar(instruction, code, waits=False).end()


@form("bar{.cta}.red.op.type", op="popc and or", type="u32 pred")
@form("barrier{.cta}.red.op{.aligned}.type", op="popc and or", type="u32 pred")
def bar_red(match, instruction, code):
    """__syncthreads_count, _and, _or: a barrier that also puts the threads' predicates together."""
    return Bar(instruction, code, reduction=match["op"]).end()
