"""Control flow: bra, brx.idx, call, ret, exit (PTX ISA 9.7.12); trap and brkpt.

Each of these ends a basic block. An End's `run(group)` returns the number of the block where the group goes
on, or None when the group has been split, put elsewhere, or is gone.
"""

from __future__ import annotations

import numpy as np

from ..absent import not_simulated
from ..errors import ILLEGAL_INSTRUCTION, INVALID_PC, LAUNCH_FAILED, MemoryFault
from ..program import Arguments, Symbol
from ..types import TYPES
from ..wave import Frame
from . import builtins
from .forms import form
from .steps import End


def goto(target: int, instruction=None) -> End:
    """Fall through to the next block, or go to another one."""
    return End(lambda group: target, successors=(target,), instruction=instruction)


def branch(predicate: int, negated: bool, target: int, otherwise: int, instruction) -> End:
    """@p bra: lanes whose predicate holds go to one block, the others to the next."""
    def run(group):
        value = group.registers[predicate]
        if type(value) is int:
            return target if (value != 0) != negated else otherwise
        taken = ~value if negated else value
        count = np.count_nonzero(taken)
        if count == group.count:
            return target
        if not count:
            return otherwise
        group.wave.split(group, ((target, taken), (otherwise, ~taken)))
        return None

    return End(run, (predicate,), (), (target, otherwise), instruction)


@form("bra{.uni}")
def bra(match, instruction, code):
    return goto(code.label(instruction, instruction.operands[0]), instruction)


@form("brx.idx{.uni}")
def brx(match, instruction, code):
    """A jump through a table of labels: what a `switch` may become."""
    index, name = instruction.operands
    targets = code.label_table(instruction, name)
    slot = code.source(index, TYPES["u32"])

    def run(group):
        value = group.registers[slot]
        largest = value if type(value) is int else int(value.max())
        if largest >= len(targets):
            reason = f"index {largest} into a table of {len(targets)} labels"
            raise group.wave.launch.fault(INVALID_PC, reason, group, int(np.argmax(value)), instruction)
        if type(value) is int:
            return targets[value]
        parts = [(target, np.isin(value, [index for index, label in enumerate(targets) if label == target]))
                 for target in set(targets)]
        group.wave.split(group, parts)
        return None

    return End(run, (slot,), (), tuple(targets), instruction)


@form("exit")
def exit_(match, instruction, code):
    return End(lambda group: group.wave.retire(group), instruction=instruction)


@form("ret{.uni}")
def ret(match, instruction, code):
    if instruction and instruction.operands:
        code.refuse(instruction, "ret takes no operand")

    def run(group):
        frame, wave = group.frame, group.wave
        if frame.parent is None:
            return wave.retire(group)
        copy_local(group, frame.code.results, frame.local_base, frame.targets, frame.parent.local_base)
        if wave.examined is not None:
            wave.launch.examiner.leave(group, frame)
        wave.leave(frame, group.count)
        wave.put(group.elsewhere(frame.parent, frame.return_to))
        return None

    return End(run, instruction=instruction)


@form("trap")
@form("brkpt")
def trap(match, instruction, code):
    """The kernel ends; so it does at a breakpoint when no debugger is there (719 as well, asked of an H200)."""
    def run(group):
        raise group.wave.launch.fault(LAUNCH_FAILED, match.opcode, group, 0, instruction)

    return End(run, instruction=instruction)


# ---- calls -------------------------------------------------------------------------------------------------------
#
# The ABI of PTX passes arguments in .param variables (PTX ISA 7.1). They live in the caller's piece of local
# memory; a call copies them to the callee's, and a return copies the result back (code.py lays them out).

@form("call{.uni}")
def call(match, instruction, code):
    """call (results), function, (arguments): the function is a name or a register with its address."""
    operands = list(instruction.operands)
    results = operands.pop(0).items if isinstance(operands[0], Arguments) else ()
    callee = operands.pop(0)
    arguments = operands[0].items if operands and isinstance(operands[0], Arguments) else ()
    next_block = code.next_block
    if len(operands) > 1 and operands[1] not in code.function.prototypes:
        code.refuse(instruction, "a prototype that is not declared")
    sources = [code.call_variable(argument, instruction) for argument in arguments]
    targets = [code.call_variable(result, instruction) for result in results]

    if isinstance(callee, Symbol):
        name = callee.name
        if name in builtins.BUILTINS:
            return builtins.end(name, sources, targets, next_block, instruction)
        if not code.is_function(name):
            code.refuse(instruction, f"the function {name} is not defined in this module{not_simulated(name)}")

        declared = code.linker.program.functions[name]
        if declared.entry:
            code.refuse(instruction, f"{name} is a kernel, and no function")
        if [parameter.size for parameter in declared.parameters] != [size for _, size in sources]:
            code.refuse(instruction, f"{name} takes other arguments than these")

        def run(group):
            enter(group, code.callee(name), sources, targets, next_block, instruction)

        return End(run, successors=(next_block,), instruction=instruction)

    return _call_through_pointer(code.source(callee, TYPES["u64"]), sources, targets, next_block, instruction, code)


def _call_through_pointer(slot, sources, targets, next_block, instruction, code) -> End:
    """Lanes whose pointers differ go to different functions."""
    def run(group):
        value = group.registers[slot]
        if type(value) is int:
            return enter(group, callee_at(group, value, 0), sources, targets, next_block, instruction)
        group.write_back(group.live_out)
        for address in np.unique(value):
            chosen = np.flatnonzero(value == address)
            callee = callee_at(group, int(address), int(chosen[0]))
            enter(group.part(chosen), callee, sources, targets, next_block, instruction)
        return None

    def callee_at(group, address, position):
        function = code.function_at(address)
        if function is None:
            raise group.wave.launch.fault(INVALID_PC, f"there is no function at {address:#x}", group, position,
                                          instruction)
        return function

    return End(run, (slot,), (), (next_block,), instruction)


def enter(group, callee, sources, targets, next_block, instruction):
    """Move a group into a called function."""
    wave, caller = group.wave, group.frame
    # A caller of another text may have declared a result that the function does not give: its place keeps what it held.
    if len(sources) != len(callee.parameters) or callee.results and len(targets) != len(callee.results):
        raise wave.launch.fault(ILLEGAL_INSTRUCTION, f"{callee.name} takes other arguments than these", group, 0,
                                instruction)
    group.write_back(group.live_out)
    site = (group.pc, callee.name)
    frame = caller.children.get(site)
    if frame is None:
        base = caller.local_base + caller.code.frame_bytes
        try:
            wave.windows.grow_local(base + callee.frame_bytes)
        except MemoryFault as fault:
            raise wave.launch.fault(fault.code, fault.reason, group, 0, instruction) from None
        frame = caller.children[site] = Frame(wave, callee, caller, next_block, base, targets)
    frame.inside += group.count
    if wave.examined is not None:
        wave.launch.examiner.enter(group, frame)
    copy_local(group, sources, caller.local_base, callee.parameters, frame.local_base)
    wave.put(group.elsewhere(frame, 0))


def copy_local(group, sources, source_base, targets, target_base):
    """Copy variables, [(offset, size)], between two places of each lane's local memory."""
    if not sources:
        return    # and the lanes may have no local memory at all
    windows = group.wave.windows
    table = windows.local.reshape(-1, windows.local_stride)
    rows = slice(None) if group.whole else group.lanes
    for (source, size), (target, _) in zip(sources, targets):
        source, target = source + source_base, target + target_base
        table[rows, target:target + size] = table[rows, source:source + size]
