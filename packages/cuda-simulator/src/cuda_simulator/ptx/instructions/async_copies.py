"""Asynchronous copies to shared memory: cp.async and its waits (PTX ISA 9.7.9.25.3).

The copy is made at once. A program that forgets to wait would read old data on hardware and new data here.
"""

from __future__ import annotations

import numpy as np

from ..types import TYPES
from .forms import form
from .memory_access import addresses_of, gather, reach, scatter
from .steps import Step


@form("cp.async.cop.shared.global{.prefetch}", cop="ca cg", prefetch="L2::64B L2::128B L2::256B")
@form("cp.async.cop.shared::cta.global{.prefetch}", cop="ca cg", prefetch="L2::64B L2::128B L2::256B")
def cp_async(match, instruction, code):
    """cp.async [shared], [global], size, source size: what the source does not cover becomes zero."""
    target, source, size, *rest = instruction.operands
    to_base, to_offset = code.address(target)
    from_base, from_offset = code.address(source)
    bytes_ = size.value
    covered = code.source(rest[0], TYPES["u32"]) if rest else None

    def run(group):
        to = reach(group, instruction, "shared", addresses_of(group, to_base, to_offset), bytes_, "write")
        there = reach(group, instruction, "global", addresses_of(group, from_base, from_offset), bytes_, "read")
        to, there = group.spread(to, np.int64), group.spread(there, np.int64)
        for part in range(0, bytes_, 4):
            value = group.spread(gather(there + part, 32), np.uint32)
            if covered is not None:
                value = np.where(group.spread(group.registers[covered], np.uint32) > part, value, np.uint32(0))
            scatter(to + part, 32, value)

    reads = (to_base, from_base) if covered is None else (to_base, from_base, covered)
    return Step(run, reads, instruction=instruction)


@form("cp.async.commit_group")
@form("cp.async.wait_group")
@form("cp.async.wait_all")
def cp_wait(match, instruction, code):
    """Nothing is left to wait for; an examiner hears who waited for what."""
    what = match.opcode.split(".")[2]
    but = instruction.operands[0].value if instruction.operands else None

    def run(group):
        examiner = group.wave.launch.examiner
        if examiner is not None:
            examiner.copies(group, what, but)

    return Step(run, instruction=instruction)
