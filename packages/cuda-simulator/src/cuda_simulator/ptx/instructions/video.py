"""Several small integers in one register: pairs, dot products, differences of bytes (PTX ISA 9.7.1, 9.7.18)."""

from __future__ import annotations

import numpy as np

from ..types import TYPES, packed
from .steps import Compute, compute


@compute("add.type", type="u16x2 s16x2")
@compute("min{.relu}.type{.late}", type="u16x2 s16x2", late="relu")
@compute("max{.relu}.type{.late}", type="u16x2 s16x2", late="relu")
def two_halves(match):
    """The same on the lower and the upper 16 bits."""
    type_ = match.type()
    function = {"add": np.add, "min": np.minimum, "max": np.maximum}[match.opcode[:3]]
    if "relu" in match or "late" in match:
        return Compute(type_, (type_, type_), packed(lambda a, b: np.maximum(function(a, b), a.dtype.type(0)),
                                                     TYPES[type_.name[:3]]))
    return Compute(type_, (type_, type_), packed(function, TYPES[type_.name[:3]]))


def _parts(value, width: int, signed: bool):
    """The bytes (or halves) of 32-bit values along a new last axis."""
    return np.ascontiguousarray(np.atleast_1d(value)).view(f"{'i' if signed else 'u'}{width}").reshape(
        -1, 4 // width).astype(np.int64)


@compute("dp4a.atype.btype", atype="u32 s32", btype="u32 s32")
def dp4a(match):
    a_type, b_type = match.type("atype"), match.type("btype")
    result = TYPES["s32" if "s" in a_type.kind + b_type.kind else "u32"]

    def vector(a, b, c):
        total = (_parts(a, 1, a_type.kind == "s") * _parts(b, 1, b_type.kind == "s")).sum(axis=1) + c.astype(np.int64)
        return total.astype(result.dtype)
    return Compute(result, (a_type, b_type, result), vector)


@compute("vabsdiff4.dtype.atype.btype{.add}", dtype="u32 s32", atype="u32 s32", btype="u32 s32")
def vabsdiff4(match):
    """The differences of four bytes; .add: their sum, added to c (PTX ISA 9.7.18)."""
    a_type, b_type, result = match.type("atype"), match.type("btype"), match.type("dtype")

    def vector(a, b, c):
        differences = np.abs(_parts(a, 1, a_type.kind == "s") - _parts(b, 1, b_type.kind == "s"))
        if "add" in match:
            return (differences.sum(axis=1) + c.astype(np.int64)).astype(result.dtype)
        return np.ascontiguousarray(differences.astype(np.uint8)).view(result.dtype).reshape(-1)
    return Compute(result, (a_type, b_type, result), vector)


@compute("dp2a.mode.atype.btype", mode="lo hi", atype="u32 s32", btype="u32 s32")
def dp2a(match):
    a_type, b_type = match.type("atype"), match.type("btype")
    result = TYPES["s32" if "s" in a_type.kind + b_type.kind else "u32"]
    chosen = slice(0, 2) if match["mode"] == "lo" else slice(2, 4)

    def vector(a, b, c):
        bytes_ = _parts(b, 1, b_type.kind == "s")[:, chosen]
        total = (_parts(a, 2, a_type.kind == "s") * bytes_).sum(axis=1) + c.astype(np.int64)
        return total.astype(result.dtype)
    return Compute(result, (a_type, b_type, result), vector)
