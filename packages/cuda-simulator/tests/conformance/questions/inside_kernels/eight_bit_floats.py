"""The 8-bit floats e4m3 and e5m2: the instruction that makes two of them of two floats or two halves, and two halves of them."""
import hashlib

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import must, read, write
from ...helpers.kernels import i32

FORMATS = ("e4m3x2", "e5m2x2")
RELU = ("", ".relu")
HEAD = '''extern "C" __global__ void convert(int n, const unsigned *in, unsigned short *narrow, unsigned *wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
'''
# The first operand becomes the upper of the two in a register: here the number with the other sign.
FROM_FLOATS = 'asm("cvt.rn.satfinite{relu}.{format}.f32 %0, %1, %2;" : "=h"(narrow[i]) : "f"(__uint_as_float(in[i] ^ 0x80000000)), "f"(__uint_as_float(in[i])));'
FROM_HALVES = 'asm("cvt.rn.satfinite{relu}.{format}.f16x2 %0, %1;" : "=h"(narrow[i]) : "r"(in[i]));'
TO_HALVES = 'asm("cvt.rn{relu}.f16x2.{format} %0, %1;" : "=r"(wide[i]) : "h"((unsigned short)in[i]));'


def convert_all(statement, numbers):
    """What the instruction makes of each of the numbers: 16 bits, or 32 if it widens."""
    widens = "wide[" in statement
    numbers = np.ascontiguousarray(numbers, np.uint32)
    size = len(numbers)
    inputs, narrow, wide = (int(must(cu.cuMemAlloc(width * size))) for width in (4, 2, 4))
    write(inputs, numbers.tobytes())
    must(kernels.run(kernels.kernel("convert", f"{HEAD}{statement}\n}}"), i32(size), inputs, narrow, wide, grid=-(-size // 256), block=256))
    result = np.frombuffer(read(wide, 4 * size), np.uint32) if widens else np.frombuffer(read(narrow, 2 * size), np.uint16)
    for memory in (inputs, narrow, wide):
        must(cu.cuMemFree(memory))
    return result


def largest(name):
    return 448.0 if name == "e4m3x2" else 57344.0


def smallest(name):
    """The smallest number above 0."""
    return 2.0 ** -9 if name == "e4m3x2" else 2.0 ** -16


def hard(name, dtype):
    """Numbers with a name: what is none, what is too large or too small, and ties. As floats of this type."""
    top, least = largest(name), smallest(name)
    step = top / 14 if name == "e4m3x2" else top / 7        # between the two largest
    numbers = {"0": 0.0, "1": 1.0, "the largest": top, "the largest and a quarter of a step": top + step / 4,
               "the tie behind the largest": top + step / 2, "the largest of the wider type": float(np.finfo(dtype).max),
               "a tie, to even downwards": 1 + (1 / 16 if name == "e4m3x2" else 1 / 8),
               "a tie, to even upwards": 1 + (3 / 16 if name == "e4m3x2" else 3 / 8),
               "the smallest": least, "half of the smallest": least / 2, "three quarters of the smallest": least * 0.75,
               "one and a half of the smallest": least * 1.5, "the smallest of the wider type": float(np.finfo(dtype).smallest_subnormal),
               "just above half of the smallest": np.nextafter(dtype(least / 2), dtype(1)),
               "just below half of the smallest": np.nextafter(dtype(least / 2), dtype(0)), "infinity": np.inf}
    return {label: dtype(number) for label, number in numbers.items()}


def not_numbers(dtype):
    """NaNs, by their bits."""
    quiet, signalling = (0x7E00, 0x7C01) if dtype is np.float16 else (0x7FC00000, 0x7F800001)
    ones = 0x7FFF if dtype is np.float16 else 0x7FFFFFFF
    return {"NaN": quiet, "NaN with a payload": quiet + 1, "NaN that signals": signalling, "NaN of ones": ones}


def of_named(statement, dtype):
    """For each format and each named number: the code of it, of its negative, and both again with .relu."""
    unsigned = np.uint16 if dtype is np.float16 else np.uint32
    for name in FORMATS:
        bits = {label: int(number.view(unsigned)) for label, number in hard(name, dtype).items()} | not_numbers(dtype)
        sign = 1 << 8 * dtype().itemsize - 1
        patterns = [*bits.values(), *(number | sign for number in bits.values())]
        codes = [convert_all(statement.format(relu=relu, format=name), patterns) & 0xFF for relu in RELU]
        rows = np.concatenate(codes).reshape(4, len(bits)).T
        for label, row in zip(bits, rows.tolist()):
            yield f"{name}: {label}", [f"{code:02x}" for code in row]


def digest(codes):
    return hashlib.sha256(np.ascontiguousarray(codes).tobytes()).hexdigest()[:8]


@question("a float becomes an 8-bit float: the nearest, at a tie the even one, at most the largest; what becomes of what is no number")
def of_floats():
    yield from of_named(FROM_FLOATS, np.float32)


@question("a half becomes an 8-bit float: the nearest, at a tie the even one, at most the largest; what becomes of what is no number")
def of_halves():
    yield from of_named(FROM_HALVES, np.float16)


@question("each of the 65,536 halves as an 8-bit float, upper and lower in a register: digests, by the half's sign and exponent")
def of_all_halves():
    halves = np.arange(1 << 16, dtype=np.uint32)
    for name in FORMATS:
        for relu in RELU:
            codes = convert_all(FROM_HALVES.format(relu=relu, format=name), halves | (halves ^ 0xFFFF) << np.uint32(16))
            yield f"{name}{relu}", [digest(group) for group in codes.reshape(64, 1024)]


@question("a million floats as 8-bit floats: digests, of all bit patterns and of numbers near those that there are")
def of_many_floats():
    random = np.random.default_rng(8)
    anything = random.integers(0, 1 << 32, 500_000, dtype=np.uint64).astype(np.uint32)
    near = (random.normal(size=500_000) * np.exp2(random.integers(-20, 18, 500_000))).astype(np.float32).view(np.uint32)
    for name in FORMATS:
        for relu in RELU:
            statement = FROM_FLOATS.format(relu=relu, format=name)
            yield f"{name}{relu}, any bits", [digest(group) for group in convert_all(statement, np.sort(anything)).reshape(50, -1)]
            yield f"{name}{relu}, near", [digest(group) for group in convert_all(statement, np.sort(near)).reshape(50, -1)]


@question("each 8-bit float is a half: those that are no number or infinite by their codes, the others' digests")
def as_halves():
    codes = np.arange(256, dtype=np.uint32)
    for name in FORMATS:
        for relu in RELU:
            pairs = convert_all(TO_HALVES.format(relu=relu, format=name), codes | (codes ^ 0xFF) << np.uint32(8))
            lower = (pairs & 0xFFFF).tolist()
            yield f"{name}{relu}: special", {f"{code:02x}": f"{half:04x}" for code, half in enumerate(lower) if half & 0x7C00 == 0x7C00}
            yield f"{name}{relu}: all", digest(pairs)
