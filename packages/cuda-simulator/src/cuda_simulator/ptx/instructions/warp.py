"""Lanes of a warp that see each other: shfl, vote, match, redux, activemask (PTX ISA 9.7.9, 9.7.13).

A warp is 32 consecutive threads of a block. The `.sync` forms name the lanes that take part; a gate in front of
each keeps lanes until all the others named (and not exited) have come to the same place. All lanes of the group
then give their value to a table with one row for each warp, and each lane reads from its warp's row.
"""

from __future__ import annotations

import numpy as np

from ..program import Pair
from ..types import TYPES
from .forms import form
from .steps import End, InstructionStep

GATED = {"shfl", "vote", "match", "redux", "elect"}


def is_gated(opcode: str) -> bool:
    return opcode.split(".", 1)[0] in GATED or opcode.startswith("bar.warp")


class Warps:
    """How the lanes of one group lie in warps: lanes of a warp are neighbours, because lanes are in order."""

    def __init__(self, group):
        wave = group.wave
        thread = wave.launch.thread_numbers(wave.lanes)[group.lanes]
        self.lane_id = thread % 32
        self.warp = group.lanes - self.lane_id            # the number of the warp's first lane
        starts_warp = np.empty(group.count, bool)
        starts_warp[0] = True
        np.not_equal(self.warp[1:], self.warp[:-1], out=starts_warp[1:])
        self.starts = np.flatnonzero(starts_warp)         # where each warp starts in the group
        self.row = np.cumsum(starts_warp) - 1             # lane -> its warp's row in the table
        self.bit = np.left_shift(np.uint32(1), self.lane_id.astype(np.uint32))

    def ballot(self, predicate) -> np.ndarray:
        """One bit for each lane whose predicate holds, as a mask for each warp."""
        if type(predicate) is int:
            bits = self.bit if predicate else np.zeros_like(self.bit)
        else:
            bits = np.where(predicate, self.bit, np.uint32(0))
        return np.bitwise_or.reduceat(bits, self.starts)

    def table(self, values, fill=0):
        """A row of 32 values for each warp."""
        table = np.full((len(self.starts), 32), fill, values.dtype)
        table[self.row, self.lane_id] = values
        return table


def warps_of(group) -> Warps:
    """The group's Warps, kept for the next instruction of the same group."""
    cached = group.wave.known_warps
    if cached is not None and cached[0] is group.lanes:
        return cached[1]
    warps = Warps(group)
    group.wave.known_warps = (group.lanes, warps)
    return warps


def gate(instruction, code) -> End:
    """Let through the lanes whose warps are complete, and keep the others until more lanes come."""
    mask = instruction.operands[-1]
    slot = code.source(mask, TYPES["b32"])
    next_block = code.next_block
    gate_block = next_block - 1
    anywhere = instruction.opcode.startswith("bar.warp")

    def run(group):
        wave = group.wave
        if group.count == wave.alive:
            met(group, group.registers[slot])
            return next_block
        if (group.frame, gate_block) in wave.gathering:   # it ran on into the gate, where others of its warps may wait
            wave.put(group)
            return None
        warps = warps_of(group)
        here_mask = warps.ballot(1)
        alive = alive_masks(wave, group.lanes[warps.starts] - warps.lane_id[warps.starts])
        value = group.registers[slot]
        named = np.uint32(value) if type(value) is int else np.bitwise_or.reduceat(value, warps.starts)
        needed = alive & named
        complete = (needed & ~here_mask) == 0
        if anywhere and not complete.all():
            complete |= meet_elsewhere(wave, (group.frame, gate_block), group, warps, needed)
        if complete.all():
            met(group, value)
            return next_block
        going = complete[warps.row]
        group.write_back(code.blocks[gate_block].live_in)
        wave.gathering[group.frame, gate_block] = group.part(~going, gate_block)
        if going.any():
            part = group.part(going, next_block)
            met(part, value if type(value) is int else value[going])
            wave.put(part)
        return None

    def met(group, masks):
        if anywhere and group.wave.launch.examiner is not None:     # shuffles and votes order no memory
            group.wave.examined.warp_sync(group, masks)

    return End(run, (slot,), (), (next_block,), instruction)


def meet_elsewhere(wave, key, group, warps, needed) -> np.ndarray:
    """__syncwarp: threads of a warp may wait for each other in different places (PTX ISA, bar.warp.sync).

    Lets go those that wait elsewhere for warps of this group that are now complete; returns which these warps are.
    """
    elsewhere = [(where, waiting) for where, waiting in wave.gathering.items()
                 if where != key and where[0].code.blocks[where[1]].end.instruction.opcode.startswith("bar.warp")]
    if not elsewhere:
        return np.zeros(len(warps.starts), bool)
    is_waiting = np.zeros(wave.lanes + 32, bool)
    for waiting in (group, *(waiting for _, waiting in elsewhere)):
        is_waiting[waiting.lanes] = True
    first_lanes = warps.warp[warps.starts]
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    present = np.bitwise_or.reduce(np.where(is_waiting[first_lanes[:, None] + np.arange(32)], bits, np.uint32(0)), axis=1)
    complete = (needed & ~present) == 0
    for where, waiting in elsewhere:
        row = np.searchsorted(first_lanes, waiting.lanes - Warps(waiting).lane_id)
        row = np.minimum(row, len(first_lanes) - 1)
        going = (first_lanes[row] == waiting.lanes - Warps(waiting).lane_id) & complete[row]
        if going.any():
            del wave.gathering[where]
            if not going.all():
                wave.gathering[where] = waiting.part(~going)
            part = waiting.part(going, where[1] + 1)
            if wave.launch.examiner is not None:
                wave.examined.warp_sync(part, needed[row[going]])
            wave.put(part)
    return complete


def alive_masks(wave, first_lanes) -> np.ndarray:
    """For the warps that start at these lanes: a bit for each lane that has not exited."""
    thread = wave.launch.thread_numbers(wave.lanes)[first_lanes]
    length = np.minimum(32, wave.threads - thread)
    offsets = np.arange(32)
    exists = offsets < length[:, None]
    lanes = np.where(exists, first_lanes[:, None] + offsets, 0)
    alive = wave.lane_alive[lanes] & exists
    return np.bitwise_or.reduce(np.where(alive, np.uint32(1) << offsets.astype(np.uint32), np.uint32(0)), axis=1)


# ---- shfl ----------------------------------------------------------------------------------------------------

# The lane whose value each lane wants.
OTHER_LANE = {
    "up": lambda lane, b, segment: lane - b,
    "down": lambda lane, b, segment: lane + b,
    "bfly": lambda lane, b, segment: lane ^ b,
    "idx": lambda lane, b, segment: (lane & segment) | (b & (31 ^ segment)),
}


@form("shfl.sync.mode.b32", mode=" ".join(OTHER_LANE))
def shfl(match, instruction, code):
    """d|p = shfl(a, b, c): each lane reads a of the lane that b and the clamp c select (PTX ISA 9.7.9.6)."""
    destination, a, b, c, mask = instruction.operands
    b32, pred = TYPES["b32"], TYPES["pred"]
    mask_slot = code.source(mask, b32)
    inside = code.destination(destination.second, pred) if isinstance(destination, Pair) else code.sink
    target = code.destination(destination.first if isinstance(destination, Pair) else destination, b32)
    value_slot, lane_slot, clamp_slot = (code.source(operand, b32) for operand in (a, b, c))
    mode = match["mode"]
    other_lane = OTHER_LANE[mode]

    def run(group):
        R = group.registers
        warps = warps_of(group)
        values = group.spread(R[value_slot], np.uint32)
        lane = warps.lane_id
        b, c = (value if type(value) is int else value.astype(np.int64) for value in (R[lane_slot], R[clamp_slot]))
        b, clamp, segment = b & 31, c & 31, c >> 8 & 31
        # `segment` has the bits of the lane number in which the lanes of one part of the warp agree.
        limit = (lane & segment) | (clamp & (31 ^ segment))
        chosen = other_lane(lane, b, segment)
        inside_range = chosen >= limit if mode == "up" else chosen <= limit
        chosen = np.where(inside_range, chosen, lane)
        R[target] = warps.table(values)[warps.row, chosen]
        if group.wave.launch.examiner is not None:
            _ask_the_ended(group, warps, chosen, R[mask_slot], instruction)
        R[inside] = inside_range if type(inside_range) is np.ndarray else np.full(group.count, inside_range)

    return InstructionStep(run, (value_slot, lane_slot, clamp_slot, mask_slot), (target, inside), instruction=instruction)


def _ask_the_ended(group, warps, chosen, masks, instruction):
    """Tell the examiner of lanes that want the value of one which their mask names: all that live are here, so it has ended."""
    named = group.spread(masks, np.uint32) >> chosen.astype(np.uint32) & 1 == 1
    ended = np.flatnonzero(named & ~warps.table(np.ones(group.count, bool))[warps.row, chosen])
    if len(ended):
        position = int(ended[0])
        group.wave.launch.examiner.report.shuffle(group.wave.examined, int(group.lanes[position]),
                                                  int(warps.warp[position] + chosen[position]), instruction, len(ended))


# ---- vote, activemask, match, redux --------------------------------------------------------------------------

# From the lanes that voted yes and those that voted at all.
OUTCOME = {
    "all": lambda ballot, voters: ballot == voters,
    "any": lambda ballot, voters: ballot != 0,
    "uni": lambda ballot, voters: (ballot == 0) | (ballot == voters),
    "ballot": lambda ballot, voters: ballot,
}


@form("vote.sync.mode.type", mode=" ".join(OUTCOME), type="pred b32")
@form("vote.mode.sync.type", mode=" ".join(OUTCOME), type="pred b32")       # so CUB has it
def vote(match, instruction, code):
    destination, predicate, mask = instruction.operands
    mode = match["mode"]
    outcome = OUTCOME[mode]
    target = code.destination(destination, TYPES["b32" if mode == "ballot" else "pred"])
    source, negated = code.predicate(predicate)
    mask_slot = code.source(mask, TYPES["b32"])

    def run(group):
        R = group.registers
        warps = warps_of(group)
        value, named = R[source], group.spread(R[mask_slot], np.uint32)
        if negated:
            value = value ^ 1 if type(value) is int else ~value
        voters = warps.ballot(1)[warps.row] & named
        ballot = warps.ballot(value)[warps.row] & named
        R[target] = outcome(ballot, voters)

    return InstructionStep(run, (source, mask_slot), (target,), instruction=instruction)


@form("activemask.b32")
def activemask(match, instruction, code):
    target = code.destination(instruction.operands[0], TYPES["b32"])

    def run(group):
        warps = warps_of(group)
        group.registers[target] = warps.ballot(1)[warps.row]

    return InstructionStep(run, (), (target,), instruction=instruction)


@form("match.mode.sync.type", mode="any all", type="b32 b64")
def match_sync(match, instruction, code):
    """Which lanes of the warp hold the same value as this one; `all`: whether they all do."""
    destination, a, mask = instruction.operands
    type_, every = match.type(), match["mode"] == "all"
    target = code.destination(destination.first if isinstance(destination, Pair) else destination, TYPES["b32"])
    flag = code.destination(destination.second, TYPES["pred"]) if isinstance(destination, Pair) else code.sink  # of `all` alone
    source, mask_slot = code.source(a, type_), code.source(mask, TYPES["b32"])

    def run(group):
        R = group.registers
        warps = warps_of(group)
        values, named = group.spread(R[source], type_.storage), group.spread(R[mask_slot], np.uint32)
        is_active = warps.table(np.ones(group.count, bool))[warps.row]
        is_equal = (warps.table(values)[warps.row] == values[:, None]) & is_active
        bits = np.bitwise_or.reduce(np.where(is_equal, np.uint32(1) << np.arange(32, dtype=np.uint32), np.uint32(0)),
                                    axis=1) & named
        if every:
            agreed = bits == (warps.ballot(1)[warps.row] & named)
            bits = np.where(agreed, bits, np.uint32(0))
            R[flag] = agreed
        R[target] = bits

    return InstructionStep(run, (source, mask_slot), (target, flag) if every else (target,), instruction=instruction)


REDUCTIONS = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
              "xor": np.bitwise_xor}


@form("redux.sync.op.type", op="add min max", type="u32 s32")
@form("redux.sync.op.type", op="and or xor", type="b32")
def redux(match, instruction, code):
    """A reduction over the lanes of each warp that have the same mask."""
    destination, a, mask = instruction.operands
    type_ = match.type()
    target, source = code.destination(destination, type_), code.source(a, type_)
    mask_slot = code.source(mask, TYPES["b32"])
    operation = REDUCTIONS[match["op"]]

    def run(group):
        R = group.registers
        warps = warps_of(group)
        values = group.spread(R[source], type_.storage).view(type_.dtype)
        named = group.spread(R[mask_slot], np.uint32)
        # Lanes of a warp that name different masks are different reductions.
        order = np.lexsort((named, warps.warp))
        key_warp, key_mask = warps.warp[order], named[order]
        starts_set = np.concatenate(([True], (key_warp[1:] != key_warp[:-1]) | (key_mask[1:] != key_mask[:-1])))
        reduced = operation.reduceat(values[order], np.flatnonzero(starts_set), dtype=type_.dtype)
        result = np.empty(group.count, type_.dtype)
        result[order] = reduced[np.cumsum(starts_set) - 1]
        R[target] = result.view(type_.storage)

    return InstructionStep(run, (source, mask_slot), (target,), instruction=instruction)


@form("bar.warp.sync")
def bar_warp(match, instruction, code):
    """__syncwarp: the gate in front of it is all there is to do."""
    return InstructionStep(lambda group: None, (code.source(instruction.operands[0], TYPES["b32"]),), instruction=instruction)


@form("elect.sync")
def elect(match, instruction, code):
    """The lowest lane that takes part is elected."""
    destination, mask = instruction.operands
    target = code.destination(destination.first, TYPES["b32"])
    elected, mask_slot = code.destination(destination.second, TYPES["pred"]), code.source(mask, TYPES["b32"])

    def run(group):
        R = group.registers
        warps = warps_of(group)
        members = warps.ballot(1)[warps.row] & group.spread(R[mask_slot], np.uint32)
        lowest = members & (~members + np.uint32(1))
        R[target] = np.log2(lowest).astype(np.uint32)      # a power of two: exact
        R[elected] = warps.bit == lowest

    return InstructionStep(run, (mask_slot,), (target, elected), instruction=instruction)
