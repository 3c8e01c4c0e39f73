"""Half precision: f16, bf16, and the packed pairs f16x2 and bf16x2 (PTX ISA 9.7.4).

Both formats are so short that a product of two of them is exact in float64, and a sum an exact pair; one
rounding then gives the result. NumPy knows float16; bfloat16, the upper half of a float32, is kept as bits.
"""

from __future__ import annotations

import numpy as np

from ..types import TYPES, packed
from .approximate import FUNCTIONS
from .floating import choose
from .rounding import canonical, flush, round_pair, saturate, shorten, to_odd, two_sum
from .steps import Compute, compute

FORMATS = "f16 f16x2 bf16 bf16x2"
NAN = np.uint16(0x7FFF)     # of f16 and of bf16


def to_float(value, type_):
    """f16 and bf16 as float32, which holds them exactly; other floats as they are."""
    if type_.name == "f16":
        return value.astype(np.float32)
    if type_.name == "bf16":
        return (value.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return value


def narrow(high, low, type_, mode: str):
    """Round the exact float64 pair high + low to a format of at most 64 bits."""
    if type_.bits == 64:
        return np.where(np.isfinite(high), round_pair(high, low, mode), high)
    odd = np.where(np.isfinite(high), to_odd(high, low), high)
    if type_.name != "bf16":
        return canonical(shorten(odd, type_.dtype, mode))
    single = odd.astype(np.float32)
    single = np.where(np.isfinite(odd), to_odd(single, np.sign(odd - single)), single)
    bits = single.view(np.uint32)
    upper, lower = bits >> np.uint32(16), bits & np.uint32(0xFFFF)
    negative = np.signbit(single)
    up = {
        "rn": (lower > 0x8000) | ((lower == 0x8000) & ((upper & np.uint32(1)) == 1)),
        "rz": np.zeros_like(negative),
        "rm": (lower > 0) & negative,
        "rp": (lower > 0) & ~negative,
    }[mode]
    return np.where(np.isnan(single), NAN, (upper + up).astype(np.uint16))


def _flushed(value, type_, match):
    return flush(value) if "ftz" in match and type_.name == "f16" else value


def _finish(high, low, type_, match):
    """Round, and apply .ftz, .sat and .relu."""
    result = _flushed(narrow(high, low, type_, "rn"), type_, match)
    if "sat" in match:
        result = saturate(result)
    if "relu" in match:
        result = np.where(high > 0, result, np.where(np.isnan(high), result, result.dtype.type(0)))
    return result


# Each operation as an exact pair of float64.
EXACT = {
    "add": lambda a, b: two_sum(a, b),
    "sub": lambda a, b: two_sum(a, -b),
    "mul": lambda a, b: (a * b, np.zeros_like(a * b)),
    "fma": lambda a, b, c: two_sum(a * b, c),
}


def _arithmetic(match, type_):
    exact = EXACT[match.opcode.split(".")[0]]

    def function(*values):
        wide = [to_float(_flushed(value, type_, match), type_).astype(np.float64) for value in values]
        return _finish(*exact(*wide), type_, match)
    return function


def half_operation(operation, type_):
    """a + b, or the smaller or larger of both, for any of the four formats: what an atomic operation does."""
    half = TYPES[type_.name.removesuffix("x2")]

    def function(a, b):
        a, b = (to_float(value, half) for value in (a, b))
        if operation == "add":
            high, low = two_sum(a.astype(np.float64), b.astype(np.float64))
        else:
            high, low = choose(operation, False, a, b).astype(np.float64), np.float64(0)
        return narrow(high, low, half, "rn")
    return packed(function, half) if type_ is not half else function


def _choose(match, type_):
    name, nan = match.opcode[:3], "NaN" in match

    def function(a, b):
        a, b = (_flushed(value, type_, match) for value in (a, b))
        chosen = choose(name, nan, to_float(a, type_), to_float(b, type_))
        return narrow(chosen.astype(np.float64), np.float64(0), type_, "rn")
    return function


def _half_or_pair(match, count, make):
    """A Compute for a half, or for a packed pair of them."""
    type_ = match.type()
    if type_.name.endswith("x2"):
        half = TYPES[type_.name[:-2]]
        return Compute(type_, (type_,) * count, packed(make(match, half), half))
    return Compute(type_, (type_,) * count, make(match, type_))


@compute("tanh.approx.type", type=FORMATS)
@compute("ex2.approx.type", type="f16 f16x2")
@compute("ex2.approx.ftz.type", type="bf16 bf16x2")
def approximated(match):
    def make(match, type_):
        function = FUNCTIONS[match.opcode.split(".")[0]]
        return lambda a: narrow(function(to_float(a, type_).astype(np.float64)), np.float64(0), type_, "rn")
    return _half_or_pair(match, 1, make)


@compute("add{.rnd}{.ftz}{.sat}.type", rnd="rn", type=FORMATS)
@compute("sub{.rnd}{.ftz}{.sat}.type", rnd="rn", type=FORMATS)
@compute("mul{.rnd}{.ftz}{.sat}.type", rnd="rn", type=FORMATS)
def two_operands(match):
    return _half_or_pair(match, 2, _arithmetic)


@compute("fma.rnd{.ftz}{.sat}{.relu}.type", rnd="rn", type=FORMATS)
def fma(match):
    return _half_or_pair(match, 3, _arithmetic)


@compute("min{.ftz}{.NaN}.type", type=FORMATS)
@compute("max{.ftz}{.NaN}.type", type=FORMATS)
def min_max(match):
    return _half_or_pair(match, 2, _choose)


def _sign(match, type_):
    """abs and neg. A NaN may become any other (PTX ISA 9.7.4, abs, neg); an H200 answers 0x7fff for f16."""
    change = {"abs": lambda bits: bits & np.uint16(0x7FFF),
              "neg": lambda bits: bits ^ np.uint16(0x8000)}[match.opcode[:3]]

    def function(a):
        a = _flushed(a, type_, match)
        return np.where(np.isnan(to_float(a, type_)), NAN, change(a.view(np.uint16))).view(type_.dtype)
    return function


@compute("abs{.ftz}.type", type=FORMATS)
@compute("neg{.ftz}.type", type=FORMATS)
def sign(match):
    return _half_or_pair(match, 1, _sign)
