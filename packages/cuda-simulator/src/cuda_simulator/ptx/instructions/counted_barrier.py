"""Barriers in shared memory: mbarrier, and cp.async.mbarrier.arrive (PTX ISA 9.7.13.15). cuda::barrier is made of them.

Such a barrier counts arrivals down; the last one completes the phase, and the count begins anew. Its 64 bits are opaque to a program.
Here they are, from the lowest: 20 of the arrivals that are pending, 20 of those that a phase expects, 21 of the bytes that are on their
way (bulk copies), and 3 of the number of the phase.

Not here: the copies (async_copies.py), and barriers of another block of a cluster.
"""

from __future__ import annotations

import numpy as np

from ..types import TYPES
from .atomics import apply
from .forms import form
from .memory_access import addresses_of, gather, reach, scatter, space_of
from .steps import InstructionStep

COUNT = (1 << 20) - 1       # the most that a barrier can count
EXPECTED, BYTES, PHASE = 20, 40, 61         # where these begin
ON_THEIR_WAY = (1 << PHASE - BYTES) - 1
STATE, NUMBER, ANSWER = TYPES["b64"], TYPES["u32"], TYPES["pred"]
_WORDS = {"ss": "shared shared::cta", "sem": "release relaxed acquire", "scope": "cta cluster"}


def changed(state: int, count: int = 0, drop: int = 0, nbytes: int = 0) -> int:
    """The barrier after `count` threads came, `drop` of which will not come to the next phase, and `nbytes` more are on their way."""
    pending, expected = (state & COUNT) - count, (state >> EXPECTED & COUNT) - drop
    bytes_to_come, phase = (state >> BYTES) + nbytes & ON_THEIR_WAY, state >> PHASE
    if pending <= 0 and not bytes_to_come:
        pending, phase = expected, phase + 1
    return (phase << PHASE | bytes_to_come << BYTES | expected << EXPECTED | max(pending, 0)) & STATE.mask


def change(places, count=0, drop=0, nbytes=0):
    """Do this to the barriers of lanes, in lane order; each is an int or an array. Returns what each lane found."""
    unique, inverse = np.unique(places, return_inverse=True)
    memory, states = gather(unique, 64).tolist(), np.empty(len(places), np.uint64)
    columns = [np.broadcast_to(value, len(places)).tolist() for value in (count, drop, nbytes)]
    for lane, (place, *changes) in enumerate(zip(inverse.tolist(), *columns)):
        states[lane] = memory[place]
        memory[place] = changed(memory[place], *changes)
    scatter(unique, 64, np.array(memory, np.uint64))
    return states


def arrive(places, counts):
    """Lanes come; returns what each found."""
    unique, inverse = np.unique(places, return_inverse=True)
    together = np.bincount(inverse, weights=counts).astype(np.uint64)
    if np.all(together < gather(unique, 64) & np.uint64(COUNT)):        # no phase ends: a sum does it
        return apply("add", TYPES["u64"], "shared", places, [np.uint64(0) - counts])
    return change(places, counts)


@form("mbarrier.init{.ss}.b64", **_WORDS)
def init(match, instruction, code):
    """A barrier for `count` arrivals."""
    address, count = instruction.operands
    space, (base, offset), count = space_of(match, address, code), code.address(address), code.source(count, NUMBER)

    def run(group):
        places = reach(group, instruction, space, addresses_of(group, base, offset), 8, "write", (count,))
        counts = group.registers[count]
        counts = counts & COUNT if type(counts) is int else counts.astype(np.uint64) & np.uint64(COUNT)
        scatter(places, 64, counts << EXPECTED | counts if type(counts) is int else counts << np.uint64(EXPECTED) | counts)

    return InstructionStep(run, (base, count), instruction=instruction)


@form("mbarrier.inval{.ss}.b64", **_WORDS)
def inval(match, instruction, code):
    """Nothing has to happen: the memory may be used for something else."""
    address, = instruction.operands
    space, (base, offset) = space_of(match, address, code), code.address(address)

    def run(group):
        scatter(reach(group, instruction, space, addresses_of(group, base, offset), 8, "write"), 64, 0)

    return InstructionStep(run, (base,), instruction=instruction)


@form("mbarrier.how{.noComplete}{.sem}{.scope}{.ss}.b64", how="arrive arrive_drop", **_WORDS)
@form("mbarrier.how.expect_tx{.sem}{.scope}{.ss}.b64", how="arrive arrive_drop", **_WORDS)
@form("cp.async.mbarrier.arrive{.noinc}{.ss}.b64", **_WORDS)
def comes(match, instruction, code):
    """Be counted, and go on: mbarrier.arrive state, [barrier]{, count}. The state says which phase it was.

    With expect_tx the number is of bytes. After asynchronous copies, which are complete here already, the barrier counts one
    arrival more, and then it: without .noinc nothing changes.
    """
    operands, copies = list(instruction.operands), instruction.opcode.startswith("cp")
    target = None if copies else code.destination(operands.pop(0), STATE)
    address, *counts = operands
    space, (base, offset) = space_of(match, address, code), code.address(address)
    count = code.source(counts[0], NUMBER) if counts else code.constant(1, NUMBER)
    drop, changes = match["how"] == "arrive_drop", not copies or ".noinc" in instruction.opcode
    of_bytes = ".expect_tx" in instruction.opcode

    def run(group):
        examiner = group.wave.launch.examiner
        if copies and examiner is not None:
            examiner.copies(group, "wait_all", None)
        places = reach(group, instruction, space, addresses_of(group, base, offset), 8, "atomic")
        if changes:
            places, counts = group.spread(places, np.int64), group.spread(group.registers[count], np.uint64)
            if of_bytes:
                states = change(places, 1, drop, counts)
            else:
                states = change(places, counts, counts) if drop else arrive(places, counts)
            if target is not None:
                group.registers[target] = states if group.count > 1 else int(states[0])

    return InstructionStep(run, (base, count), () if target is None else (target,), instruction=instruction)


@form("mbarrier.how{.sem}{.scope}{.ss}.b64", how="expect_tx complete_tx", **_WORDS)
def on_their_way(match, instruction, code):
    """More bytes are on their way to this phase, or fewer."""
    address, nbytes = instruction.operands
    space, (base, offset), nbytes = space_of(match, address, code), code.address(address), code.source(nbytes, NUMBER)
    sign = 1 if match["how"] == "expect_tx" else -1

    def run(group):
        places = reach(group, instruction, space, addresses_of(group, base, offset), 8, "atomic")
        change(group.spread(places, np.int64), nbytes=sign * group.spread(group.registers[nbytes], np.int64))

    return InstructionStep(run, (base, nbytes), instruction=instruction)


@form("mbarrier.how{.parity}{.sem}{.scope}{.ss}.b64", how="test_wait try_wait", **_WORDS)
def is_over(match, instruction, code):
    """Is the phase over that the state is of, or the last one of this parity? The time that try_wait may sleep is not waited."""
    answer, address, phase, *_ = instruction.operands
    target, space, (base, offset) = code.destination(answer, ANSWER), space_of(match, address, code), code.address(address)
    by_parity = "parity" in match
    phase = code.source(phase, NUMBER if by_parity else STATE)

    def run(group):
        state = gather(reach(group, instruction, space, addresses_of(group, base, offset), 8, "read"), 64)
        awaited = group.registers[phase]
        if type(state) is int and type(awaited) is int:
            group.registers[target] = int((state >> PHASE ^ awaited) & 1 if by_parity else state >> PHASE != awaited >> PHASE)
            return
        state, awaited = group.spread(state, np.uint64) >> np.uint64(PHASE), group.spread(awaited, np.uint64)
        over = (state ^ awaited) & np.uint64(1) if by_parity else state ^ awaited >> np.uint64(PHASE)
        group.registers[target] = over != 0

    return InstructionStep(run, (base, phase), (target,), instruction=instruction)


@form("mbarrier.pending_count.b64")
def pending_count(match, instruction, code):
    """How many arrivals a phase waited for when its state was taken."""
    target, state = code.destination(instruction.operands[0], NUMBER), code.source(instruction.operands[1], STATE)

    def run(group):
        value = group.registers[state]
        group.registers[target] = value & COUNT if type(value) is int else (value & np.uint64(COUNT)).astype(np.uint32)

    return InstructionStep(run, (state,), (target,), instruction=instruction)
