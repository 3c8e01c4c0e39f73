"""The 8-bit floats e4m3 and e5m2, two in a register: cvt to them and from them (PTX ISA 9.0, 9.7.9.21; from sm_89 on).

e4m3 has no infinity, and one NaN of either sign; e5m2 is the upper half of an f16. Rounded is to the nearest, ties to even, and
.satfinite limits to the largest finite number. The PTX ISA does not say which NaN comes out: an H200 gives one without a sign, as CUDA
13.0's cuda_fp8.hpp does, which computes the same for devices without these instructions. All halves and a million floats were asked of it.
"""

from __future__ import annotations

import numpy as np

from ..types import TYPES
from .convert import relu
from .rounding import canonical
from .steps import Compute, compute

FORMATS = "e4m3x2 e5m2x2"
NAN = 0x7F


def _finite(mantissa_bits, bias, largest):
    """The numbers that the codes 0 to `largest` stand for; a higher bit of the code is the sign."""
    exponent, mantissa = np.divmod(np.arange(largest + 1), 1 << mantissa_bits)
    return np.ldexp(mantissa + (exponent > 0) * (1 << mantissa_bits), np.maximum(exponent, 1) - bias - mantissa_bits)


FINITE = {"e4m3x2": _finite(3, 7, 0x7E), "e5m2x2": _finite(2, 15, 0x7B)}
BETWEEN = {name: (finite[:-1] + finite[1:]) / 2 for name, finite in FINITE.items()}
_WITHOUT_SIGN = {"e4m3x2": [*FINITE["e4m3x2"], np.nan], "e5m2x2": [*FINITE["e5m2x2"], np.inf, np.nan, np.nan, np.nan]}
AS_HALF = {name: canonical(np.concatenate([values, np.negative(values)]).astype(np.float16)) for name, values in _WITHOUT_SIGN.items()}


def _narrow(value, match):
    """The codes of the numbers nearest to `value`, an array of floats."""
    size, between = np.abs(value.astype(np.float64)), BETWEEN[match["dtype"]]
    code = np.searchsorted(between, size)
    tie = size == between[np.minimum(code, len(between) - 1)]
    code = (code + (code & tie)) | np.signbit(value).astype(np.uint16) << np.uint16(7)
    code = np.where(np.isnan(value), NAN, code).astype(np.uint16)
    return relu(code, value) if "relu" in match else code


@compute("cvt.rn.satfinite{.relu}.dtype.f32", dtype=FORMATS)
def two_floats(match):
    """d = {b, a}: a becomes the upper byte."""
    return Compute(TYPES["b16"], (TYPES["f32"],) * 2, lambda a, b: _narrow(a, match) << np.uint16(8) | _narrow(b, match))


@compute("cvt.rn.satfinite{.relu}.dtype.f16x2", dtype=FORMATS)
def two_halves(match):
    def vector(pair):
        upper, lower = ((pair >> np.uint32(shift)).astype(np.uint16).view(np.float16) for shift in (16, 0))
        return _narrow(upper, match) << np.uint16(8) | _narrow(lower, match)
    return Compute(TYPES["b16"], (TYPES["f16x2"],), vector)


@compute("cvt.rn{.relu}.f16x2.atype", atype=FORMATS)
def to_two_halves(match):
    halves = AS_HALF[match["atype"]]
    halves = (relu(halves, halves) if "relu" in match else halves).view(np.uint16).astype(np.uint32)
    return Compute(TYPES["f16x2"], (TYPES["b16"],), lambda a: halves[a >> np.uint16(8)] << np.uint32(16) | halves[a & np.uint16(0xFF)])
