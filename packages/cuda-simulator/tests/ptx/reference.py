"""Arithmetic as the IEEE standard words it, with Python's fractions: slow, plain, and shared with nothing."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import numpy as np

FORMATS = {"e4m3": (4, -9, 8), "e5m2": (3, -16, 15), "f16": (11, -24, 15), "bf16": (8, -133, 127), "f32": (24, -149, 127),
           "f64": (53, -1074, 1023)}


def to_float(bits: int, name: str) -> float:
    if name == "e5m2":      # the upper half of an f16
        bits, name = bits << 8, "f16"
    if name == "e4m3":      # with the exponent's fifth bit, that of an f16 whose bias is greater by 8; but one NaN, and no infinity
        return math.nan if bits & 0x7F == 0x7F else to_float((bits & 0x80) << 8 | (bits & 0x7F) << 7, "f16") * 256
    if name == "bf16":
        bits, name = bits << 16, "f32"
    return float(np.array(bits, f"u{int(name[1:]) // 8}").view(f"f{int(name[1:]) // 8}"))


def to_bits(value: float, name: str) -> int:
    """The bits of a float that the format holds exactly."""
    if name in ("e4m3", "e5m2"):
        return _codes(name)[value.hex()]
    if name == "bf16":
        return to_bits(value, "f32") >> 16
    with np.errstate(over="ignore"):
        return int(np.array(value, f"f{int(name[1:]) // 8}").view(f"u{int(name[1:]) // 8}"))


@functools.cache
def _codes(name: str) -> dict:
    """The bits of every 8-bit float that is a number, by what it is."""
    return {to_float(bits, name).hex(): bits for bits in range(256)}


def rounded(exact: Fraction, name: str, mode: str, negative_zero: bool = False) -> float:
    """The float of the format that an exact value rounds to."""
    precision, lowest, highest = FORMATS[name]
    if not exact:
        return -0.0 if negative_zero else 0.0
    exponent = lowest
    # The smallest exponent of the last place with which the integer part fits in `precision` bits.
    size = abs(exact)
    guess = (size.numerator.bit_length() - size.denominator.bit_length()) - precision - 1
    exponent = max(exponent, guess)
    while size / Fraction(2) ** exponent >= 2 ** precision:
        exponent += 1
    scaled = exact / Fraction(2) ** exponent
    down = scaled.numerator // scaled.denominator
    remainder = scaled - down
    if remainder == 0:
        chosen = down
    elif mode == "rn":
        chosen = down + (remainder > Fraction(1, 2) or (remainder == Fraction(1, 2) and down % 2))
    elif mode == "rz":
        chosen = down + (exact < 0)
    else:
        chosen = down + (mode == "rp")
    value = chosen * Fraction(2) ** exponent
    largest = (2 ** precision - 1) * Fraction(2) ** (highest - precision + 1)
    if abs(value) > largest:
        grows = mode == "rn" or (mode == "rp") == (exact > 0) and mode != "rz"
        return (1 if exact > 0 else -1) * (float("inf") if grows else float(largest))
    if not value:
        return -0.0 if exact < 0 else 0.0
    return float(value)
