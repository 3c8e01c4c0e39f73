"""mov: registers, literals, addresses, special registers; packing and unpacking (PTX ISA 9.7.9.4).

It moves between registers only; memory is for memory_access.py.
"""

from __future__ import annotations

from ..absent import not_simulated
from ..program import Special, Vector
from ..special import CHANGING, FIXED, OF_64_BITS
from ..types import TYPES
from .forms import form
from .steps import InstructionStep


@form("mov.type", type="pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64")
def mov(match, instruction, code):
    """A register, a literal, an address, a special register; or several registers packed into one."""
    destination, source = instruction.operands
    type_ = match.type()
    if isinstance(destination, Vector):
        return _unpack(destination, source, type_, instruction, code)
    if isinstance(source, Vector):
        return _pack(destination, source, type_, instruction, code)
    target = code.destination(destination, type_)
    if isinstance(source, Special):
        if type_.kind == "f" or source.name != "%gridid" and (source.name in OF_64_BITS) != (type_.bits == 64):
            code.refuse(instruction, f"{source.name} does not fit .{type_.name}")
        return _read_special(source.name, target, instruction, code)
    slot = code.source(source, type_)

    def run(group):
        value = group.registers[slot]
        # A copy: no two registers share an array, so that one can be written in place.
        group.registers[target] = value if type(value) is int else value.copy()

    return InstructionStep(run, (slot,), (target,), f"R[{target}] = R[{slot}]", instruction)


def _read_special(name, target, instruction, code):
    if name not in FIXED and name not in CHANGING:
        code.refuse(instruction, f"the simulation does not know the special register {name}{not_simulated(name)}")

    def run(group):
        group.registers[target] = group.wave.special.read(name, group)

    return InstructionStep(run, (), (target,), None, instruction)


def _part_type(type_, count: int):
    return TYPES[f"b{type_.bits // count}"]


def _pack(destination, source, type_, instruction, code):
    """mov.b64 d, {low, high}"""
    part = _part_type(type_, len(source.items))
    slots = [code.source(item, part) for item in source.items]
    target = code.destination(destination, type_)
    storage = type_.storage

    def run(group):
        R = group.registers
        total = 0
        for number, slot in enumerate(slots):
            value, shift = R[slot], number * part.bits
            total = total | (value << shift if type(value) is int else value.astype(storage) << storage.type(shift))
        R[target] = total

    return InstructionStep(run, tuple(slots), (target,), None, instruction)


def _unpack(destination, source, type_, instruction, code):
    """mov.b64 {low, high}, a"""
    part = _part_type(type_, len(destination.items))
    slot = code.source(source, type_)
    targets = [code.destination(item, part) for item in destination.items]

    def run(group):
        R = group.registers
        value = R[slot]
        for number, target in enumerate(targets):
            shift = number * part.bits
            R[target] = (value >> shift & part.mask if type(value) is int
                         else (value >> type_.storage.type(shift)).astype(part.storage))

    return InstructionStep(run, (slot,), tuple(targets), None, instruction)
