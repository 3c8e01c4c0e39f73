"""Arithmetic as the IEEE standard words it, with Python's fractions: slow, plain, and shared with nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

FORMATS = {"f16": (11, -24, 15), "bf16": (8, -133, 127), "f32": (24, -149, 127), "f64": (53, -1074, 1023)}


def to_float(bits: int, name: str) -> float:
    if name == "bf16":
        bits, name = bits << 16, "f32"
    return float(np.array(bits, f"u{int(name[1:]) // 8}").view(f"f{int(name[1:]) // 8}"))


def to_bits(value: float, name: str) -> int:
    """The bits of a float that the format holds exactly."""
    if name == "bf16":
        return to_bits(value, "f32") >> 16
    with np.errstate(over="ignore"):
        return int(np.array(value, f"f{int(name[1:]) // 8}").view(f"u{int(name[1:]) // 8}"))


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
    rest = scaled - down
    if rest == 0:
        chosen = down
    elif mode == "rn":
        chosen = down + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down % 2))
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
