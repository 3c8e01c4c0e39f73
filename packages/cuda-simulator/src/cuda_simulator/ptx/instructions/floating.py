"""Floating-point arithmetic with the rounding that the instruction names (PTX ISA 9.7.3).

NumPy's own f32 and f64 operations round to nearest, as `.rn` says. Everything else goes over exact pairs
(rounding.py), and the rare rest over Python's integers (exact.py).
"""

from __future__ import annotations

import math

import numpy as np

from .. import compiled
from ..types import TYPES
from . import exact, single
from .rounding import canonical, flush, round_pair, saturate, shorten, to_odd, two_product, two_sum, zero_sum
from .steps import Compute, compute

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


def finish(function, match, count: int, plain=None, nan_is_written=False) -> Compute:
    """Wrap an operation in its modifiers: .ftz for operands and result, .sat, and the hardware's NaN, unless `function` writes it.

    `plain` is the same over Python floats, for a single lane, where no modifier changes it.
    """
    type_ = match.type()
    ftz, sat = "ftz" in match, "sat" in match

    def vector(*values):
        if ftz:
            values = [flush(value) for value in values]
        result = function(*values)
        if ftz:
            result = flush(result)
        if sat:
            result = saturate(result)
        return result if nan_is_written else canonical(result)

    unchanged = not ftz and not sat and mode_of(match) == "rn"
    return Compute(type_, (type_,) * count, vector, plain=plain if unchanged else None)


def mode_of(match) -> str:
    return match["rnd"] or "rn"


# ---- add, sub, mul, fma ------------------------------------------------------------------------------------------

def add_rounded(a, b, mode: str):
    if mode == "rn":
        return a + b
    if a.dtype == F32:
        high, low = two_sum(a.astype(F64), b.astype(F64))
        return shorten(zero_sum(_odd_or_plain(high, low), a, b, mode), F32, mode)
    high, low = two_sum(a, b)
    usual = np.isfinite(high)
    result = np.where(usual, round_pair(high, low, mode), high)
    overflow = ~usual & np.isfinite(a) & np.isfinite(b)
    return exact.elementwise(exact.total, overflow, zero_sum(result, a, b, mode), *np.broadcast_arrays(a, b), mode=mode)


def _odd_or_plain(high, low):
    """to_odd, but infinities and NaNs, whose rest means nothing, stay."""
    return np.where(np.isfinite(high), to_odd(high, low), high)


def multiply_rounded(a, b, mode: str):
    if mode == "rn":
        return a * b
    if a.dtype == F32:
        return shorten(np.multiply(a, b, dtype=F64), F32, mode)     # 24 + 24 bits fit in 53
    high, low = two_product(a, b)
    result = np.where(_moderate(a) & _moderate(b), round_pair(high, low, mode), high)
    rare = ~(_moderate(a) & _moderate(b)) & np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
    return exact.elementwise(exact.product, rare, result, *np.broadcast_arrays(a, b), mode=mode)


def _moderate(a):
    """Exponents with which products of float64 are exact as pairs: nothing over- or underflows."""
    size = np.abs(a)
    return (size > 1e-140) & (size < 1e140)


def fma_f32(a, b, c, mode: str):
    """The product of two f32 is exact in f64; the sum with c may not be."""
    product, c = np.multiply(a, b, dtype=F64), c.astype(F64)
    return shorten(zero_sum(_odd_or_plain(*two_sum(product, c)), product, c, mode), F32, mode)


def fma_f64(a, b, c, mode: str):
    """Boldo and Melquiond: the product as a pair, its sum with c as a pair rounded to odd, one last rounding."""
    a, b, c = np.broadcast_arrays(a, b, c)
    high, low = two_product(a, b)
    with_low, low_error = two_sum(c, low)
    total, total_error = two_sum(high, with_low)
    error = to_odd(*two_sum(low_error, total_error))
    result = round_pair(*two_sum(total, error), mode)
    plain = np.where(np.isinf(c) & np.isfinite(a) & np.isfinite(b), c, high + c)
    special = ~np.isfinite(a) | ~np.isfinite(b) | ~np.isfinite(c) | (a == 0) | (b == 0)
    if special.any():
        plain = np.where(np.isfinite(plain), add_rounded(high, c, mode), plain)
    size = np.abs(c)
    usual = _moderate(a) & _moderate(b) & ((c == 0) | ((size > 1e-280) & (size < 1e300)))
    result = np.where(special, plain, zero_sum(result, high, c, mode))
    return exact.elementwise(exact.multiply_add, ~usual & ~special, result, a, b, c, mode=mode)


def fma_rounded(a, b, c, mode: str):
    if mode == "rn":
        return compiled.fma_f32(a, b, c) if a.dtype == F32 else compiled.fma_f64(a, b, c)
    return fma_f32(a, b, c, mode) if a.dtype == F32 else fma_f64(a, b, c, mode)


@compute("add{.rnd}{.ftz}{.sat}.type", type="f32")
@compute("add{.rnd}.type", type="f64")
def add(match):
    mode = mode_of(match)
    return finish(lambda a, b: add_rounded(a, b, mode), match, 2, lambda a, b: a + b)


@compute("sub{.rnd}{.ftz}{.sat}.type", type="f32")
@compute("sub{.rnd}.type", type="f64")
def sub(match):
    mode = mode_of(match)
    return finish(lambda a, b: add_rounded(a, -b, mode) if mode != "rn" else a - b, match, 2,
                  lambda a, b: a - b)


@compute("mul{.rnd}{.ftz}{.sat}.type", type="f32")
@compute("mul{.rnd}.type", type="f64")
def mul(match):
    mode = mode_of(match)
    return finish(lambda a, b: multiply_rounded(a, b, mode), match, 2, lambda a, b: a * b)


@compute("fma.rnd{.ftz}{.sat}.type", type="f32")
@compute("fma.rnd.type", type="f64")
@compute("mad.rnd{.ftz}{.sat}.type", type="f32")
@compute("mad.rnd.type", type="f64")
def fma(match):
    mode = mode_of(match)
    return finish(lambda a, b, c: fma_rounded(a, b, c, mode), match, 3,
                  single.fma_f32 if match["type"] == "f32" else single.fma_f64, nan_is_written=mode == "rn")


# ---- div, rcp, sqrt ----------------------------------------------------------------------------------------------

def divide_rounded(a, b, mode: str):
    result = np.divide(a, b)
    if mode == "rn":
        return result
    usual = np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
    return exact.elementwise(exact.quotient, usual, result, *np.broadcast_arrays(a, b), mode=mode)


def square_root_rounded(a, mode: str):
    result = np.sqrt(a)
    return result if mode == "rn" else exact.elementwise(exact.square_root, np.isfinite(a) & (a > 0), result, a, mode=mode)


@compute("div.rnd{.ftz}.type", type="f32")
@compute("div.rnd.type", type="f64")
def div(match):
    mode = mode_of(match)
    return finish(lambda a, b: divide_rounded(a, b, mode), match, 2, lambda a, b: a / b)


@compute("rcp.rnd{.ftz}.type", type="f32")
@compute("rcp.rnd.type", type="f64")
def rcp(match):
    mode = mode_of(match)
    return finish(lambda a: divide_rounded(np.ones_like(a), a, mode), match, 1)


@compute("sqrt.rnd{.ftz}.type", type="f32")
@compute("sqrt.rnd.type", type="f64")
def sqrt(match):
    mode = mode_of(match)
    return finish(lambda a: square_root_rounded(a, mode), match, 1, math.sqrt)


# ---- signs, min and max, tests -----------------------------------------------------------------------------------

def _on_bits(match, function, count: int = 1) -> Compute:
    """Operations on the sign bit alone: NaNs keep their bits."""
    type_ = match.type()
    bits = TYPES[f"b{type_.bits}"]
    sign = bits.dtype.type(1 << (type_.bits - 1))
    if "ftz" in match:
        def vector(*values):
            return function(*(flush(value.view(type_.dtype)).view(bits.dtype) for value in values), sign)
        return Compute(bits, (bits,) * count, vector)
    return Compute(bits, (bits,) * count, lambda *values: function(*values, sign))


@compute("abs{.ftz}.type", type="f32")
@compute("abs.type", type="f64")
def abs_(match):
    return _on_bits(match, lambda a, sign: a & ~sign)


@compute("neg{.ftz}.type", type="f32")
@compute("neg.type", type="f64")
def neg(match):
    return _on_bits(match, lambda a, sign: a ^ sign)


@compute("copysign.type", type="f32 f64")
def copysign(match):
    """b's size with a's sign."""
    return _on_bits(match, lambda a, b, sign: (a & sign) | (b & ~sign), 2)


def choose(name: str, nan: bool, a, b):
    """min and max: -0 is less than +0; a NaN gives way to a number, unless .NaN asks for it."""
    smaller = (a < b) | ((a == b) & np.signbit(a))
    result = np.where(smaller if name == "min" else ~smaller, a, b)
    if nan:
        return np.where(np.isnan(a), a, np.where(np.isnan(b), b, result))
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, result))


def _min_max(match, count):
    name, nan, absolute = match.opcode[:3], "NaN" in match, "xorsign" in match

    def function(*values):
        result = np.abs(values[0]) if absolute else values[0]
        for value in values[1:]:
            result = choose(name, nan, result, np.abs(value) if absolute else value)
        if absolute:
            return np.where(np.signbit(values[0]) ^ np.signbit(values[1]), -result, result)
        return result
    return finish(function, match, count)


@compute("min{.ftz}{.NaN}{.xorsign}.type", xorsign="xorsign.abs", type="f32")
@compute("max{.ftz}{.NaN}{.xorsign}.type", xorsign="xorsign.abs", type="f32")
@compute("min.type", type="f64")
@compute("max.type", type="f64")
def min_max(match):
    return _min_max(match, 2)


TESTS = {
    "finite": np.isfinite, "infinite": np.isinf, "notanumber": np.isnan, "number": lambda a: ~np.isnan(a),
    "normal": lambda a: np.isfinite(a) & ((np.abs(a) >= np.finfo(a.dtype).tiny) | (a == 0)),    # zeros are, by the PTX ISA and an H200
    "subnormal": lambda a: (np.abs(a) < np.finfo(a.dtype).tiny) & (a != 0),
}


@compute("testp.op.type", op=" ".join(TESTS), type="f32 f64")
def testp(match):
    return Compute(TYPES["pred"], (match.type(),), TESTS[match["op"]])
