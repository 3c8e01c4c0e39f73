"""A kernel's printf prints as the C library's does: 130 formats were asked of an H200 (driver 580), which differs where a test says so."""
import ctypes
import itertools
import math
import struct

from cuda_simulator.ptx.instructions import printf

import pytest

libc = ctypes.CDLL(None)
C_TYPES = {"d": ctypes.c_int, "u": ctypes.c_uint, "o": ctypes.c_uint, "x": ctypes.c_uint, "X": ctypes.c_uint, "c": ctypes.c_int,
           "ld": ctypes.c_longlong, "hd": ctypes.c_int}
INTEGERS = (0, 1, 5, -5, 255, 2**31 - 1, -2**31)
NUMBERS = (0.0, -0.0, 1.0, 2.55, -1.96875, 0.1, 1e300, 5e-324, float("inf"), float("-inf"), math.nan, -math.nan)


def in_c(specification, *arguments):
    text = ctypes.create_string_buffer(1000)
    libc.snprintf(text, 1000, specification.encode(), *arguments)
    return text.value.decode()


def in_a_kernel(specification, packed):
    return format_one(specification, packed)[0]


def format_one(specification, packed):
    return printf.format_text(specification, lambda offset, size: int.from_bytes(packed[offset:offset + size], "little"), None)


def layouts(flags, precisions=("", ".", ".0", ".1", ".5", ".15")):
    return map("".join, itertools.product(("", *flags, *map("".join, itertools.combinations(flags, 2))), ("", "1", "9"), precisions))


@pytest.mark.parametrize("kind", C_TYPES)
def test_integers(kind):
    for layout in layouts("-+ #0" if kind != "c" else "-", ("",) if kind == "c" else ("", ".", ".0", ".1", ".5", ".15")):
        for value in INTEGERS if kind != "c" else (65, 321):
            specification = f"%{layout}{kind}"
            assert in_a_kernel(specification, struct.pack("<q", value)) == in_c(specification, C_TYPES[kind](value)), (specification, value)


@pytest.mark.parametrize("kind", "eEfFgGaA")
def test_floating_point_numbers(kind):
    for layout in layouts("-+ #0"):
        for value in NUMBERS:
            specification = f"%{layout}{kind}"
            assert in_a_kernel(specification, struct.pack("<d", value)) == in_c(specification, ctypes.c_double(value)), (specification, value)


def test_a_width_may_be_an_argument_and_a_negative_one_means_left():
    assert in_a_kernel("%*d|%*d|%-*d|", struct.pack("<6i", 6, 42, -6, 42, 6, 42)) == "    42|42    |42    |"
    for width in (-3, -1, 0, 1, 3):
        assert in_a_kernel("%0*d|", struct.pack("<2i", width, 7)) == in_c("%0*d|", ctypes.c_int(width), ctypes.c_int(7))


def test_a_percent_sign_with_a_width_is_printed_as_it_stands():
    assert in_a_kernel("%5%|%%|", b"") == "%5%|%|"     # an H200


@pytest.mark.parametrize("layout", ["", "20", "-20", "020", "+", "#", "-+20"])
def test_addresses(layout):
    for address in (0x1234, 0):
        assert in_a_kernel(f"%{layout}p", struct.pack("<Q", address)) == in_c(f"%{layout}p", ctypes.c_void_p(address))


def test_a_character_has_no_precision():
    assert in_a_kernel("%.0c|%5.0c|", struct.pack("<2i", 65, 66)) == "A|    B|"


@pytest.mark.parametrize("text", ["%.*f|", "%zd|%zu|", "%td|%jd|", "%Lf|%Ld|"])
def test_what_an_h200_does_not_take_is_printed_as_it_stands(text):
    assert in_a_kernel(text, bytes(32)) == text


@pytest.mark.parametrize("text, count", [("", 0), ("%d%%", 1), ("%5d|%-5c|%+.3d", 3), ("%08.3f|%#o|%#X|%+e", 4), ("%zu", 0), ("%td %jd", 0),
                                         ("% d %'d", 1)])
def test_printf_returns_how_many_arguments_it_took_as_an_h200_does(text, count):
    assert format_one(text, bytes(64))[1] == count
