"""Bit operations: logic, shifts, bit fields, permutations of bytes, counting (PTX ISA 9.7.1, 9.7.7)."""

from __future__ import annotations

import numpy as np

from ..types import TYPES, UNSIGNED
from .arithmetic import python_signed
from .steps import Compute, compute

BITS = "pred b16 b32 b64"
U32 = TYPES["u32"]

# ---- logic -------------------------------------------------------------------------------------------------------


def _logic(vector, sign):
    return lambda match: Compute(match.type(), (match.type(),) * 2, vector, f"{{0}} {sign} {{1}}")


and_ = compute("and.type", type=BITS)(_logic(np.bitwise_and, "&"))
or_ = compute("or.type", type=BITS)(_logic(np.bitwise_or, "|"))
xor = compute("xor.type", type=BITS)(_logic(np.bitwise_xor, "^"))


@compute("not.type", type=BITS)
def not_(match):
    return Compute(match.type(), (match.type(),), np.invert, f"{{0}} ^ {match.type().mask}")


@compute("cnot.type", type="b16 b32 b64")
def cnot(match):
    """C's logical not: 1 for 0, else 0."""
    type_ = match.type()
    return Compute(type_, (type_,), lambda a: (a == 0).astype(type_.dtype), "({0} == 0) + 0")


@compute("lop3.b32")
def lop3(match):
    """Any function of three bits: bit (4a + 2b + c) of the table is the result (PTX ISA 9.7.7.6)."""
    b32 = TYPES["b32"]

    def vector(a, b, c, table):
        result = np.zeros(np.broadcast(a, b, c).shape, np.uint32)
        for index in range(8):
            if np.any(table >> np.uint32(index) & np.uint32(1)):
                result |= ((a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c))
        return result
    return Compute(b32, (b32, b32, b32, b32), vector)


# ---- shifts ------------------------------------------------------------------------------------------------------
# A shift by the width or more shifts everything out (PTX ISA 9.7.7.8); NumPy, like C, would leave it open.

@compute("shl.type", type="b16 b32 b64")
def shl(match):
    type_ = match.type()

    def vector(a, b):
        shifted = a << np.minimum(b, np.uint32(type_.bits - 1)).astype(type_.dtype)
        return np.where(b < type_.bits, shifted, type_.dtype.type(0))
    return Compute(type_, (type_, U32), vector, f"({{0}} << {{1}}) & {type_.mask} if {{1}} < {type_.bits} else 0")


@compute("shr.type", type="b16 b32 b64 u16 u32 u64 s16 s32 s64")
def shr(match):
    type_ = match.type()
    unsigned = type_.kind != "s"

    def vector(a, b):
        shifted = a >> np.minimum(b, np.uint32(type_.bits - 1)).astype(type_.dtype)
        return np.where(b < type_.bits, shifted, type_.dtype.type(0)) if unsigned else shifted
    python = "{0} >> {1}" if unsigned else f"{python_signed('{0}', type_)} >> {{1}} & {type_.mask}"
    return Compute(type_, (type_, U32), vector, python)


@compute("shf.dir.mode.b32", dir="l r", mode="clamp wrap")
def shf(match):
    """Shift the 64 bits {b, a}: left gives the upper half, right the lower."""
    b32 = TYPES["b32"]
    left, wrap = match["dir"] == "l", match["mode"] == "wrap"

    def vector(a, b, c):
        amount = (c & np.uint32(31) if wrap else np.minimum(c, np.uint32(32))).astype(np.uint64)
        joined = np.asarray(b, np.uint64) << np.uint64(32) | np.asarray(a, np.uint64)
        shifted = (joined << amount) >> np.uint64(32) if left else joined >> amount
        return shifted.astype(np.uint32)
    return Compute(b32, (b32, b32, U32), vector)


# ---- fields ------------------------------------------------------------------------------------------------------

@compute("bfe.type", type="u32 s32 u64 s64")
def bfe(match):
    """`length` bits from `start`; signed: extended by the field's last bit (PTX ISA 9.7.1.20)."""
    type_ = match.type()
    storage = UNSIGNED[type_.bits]

    def vector(a, start, length):
        start, length = (np.asarray(x & np.uint32(0xFF)).astype(np.int64) for x in (start, length))
        bits = np.asarray(a).view(storage)
        inside = np.clip(type_.bits - start, 0, length)         # bits of the field that exist
        mask = _low_mask(inside, type_.bits)
        field = bits >> np.minimum(start, type_.bits - 1).astype(storage) & mask
        if type_.kind == "s":
            sign_position = np.clip(start + length - 1, 0, type_.bits - 1)
            sign = (bits >> sign_position.astype(storage) & storage.type(1)).astype(bool) & (length > 0)
            field = np.where(sign, field | ~mask, field)
        return field.view(type_.dtype)
    return Compute(type_, (type_, U32, U32), vector)


def _low_mask(length, bits: int):
    """The lowest `length` bits set."""
    storage = UNSIGNED[bits]
    partly = (storage.type(1) << np.minimum(length, bits - 1).astype(storage)) - storage.type(1)
    return np.where(length >= bits, ~storage.type(0), partly)


@compute("bfi.type", type="b32 b64")
def bfi(match):
    """b with `length` bits from `start` replaced by the lowest of a."""
    type_ = match.type()

    def vector(a, b, start, length):
        start, length = (np.asarray(x & np.uint32(0xFF)).astype(np.int64) for x in (start, length))
        shift = np.minimum(start, type_.bits - 1).astype(type_.dtype)
        mask = np.where(start < type_.bits, _low_mask(length, type_.bits) << shift, type_.dtype.type(0))
        return (b & ~mask) | ((a << shift) & mask)
    return Compute(type_, (type_, type_, U32, U32), vector)


@compute("bmsk.mode.b32", mode="clamp wrap")
def bmsk(match):
    """A mask of b bits from bit a."""
    b32, wrap = TYPES["b32"], match["mode"] == "wrap"

    def vector(a, b):
        start, length = (x.astype(np.int64) & 31 if wrap else np.minimum(x, np.uint32(32)).astype(np.int64)
                         for x in (np.asarray(a), np.asarray(b)))
        mask = _low_mask(length, 32).astype(np.uint64) << start.astype(np.uint64)
        return mask.astype(np.uint32)
    return Compute(b32, (b32, b32), vector)


@compute("szext.mode.type", mode="clamp wrap", type="u32 s32")
def szext(match):
    """The lowest b bits, extended with zeros or with their sign."""
    type_, wrap = match.type(), match["mode"] == "wrap"

    def vector(a, b):
        length = b.astype(np.int64) & 31 if wrap else np.minimum(b, np.uint32(32)).astype(np.int64)
        mask = _low_mask(np.asarray(length), 32)
        bits = np.asarray(a).view(np.uint32)
        low = bits & mask
        if type_.kind == "s":
            sign = (bits >> np.maximum(length - 1, 0).astype(np.uint32) & np.uint32(1)).astype(bool) & (length > 0)
            low = np.where(sign, low | ~mask, low)
        return low.view(type_.dtype)
    return Compute(type_, (type_, U32), vector)


PRMT_MODES = {
    # For selector c in 0..3: which of the eight bytes of {b, a} go to bytes 0, 1, 2, 3 of the result
    # (PTX ISA 9.7.9.7).
    "f4e": [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
    "b4e": [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
    "rc8": [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]],
    "ecl": [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
    "ecr": [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
    "rc16": [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
}


@compute("prmt.b32{.mode}", mode=" ".join(PRMT_MODES))
def prmt(match):
    """Pick four of the eight bytes of {b, a}; bit 3 of a selector repeats the byte's sign instead."""
    b32, mode = TYPES["b32"], match["mode"]

    def vector(a, b, c):
        joined = np.asarray(b, np.uint64) << np.uint64(32) | np.asarray(a, np.uint64)
        result = np.zeros(np.broadcast(a, b, c).shape, np.uint32)
        for position in range(4):
            if mode:
                selector = np.array([row[position] for row in PRMT_MODES[mode]], np.uint64)[c & np.uint32(3)]
            else:
                selector = (np.asarray(c) >> np.uint32(4 * position)).astype(np.uint64)
            byte = joined >> ((selector & np.uint64(7)) * np.uint64(8)) & np.uint64(0xFF)
            if not mode:
                signs = np.where(byte & np.uint64(0x80), np.uint64(0xFF), np.uint64(0))
                byte = np.where(selector & np.uint64(8), signs, byte)
            result |= byte.astype(np.uint32) << np.uint32(8 * position)
        return result
    return Compute(b32, (b32, b32, b32), vector)


# ---- counting ----------------------------------------------------------------------------------------------------

def reverse(a):
    """The bits in reverse order: bytes reversed, and the bits of each byte."""
    size = a.dtype.itemsize
    bytes_ = np.ascontiguousarray(np.atleast_1d(a)).view(np.uint8).reshape(-1, size)[:, ::-1]
    for shift, mask in ((1, 0x55), (2, 0x33), (4, 0x0F)):
        bytes_ = (bytes_ >> np.uint8(shift) & np.uint8(mask)) | (bytes_ & np.uint8(mask)) << np.uint8(shift)
    return np.ascontiguousarray(bytes_).view(a.dtype).reshape(-1)


def count(a):
    """How many bits are set (in parallel sums of ever wider fields)."""
    scalar = a.dtype.type
    full = (1 << 8 * a.dtype.itemsize) - 1
    a = a - (a >> scalar(1) & scalar(full // 3))
    a = (a & scalar(full // 5)) + (a >> scalar(2) & scalar(full // 5))
    a = (a + (a >> scalar(4))) & scalar(full // 17)
    return ((a * scalar(full // 255)) >> scalar(8 * a.dtype.itemsize - 8)).astype(np.uint32)


def leading_zeros(a):
    """Fill everything below the highest bit; what is not filled is leading."""
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < 8 * a.dtype.itemsize:
            a = a | a >> a.dtype.type(shift)
    return np.uint32(8 * a.dtype.itemsize) - count(a)


@compute("brev.type", type="b32 b64")
def brev(match):
    return Compute(match.type(), (match.type(),), reverse)


@compute("popc.type", type="b32 b64")
def popc(match):
    return Compute(U32, (match.type(),), count, "bin({0}).count('1')")


@compute("clz.type", type="b32 b64")
def clz(match):
    return Compute(U32, (match.type(),), leading_zeros, f"{match.type().bits} - ({{0}}).bit_length()")


@compute("bfind{.shiftamt}.type", type="u32 s32 u64 s64")
def bfind(match):
    """The highest bit that is set (of a negative number: not set); none: all ones."""
    type_ = match.type()
    storage = UNSIGNED[type_.bits]

    def vector(a):
        bits = np.asarray(a).view(storage)
        if type_.kind == "s":
            bits = np.where(a < 0, ~bits, bits)
        zeros = leading_zeros(bits)
        position = zeros if "shiftamt" in match else np.uint32(type_.bits - 1) - zeros
        return np.where(bits == 0, np.uint32(0xFFFFFFFF), position)
    return Compute(U32, (type_,), vector)


@compute("fns.b32")
def fns(match):
    """The position of the n-th set bit, from `base` upwards (n > 0) or downwards (n < 0); 0: is `base` set?"""
    b32, s32 = TYPES["b32"], TYPES["s32"]

    def vector(mask, base, offset):
        mask, base, offset = np.broadcast_arrays(mask, base, offset)
        result = np.full(mask.shape, 0xFFFFFFFF, np.uint32)
        remaining = np.where(offset == 0, 1, np.abs(offset)).astype(np.int64)
        for step in range(32):
            position = base.astype(np.int64) + np.where(offset < 0, -step, step)
            inside = (position >= 0) & (position < 32) & ((offset != 0) | (step == 0))
            is_set = inside & (mask >> np.clip(position, 0, 31).astype(np.uint32) & np.uint32(1)).astype(bool)
            remaining -= is_set
            result = np.where(is_set & (remaining == 0), position.astype(np.uint32), result)
        return result
    return Compute(b32, (b32, b32, s32), vector)


