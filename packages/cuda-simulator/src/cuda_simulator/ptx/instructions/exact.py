"""Slow and exact: one number at a time with Python's unlimited integers.

For the rare instruction that no error-free transformation covers: quotients and square roots with a directed
rounding, float64 multiply-adds near the ends of the exponent range.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np

SHAPE = {np.dtype(np.float64): (53, -1074), np.dtype(np.float32): (24, -149), np.dtype(np.float16): (11, -24)}


def round_fraction(value: Fraction, dtype, mode: str) -> float:
    """The float of a format that `value`, which is not 0, rounds to."""
    precision, lowest = SHAPE[np.dtype(dtype)]
    size = abs(value)
    # The exponent of the last place: so that size / 2**exponent has `precision` bits.
    exponent = size.numerator.bit_length() - size.denominator.bit_length() - precision
    exponent += size / Fraction(2) ** exponent >= 2 ** precision
    exponent = max(exponent, lowest)
    scaled = size / Fraction(2) ** exponent
    whole = scaled.numerator // scaled.denominator
    remainder = scaled - whole
    negative = value < 0
    if mode == "rn":
        half = Fraction(1, 2)
        up = remainder > half or (remainder == half and whole & 1)
    else:
        up = remainder > 0 and mode == ("rm" if negative else "rp")
    whole += up
    largest = (2 ** precision - 1) * Fraction(2) ** (_highest(dtype))
    rounded = whole * Fraction(2) ** exponent
    if rounded > largest:
        infinite = mode == "rn" or mode == ("rm" if negative else "rp")
        result = float("inf") if infinite else float(largest)
    else:
        result = float(rounded)
    return -result if negative else result


def _highest(dtype) -> int:
    """The exponent of the last place of the largest number."""
    return {2: 5, 4: 104, 8: 971}[np.dtype(dtype).itemsize]


def quotient(a: float, b: float, dtype, mode: str) -> float:
    return round_fraction(Fraction(a) / Fraction(b), dtype, mode)


def multiply_add(a: float, b: float, c: float, dtype, mode: str) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return round_fraction(exact, dtype, mode)
    return -0.0 if mode == "rm" else 0.0


def total(a: float, b: float, dtype, mode: str) -> float:
    return multiply_add(a, 1.0, b, dtype, mode)


def product(a: float, b: float, dtype, mode: str) -> float:
    return multiply_add(a, b, 0.0, dtype, mode)


def square_root(a: float, dtype, mode: str) -> float:
    exact = Fraction(a)
    # So many that a root which is no float, and not the middle of two, does not look like one.
    places = 110 + exact.denominator.bit_length()
    return round_fraction(Fraction(isqrt(int(exact * 4 ** places)), 2 ** places), dtype, mode)


def elementwise(function, mask, result, *operands, mode: str):
    """Replace result[mask] by function of the operands there, one number at a time."""
    for position in np.flatnonzero(mask):
        values = [float(operand if np.ndim(operand) == 0 else operand[position]) for operand in operands]
        result[position] = function(*values, result.dtype, mode)
    return result
