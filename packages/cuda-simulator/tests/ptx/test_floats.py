"""Floating-point instructions against exact fractions, rounded as IEEE 754 says."""

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from .instruction import run
from .reference import FORMATS, rounded, to_bits, to_float

settings.register_profile("ptx", max_examples=8)
settings.load_profile("ptx")

MODES = ["rn", "rz", "rm", "rp"]
NAN = {"f32": 0x7FFFFFFF, "f16": 0x7FFF, "bf16": 0x7FFF}


def bits(name: str):
    """Bit patterns of a format: any, and with a liking for zeros, ends, subnormals, ones and their neighbours."""
    width = 16 if name == "bf16" else int(name[1:])
    precision = FORMATS[name][0]
    exponents = (1 << (width - precision)) - 1
    normal, unit, infinity = (exponent << precision - 1 for exponent in (1, exponents >> 1, exponents))
    special = [0, 1, 2, normal - 1, normal, normal + 1, unit, unit + 1, unit + normal,
               infinity - 1, infinity, infinity + 1]
    special += [number | 1 << width - 1 for number in special]
    # Numbers of like size, so that sums do not just keep the larger one.
    near = st.builds(
        lambda sign, exponent, fraction: sign << width - 1 | (exponents // 2 + exponent) << precision - 1 | fraction,
        st.integers(0, 1), st.integers(-3, 3), st.integers(0, (1 << precision - 1) - 1))
    return st.one_of(st.sampled_from(special), near, st.integers(0, (1 << width) - 1))


def columns(*names: str):
    return st.lists(st.tuples(*map(bits, names)), min_size=4, max_size=40).map(lambda rows: list(zip(*rows)))


def bits_agree(result: int, expected: float, name: str) -> bool:
    """Equal bits; any NaN of f64, the canonical one of the others."""
    if math.isnan(expected):
        return math.isnan(to_float(result, name)) if name == "f64" else result == NAN[name]
    return result == to_bits(expected, name)


def check(opcode, result, sources, rows, function):
    results = run(opcode, result, sources, *rows)
    for i, values in enumerate(zip(*rows)):
        numbers = [to_float(value, name) for value, name in zip(values, sources)]
        expected = function(*numbers)
        assert bits_agree(results[i], expected, result), (
            f"{opcode} of {numbers} ({[hex(v) for v in values]}): {to_float(results[i], result)} ({results[i]:#x}), "
            f"not {expected}")


# ---- what the operations mean, special values first --------------------------------------------------------------

def rounded_sum(a, b, name, mode):
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.nan if math.isnan(a) or math.isnan(b) or a == -b else a if math.isinf(a) else b
    if a == b == 0:
        signs = math.copysign(1, a) + math.copysign(1, b)
        return -0.0 if signs < 0 or (signs == 0 and mode == "rm") else 0.0
    return rounded(Fraction(a) + Fraction(b), name, mode, negative_zero=mode == "rm")


def rounded_product(a, b, name, mode):
    sign = math.copysign(1, a) * math.copysign(1, b)
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and b == 0) or (math.isinf(b) and a == 0):
        return math.nan
    if math.isinf(a) or math.isinf(b):
        return sign * math.inf
    return rounded(Fraction(a) * Fraction(b), name, mode, negative_zero=sign < 0)


def rounded_fma(a, b, c, name, mode):
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)) or a == 0 or b == 0:
        if math.isfinite(a) and math.isfinite(b):
            product = math.copysign(1, a) * math.copysign(1, b) * 0.0 if a == 0 or b == 0 else 1.0
        else:
            product = rounded_product(a, b, name, mode)
        return rounded_sum(product, c, name, mode)
    return rounded(Fraction(a) * Fraction(b) + Fraction(c), name, mode, negative_zero=mode == "rm")


def rounded_quotient(a, b, name, mode):
    sign = math.copysign(1, a) * math.copysign(1, b)
    if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0) or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if math.isinf(a) or b == 0:
        return sign * math.inf
    if math.isinf(b) or a == 0:
        return sign * 0.0
    return rounded(Fraction(a) / Fraction(b), name, mode, negative_zero=sign < 0)


def root(a, name, mode):
    if math.isnan(a) or a < 0:
        return math.nan
    if a == 0 or math.isinf(a):
        return a
    scale = 2 ** 600
    exact = Fraction(a) * scale * scale
    whole = math.isqrt(exact.numerator * 2 ** 2400 // exact.denominator)
    value = Fraction(whole, scale * 2 ** 1200)
    if value * value != Fraction(a):       # a little more than `whole`: enough to leave a tie
        value += Fraction(1, scale * 2 ** 1210)
    return rounded(value, name, mode)


# ---- f32 and f64 -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["f32", "f64"])
@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_sums_and_products_are_rounded_once(name, mode, data):
    rows = data.draw(columns(name, name))
    check(f"add.{mode}.{name}", name, (name, name), rows, lambda a, b: rounded_sum(a, b, name, mode))
    check(f"sub.{mode}.{name}", name, (name, name), rows, lambda a, b: rounded_sum(a, -b, name, mode))
    check(f"mul.{mode}.{name}", name, (name, name), rows, lambda a, b: rounded_product(a, b, name, mode))


@pytest.mark.parametrize("name", ["f32", "f64"])
@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_a_fused_multiply_add_is_rounded_once(name, mode, data):
    rows = data.draw(columns(name, name, name))
    if data.draw(st.booleans()):    # c close to -(a * b): almost all cancels
        a, b, c = rows
        rows = [a, b, [to_bits(-rounded_product(to_float(x, name), to_float(y, name), name, "rn"), name)
                       for x, y in zip(a, b)]]
    check(f"fma.{mode}.{name}", name, (name,) * 3, rows, lambda a, b, c: rounded_fma(a, b, c, name, mode))


@pytest.mark.parametrize("name", ["f32", "f64"])
@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_quotients_and_roots_are_rounded_once(name, mode, data):
    a, b = data.draw(columns(name, name))
    check(f"div.{mode}.{name}", name, (name, name), [a, b], lambda a, b: rounded_quotient(a, b, name, mode))
    check(f"rcp.{mode}.{name}", name, (name,), [b], lambda b: rounded_quotient(1.0, b, name, mode))
    check(f"sqrt.{mode}.{name}", name, (name,), [a], lambda a: root(a, name, mode))


def test_a_multiply_add_that_two_roundings_would_spoil():
    # a * b is a little less than 2^-24, so that a * b + c lies just below the middle between two f32; rounded to
    # f64 first, it would lie exactly there, and then go up to the even one.
    a, b, c = 1 + 2.0**-20, 2.0**-24 * (1 - 2.0**-20), 1 + 2.0**-23
    assert np.float32(a * b + c) == 1 + 2.0**-22
    sums = run("fma.rn.f32", "f32", ("f32",) * 3, *([to_bits(number, "f32")] * 3 for number in (a, b, c)))
    assert [to_float(result, "f32") for result in sums] == [1 + 2.0**-23] * 3


@pytest.mark.parametrize("mode", MODES)
def test_a_tie_among_subnormals_goes_to_the_even_one(mode):
    """Products of n * 2^-1075, half of the smallest number."""
    rows = [[to_bits(n * 2.0**-537, "f64") for n in range(-9, 10)], [to_bits(2.0**-538, "f64")] * 19,
            [to_bits(n % 3 * 2.0**-1074, "f64") for n in range(19)]]
    check(f"mul.{mode}.f64", "f64", ("f64",) * 2, rows[:2], lambda a, b: rounded_product(a, b, "f64", mode))
    check(f"fma.{mode}.f64", "f64", ("f64",) * 3, rows, lambda a, b, c: rounded_fma(a, b, c, "f64", mode))


@pytest.mark.parametrize("mode", MODES)
def test_a_root_just_above_a_number_is_not_that_number(mode):
    """k * k is 7 less than a multiple of 2^52: so the root of (2^52 + k)^2 + 7 is 2^52 + k, and 2^-51 of its last place."""
    k = 1
    for place in range(3, 52):
        if (k * k + 7) % 2 ** (place + 1):
            k += 2 ** (place - 1)
    square, remainder = divmod((2**52 + min(k, 2**51 - k)) ** 2 + 7, 2**52)
    assert remainder == 0 and square < 2**53
    check(f"sqrt.{mode}.f64", "f64", ("f64",), [[to_bits(square * 2.0**-52, "f64")]], lambda a: root(a, "f64", mode))


def flush(x, name="f32"):
    return math.copysign(0.0, x) if abs(x) < 2.0 ** -126 else x


@given(columns("f32", "f32", "f32"))
def test_ftz_takes_subnormals_for_zero(rows):
    def ftz(function):
        return lambda *values: flush(function(*map(flush, values)))
    check("add.ftz.f32", "f32", ("f32",) * 2, rows[:2], ftz(lambda a, b: rounded_sum(a, b, "f32", "rn")))
    check("mul.ftz.f32", "f32", ("f32",) * 2, rows[:2], ftz(lambda a, b: rounded_product(a, b, "f32", "rn")))
    check("fma.rn.ftz.f32", "f32", ("f32",) * 3, rows, ftz(lambda a, b, c: rounded_fma(a, b, c, "f32", "rn")))
    check("cvt.ftz.f64.f32", "f64", ("f32",), rows[:1], flush)
    check("cvt.rpi.ftz.f32.f32", "f32", ("f32",), rows[:1],
          ftz(lambda a: math.copysign(float(math.ceil(a)), a) if math.isfinite(a) else a))
    numbers = [[a for a in rows[0] if not math.isnan(to_float(a, "f32"))] + [1, 0x80000001]]
    check("abs.ftz.f32", "f32", ("f32",), numbers, ftz(abs))
    check("neg.ftz.f32", "f32", ("f32",), numbers, ftz(lambda a: -a))
    for ftz_or_not, holds in (("", [1, 0, 1]), (".ftz", [0, 0, 1])):
        assert run(f"setp.gt{ftz_or_not}.f32", "pred", ("f32", "f32"), [1, 0, 0x00800000], [0, 0, 1]) == holds


def test_ftz_of_a_conversion_is_of_the_single():
    assert run("cvt.rpi.ftz.s32.f32", "s32", ("f32",), [1, 0x80000001, to_bits(0.5, "f32")]) == [0, 0, 1]
    tiny = [to_bits(x, "f64") for x in (1e-40, -1e-40, 2.0 ** -126)]
    assert run("cvt.rn.ftz.f32.f64", "f32", ("f64",), tiny) == [0, 0x80000000, 0x00800000]


@given(columns("f32", "f32"))
def test_sat_limits_to_zero_and_one(rows):
    def sat(a, b):
        x = rounded_sum(a, b, "f32", "rn")
        return 0.0 if math.isnan(x) or x <= 0 else min(x, 1.0)
    check("add.sat.f32", "f32", ("f32",) * 2, rows, sat)


@pytest.mark.parametrize("name", ["f32", "f64", "f16"])
@given(data=st.data())
def test_min_and_max_prefer_numbers_and_order_zeros(name, data):
    rows = data.draw(columns(name, name))

    def pick(sign):
        def function(a, b):
            if math.isnan(a) or math.isnan(b):
                return b if math.isnan(a) else a
            return min(a, b, key=lambda x: (sign * x, sign * math.copysign(1, x)))
        return function
    check(f"min.{name}", name, (name, name), rows, pick(1))
    check(f"max.{name}", name, (name, name), rows, pick(-1))
    if name == "f32":
        check("min.NaN.f32", name, (name, name), rows,
              lambda a, b: math.nan if math.isnan(a) or math.isnan(b) else pick(1)(a, b))


@pytest.mark.parametrize("name", ["f32", "f64", "f16"])
@given(data=st.data())
def test_comparisons_with_nan(name, data):
    a, b = data.draw(columns(name, name))
    b = [x if i % 3 else y for i, (x, y) in enumerate(zip(b, a))]
    pairs = [(to_float(x, name), to_float(y, name)) for x, y in zip(a, b)]
    for op, function in {"eq": lambda x, y: x == y, "ne": lambda x, y: x < y or x > y, "lt": lambda x, y: x < y,
                         "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}.items():
        assert run(f"setp.{op}.{name}", "pred", (name, name), a, b) == [function(x, y) for x, y in pairs]
        assert run(f"setp.{op}u.{name}", "pred", (name, name), a, b) == [
            function(x, y) or math.isnan(x) or math.isnan(y) for x, y in pairs]
    assert run(f"setp.num.{name}", "pred", (name, name), a, b) == [x == x and y == y for x, y in pairs]
    assert run(f"setp.nan.{name}", "pred", (name, name), a, b) == [x != x or y != y for x, y in pairs]


@pytest.mark.parametrize("connective, function", [("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)])
def test_both_halves_of_a_comparison_of_pairs_are_joined_to_one_predicate(connective, function):
    one, two = to_bits(1.0, "f16"), to_bits(2.0, "f16")
    pairs = [(one, one), (two, one), (one, two), (two, two)]
    for predicate in (False, True):
        expected = [0xFFFF * function(low < two, predicate) | 0xFFFF0000 * function(high < two, predicate) for low, high in pairs]
        assert run(f"set.lt.{connective}.u32.f16x2", "u32", ("b32", "b32", "pred"), [low | high << 16 for low, high in pairs],
                   [two | two << 16] * 4, [predicate] * 4) == expected


@pytest.mark.parametrize("name", ["f32", "f64"])
@given(data=st.data())
def test_signs_are_bits(name, data):
    a, b = data.draw(columns(name, name))
    top = 1 << int(name[1:]) - 1
    assert run(f"abs.{name}", name, (name,), a) == [x & ~top for x in a]
    assert run(f"neg.{name}", name, (name,), a) == [x ^ top for x in a]
    assert run(f"copysign.{name}", name, (name, name), a, b) == [x & top | y & ~top for x, y in zip(a, b)]
    if name == "f32":
        numbers = [column for column in zip(*(pair for pair in zip(a, b) if not any(math.isnan(to_float(x, name)) for x in pair)))]
        for opcode, choose in ("min", min), ("max", max):
            check(f"{opcode}.xorsign.abs.f32", "f32", ("f32", "f32"), numbers or [[0], [0]],
                  lambda x, y: math.copysign(choose(abs(x), abs(y)), math.copysign(1, x) * math.copysign(1, y)))


# ---- half precision ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["f16", "bf16"])
@given(data=st.data())
def test_halves_are_rounded_once(name, data):
    rows = data.draw(columns(name, name, name))
    check(f"fma.rn.{name}", name, (name,) * 3, rows, lambda a, b, c: rounded_fma(a, b, c, name, "rn"))
    check(f"add.rn.{name}", name, (name,) * 2, rows[:2], lambda a, b: rounded_sum(a, b, name, "rn"))
    check(f"mul.rn.{name}", name, (name,) * 2, rows[:2], lambda a, b: rounded_product(a, b, name, "rn"))
    check(f"fma.rn.relu.{name}", name, (name,) * 3, rows, lambda a, b, c: positive(rounded_fma(a, b, c, name, "rn")))
    if name == "f16":
        check("fma.rn.sat.f16", name, (name,) * 3, rows, lambda a, b, c: min(1.0, max(0.0, rounded_fma(a, b, c, name, "rn"))))


def positive(x):
    """.relu: what is negative becomes +0; NaN stays."""
    return 0.0 if x <= 0 else x


@given(columns("f32", "f32"))
def test_relu_of_a_conversion_is_of_its_result(rows):
    a, b = rows
    for name in "f16", "bf16":
        def half(x):
            return positive(x if not math.isfinite(x) else rounded(Fraction(x), name, "rn"))
        check(f"cvt.rn.relu.{name}.f32", name, ("f32",), [a], half)
        upper, lower = (run(f"cvt.rn.relu.{name}.f32", name, ("f32",), column) for column in rows)
        assert run(f"cvt.rn.relu.{name}x2.f32", f"{name}x2", ("f32", "f32"), a, b) == [x << 16 | y for x, y in zip(upper, lower)]


def test_tf32_is_rounded_half_away_from_zero_at_bit_13():
    assert run("cvt.rna.tf32.f32", "b32", ("f32",), [0x3F800FFF, 0x3F801000, 0x3F803000, 0xBF801000, 0x7F800000]) == [
        0x3F800000, 0x3F802000, 0x3F804000, 0xBF802000, 0x7F800000]


@pytest.mark.parametrize("op, holds", [("finite", "111100"), ("infinite", "000010"), ("number", "111110"), ("notanumber", "000001"),
                                       ("normal", "101100"), ("subnormal", "010000")])
def test_what_a_number_is_can_be_asked(op, holds):
    for name, values in {"f32": [1 << 31, 0x807FFFFF, 0x00800000, 0xBF800000, 0xFF800000, 0x7FC00000],
                         "f64": [0, 0xFFFFFFFFFFFFF, 1 << 52, 1023 << 52, 2047 << 52, 4095 << 51]}.items():
        assert run(f"testp.{op}.{name}", "pred", (name,), values) == list(map(int, holds))


@given(columns("f16", "f16", "f16", "f16"))
def test_pairs_of_halves_are_two_halves(rows):
    a, b, c, d = rows
    first, second = [x | y << 16 for x, y in zip(a, b)], [x | y << 16 for x, y in zip(c, d)]
    low, high = run("add.f16", "f16", ("f16", "f16"), a, c), run("add.f16", "f16", ("f16", "f16"), b, d)
    assert run("add.f16x2", "f16x2", ("f16x2", "f16x2"), first, second) == [x | y << 16 for x, y in zip(low, high)]


@pytest.mark.parametrize("name", ["f16", "bf16"])
@given(data=st.data())
def test_the_sign_of_a_half_is_a_bit_but_every_nan_becomes_one(name, data):
    """PTX ISA 9.7.4 leaves the NaN of abs and neg open; an H200 answers 0x7fff for f16."""
    a, b = data.draw(columns(name, name))
    for opcode, function in {"abs": lambda x: x & 0x7FFF, "neg": lambda x: x ^ 0x8000}.items():
        low, high = ([NAN[name] if math.isnan(to_float(x, name)) else function(x) for x in half] for half in (a, b))
        assert run(f"{opcode}.{name}", name, (name,), a) == low
        pair = name + "x2"
        assert run(f"{opcode}.{pair}", pair, (pair,), [x | y << 16 for x, y in zip(a, b)]) == [
            x | y << 16 for x, y in zip(low, high)]


def test_ftz_makes_a_subnormal_half_zero_with_its_sign():
    assert run("neg.ftz.f16", "f16", ("f16",), [0x0001, 0x83FF, 0x0400]) == [0x8000, 0x0000, 0x8400]
    assert run("abs.ftz.f16x2", "f16x2", ("f16x2",), [0x83FF_8400, 0x8001_0001]) == [0x0000_0400, 0]


# ---- conversions -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("to, of", [("f32", "f64"), ("f16", "f32"), ("f16", "f64"), ("bf16", "f32")])
@given(data=st.data())
def test_to_a_shorter_format(to, of, mode, data):
    rows = data.draw(columns(of))

    def function(a):
        return a if math.isnan(a) or math.isinf(a) else rounded(Fraction(a), to, mode, math.copysign(1, a) < 0)
    if (to, of) == ("f32", "f64"):
        rows = [[a for a in rows[0] if not math.isnan(to_float(a, of))] or [0]]     # the next test
    check(f"cvt.{mode}.{to}.{of}", to, (of,), rows, function)


@pytest.mark.parametrize("mode", MODES)
def test_a_nan_of_f64_keeps_its_sign_and_upper_bits_in_f32(mode):
    """PTX leaves them open. The first line is what an H200 answers, the others follow IEEE 754, 6.2.3."""
    nans = {0x7FF8000000000000: 0x7FC00000,
            0xFFF8000000000000: 0xFFC00000,
            0x7FFABCDE00000001: 0x7FD5E6F0,
            0x7FF0000000000001: 0x7FC00000}
    assert run(f"cvt.{mode}.f32.f64", "f32", ("f64",), list(nans)) == list(nans.values())


@pytest.mark.parametrize("of", ["f32", "f64"])
def test_a_nan_becomes_the_canonical_one_in_f16(of):
    """CUDA's __float2half_ru and the like gave 0x7fff for NaN on an H200 (the corpus, half_conversions)."""
    nan = {"f32": 0x7FC00000, "f64": 0x7FF8000000000000}[of]
    assert run(f"cvt.rp.f16.{of}", "f16", (of,), [nan]) == [0x7FFF]


@pytest.mark.parametrize("to, of", [("f64", "f32"), ("f32", "f16"), ("f64", "f16"), ("f32", "bf16")])
@given(data=st.data())
def test_to_a_longer_format_nothing_is_lost(to, of, data):
    check(f"cvt.{to}.{of}", to, (of,), data.draw(columns(of)), lambda a: a)


WHOLE = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}


@pytest.mark.parametrize("mode", WHOLE)
@pytest.mark.parametrize("to", ["s32", "u32", "s64", "u64", "s16", "u8"])
@pytest.mark.parametrize("of", ["f32", "f64"])
@given(data=st.data())
def test_to_an_integer_within_its_range(of, to, mode, data):
    a, = data.draw(columns(of))
    width = int(to[1:])
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if to[0] == "s" else (0, (1 << width) - 1)

    def function(x):
        if math.isnan(x):
            return 1 << width - 1 if of == "f64" or width == 64 else 0
        if math.isinf(x):
            return high if x > 0 else low
        return max(low, min(high, WHOLE[mode](x)))
    assert run(f"cvt.{mode}.{to}.{of}", to, (of,), a) == [function(to_float(x, of)) & (1 << width) - 1 for x in a]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("to", ["f32", "f64", "f16"])
@given(data=st.data())
def test_from_an_integer(to, mode, data):
    for of in ("s32", "u32", "s64", "u64"):
        width = int(of[1:])
        a = data.draw(st.lists(st.one_of(st.integers(0, (1 << width) - 1), st.integers(0, 300),
                                         st.integers((1 << width - 1) - 99, (1 << width - 1) + 99)), min_size=3))
        numbers = [x - (1 << width) if of[0] == "s" and x >> width - 1 else x for x in a]
        expected = [to_bits(rounded(Fraction(x), to, mode), to) for x in numbers]
        assert run(f"cvt.{mode}.{to}.{of}", to, (of,), a) == expected


@pytest.mark.parametrize("mode", WHOLE)
@given(rows=columns("f32"))
def test_rounding_to_a_whole_float(mode, rows):
    def function(a):
        return a if not math.isfinite(a) else math.copysign(float(WHOLE[mode](a)), a)
    check(f"cvt.{mode}.f32.f32", "f32", ("f32",), rows, function)


# ---- approximations ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("opcode, function, low, high, error", [
    ("ex2.approx.f32", lambda x: 2.0 ** x, -100, 100, 2**-22),
    ("lg2.approx.f32", math.log2, 1e-30, 1e30, 2**-22),
    ("sin.approx.f32", math.sin, -3, 3, 2**-20),
    ("cos.approx.f32", math.cos, -3, 3, 2**-20),
    ("rsqrt.approx.f32", lambda x: x ** -0.5, 1e-30, 1e30, 2**-22),
    ("rcp.approx.f32", lambda x: 1 / x, 1e-30, 1e30, 2**-23),
    ("sqrt.approx.f32", math.sqrt, 1e-30, 1e30, 2**-23),
    ("tanh.approx.f32", math.tanh, -5, 5, 2**-11)])
@given(data=st.data())
def test_approximations_are_within_their_bounds(opcode, function, low, high, error, data):
    values = np.array(data.draw(st.lists(st.floats(low, high), min_size=3)), np.float32)
    approximated = np.array(run(opcode, "f32", ("f32",), values.view(np.uint32).tolist()), np.uint32).view(np.float32)
    expected = np.array([function(float(x)) for x in values])
    smallest = 1 if opcode.startswith("sin") else 2.0**-126       # the bound of sin is absolute
    assert (np.abs(approximated - expected) <= error * np.maximum(np.abs(expected), smallest)).all()


@pytest.mark.parametrize("name", ["ex2", "lg2", "rcp", "rsqrt"])
def test_ftz_behind_the_type_is_ftz(name):
    """cuRAND's headers have lg2.approx.f32.ftz, and ptxas takes it."""
    values = [to_bits(value, "f32") for value in (0.5, -130.0, 2.0 ** -140, 2.0 ** 127.5)]
    assert run(f"{name}.approx.f32.ftz", ["f32"], ["f32"], values) == run(f"{name}.approx.ftz.f32", ["f32"], ["f32"], values)
    assert run(f"{name}.approx.f32.ftz", ["f32"], ["f32"], values) != run(f"{name}.approx.f32", ["f32"], ["f32"], values)


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_tanh_and_ex2_of_halves_and_of_pairs_of_them(name):
    """Numba's and CUDA's bfloat16 functions have them."""
    values = [0.0, 0.5, -1.25, 3.0, -0.001]
    operands, ftz = [to_bits(value, name) for value in values], "ftz." if name == "bf16" else ""
    assert run(f"tanh.approx.{name}", name, [name], operands) == [to_bits(rounded(Fraction(math.tanh(value)), name, "rn"), name) for value in values]
    assert run(f"ex2.approx.{ftz}{name}", name, [name], operands) == [to_bits(rounded(Fraction(2.0 ** value), name, "rn"), name)
                                                                for value in values]
    pairs = [half | operands[0] << 16 for half in operands]
    low = run(f"tanh.approx.{name}", name, [name], operands)
    assert run(f"tanh.approx.{name}x2", f"{name}x2", [f"{name}x2"], pairs) == [half | low[0] << 16 for half in low]


# ---- 8-bit floats ------------------------------------------------------------------------------------------------

LARGEST = {"e4m3": 448.0, "e5m2": 57344.0}


def to_eight_bits(value, name, relu):
    """What the PTX ISA 9.0 says of cvt.rn.satfinite, and CUDA 13.0's cuda_fp8.hpp of its NaN; an H200 does so."""
    if math.isnan(value):
        return 0x7F
    negative = math.copysign(1, value) < 0
    number = value if math.isinf(value) else rounded(Fraction(value), name, "rn", negative)
    return 0 if relu and negative else to_bits(math.copysign(min(abs(number), LARGEST[name]), value), name)


@pytest.mark.parametrize("relu", [".relu", ""])
@pytest.mark.parametrize("name", LARGEST)
def test_two_halves_to_eight_bits(name, relu):
    operands = [low | (low ^ 0xFFFF) << 16 for low in range(0, 0x8000, 37)]

    def expected(half):
        return to_eight_bits(to_float(half, "f16"), name, relu)
    assert run(f"cvt.rn.satfinite{relu}.{name}x2.f16x2", f"{name}x2", ["f16x2"], operands) == \
        [expected(pair & 0xFFFF) | expected(pair >> 16) << 8 for pair in operands]


@pytest.mark.parametrize("relu", [".relu", ""])
@pytest.mark.parametrize("name", LARGEST)
def test_two_floats_to_eight_bits_at_each_tie_and_beside_it(name, relu):
    numbers = sorted({abs(to_float(code, name)) for code in range(0x80)} - {math.inf, math.nan})
    numbers = [number for number in numbers if number <= LARGEST[name]]
    ties = [to_bits((low + high) / 2, "f32") for low, high in zip(numbers, numbers[1:])]
    sizes = [0, 1, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, to_bits(LARGEST[name], "f32") + 1,
             *(bits for tie in ties for bits in (tie - 1, tie, tie + 1))]
    operands = [*sizes, *(bits | 0x80000000 for bits in sizes)]
    expected = [to_eight_bits(to_float(bits, "f32"), name, relu) for bits in operands]
    assert run(f"cvt.rn.satfinite{relu}.{name}x2.f32", f"{name}x2", ["f32", "f32"], operands, operands[::-1]) == \
        [upper << 8 | lower for upper, lower in zip(expected, expected[::-1])]


@pytest.mark.parametrize("relu", [".relu", ""])
@pytest.mark.parametrize("name", LARGEST)
def test_all_eight_bit_floats_are_halves_exactly(name, relu):
    values = [to_float(code, name) for code in range(256)]
    halves = [NAN["f16"] if math.isnan(value) else 0 if relu and math.copysign(1, value) < 0 else to_bits(value, "f16") for value in values]
    operands = [code | (code ^ 0xFF) << 8 for code in range(256)]
    assert run(f"cvt.rn{relu}.f16x2.{name}x2", "f16x2", [f"{name}x2"], operands) == [halves[code] | halves[code ^ 0xFF] << 16 for code in range(256)]
