"""Integer arithmetic: add, sub, mul, mad, sad, div, rem, abs, neg, min, max, carry chains (PTX ISA 9.7.1, 9.7.2).

Arrays wrap around as PTX integers do. Where a plain-Python form stands beside the NumPy function, it is the
same over unsigned ints for a single lane.
"""

from __future__ import annotations

import numpy as np

from ..types import TYPES, UNSIGNED
from .steps import Compute, compute

INTEGERS = "u16 u32 u64 s16 s32 s64"


def python_signed(name: str, type_) -> str:
    """The signed reading of an unsigned int, as source text."""
    if type_.kind != "s":
        return name
    half = 1 << (type_.bits - 1)
    return f"(({name} ^ {half}) - {half})"


# ---- add, sub, mul, mad ------------------------------------------------------------------------------------------

@compute("add.type", type=INTEGERS)
def add(match):
    type_ = match.type()
    return Compute(type_, (type_, type_), np.add, f"({{0}} + {{1}}) & {type_.mask}")


@compute("sub.type", type=INTEGERS)
def sub(match):
    type_ = match.type()
    return Compute(type_, (type_, type_), np.subtract, f"({{0}} - {{1}}) & {type_.mask}")


def _saturated(operation):
    """.sat: the exact result, limited to what 32 signed bits hold."""
    def saturated(a, b):
        exact = operation(a.astype(np.int64), b.astype(np.int64))
        return np.clip(exact, -2**31, 2**31 - 1).astype(np.int32)
    return saturated


@compute("add.sat.s32")
def add_sat(match):
    return Compute(TYPES["s32"], (TYPES["s32"],) * 2, _saturated(np.add))


@compute("sub.sat.s32")
def sub_sat(match):
    return Compute(TYPES["s32"], (TYPES["s32"],) * 2, _saturated(np.subtract))


def _wider(type_):
    return TYPES[f"{type_.kind}{2 * type_.bits}"]


def wide_product(type_):
    """The whole product of two 16- or 32-bit integers."""
    wide = _wider(type_).dtype
    return lambda a, b: np.multiply(a, b, dtype=wide)


def high_product(type_):
    """The upper half of the product."""
    if type_.bits < 64:
        wide = wide_product(type_)
        return lambda a, b: (wide(a, b) >> _wider(type_).dtype.type(type_.bits)).astype(type_.dtype)
    if type_.kind == "u":
        return _high_64
    # a and b read as unsigned are 2^64 too large where they are negative.
    def signed_high(a, b):
        high = _high_64(a.view(np.uint64), b.view(np.uint64)).view(np.int64)
        return high - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)
    return signed_high


def _high_64(a, b):
    """The upper half of a 64 x 64 bit product, from four products of 32-bit halves."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> shift, b & low, b >> shift
    middle = a1 * b0 + (a0 * b0 >> shift)
    cross = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> shift) + (cross >> shift)


def _product(match):
    """The multiplication of mul and mad: result type, NumPy function, Python source."""
    type_, mode = match.type(), match["mode"]
    a, b = (python_signed(name, type_) for name in ("{0}", "{1}"))
    if mode == "lo":
        return type_, np.multiply, "{0} * {1}"
    if mode == "hi":
        return type_, high_product(type_), f"({a} * {b} >> {type_.bits})"
    return _wider(type_), wide_product(type_), f"{a} * {b}"


@compute("mul.mode.type", mode="hi lo", type=INTEGERS)
@compute("mul.mode.type", mode="wide", type="u16 u32 s16 s32")
def mul(match):
    result, vector, python = _product(match)
    return Compute(result, (match.type(),) * 2, vector, f"({python}) & {result.mask}")


@compute("mad.mode.type", mode="hi lo", type=INTEGERS)
@compute("mad.mode.type", mode="wide", type="u16 u32 s16 s32")
def mad(match):
    result, product, python = _product(match)
    return Compute(result, (match.type(),) * 2 + (result,), lambda a, b, c: product(a, b) + c,
                   f"({python} + {{2}}) & {result.mask}")


@compute("mad.hi.sat.s32")
def mad_sat(match):
    high = high_product(TYPES["s32"])
    return Compute(TYPES["s32"], (TYPES["s32"],) * 3, lambda a, b, c: _saturated(np.add)(high(a, b), c))


def _product_24(match):
    """mul24 multiplies the lowest 24 bits; `lo` is the lower 32 of the 48 bits, `hi` the upper 32."""
    type_ = match.type()
    wide = _wider(type_).dtype
    drop = 16 if match["mode"] == "hi" else 0

    def vector(a, b):
        a, b = ((x.astype(wide) << wide.type(40)) >> wide.type(40) for x in (a, b))   # with the sign of bit 23
        return ((a * b) >> wide.type(drop)).astype(UNSIGNED[32]).view(type_.dtype)
    return vector


@compute("mul24.mode.type", mode="hi lo", type="u32 s32")
def mul24(match):
    return Compute(match.type(), (match.type(),) * 2, _product_24(match))


@compute("mad24.mode.type", mode="hi lo", type="u32 s32")
def mad24(match):
    product = _product_24(match)
    return Compute(match.type(), (match.type(),) * 3, lambda a, b, c: product(a, b) + c)


# ---- sums of carries ---------------------------------------------------------------------------------------------
# add.cc leaves its carry in a register of its own, the condition code; addc adds it. Hardware subtracts by adding ~b and 1, so sub.cc
# leaves 1 if nothing was borrowed. A chain of subtractions does not show that, but an addc behind one does, and NVIDIA's own division of
# 128 bits relies on it.

def _add_carry(a, b, carry):
    total = a + b
    result = total + carry
    return result, (total < a) | (result < total)


def _sub_carry(a, b, carry):
    borrow = 1 - carry
    total = a - b
    result = total - borrow
    return result, ~((a < b) | (total < borrow))


def _chained(type_, operation, product, takes, leaves):
    """Put a multiplication, an addition with carry in and an addition with carry out together."""
    scalar = type_.dtype.type

    def vector(*values):
        *values, carry = values if takes else (*values, np.bool_(operation is _sub_carry))
        carry = np.where(carry, scalar(1), scalar(0))
        *factors, addend = values
        term = product(*factors) if product else factors[0]
        result, out = operation(np.asarray(term), np.asarray(addend), carry)
        return (result, out) if leaves else result
    return vector


def _unsigned(type_):
    return TYPES[f"u{type_.bits}"]


@compute("add{.cc}.type", type="u32 s32 u64 s64")
@compute("addc{.cc}.type", type="u32 s32 u64 s64")
@compute("sub{.cc}.type", type="u32 s32 u64 s64")
@compute("subc{.cc}.type", type="u32 s32 u64 s64")
def chain(match):
    type_ = _unsigned(match.type())
    takes, leaves = match.opcode[3] == "c", "cc" in match
    operation = _add_carry if match.opcode.startswith("add") else _sub_carry
    return Compute(type_, (type_, type_), _chained(type_, operation, None, takes, leaves),
                   carry_in=takes, carry_out=leaves)


@compute("mad.mode.cc.type", mode="hi lo", type="u32 s32 u64 s64")
@compute("madc.mode{.cc}.type", mode="hi lo", type="u32 s32 u64 s64")
def mad_chain(match):
    type_ = match.type()
    unsigned = _unsigned(type_)
    takes, leaves = match.opcode.startswith("madc"), "cc" in match
    half = np.multiply if match["mode"] == "lo" else high_product(type_)

    def product(a, b):
        return half(np.asarray(a).view(type_.dtype), np.asarray(b).view(type_.dtype)).view(unsigned.dtype)

    return Compute(unsigned, (unsigned,) * 3, _chained(unsigned, _add_carry, product, takes, leaves),
                   carry_in=takes, carry_out=leaves)


# ---- division and the like ---------------------------------------------------------------------------------------

def _divide(a, b):
    """C's division, towards zero; by zero: all ones, as the hardware answers (PTX leaves it open)."""
    zero = b == 0
    safe = np.where(zero, b.dtype.type(1), b)
    if a.dtype.kind == "u":
        return np.where(zero, ~a.dtype.type(0), a // safe)
    quotient = a // safe
    quotient += ((a % safe) != 0) & ((a < 0) != (safe < 0))
    return np.where(zero, a.dtype.type(-1), quotient)


def _remainder(a, b):
    zero = b == 0
    safe = np.where(zero, b.dtype.type(1), b)
    remainder = a % safe if a.dtype.kind == "u" else a - _divide(a, safe) * safe
    return np.where(zero, a, remainder)


@compute("div.type", type=INTEGERS)
def div(match):
    return Compute(match.type(), (match.type(),) * 2, _divide)


@compute("rem.type", type=INTEGERS)
def rem(match):
    return Compute(match.type(), (match.type(),) * 2, _remainder)


@compute("sad.type", type=INTEGERS)
def sad(match):
    return Compute(match.type(), (match.type(),) * 3, lambda a, b, c: np.where(a < b, b - a, a - b) + c)


@compute("abs.type", type="s16 s32 s64")
def abs_(match):
    return Compute(match.type(), (match.type(),), np.abs)


@compute("neg.type", type="s16 s32 s64")
def neg(match):
    return Compute(match.type(), (match.type(),), np.negative, f"-{{0}} & {match.type().mask}")


@compute("min{.relu}.type{.late}", type=INTEGERS, relu="relu", late="relu")
@compute("max{.relu}.type{.late}", type=INTEGERS, relu="relu", late="relu")
def min_max(match):
    type_ = match.type()
    choose = np.minimum if match.opcode.startswith("min") else np.maximum
    if "relu" in match or "late" in match:     # the compiler writes max.s32.relu, the ISA max.relu.s32
        return Compute(type_, (type_, type_), lambda a, b: np.maximum(choose(a, b), type_.dtype.type(0)))
    sign = "<" if choose is np.minimum else ">"
    a, b = (python_signed(name, type_) for name in ("{0}", "{1}"))
    return Compute(type_, (type_, type_), choose, f"{{0}} if {a} {sign} {b} else {{1}}")
