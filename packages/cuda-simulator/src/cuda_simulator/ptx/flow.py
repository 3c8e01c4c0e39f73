"""Basic blocks: from a function's instructions to runs of Steps between the places where lanes can part.

A block ends where control can go elsewhere (bra, call, ret, bar.sync, ...), before a label, and before an
instruction that needs the other lanes of the warp (shfl, vote, ...), which gets a gate of its own. For each
block this module finds the registers that it reads and writes, and those still needed after it (liveness), so
that a group of lanes carries no more than it must.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections import defaultdict

from .errors import PtxError
from .instructions.control import branch, goto, ret
from .instructions.forms import find
from .instructions.steps import End
from .instructions.warp import gate, is_gated
from .types import TYPES

MOST_STEPS = 64         # of a block, so that the host is listened to often enough (scheduler.py)
MOST_LIVENESS = 1 << 30     # blocks times registers of a function: some bits for each
# Instructions that end a block: those whose handlers return an End.
ENDS = {"bra", "brx", "call", "ret", "exit", "trap", "brkpt", "bar", "barrier"}


class BasicBlock:
    """Steps that run one after another for a whole group, and the End that says how it goes on."""

    def __init__(self, number: int):
        self.number = number
        self.steps = []
        self.end = None
        self.reads = ()             # registers that must be loaded before the block runs
        self.writes = frozenset()
        self.needed_at_start = self.needed_at_end = 0       # registers whose value is still needed there, a bit for each
        self.carried = None         # of a loop that ends here and may wait: registers that a turn hands on
        self.runs = ()              # the steps' functions
        self._single = None

    @functools.cached_property
    def live_in(self):
        """The registers whose value is still needed at the block's start."""
        return _slots(self.needed_at_start)

    @functools.cached_property
    def live_out(self):
        """Those whose value is still needed at its end."""
        return _slots(self.needed_at_end)

    @property
    def single(self):
        """The block as one Python function for a group of a single lane, made when first needed."""
        if self._single is None:
            self._single = single_lane(self)
        return self._single


def translate(code):
    """Fill in code.blocks."""
    items = _with_boundaries(code)
    count = 0
    for kind, item in items:
        if kind == "block":
            count += 1
        elif kind == "label":
            code.labels[item] = count - 1
    code.blocks = blocks = []
    for kind, item in items:
        if kind == "block":
            blocks.append(BasicBlock(len(blocks)))
        elif kind != "label":
            code.instruction = item
            code.next_block = len(blocks)
            _translate(code, blocks[-1], kind, item)
    for block in blocks:
        if block.end is None:
            block.end = goto(block.number + 1) if block.number + 1 < len(blocks) else _fall_off(code)
    _find_live(code)
    _find_loops(code)


def _with_boundaries(code):
    """The function's text as [(kind, item)], with a "block" wherever a basic block starts.

    The other kinds: "label"; "run", an instruction; before it perhaps "skip", the jump over it where its @p does
    not hold, or "gate", the wait for the other lanes of the warp. Each of these two ends a block.
    """
    items = [("block", None)]
    length = 0          # of the current block

    def boundary(*but_not_after):
        nonlocal length
        if items[-1][0] not in ("block", *but_not_after):
            items.append(("block", None))
            length = 0

    for item in code.function.body:
        if isinstance(item, str):
            boundary("label")
            items.append(("label", item))
            continue
        mnemonic = item.opcode.split(".", 1)[0]
        guarded = item.guard is not None and mnemonic != "bra"
        if guarded:                     # @p add: a branch around it
            items.append(("skip", item))
            boundary()
        if is_gated(item.opcode):
            boundary()
            items.append(("gate", item))
            boundary()
        items.append(("run", item))
        length += 1
        if guarded or (mnemonic in ENDS and not is_gated(item.opcode)) or length == MOST_STEPS:
            boundary()
    return items


def _translate(code, block, kind, instruction):
    """Add one instruction's Step to the block, or give the block its End."""
    match = find(instruction.opcode)
    if kind == "skip":
        predicate = code.source(instruction.guard, TYPES["pred"])
        block.end = branch(predicate, not instruction.guard_negated, code.next_block + _blocks_of(instruction),
                           code.next_block, instruction)
    elif kind == "gate":
        block.end = gate(instruction, code)
    elif instruction.opcode.startswith("bra") and instruction.guard is not None:
        predicate = code.source(instruction.guard, TYPES["pred"])
        block.end = branch(predicate, instruction.guard_negated, code.label(instruction, instruction.operands[0]),
                           code.next_block, instruction)
    else:
        try:
            result = match.handler(match, instruction, code)
        except (ValueError, IndexError, KeyError, AttributeError) as error:      # operands that are missing, too many, or of another form
            raise PtxError(instruction.line, instruction.text, f"operands that {instruction.opcode} does not take") from error
        if isinstance(result, End):
            block.end = result
        else:
            block.steps.append(result)


def _blocks_of(instruction) -> int:
    """How many blocks a guarded instruction takes: one more where it has a gate."""
    return 2 if is_gated(instruction.opcode) else 1


def _fall_off(code) -> End:
    """A function whose text ends without ret returns (PTX ISA 9.7.12, exit and ret)."""
    return ret(None, None, code)


def _find_live(code):
    """What each block reads and writes, and which registers are still needed at its start and at its end.

    The second part is the textbook's liveness: needed at the end is what any following block needs at its start;
    needed at the start is that without what the block writes, and with what it reads before. Sets of registers are numbers
    meanwhile, with a bit for each: a large kernel has thousands of both.
    """
    blocks = code.blocks
    if len(blocks) * len(code.types) > MOST_LIVENESS:
        raise PtxError(code.function.line, code.name, f"{len(blocks)} places where threads can part, and {len(code.types)} registers and "
                       "constants, are more than the simulation can follow")
    exposed, unwritten, predecessors = [], [], [[] for _ in blocks]
    for block in blocks:
        reads, writes = set(), set()
        for step in block.steps:
            reads |= {slot for slot in step.reads if slot not in writes}
            writes |= set(step.writes)
        reads |= {slot for slot in block.end.reads if slot not in writes}
        writes |= set(block.end.writes)
        block.reads = tuple(reads - code.fixed)
        block.writes = frozenset(writes)
        block.runs = tuple(step.run for step in block.steps)
        exposed.append(_bits(block.reads))
        unwritten.append(~_bits(writes))
        for target in block.end.successors:
            predecessors[target].append(block)
    to_do = dict.fromkeys(range(len(blocks)))       # in the order of the text, of which the last is taken
    while to_do:
        number, _ = to_do.popitem()
        block, out = blocks[number], 0
        for target in block.end.successors:
            out |= blocks[target].needed_at_start
        into = exposed[number] | (out & unwritten[number])
        block.needed_at_end = out
        if into != block.needed_at_start:
            block.needed_at_start = into
            to_do |= dict.fromkeys(predecessor.number for predecessor in predecessors[number])


def _bits(slots) -> int:
    bits = 0
    for slot in slots:
        bits |= 1 << slot
    return bits


def _slots(bits: int) -> frozenset:
    return frozenset(slot for slot, digit in enumerate(reversed(f"{bits:b}")) if digit == "1")


def _find_loops(code):
    """A loop with an atomic, a volatile access or a sleep in it, or in what it calls, may be waiting for another thread.

    It is idle while the registers that one turn hands to the next stay the same (none at all, in the simplest
    spin loop): then only another thread can end it.
    """
    blocks, written_in = code.blocks, defaultdict(list)     # the numbers of the blocks that write a register
    waits = [0]                                             # how many of the blocks before each may wait
    for block in blocks:
        for slot in block.writes:
            written_in[slot].append(block.number)
        called = block.end.instruction and code.linker.functions_called(block.end.instruction)
        waits.append(waits[-1] + (any(step.instruction.may_wait for step in block.steps)
                                  or bool(called and called & code.linker.waiting_functions)))
    for block in blocks:
        for target in block.end.successors:
            if target <= block.number and waits[target] < waits[block.number + 1]:
                block.carried = tuple(slot for slot in blocks[target].live_in
                                      if _any_between(written_in[slot], target, block.number))


def _any_between(numbers, first, last) -> bool:
    """Whether one of the numbers, which rise, is from `first` to `last`."""
    place = bisect_left(numbers, first)
    return place < len(numbers) and numbers[place] <= last


# ---- one lane ----------------------------------------------------------------------------------------------------

def single_lane(block):
    """Python source over plain ints for the steps that have it; the others are called as they are."""
    lines = ["def run(group):", "    R = group.registers"]
    names = {"as_ints": as_ints}
    for number, step in enumerate(block.steps):
        if step.python is not None:
            lines.append(f"    {step.python}")
        else:
            names[f"step_{number}"] = step.run
            lines.append(f"    step_{number}(group)")
            lines += [f"    as_ints(R, {step.writes})"] * bool(step.writes)
    exec("\n".join(lines), names)  # noqa: S102 - source made of our own templates
    return names["run"]


def as_ints(R, slots):
    """Memory and warp instructions may leave arrays of one element: one lane's registers are ints."""
    for slot in slots:
        value = R[slot]
        if type(value) is not int:
            R[slot] = int(value[0])
