"""Exact sums and products, and rounding them as an instruction says: rn, rz, rm, rp (PTX ISA 9.7.3).

A sum or product is kept as two floats, `high + low`, whose sum is exactly the result (error-free
transformations: Knuth's TwoSum, Dekker's product). Rounding such a pair to odd (the last bit is set whenever
anything was lost) keeps enough for a second, final rounding to a shorter format to be right (Boldo and
Melquiond, "Emulation of a FMA and correctly rounded sums").
"""

from __future__ import annotations

import numpy as np

from ..types import UNSIGNED

# What the hardware answers for "not a number" in the formats whose NaNs carry nothing (PTX ISA 9.7.3).
CANONICAL_NAN = {np.dtype(np.float32): np.array(0x7FFFFFFF, np.uint32).view(np.float32)[()],
                 np.dtype(np.float16): np.array(0x7FFF, np.uint16).view(np.float16)[()]}


def canonical(value):
    """Every NaN as the hardware writes it; float64 keeps its own."""
    nan = CANONICAL_NAN.get(value.dtype)
    if nan is None:
        return value
    bad = np.isnan(value)
    return np.where(bad, nan, value) if bad.any() else value


def flush(value):
    """.ftz: a subnormal becomes zero with its sign."""
    small = np.abs(value) < np.finfo(value.dtype).tiny
    return np.where(small, np.copysign(value.dtype.type(0), value), value) if small.any() else value


def saturate(value):
    """.sat: limited to [0, 1]; NaN becomes +0."""
    scalar = value.dtype.type
    return np.where(value > 0, np.minimum(value, scalar(1)), scalar(0))


# ---- exact pairs -----------------------------------------------------------------------------------------------

def two_sum(a, b):
    """a + b exactly, as (rounded, rest)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def two_product(a, b):
    """a * b exactly for float64, as (rounded, rest), while exponents stay away from the ends."""
    product = a * b
    a1, a2 = _halves(a)
    b1, b2 = _halves(b)
    return product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)


def _halves(a):
    """The upper and lower 26 bits of a float64 (Veltkamp)."""
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


# ---- rounding --------------------------------------------------------------------------------------------------

def _neighbour(value, up):
    """The neighbour of each float, above where `up`, else below."""
    scalar = value.dtype.type
    return np.nextafter(value, np.where(up, scalar(np.inf), scalar(-np.inf)))


def to_odd(high, low):
    """One float for high + low that a later rounding can not mistake: exact, or with its last bit set."""
    bits = np.ascontiguousarray(high).view(UNSIGNED[8 * high.dtype.itemsize])
    even = (bits & bits.dtype.type(1)) == 0
    return np.where((low != 0) & np.isfinite(high) & even, _neighbour(high, low > 0), high)


def round_pair(high, low, mode: str):
    """Round high + low in the direction of the mode; high is the float nearest to the sum, and finite."""
    if mode == "rn":
        return high
    if mode == "rp":
        return np.where(low > 0, _neighbour(high, True), high)
    if mode == "rm":
        return np.where(low < 0, _neighbour(high, False), high)
    away = np.where(high > 0, low < 0, low > 0)         # rz: rounding to nearest went away from zero
    return np.where(away & (low != 0), _neighbour(high, high < 0), high)


def shorten(value, dtype, mode: str):
    """A float64 in a shorter format, rounded as the mode says."""
    near = value.astype(dtype)
    if mode == "rn":
        return near
    back = near.astype(value.dtype)
    if mode == "rp":
        return np.where(back < value, _neighbour(near, True), near)
    if mode == "rm":
        return np.where(back > value, _neighbour(near, False), near)
    return np.where(np.abs(back) > np.abs(value), _neighbour(near, value < 0), near)


def zero_sum(total, a, b, mode: str):
    """Rounding down, an exact sum of zero is -0 unless both addends are +0 (IEEE 754, 6.3)."""
    if mode != "rm":
        return total
    both_plus = (a == 0) & (b == 0) & ~np.signbit(a) & ~np.signbit(b)
    return np.where((total == 0) & ~both_plus, total.dtype.type(-0.0), total)
