"""Integer and bit instructions against plain Python integers."""

import itertools
import operator

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from .cuda import kernel, run as run_kernel
from .instruction import run

settings.register_profile("ptx", max_examples=12)
settings.load_profile("ptx")


def edges(bits: int):
    """Integers of a width, with a liking for the ends, powers of two and their neighbours."""
    special = sorted({(number + d) % 2**bits for number in [0, *(1 << n for n in range(bits))] for d in (-1, 0, 1)})
    return st.one_of(st.sampled_from(special), st.integers(0, 2**bits - 1))


def columns(*widths: int):
    """Lists of operand tuples, turned into columns: the ends of each with those of the others, and some more."""
    ends = list(itertools.product(*([0, 1, 1 << bits - 1, 2**bits - 1] for bits in widths)))
    return st.lists(st.tuples(*map(edges, widths)), min_size=4, max_size=40).map(lambda rows: list(zip(*ends, *rows)))


def for_each(name: str, values):
    """Each of these is tried, and not only those that are drawn."""
    return lambda test: pytest.mark.parametrize(name, values)(settings(max_examples=4)(given(data=st.data())(test)))


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def read(type_name: str, value: int) -> int:
    bits = int(type_name[1:])
    return signed(value, bits) if type_name[0] == "s" else value


def check(opcode, result, sources, rows, function, **options):
    mask = (1 << int(result[1:])) - 1
    results = run(opcode, result, sources, *rows, **options)
    expected = [function(*map(read, sources, values)) & mask for values in zip(*rows)]
    assert results == expected, opcode


TYPES = ["u16", "s16", "u32", "s32", "u64", "s64"]


def towards_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@for_each("t", TYPES)
def test_sums_and_products_wrap_around(t, data):
    bits = int(t[1:])
    rows = data.draw(columns(bits, bits, bits))
    check(f"add.{t}", t, (t, t), rows[:2], lambda a, b: a + b)
    check(f"sub.{t}", t, (t, t), rows[:2], lambda a, b: a - b)
    check(f"mul.lo.{t}", t, (t, t), rows[:2], lambda a, b: a * b)
    check(f"mul.hi.{t}", t, (t, t), rows[:2], lambda a, b: a * b >> bits)
    check(f"mad.lo.{t}", t, (t, t, t), rows, lambda a, b, c: a * b + c)
    check(f"mad.hi.{t}", t, (t, t, t), rows, lambda a, b, c: (a * b >> bits) + c)
    check(f"sad.{t}", t, (t, t, t), rows, lambda a, b, c: abs(a - b) + c)
    check(f"min.{t}", t, (t, t), rows[:2], min)
    check(f"max.{t}", t, (t, t), rows[:2], max)


@for_each("t", TYPES)
def test_division_goes_towards_zero(t, data):
    bits = int(t[1:])
    a, b = data.draw(columns(bits, bits))
    b = [x or 1 for x in b]
    if t[0] == "s":     # the one quotient that does not fit wraps around
        check(f"neg.{t}", t, (t,), [a], lambda a: -a)
        check(f"abs.{t}", t, (t,), [a], abs)
    check(f"div.{t}", t, (t, t), [a, b], towards_zero)
    check(f"rem.{t}", t, (t, t), [a, b], lambda a, b: a - towards_zero(a, b) * b)


@for_each("t", ["u16", "s16", "u32", "s32"])
def test_wide_products_keep_every_bit(t, data):
    bits = int(t[1:])
    wide = f"{t[0]}{2 * bits}"
    a, b, c = data.draw(columns(bits, bits, 2 * bits))
    check(f"mul.wide.{t}", wide, (t, t), [a, b], lambda a, b: a * b)
    check(f"mad.wide.{t}", wide, (t, t, wide), [a, b, c], lambda a, b, c: a * b + c)


@for_each("t", ["u32", "s32"])
def test_24_bit_products(t, data):
    a, b, c = data.draw(columns(32, 32, 32))

    def low(x):
        return signed(x & 0xFFFFFF, 24) if t == "s32" else x & 0xFFFFFF
    check(f"mul24.lo.{t}", t, (t, t), [a, b], lambda a, b: low(a) * low(b))
    check(f"mul24.hi.{t}", t, (t, t), [a, b], lambda a, b: low(a) * low(b) >> 16)
    check(f"mad24.lo.{t}", t, (t, t, t), [a, b, c], lambda a, b, c: low(a) * low(b) + c)


@given(columns(32, 32, 32))
def test_saturating_sums_stop_at_the_ends(rows):
    def limit(x):
        return max(-2**31, min(2**31 - 1, x))
    check("add.sat.s32", "s32", ("s32", "s32"), rows[:2], lambda a, b: limit(a + b))
    check("sub.sat.s32", "s32", ("s32", "s32"), rows[:2], lambda a, b: limit(a - b))
    check("mad.hi.sat.s32", "s32", ("s32",) * 3, rows, lambda a, b, c: limit((a * b >> 32) + c))


@given(columns(32, 32))
def test_relu_makes_zero_of_what_is_negative(rows):
    for name, function in (("min", min), ("max", max)):
        def limited(a, b, bits):
            return max(0, function(signed(a, bits), signed(b, bits)))
        for opcode in (f"{name}.relu.s32", f"{name}.s32.relu"):     # as the ISA has it, and as the compiler writes it
            check(opcode, "s32", ("u32", "u32"), rows, lambda a, b: limited(a, b, 32))
        for opcode in (f"{name}.relu.s16x2", f"{name}.s16x2.relu"):
            check(opcode, "b32", ("u32", "u32"), rows, lambda a, b: limited(a >> 16, b >> 16, 16) << 16 | limited(a & 0xFFFF, b & 0xFFFF, 16))


@for_each("bits", [32, 64])
def test_carries_chain_through_several_words(bits, data):
    a0, a1, b0, b1 = data.draw(columns(bits, bits, bits, bits))
    t = f"u{bits}"
    for low_word, high_word, function in (("add.cc", "addc", lambda a, b: a + b), ("sub.cc", "subc", lambda a, b: a - b)):
        # %v1 and %v3 are the low words, %v2 and %v4 the high ones; what stands behind // is not read.
        high = run(f"{low_word}.{t} %v0, %v1, %v3; {high_word}.{t} %v0, %v2, %v4; //", t, (t,) * 4, a0, a1, b0, b1)
        assert high == [function(x0 + (x1 << bits), y0 + (y1 << bits)) >> bits & (1 << bits) - 1
                        for x0, x1, y0, y1 in zip(a0, a1, b0, b1)]


@pytest.mark.parametrize("bits", [32, 64])
def test_a_carry_into_a_word_may_make_a_carry_out_of_it(bits):
    t, most = f"u{bits}", (1 << bits) - 1
    rows = list(itertools.product((0, 1, most - 1, most), repeat=6))
    for first, middle, last, operation in (("add.cc", "addc.cc", "addc", operator.add), ("sub.cc", "subc.cc", "subc", operator.sub)):
        # %v1 to %v3 are one number, the lowest word first, %v4 to %v6 the other; what stands behind // is not read.
        high = run(f"{first}.{t} %v0, %v1, %v4; {middle}.{t} %v0, %v2, %v5; {last}.{t} %v0, %v3, %v6; //", t, (t,) * 6, *zip(*rows))
        words = [sum(word << bits * place for place, word in enumerate(row[side:side + 3])) for row in rows for side in (0, 3)]
        assert high == [operation(a, b) >> 2 * bits & most for a, b in zip(words[::2], words[1::2])]


def test_after_a_subtraction_the_carry_is_one_if_nothing_was_borrowed():
    """The ISA calls it a borrow, which is no answer to what addc adds. NVIDIA's division of 128 bits, which an H200 runs, needs this one."""
    assert run("sub.cc.u32 %v0, %v1, %v2; addc.u32 %v0, %v3, %v3; //", "u32", ("u32",) * 3, [5, 4, 3], [4, 4, 4], [0, 0, 0]) == [1, 1, 0]


@pytest.mark.parametrize("kind", ["unsigned __int128", "__int128"])
@pytest.mark.parametrize("sign", ["/", "%"])
def test_a_division_of_128_bits_is_that_of_whole_numbers(kind, sign):
    numbers = [1, 3, 1000003, 10**20, (1 << 65) + 7, (1 << 100) - 1, (1 << 127) - 1]
    pairs = [(factor * a, b) for a in numbers for b in numbers for factor in ((1, -1) if kind == "__int128" else (1,))]
    words = np.array([[value >> shift & 2**64 - 1 for value in pair for shift in (0, 64)] for pair in pairs], np.uint64)
    source = kernel(f"x += 4 * threadIdx.x; {kind} r = ({kind})(((unsigned __int128)x[1] << 64) | x[0]) {sign} "
                    f"({kind})(((unsigned __int128)x[3] << 64) | x[2]); x[0] = r; x[1] = r >> 64;", "unsigned long long *x")
    _, results = run_kernel(source, 1, len(pairs), words.ravel(), options=("--device-int128",))
    operation = operator.floordiv if sign == "/" else operator.mod
    assert [int(low) | int(high) << 64 for low, high, *_ in results.reshape(-1, 4)] == [
        operation(abs(a), b) * (1 if a >= 0 else -1) % 2**128 for a, b in pairs]


@for_each("bits", [32, 64])
def test_shifts_by_the_width_or_more_shift_everything_out(bits, data):
    a, n = data.draw(columns(bits, 32))
    n = [x if i % 2 else x % (bits + 2) for i, x in enumerate(n)]
    check(f"shl.b{bits}", f"b{bits}", (f"u{bits}", "u32"), [a, n], lambda a, n: a << min(n, bits))
    check(f"shr.u{bits}", f"u{bits}", (f"u{bits}", "u32"), [a, n], lambda a, n: a >> n)
    check(f"shr.s{bits}", f"s{bits}", (f"s{bits}", "u32"), [a, n], lambda a, n: a >> n)


@given(columns(32, 32, 32))
def test_funnel_shifts(rows):
    joined = lambda a, b: b << 32 | a  # noqa: E731
    check("shf.l.wrap.b32", "b32", ("u32",) * 3, rows, lambda a, b, c: joined(a, b) << (c & 31) >> 32)
    check("shf.r.wrap.b32", "b32", ("u32",) * 3, rows, lambda a, b, c: joined(a, b) >> (c & 31))
    check("shf.l.clamp.b32", "b32", ("u32",) * 3, rows, lambda a, b, c: joined(a, b) << min(c, 32) >> 32)
    check("shf.r.clamp.b32", "b32", ("u32",) * 3, rows, lambda a, b, c: joined(a, b) >> min(c, 32))


@for_each("t", ["u32", "s32", "u64", "s64"])
def test_bit_fields_are_extracted(t, data):
    bits = int(t[1:])
    a, start, length = data.draw(columns(bits, 32, 32))
    start, length = [x % (bits + 3) for x in start], [x % (bits + 3) for x in length]

    def field(a, start, length):
        sign = 0
        if t[0] == "s" and length:
            sign = a >> min(start + length - 1, bits - 1) & 1
        return sum((a >> start + i & 1 if i < length and start + i < bits else sign) << i for i in range(bits))
    check(f"bfe.{t}", t, (t, "u32", "u32"), [a, start, length], field)


@for_each("bits", [32, 64])
def test_bit_fields_are_inserted(bits, data):
    a, b, start, length = data.draw(columns(bits, bits, 32, 32))
    start, length = [x % (bits + 3) for x in start], [x % (bits + 3) for x in length]

    def insert(a, b, start, length):
        mask = ((1 << length) - 1) << start & (1 << bits) - 1
        return b & ~mask | a << start & mask
    check(f"bfi.b{bits}", f"b{bits}", (f"u{bits}", f"u{bits}", "u32", "u32"), [a, b, start, length], insert)


@for_each("bits", [32, 64])
def test_bits_are_counted_and_reversed(bits, data):
    rows = data.draw(columns(bits))
    t = (f"u{bits}",)
    check(f"popc.b{bits}", "u32", t, rows, lambda a: bin(a).count("1"))
    check(f"clz.b{bits}", "u32", t, rows, lambda a: bits - a.bit_length())
    check(f"brev.b{bits}", f"b{bits}", t, rows, lambda a: int(f"{a:0{bits}b}"[::-1], 2))
    check(f"bfind.u{bits}", "u32", t, rows, lambda a: a.bit_length() - 1)
    check(f"bfind.s{bits}", "u32", (f"s{bits}",), rows, lambda a: (a if a >= 0 else ~a).bit_length() - 1)
    check(f"bfind.shiftamt.u{bits}", "u32", t, rows, lambda a: bits - a.bit_length() if a else -1)
    check(f"cnot.b{bits}", f"b{bits}", t, rows, lambda a: int(a == 0))
    check(f"not.b{bits}", f"b{bits}", t, rows, lambda a: ~a)


@given(columns(32, 32, 32), st.integers(0, 255))
def test_lop3_is_any_function_of_three_bits(rows, table):
    def lop3(a, b, c):
        return sum((table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i for i in range(32))
    results = run(f"lop3.b32 %v0, %v1, %v2, %v3, {table}; //", "b32", ("u32",) * 3, *rows)
    assert results == [lop3(*values) for values in zip(*rows)]


@given(columns(32, 32, 32))
def test_bytes_are_permuted(rows):
    def prmt(a, b, c):
        bytes_of_both, result = b << 32 | a, 0
        for i in range(4):
            selector = c >> 4 * i & 15
            byte = bytes_of_both >> 8 * (selector & 7) & 255
            result |= ((0xFF if byte & 0x80 else 0) if selector & 8 else byte) << 8 * i
        return result
    check("prmt.b32", "b32", ("u32",) * 3, rows, prmt)


# Which of the eight bytes comes to place i, for a selector of n (PTX ISA, prmt).
PERMUTED = {"f4e": lambda n, i: n + i, "b4e": lambda n, i: (n - i) % 8, "rc8": lambda n, i: n, "ecl": max, "ecr": min,
            "rc16": lambda n, i: n % 2 * 2 + i % 2}


@pytest.mark.parametrize("mode", PERMUTED)
def test_a_mode_permutes_bytes_by_two_bits(mode):
    bytes_ = (0x83828180, 0x87868584)
    check(f"prmt.b32.{mode}", "b32", ("u32",) * 3, [[bytes_[0]] * 5, [bytes_[1]] * 5, [0, 1, 2, 3, 0xFFFFFFFE]],
          lambda a, b, c: sum((0x80 + PERMUTED[mode](c % 4, i)) << 8 * i for i in range(4)))


@given(columns(32, 32))
def test_a_number_is_extended_from_any_of_its_bits(rows):
    for mode in "clamp", "wrap":
        for t in "u32", "s32":
            def extended(a, b):
                low = b % 32 if mode == "wrap" else min(b, 32)
                return a & (1 << low) - 1 if t == "u32" or not low else signed(a & (1 << low) - 1, low)
            check(f"szext.{mode}.{t}", t, ("u32", "u32"), [rows[0], [b % 40 for b in rows[1]]], extended)


@given(columns(32, 32, 32))
def test_dot_products_of_bytes(rows):
    def part(x, i, kind):
        return signed(x >> 8 * i & 255, 8) if kind == "s" else x >> 8 * i & 255
    for ka in "us":
        for kb in "us":
            result = "s32" if "s" in ka + kb else "u32"
            check(f"dp4a.{ka}32.{kb}32", result, ("u32", "u32", result), rows,
                  lambda a, b, c: sum(part(a, i, ka) * part(b, i, kb) for i in range(4)) + c)


@given(columns(32, 32, 32))
def test_differences_of_bytes_are_added_up(rows):
    for t in "us":
        check(f"vabsdiff4.u32.{t}32.{t}32.add", "u32", ("u32",) * 3, rows, lambda a, b, c: c + sum(
            abs(operator.sub(*(read(f"{t}8", x >> n & 0xFF) for x in (a, b)))) for n in (0, 8, 16, 24)))


@given(columns(32, 32, 32))
def test_fns_finds_the_nth_set_bit(rows):
    masks, bases, offsets = rows
    bases, offsets = [x % 32 for x in bases], [(x % 41 - 20) % 2**32 for x in offsets]

    def fns(mask, base, offset):
        if offset == 0:
            return base if mask >> base & 1 else -1
        step = 1 if offset > 0 else -1
        position, left = base, abs(offset)
        while 0 <= position < 32:
            left -= mask >> position & 1
            if not left:
                return position
            position += step
        return -1
    check("fns.b32", "b32", ("u32", "u32", "s32"), [masks, bases, offsets], fns)


@given(st.sampled_from(["u8", "s8", *TYPES]), st.sampled_from(["u8", "s8", *TYPES]), st.data())
def test_integer_conversions_cut_off_extend_or_saturate(to, of, data):
    rows = data.draw(columns(int(of[1:])))
    bits = int(to[1:])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    check(f"cvt.{to}.{of}", to, (of,), rows, lambda a: a)
    check(f"cvt.sat.{to}.{of}", to, (of,), rows, lambda a: max(low, min(high, a)))


@for_each("t", ["u32", "s32", "u64", "s64", "u16", "s16"])
def test_comparisons(t, data):
    bits = int(t[1:])
    a, b = data.draw(columns(bits, bits))
    b = [x if i % 3 else y for i, (x, y) in enumerate(zip(b, a))]
    for name, function in {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
                           "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}.items():
        results = run(f"setp.{name}.{t}", "pred", (t, t), a, b)
        assert results == [function(read(t, x), read(t, y)) for x, y in zip(a, b)]
        results = run(f"set.{name}.u32.{t}", "u32", (t, t), a, b)
        assert results == [0xFFFFFFFF * function(read(t, x), read(t, y)) for x, y in zip(a, b)]


@given(columns(32, 32, 1))
def test_setp_combines_with_a_predicate_and_gives_the_opposite_too(rows):
    p, q = run("setp.lt.and.u32", ("pred", "pred"), ("u32", "u32", "pred"), *rows)
    assert p == [a < b and c for a, b, c in zip(*rows)]
    assert q == [a >= b and c for a, b, c in zip(*rows)]
    p, q = run("setp.lt.u32", ("pred", "pred"), ("u32", "u32"), *rows[:2])
    assert p == [a < b for a, b, _ in zip(*rows)] and q == [a >= b for a, b, _ in zip(*rows)]


@given(columns(32, 32, 1))
def test_selection(rows):
    assert run("selp.b32", "b32", ("b32", "b32", "pred"), *rows) == [a if p else b for a, b, p in zip(*rows)]
    a, b, _ = rows
    assert run("slct.u32.s32", "b32", ("b32", "b32", "b32"), a, b, b) == [x if y < 2**31 else y for x, y in zip(a, b)]
