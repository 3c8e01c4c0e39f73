"""Floating point for a single lane, in plain Python: fast where nothing special happens.

A lane that runs alone would spend most of its time in NumPy's overhead. Python's floats are f64, and an f32
operation done in f64 and rounded once more is right for + - * / and sqrt (53 bits are more than twice 24 and
two). Whatever is special (NaN, overflow, division by zero, a doubtful fma) is left to the function over lanes.
"""

from __future__ import annotations

from fractions import Fraction
from struct import Struct

_FORMATS = {32: (Struct("<I"), Struct("<f")), 64: (Struct("<Q"), Struct("<d"))}


def single_float(operation, type_, slow, truth=False):
    """A function of bits from one of Python floats; `slow` is asked where Python's answer is not CUDA's."""
    integer, real = _FORMATS[type_.bits]
    to_bytes, to_float, from_float, to_bits = integer.pack, real.unpack, real.pack, integer.unpack

    def arithmetic(*operands):
        try:
            value = operation(*[to_float(to_bytes(bits))[0] for bits in operands])
            return to_bits(from_float(value))[0] if value == value else slow(*operands)
        except (ArithmeticError, ValueError):
            return slow(*operands)

    def comparison(a, b):
        x, y = to_float(to_bytes(a))[0], to_float(to_bytes(b))[0]
        return operation(x, y) + 0 if x == x and y == y else slow(a, b)

    return comparison if truth else arithmetic


def fma_f32(a, b, c):
    """The product is exact in f64. A sum that lies between two f32, or is tiny, may be rounded twice: give up."""
    total = a * b + c
    bits = _FORMATS[64][0].unpack(_FORMATS[64][1].pack(total))[0]
    if bits & 0x1FFFFFFF == 0x10000000 or abs(total) < 1.2e-38:
        raise ValueError
    return total


def fma_f64(a, b, c):
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if not total:
        raise ValueError        # the sign of zero
    return total.numerator / total.denominator
