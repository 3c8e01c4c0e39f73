"""Atomics: atom and red (PTX ISA 9.7.13.5, 9.7.13.6).

Lanes act in lane order. Where no two lanes name the same place, one gather and one scatter do it; where they
do, a sum of integers is a running sum over the lanes of each place, and everything else goes lane by lane in
plain Python.
"""

from __future__ import annotations

import contextlib

import numpy as np

from ..program import SINK
from ..spaces import BASE
from ..types import TYPES
from .forms import form
from .half import half_operation
from .memory_access import SPACES, addresses_of, gather, items_of, reach, scatter, space_of
from .rounding import flush
from .steps import InstructionStep

ALONE = contextlib.nullcontext()    # nobody else has the shared memory of these blocks
ORDER = "relaxed acquire release acq_rel"
SCOPE = "cta cluster gpu sys"
HALVES = ("f16", "f16x2", "bf16", "bf16x2")


def _wrap_up(old, limit):
    """inc: count up, and from the limit back to 0."""
    return np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))


def _wrap_down(old, limit):
    """dec: count down, and from 0 (or above the limit) to the limit."""
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


def _flushed_sum(old, value):
    """f32 sums in global memory treat subnormals as zero; those in shared memory do not (PTX ISA, atom)."""
    return flush(flush(old) + flush(value))


def _swap(old, expected, value):
    return np.where(old == expected, value, old)


OPERATIONS = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "exch": lambda old, value: value, "inc": _wrap_up, "dec": _wrap_down, "cas": _swap,
}

# The same for one number: what lanes that name one place do one after another. Unsigned ints in and out.
PYTHON = {
    "and": lambda old, value: old & value, "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value, "exch": lambda old, value: value,
    "inc": lambda old, limit: 0 if old >= limit else old + 1,
    "dec": lambda old, limit: limit if old == 0 or old > limit else old - 1,
    "cas": lambda old, expected, value: value if old == expected else old,
}


def one_by_one(operation: str, type_, space: str):
    """The operation on one place's bits, as a plain function of ints."""
    if operation in PYTHON:
        return PYTHON[operation]
    if type_.kind in "us":
        half = 1 << (type_.bits - 1) if type_.kind == "s" else 0
        if operation == "add":
            return lambda old, value: (old + value) & type_.mask
        choose = min if operation == "min" else max
        return lambda old, value: choose(old, value, key=lambda bits: (bits ^ half) - half)
    function = vector_operation(operation, type_, space)

    def through_numpy(old, value):
        a, b = (np.array([bits], type_.storage).view(type_.dtype) for bits in (old, value))
        return int(function(a, b).view(type_.storage)[0])
    return through_numpy


def vector_operation(operation: str, type_, space: str):
    if type_.name in HALVES:
        return half_operation(operation, type_)
    if type_.name == "f32" and space != "shared":
        return _flushed_sum
    return OPERATIONS[operation]


def apply(operation: str, type_, space: str, places, operands):
    """Do it to all lanes' places; returns the old values, as bits."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    repeats = ordered[1:] == ordered[:-1]
    if not repeats.any():
        old = gather(places, type_.bits)
        function = vector_operation(operation, type_, space)
        new = function(old.view(type_.dtype), *(operand.view(type_.dtype) for operand in operands))
        scatter(places, type_.bits, new.view(type_.storage))
        return old
    if operation == "add" and type_.kind in "us":
        return _running_sums(type_, ordered, repeats, order, operands[0])
    return _in_turn(one_by_one(operation, type_, space), type_, places, operands)


def _running_sums(type_, ordered, repeats, order, values):
    """add: each lane sees the sum of the lanes before it that name the same place."""
    values = values[order]
    starts = np.concatenate(([0], np.flatnonzero(~repeats) + 1))
    sums = np.cumsum(values, dtype=type_.storage)
    before = sums - values                                  # of all lanes before, of any place
    segment = np.zeros(len(values), np.int64)
    segment[starts[1:]] = 1
    segment = np.cumsum(segment)
    unique = ordered[starts]
    memory = gather(unique, type_.bits)
    old = memory[segment] + (before - before[starts][segment])
    ends = np.concatenate((starts[1:], [len(values)])) - 1
    scatter(unique, type_.bits, old[ends] + values[ends])
    result = np.empty_like(old)
    result[order] = old
    return result


def _in_turn(function, type_, places, operands):
    unique, inverse = np.unique(places, return_inverse=True)
    memory = gather(unique, type_.bits).tolist()
    old = []
    for index, *values in zip(inverse.tolist(), *(operand.tolist() for operand in operands)):
        before = memory[index]
        old.append(before)
        memory[index] = function(before, *values)
    scatter(unique, type_.bits, np.array(memory, type_.storage))
    return np.array(old, type_.storage)


FORMS = (
    ("add", "u32 s32 u64 s64 f32 f64"), ("min max", "u32 s32 u64 s64"), ("and or xor", "b32 b64"),
    ("inc dec", "u32"), ("exch", "b32 b64"), ("cas", "b16 b32 b64"),
)


def _build(match, instruction, code):
    operands = list(instruction.operands)
    type_ = TYPES[match["type"]]
    result = match.opcode.startswith("atom")
    destination = operands.pop(0) if result else SINK
    operation = match["op"]
    address, *source_operands = operands
    space = space_of(match, address, code)
    base, offset = code.address(address, space)
    sources = [code.source(operand, type_) for operand in source_operands]
    target = code.destination(destination, type_) if destination != SINK else None
    single = one_by_one(operation, type_, space)
    size, storage, bits = type_.size, type_.storage, type_.bits

    def run(group):
        R = group.registers
        places = reach(group, instruction, space, addresses_of(group, base, offset), size, "atomic")
        values = [R[slot] for slot in sources]
        first_place = places if type(places) is int else int(places[0])
        with ALONE if space == "shared" else group.wave.launch.machine.exclusive(first_place + BASE):
            if group.count == 1:
                values = [value if type(value) is int else int(value[0]) for value in values]
                old = gather(first_place, bits)
                scatter(first_place, bits, single(old, *values))
            else:
                places = group.spread(places, np.int64)
                old = apply(operation, type_, space, places, [group.spread(value, storage) for value in values])
        if target is not None:
            R[target] = old

    return InstructionStep(run, (base, *sources), () if target is None else (target,), instruction=instruction)


def _build_vector(match, instruction, code):
    """Two, four or eight numbers side by side. Each is done by itself: the vector as a whole is not atomic."""
    operands = list(instruction.operands)
    destination = operands.pop(0) if match.opcode.startswith("atom") else None
    address, source = operands
    type_ = match.type()
    space = space_of(match, address, code)
    base, offset = code.address(address, space)
    sources = [code.source(item, type_) for item in items_of(match, source, instruction, code)]
    targets = [] if destination is None else [code.destination(item, type_) for item in items_of(match, destination, instruction, code)]
    size = type_.size * len(sources)

    def run(group):
        R = group.registers
        places = reach(group, instruction, space, addresses_of(group, base, offset), size, "atomic")
        first_place = places if type(places) is int else int(places[0])
        places = group.spread(places, np.int64)
        values = [group.spread(R[slot], type_.storage) for slot in sources]
        with group.wave.launch.machine.exclusive(first_place + BASE):
            old = [apply(match["op"], type_, space, places + number * type_.size, [value]) for number, value in enumerate(values)]
        for target, value in zip(targets, old):
            R[target] = value

    return InstructionStep(run, (base, *sources), tuple(targets), instruction=instruction)


# The scope may stand before or after the state space, libcu++ writes both behind the operation, and Triton has the space first.
_PLACES = ("{.order}{.scope}{.ss}{.late_scope}.op", ".op{.order}{.scope}{.ss}", ".ss.scope.order.op", ".ss.order.scope.op")
_WORDS = {"order": ORDER, "scope": SCOPE, "ss": SPACES, "late_scope": SCOPE}
_GLOBAL = {**_WORDS, "ss": "global"}
_VECTORS_OF_HALVES = ("v2 v4 v8", "f16 bf16"), ("v2 v4", "f16x2 bf16x2")

for _place in _PLACES:
    for _op, _types in FORMS:
        form(f"atom{_place}.type", op=_op, type=_types, **_WORDS)(_build)
        if _op not in ("exch", "cas"):
            form(f"red{_place}.type", op=_op, type=_types, **_WORDS)(_build)
    for _name in ("atom", "red"):
        form(f"{_name}{_place}.noftz.type", op="add", type=" ".join(HALVES), **_WORDS)(_build)
        for _vectors, _types in _VECTORS_OF_HALVES:
            form(f"{_name}{_place}.noftz.vec.type", op="add min max", vec=_vectors, type=_types, **_GLOBAL)(_build_vector)
        form(f"{_name}{_place}.vec.type", op="add", vec="v2 v4", type="f32", **_GLOBAL)(_build_vector)
for _name in ("atom", "red"):       # the PTX ISA's examples have the operation last
    for _vectors, _types in _VECTORS_OF_HALVES:
        form(f"{_name}{{.order}}{{.scope}}{{.ss}}.vec.type.op.noftz", op="add min max", vec=_vectors, type=_types, **_GLOBAL)(_build_vector)
    form(f"{_name}{{.order}}{{.scope}}{{.ss}}.vec.type.op", op="add", vec="v2 v4", type="f32", **_GLOBAL)(_build_vector)
