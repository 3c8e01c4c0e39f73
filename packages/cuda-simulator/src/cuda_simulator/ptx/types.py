"""PTX's fundamental types (PTX ISA 5.2) and the NumPy types that hold them.

A register holds *bits*: it is stored as an unsigned integer (a predicate as a bool), and the instruction
says how to read them. So each type has a `storage` dtype, what the register array is, and a `dtype`, how the
instruction looks at it; `array.view(dtype)` goes between the two without copying.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

UNSIGNED = {8: np.dtype(np.uint8), 16: np.dtype(np.uint16), 32: np.dtype(np.uint32), 64: np.dtype(np.uint64)}
SIGNED = {8: np.dtype(np.int8), 16: np.dtype(np.int16), 32: np.dtype(np.int32), 64: np.dtype(np.int64)}
FLOAT = {16: np.dtype(np.float16), 32: np.dtype(np.float32), 64: np.dtype(np.float64)}


@dataclass(frozen=True)
class Type:
    """.u32, .f64, .pred, ...: its name without the dot, and how NumPy holds it."""
    name: str
    kind: str           # u unsigned, s signed, b untyped bits, f float, p predicate
    bits: int
    dtype: np.dtype     # how an instruction reads the bits
    storage: np.dtype   # how a register keeps them

    @property
    def size(self) -> int:
        return self.bits // 8

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1


def _types():
    yield Type("pred", "p", 1, np.dtype(bool), np.dtype(bool))
    for bits in (8, 16, 32, 64):
        yield Type(f"u{bits}", "u", bits, UNSIGNED[bits], UNSIGNED[bits])
        yield Type(f"s{bits}", "s", bits, SIGNED[bits], UNSIGNED[bits])
        yield Type(f"b{bits}", "b", bits, UNSIGNED[bits], UNSIGNED[bits])
    for bits in (16, 32, 64):
        yield Type(f"f{bits}", "f", bits, FLOAT[bits], UNSIGNED[bits])
    # NumPy has no bfloat16 and no packed pairs: half.py takes their bits apart.
    yield Type("bf16", "f", 16, UNSIGNED[16], UNSIGNED[16])
    for pair in ("f16x2", "bf16x2", "u16x2", "s16x2"):
        yield Type(pair, "f" if "f" in pair else pair[0], 32, UNSIGNED[32], UNSIGNED[32])


TYPES = {type.name: type for type in _types()}


@lru_cache(maxsize=4096)
def constant(bits: int, dtype: np.dtype):
    """The NumPy scalar of `dtype` with these bits: constant(0x3F800000, float32) -> 1.0."""
    if dtype.kind == "b":
        return np.bool_(bits)
    width = 8 * dtype.itemsize
    return np.array(bits & ((1 << width) - 1), UNSIGNED[width]).view(dtype)[()]


def lanes(value, dtype: np.dtype):
    """A register's value as an instruction of `dtype` sees it: an array over lanes, or one scalar for all."""
    return constant(value, dtype) if type(value) is int else value.view(dtype)


def bits_of(value, dtype) -> int:
    """The bits of a Python number: bits_of(-1, int32) -> 0xFFFFFFFF, bits_of(1.0, float32) -> 0x3F800000."""
    dtype = np.dtype(dtype)
    width = 8 * dtype.itemsize
    if dtype.kind in "iu":
        return int(value) & ((1 << width) - 1)
    with np.errstate(over="ignore"):
        return int(np.array(value, dtype).view(UNSIGNED[width]))


def packed(function, half):
    """The same function on the lower and the upper half of each 32-bit operand."""
    def vector(*values):
        parts = []
        for shift in (np.uint32(0), np.uint32(16)):
            halves = [(value >> shift).astype(np.uint16).view(half.dtype) for value in values]
            parts.append(function(*halves).view(np.uint16).astype(np.uint32) << shift)
        return parts[0] | parts[1]
    return vector
