"""Conversions: cvt between integers, floats, and both (PTX ISA 9.7.9.21).

Integer results of a float are limited to the type's range; rounding to an integer is named rni, rzi, rmi, rpi,
rounding to a shorter float rn, rz, rm, rp.
"""

from __future__ import annotations

import numpy as np

from ..types import TYPES
from .arithmetic import python_signed
from .half import narrow, to_float
from .rounding import canonical, flush, saturate, two_sum
from .steps import Compute, compute

INTEGERS = "u8 u16 u32 u64 s8 s16 s32 s64"
FLOATS = "f16 bf16 f32 f64"
TO_INTEGER = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def _limits(type_) -> tuple[int, int]:
    if type_.kind == "s":
        return -(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1
    return 0, (1 << type_.bits) - 1


@compute("cvt{.sat}.dtype.atype", dtype=INTEGERS, atype=INTEGERS)
def integer_to_integer(match):
    """Cut off or extend; .sat limits to the range instead."""
    result, source = match.type("dtype"), match.type("atype")
    if "sat" not in match:
        python = f"{python_signed('{0}', source)} & {result.mask}"
        return Compute(result, (source,), lambda a: a.astype(result.dtype), python)
    low, high = _limits(result)
    source_low, source_high = _limits(source)

    def saturated(a):
        limited = np.clip(a, source.dtype.type(max(low, source_low)), source.dtype.type(min(high, source_high)))
        return limited.astype(result.dtype)
    return Compute(result, (source,), saturated)


@compute("cvt.rnd{.sat}.dtype.atype", dtype=FLOATS, atype=INTEGERS)
def integer_to_float(match):
    result, source, mode = match.type("dtype"), match.type("atype"), match["rnd"]

    def vector(a):
        if mode == "rn" and result.bits >= 32:
            number = a.astype(result.dtype)
        else:       # both halves are exact in f64; their exact sum is rounded once
            wide = a.astype(np.int64 if source.kind == "s" else np.uint64)
            low = wide & wide.dtype.type(0xFFFFFFFF)
            pair = two_sum((wide - low).astype(np.float64), low.astype(np.float64))
            number = narrow(*pair, result, mode)
        return saturate(number) if "sat" in match else number
    return Compute(result, (source,), vector)


@compute("cvt.irnd{.ftz}{.sat}.dtype.atype", dtype=INTEGERS, atype=FLOATS)
def float_to_integer(match):
    result, source = match.type("dtype"), match.type("atype")
    low, high = _limits(result)
    rounded = TO_INTEGER[match["irnd"]]
    wide = np.int64 if result.kind == "s" else np.uint64
    # NaN: 0, but the highest bit alone where f64 or a 64-bit integer takes part (PTX ISA, cvt).
    nan = 1 << (result.bits - 1) if source.bits == 64 or result.bits == 64 else 0

    def vector(a):
        if "ftz" in match:
            a = flush(a)
        value = rounded(to_float(a, source).astype(np.float64))
        too_low, too_high = value < float(low), value >= float(high + 1)
        inside = ~(too_low | too_high | np.isnan(value))
        number = np.where(inside, value, 0.0).astype(wide).astype(result.storage)
        number = np.where(too_low, result.storage.type(low & result.mask), number)
        number = np.where(too_high, result.storage.type(high), number)
        return np.where(np.isnan(value), result.storage.type(nan), number).view(result.dtype)
    return Compute(result, (source,), vector)


@compute("cvt{.rnd}{.ftz}{.sat}.dtype.atype", dtype=FLOATS, atype=FLOATS)
@compute("cvt.irnd{.ftz}{.sat}.dtype.atype", dtype=FLOATS, atype=FLOATS)
@compute("cvt.rnd.relu.dtype.atype", dtype="f16 bf16", atype="f32")
def float_to_float(match):
    """To a longer format exactly, to a shorter one rounded; to the same, perhaps rounded to a whole number."""
    result, source = match.type("dtype"), match.type("atype")
    whole = TO_INTEGER.get(match["irnd"]) if "irnd" in match else None

    def vector(a):
        if "ftz" in match and a.dtype == np.float32:
            a = flush(a)
        value = to_float(a, source)
        if whole is not None:
            value = whole(value)
        if result.bits >= source.bits and result.name != "bf16" and source.name != "bf16":
            number = value.astype(result.dtype)
        else:
            number = narrow(value.astype(np.float64), np.float64(0), result, match["rnd"] or "rn")
        if "ftz" in match and number.dtype == np.float32:
            number = flush(number)
        if "relu" in match:
            number = relu(number, value)
        if "sat" in match:
            return saturate(number)
        if source.name == "f64" and result.name == "f32":
            # PTX leaves the NaN open. An H200 makes 0x7fc00000 of 0x7ff8000000000000: sign and upper bits stay.
            return np.where(np.isnan(value), value.astype(np.float32), number)
        return canonical(number)
    return Compute(result, (source,), vector)


def relu(number, value):
    """.relu: what is negative becomes zero; NaN stays."""
    return np.where(np.signbit(value) & ~np.isnan(value), number.dtype.type(0), number)


@compute("cvt.rnd{.relu}.dtype.atype", rnd="rn rz", dtype="f16x2 bf16x2", atype="f32")
def two_floats_to_halves(match):
    """d = {b, a}: a becomes the upper half."""
    result = match.type("dtype")
    half = TYPES[result.name[:-2]]

    def to_half(value):
        number = narrow(value.astype(np.float64), np.float64(0), half, match["rnd"])
        if "relu" in match:
            number = relu(number, value)
        return number.view(np.uint16).astype(np.uint32)
    return Compute(result, (TYPES["f32"],) * 2, lambda a, b: to_half(a) << np.uint32(16) | to_half(b))


@compute("cvt.rna.tf32.atype", atype="f32")
def to_tf32(match):
    """The 19 bits that tensor cores read: round half away from zero at bit 13."""
    b32 = TYPES["b32"]

    def vector(a):
        special = (a & np.uint32(0x7F800000)) == np.uint32(0x7F800000)
        return np.where(special, a, (a + np.uint32(0x1000)) & np.uint32(0xFFFFE000))
    return Compute(b32, (b32,), vector)
