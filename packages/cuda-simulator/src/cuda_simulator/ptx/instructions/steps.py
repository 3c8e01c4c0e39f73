"""One instruction, ready to run: an InstructionStep, or the End of a basic block; and how instructions that only compute become one.

`Compute` describes an instruction whose result depends on nothing but its operands: the types, a NumPy
function over lanes, and, where speed for one lane matters, the same in plain Python over unsigned ints. What
touches memory, other lanes or the program counter builds its InstructionStep itself, in the module named after it.

In all of them `R` is the list of the group's registers: R[slot] is an array over its lanes, or one int where
they all hold the same value (wave.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ..program import Not, Pair
from ..types import TYPES, UNSIGNED, Type, lanes
from . import forms as table
from .single import single_float

INTS = {int}


@dataclass
class InstructionStep:
    """What one instruction does to a group of lanes.

    `python` is the same as source text for a single lane, whose registers are all ints: `R[3] = R[1] + R[2]`.
    """
    run: Callable
    reads: tuple = ()
    writes: tuple = ()
    python: str | None = None
    instruction: object = None


@dataclass
class End:
    """The last instruction of a basic block: how it continues, and which blocks can follow."""
    run: Callable
    reads: tuple = ()
    writes: tuple = ()          # written before the next block begins (a barrier's result)
    successors: tuple = ()
    instruction: object = None


@dataclass
class Compute:
    """Operand types, result types and the functions from one to the other."""
    result: Type | tuple            # a tuple: several results (setp's p|q, add.cc's carry)
    sources: tuple                  # a Type for each source operand
    vector: Callable                # over arrays of the sources' dtypes (or scalars, where uniform)
    python: str | None = None       # over ints: "({0} + {1}) & 0xffffffff"
    plain: Callable | None = None   # over Python floats, for a single lane: single.py
    carry_in: bool = False          # the condition code register is one more source / result (PTX ISA 9.7.2)
    carry_out: bool = False


def compute(text: str, **classes: str):
    """Decorator: the function below turns a Match of this form into a Compute."""
    def register(builder):
        def handler(match, instruction, code):
            return _step(builder(match), instruction, code)
        table.form(text, **classes)(handler)
        return builder
    return register


@cache
def python_function(template: str, arity: int):
    """The template as a function: ("({0} + {1}) & 255", 2) -> lambda a, b: (a + b) & 255."""
    names = "abcdefgh"[:arity]
    return eval(f"lambda {', '.join(names)}: {template.format(*names)}")  # noqa: S307 - our own templates


def on_one_lane(vector, sources, results):
    """The vector function for one lane's ints, through arrays of one element."""
    def function(*values):
        arrays = [np.array([value & source.mask], source.storage).view(source.dtype)
                  for value, source in zip(values, sources)]
        computed = vector(*arrays)
        if len(results) == 1:
            return int(computed.view(results[0].storage)[0])
        return [int(lane.view(result.storage)[0]) for lane, result in zip(computed, results)]
    return function


def extend(value, result: Type, storage):
    """Put a narrow result into a wider register: signed types extend their sign, others zeros (PTX ISA 9.4.1)."""
    if type(value) is int:
        if result.kind == "s" and value >> (result.bits - 1):
            value += (1 << 8 * storage.itemsize) - (1 << result.bits)
        return value
    if result.kind == "s":
        return value.view(result.dtype).astype(f"i{storage.itemsize}").view(storage)
    return value.astype(storage)


def _negate(computed: Compute, negated) -> Compute:
    """The same with some predicate operands negated: !p."""
    def vector(*values):
        return computed.vector(*(~value if number in negated else value for number, value in enumerate(values)))
    return replace(computed, vector=vector, python=None, plain=None)


def _with_opposite(computed: Compute) -> Compute:
    """setp p|q: the comparison, and its opposite."""
    def vector(*values):
        holds = computed.vector(*values)
        return holds, ~holds
    return replace(computed, result=(computed.result,) * 2, vector=vector, python=None, plain=None)


def _step(computed: Compute, instruction, code) -> InstructionStep:
    """The InstructionStep of an instruction that only computes: its operands as slots, and the functions over them."""
    destination, *operands = instruction.operands
    if isinstance(destination, Pair) and not isinstance(computed.result, tuple):
        computed = _with_opposite(computed)
    if len(operands) != len(computed.sources):
        code.refuse(instruction, f"expected {len(computed.sources) + 1} operands")
    negated = [number for number, operand in enumerate(operands) if isinstance(operand, Not)]
    if negated:
        computed = _negate(computed, negated)
        operands = [operand.operand if isinstance(operand, Not) else operand for operand in operands]

    types = list(computed.sources)
    sources = [code.source(operand, type_) for operand, type_ in zip(operands, types)]
    results = list(computed.result) if isinstance(computed.result, tuple) else [computed.result]
    destination_operands = [destination.first, destination.second] if isinstance(destination, Pair) else [destination]
    destinations = [code.destination(operand, result) for operand, result in zip(destination_operands, results)]
    if computed.carry_in:
        sources.append(code.carry)
        types.append(TYPES["pred"])
    if computed.carry_out:
        destinations.append(code.carry)
        results.append(TYPES["pred"])
    if len(destinations) < len(results):        # setp with one destination
        destinations.append(code.sink)

    single = _single(computed, types, results)
    run = _runner(computed.vector, single, sources, types, destinations, results, code)
    python = None
    if computed.python and not code.wider(destinations[0], results[0]):
        names = [code.python_operand(slot, type_) for slot, type_ in zip(sources, types)]
        python = f"R[{destinations[0]}] = {computed.python.format(*names)}"
    return InstructionStep(run, tuple(sources), tuple(destinations), python, instruction)


def _single(computed: Compute, types, results):
    """The function for operands that are plain ints: one lane, or the same value in all lanes."""
    if computed.python:
        single = python_function(computed.python, len(types))
    else:
        single = on_one_lane(computed.vector, types, results)
    if computed.plain:
        single = single_float(computed.plain, types[0], single, truth=results[0].kind == "p")
    return single


def _runner(vector, single, sources, types, destinations, results, code):
    """The function that runs one computing instruction for a group."""
    dtypes = [type_.dtype for type_ in types]
    storages = [result.storage for result in results]
    read = _reader(sources, types, code)
    target, storage = destinations[0], storages[0]
    wide = code.storage(target) if code.wider(target, results[0]) else None

    def run(group):
        R = group.registers
        values = read(R)
        if {*map(type, values)} == INTS:        # the same in all lanes: compute it once
            value = single(*values)
        else:
            value = vector(*map(lanes, values, dtypes)).view(storage)
        R[target] = value if wide is None else extend(value, results[0], wide)

    def run_many(group):
        R = group.registers
        values = read(R)
        if {*map(type, values)} == INTS:
            computed = single(*values)
        else:
            computed = [value.view(to) for value, to in zip(vector(*map(lanes, values, dtypes)), storages)]
        for slot, value in zip(destinations, computed):
            R[slot] = value

    return run if len(results) == 1 else run_many


def _reader(sources, types, code):
    """Registers -> operand values. cvt and the like accept registers wider than the type: upper bits are cut off."""
    narrow = [UNSIGNED[type_.bits] if code.wider(slot, type_) else None for slot, type_ in zip(sources, types)]
    if all(to is None for to in narrow):
        return lambda R: [R[slot] for slot in sources]

    def cut(value, to):
        if to is None:
            return value
        return value & ((1 << 8 * to.itemsize) - 1) if type(value) is int else value.astype(to)

    return lambda R: [cut(R[slot], to) for slot, to in zip(sources, narrow)]
