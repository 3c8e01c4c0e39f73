"""Asynchronous copies: cp.async and cp.async.bulk, and their waits (PTX ISA 9.7.9.25).

The copy is made at once. A program that forgets to wait would read old data on hardware and new data here.
"""

from __future__ import annotations

import numpy as np

from ..types import TYPES
from .counted_barrier import change
from .forms import form
from .memory_access import addresses_of, gather, reach, scatter
from .steps import InstructionStep


@form("cp.async.cop.shared.global{.prefetch}", cop="ca cg", prefetch="L2::64B L2::128B L2::256B")
@form("cp.async.cop.shared::cta.global{.prefetch}", cop="ca cg", prefetch="L2::64B L2::128B L2::256B")
def cp_async(match, instruction, code):
    """cp.async [shared], [global], size, source size: what the source does not cover becomes zero."""
    target, source, size, *source_size = instruction.operands
    to_base, to_offset = code.address(target)
    from_base, from_offset = code.address(source)
    bytes_ = size.value
    covered = code.source(source_size[0], TYPES["u32"]) if source_size else None

    def run(group):
        to_places = reach(group, instruction, "shared", addresses_of(group, to_base, to_offset), bytes_, "write")
        from_places = reach(group, instruction, "global", addresses_of(group, from_base, from_offset), bytes_, "read")
        to_places, from_places = group.spread(to_places, np.int64), group.spread(from_places, np.int64)
        for part in range(0, bytes_, 4):
            value = group.spread(gather(from_places + part, 32), np.uint32)
            if covered is not None:
                value = np.where(group.spread(group.registers[covered], np.uint32) > part, value, np.uint32(0))
            scatter(to_places + part, 32, value)

    reads = (to_base, from_base) if covered is None else (to_base, from_base, covered)
    return InstructionStep(run, reads, instruction=instruction)


@form("cp.async.bulk.to.global.mbarrier::complete_tx::bytes", to="shared::cluster shared::cta")
@form("cp.async.bulk.global.shared::cta.bulk_group")
def cp_async_bulk(match, instruction, code):
    """cp.async.bulk [to], [from], size{, [barrier]}: a whole row at once; a barrier hears of its bytes."""
    target, source, size, *barrier = instruction.operands
    (to_base, to_offset), (from_base, from_offset) = code.address(target), code.address(source)
    size = code.source(size, TYPES["u32"])
    to_space, from_space = ("shared", "global") if barrier else ("global", "shared")
    barrier_base, barrier_offset = code.address(barrier[0]) if barrier else (None, 0)

    def run(group):
        sizes = group.spread(group.registers[size], np.uint32)
        for nbytes in np.unique(sizes).tolist():
            copy(group if (sizes == nbytes).all() else group.part(sizes == nbytes), nbytes)
        if group.wave.launch.examiner is not None and barrier:
            group.wave.launch.examiner.copies(group, "wait_all", None)
        if barrier:
            places = reach(group, instruction, "shared", addresses_of(group, barrier_base, barrier_offset), 8, "atomic")
            change(group.spread(places, np.int64), nbytes=-sizes.astype(np.int64))

    def copy(group, nbytes):
        for part in range(0, nbytes, 16):
            to_places = reach(group, instruction, to_space, addresses_of(group, to_base, to_offset + part), 16, "write")
            from_places = reach(group, instruction, from_space, addresses_of(group, from_base, from_offset + part), 16, "read")
            to_places, from_places = group.spread(to_places, np.int64), group.spread(from_places, np.int64)
            for half in (0, 8):
                scatter(to_places + half, 64, gather(from_places + half, 64))

    reads = (to_base, from_base, size) if barrier_base is None else (to_base, from_base, size, barrier_base)
    return InstructionStep(run, reads, instruction=instruction)


@form("cp.async{.bulk}.commit_group")
@form("cp.async{.bulk}.wait_group{.read}")
@form("cp.async.wait_all")
def cp_wait(match, instruction, code):
    """Nothing is left to wait for; an examiner hears who waited for what."""
    action = next(word for word in match.opcode.split(".") if word.endswith(("group", "all")))
    except_last = instruction.operands[0].value if instruction.operands else None

    def run(group):
        examiner = group.wave.launch.examiner
        if examiner is not None:
            examiner.copies(group, action, except_last)

    return InstructionStep(run, instruction=instruction)
