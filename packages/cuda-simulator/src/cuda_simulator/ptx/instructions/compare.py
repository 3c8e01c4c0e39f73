"""Comparison and selection: setp, set, selp, slct (PTX ISA 9.7.6)."""

from __future__ import annotations

import operator

import numpy as np

from ..types import TYPES, bits_of, packed
from .arithmetic import python_signed
from .half import to_float
from .rounding import flush
from .steps import Compute, compute

INTEGERS = "b16 b32 b64 u16 u32 u64 s16 s32 s64"
FLOATS = "f16 bf16 f32 f64"
ORDERED = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
           "ge": np.greater_equal}
UNSIGNED = {"lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}
PYTHON = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">",
          "hs": ">="}
PLAIN = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
         "ge": operator.ge}
BOOLEAN = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def _ordered_compare(operation):
    """Floating point: a comparison with a NaN is false, `ne` included, which NumPy holds for true."""
    if operation is np.not_equal:
        return lambda a, b: np.less(a, b) | np.greater(a, b)
    return operation


def float_comparison(name: str):
    """eq ... ge are false for NaN; with a u behind (equ, ltu) true; num and nan ask whether there is one."""
    def unordered(a, b):
        return np.isnan(a) | np.isnan(b)

    if name == "nan":
        return unordered
    if name == "num":
        return lambda a, b: ~unordered(a, b)
    if name in ORDERED:
        return _ordered_compare(ORDERED[name])
    operation = ORDERED[name[:-1]]
    return lambda a, b: operation(a, b) | unordered(a, b)


def comparison(match, type_):
    """The function from two operands of a type to a truth value."""
    name = match["cmp"]
    if type_.kind != "f":
        return {**ORDERED, **UNSIGNED}[name]
    operation, ftz = float_comparison(name), "ftz" in match
    if type_.bits == 16:
        return lambda a, b: operation(to_float(a, type_), to_float(b, type_))
    return (lambda a, b: operation(flush(a), flush(b))) if ftz else operation


INTEGER_CMP = "eq ne lt le gt ge lo ls hi hs"
FLOAT_CMP = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"


@compute("setp.cmp{.bool}.type", cmp=INTEGER_CMP, bool="and or xor", type=INTEGERS)
@compute("setp.cmp{.bool}{.ftz}.type", cmp=FLOAT_CMP, bool="and or xor", type=FLOATS)
def setp(match):
    """p|q: p is the comparison (combined with c), q the same of its opposite."""
    type_, pred = match.type(), TYPES["pred"]
    compare = comparison(match, type_)
    if "bool" in match:
        combine = BOOLEAN[match["bool"]]

        def vector(a, b, c):
            holds = compare(a, b)
            return combine(holds, c), combine(~holds, c)
        return Compute((pred, pred), (type_, type_, pred), vector)
    python = None
    if type_.kind != "f":
        a, b = (python_signed(name, type_) for name in ("{0}", "{1}"))
        python = f"({a} {PYTHON[match['cmp']]} {b}) + 0"
    name = match["cmp"].removesuffix("u")
    plain = PLAIN.get(name) if type_.bits >= 32 and "ftz" not in match else None
    return Compute(pred, (type_, type_), compare, python, plain=plain if type_.kind == "f" else None)


@compute("set.cmp{.bool}.dtype.type", cmp=INTEGER_CMP, bool="and or xor", dtype="u32 s32 f32", type=INTEGERS)
@compute("set.cmp{.bool}{.ftz}.dtype.type", cmp=FLOAT_CMP, bool="and or xor", dtype="u32 s32 f32 f16 bf16 u16 s16",
         type=FLOATS)
def set_(match):
    """All ones, or 1.0, where the comparison holds; else 0."""
    type_, result = match.type(), match.type("dtype")
    compare = comparison(match, type_)
    ones = {"f32": bits_of(1, np.float32), "f16": bits_of(1, np.float16), "bf16": 0x3F80}
    true = ones.get(result.name, result.mask)
    storage = result.storage.type

    def vector(a, b, *c):
        holds = BOOLEAN[match["bool"]](compare(a, b), c[0]) if c else compare(a, b)
        return np.where(holds, storage(true), storage(0)).view(result.dtype)

    return Compute(result, (type_, type_) + ((TYPES["pred"],) if "bool" in match else ()), vector)


@compute("set.cmp{.bool}{.ftz}.dtype.type", cmp=FLOAT_CMP, bool="and or xor", dtype="f16x2 u32 s32 bf16x2",
         type="f16x2 bf16x2")
def set_pairs(match):
    """Both halves are compared; all ones or 1.0 in the half of the result."""
    type_, result = match.type(), match.type("dtype")
    half = TYPES[type_.name[:-2]]
    operation = float_comparison(match["cmp"])
    true = {"f16x2": 0x3C00, "bf16x2": 0x3F80}.get(result.name, 0xFFFF)

    def compare(a, b, *c):
        holds = operation(to_float(a, half), to_float(b, half))
        if c:
            holds = BOOLEAN[match["bool"]](holds, c[0])
        return np.where(holds, np.uint16(true), np.uint16(0))

    def vector(a, b, *c):
        return packed(lambda x, y: compare(x, y, *c), half)(a, b).view(result.dtype)

    return Compute(result, (type_, type_) + ((TYPES["pred"],) if "bool" in match else ()), vector)


@compute("selp.type", type="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64")
def selp(match):
    type_ = match.type()
    # A choice between bits: the storage type, so that NaNs stay as they are.
    bits = TYPES[f"b{type_.bits}"]
    return Compute(bits, (bits, bits, TYPES["pred"]), lambda a, b, p: np.where(p, a, b), "{0} if {2} else {1}")


@compute("slct.type.ctype", type="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", ctype="s32")
@compute("slct{.ftz}.type.ctype", type="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", ctype="f32")
def slct(match):
    """a where c is not negative, else b."""
    bits, selector = TYPES[f"b{match.type().bits}"], match.type("ctype")
    ready = flush if "ftz" in match else (lambda c: c)
    return Compute(bits, (bits, bits, selector), lambda a, b, c: np.where(ready(c) >= 0, a, b))
