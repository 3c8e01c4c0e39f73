"""printf's format strings, for one thread (CUDA Programming Guide, formatted output).

The compiler passes arguments as C varargs do: integers of up to 32 bits take 4 bytes, long ones, doubles and
pointers 8, each aligned to its size. Flags, width, precision and the sizes hh h l ll are C's; what is none of these is
printed as it stands, and so are the sizes z t j L and a precision of *, which an H200 does not take (driver 580). Nor does
it take hh: it prints another number there.
"""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction

SPECIFICATION = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\d*))?(?P<size>hh|h|ll|l)?"
                           r"(?P<kind>[%diouxXeEfFgGaAcsp])")
EIGHT_BYTES = {"l", "ll"}
BASES = {"o": "o", "x": "x", "X": "X"}      # others are decimal
HEXADECIMAL_DIGITS = 13      # of a double, behind the point


class FormatArguments:
    """The arguments behind the format, taken one after another."""

    def __init__(self, read):
        self.read, self.offset, self.count = read, 0, 0

    def unsigned(self, size: int) -> int:
        self.offset = -(-self.offset // size) * size
        value = self.read(self.offset, size)
        self.offset += size
        self.count += 1
        return value

    def signed(self, size: int) -> int:
        value = self.unsigned(size)
        return value - (1 << 8 * size) if value >> (8 * size - 1) else value


def format_text(text: str, read, read_text) -> tuple[str, int]:
    """Fill in a format string; returns the text, and how many arguments it took.

    read(offset, size) gives an argument's bytes as an unsigned int, read_text(pointer) a string's characters.
    """
    arguments = FormatArguments(read)
    return SPECIFICATION.sub(lambda match: _replace(match, arguments, read_text), text), arguments.count


def _replace(match, arguments, read_text) -> str:
    """One specification, like %-8.3f, filled in. Python's % does most of it as C does."""
    kind, size = match["kind"], match["size"]
    if kind == "%":
        return "%" if match[0] == "%%" else match[0]
    flags, width, precision = _layout(match, arguments)
    start = "%" + flags.replace("0", "") + width
    layout = f"%{flags}{width}" if precision is None else f"%{flags}{width}.{precision or '0'}"
    if kind in "di":
        return _integer(_narrow(arguments.signed(_bytes(size)), size, True), flags, width, precision, kind)
    if kind in "ouxX":
        flags = flags.replace("+", "").replace(" ", "")
        return _integer(_narrow(arguments.unsigned(_bytes(size)), size, False), flags, width, precision, kind)
    if kind in "eEfFgG":
        number = _double(arguments.unsigned(8))
        return (layout + kind) % number if math.isfinite(number) else _not_finite(number, flags, width, kind.isupper())
    if kind in "aA":
        return _hexadecimal(_double(arguments.unsigned(8)), flags, width, precision, kind == "A")
    if kind == "c":
        return f"%{flags}{width}s" % chr(arguments.unsigned(4) & 0xFF)
    pointer = arguments.unsigned(8)
    if kind == "p" and pointer:
        return _padded(_sign(False, flags) + "0x", format(pointer, "x"), flags, width)
    if kind == "p":
        return (start + "s") % "(nil)"
    return (layout + "s") % (read_text(pointer) if pointer else "(null)")


def _layout(match, arguments) -> tuple[str, str, str | None]:
    """Flags, width and precision; a width of * takes an argument."""
    flags, width, precision = match["flags"], match["width"] or "", match["precision"]
    if width == "*":
        number = arguments.signed(4)
        width = str(abs(number))
        if number < 0:
            flags += "-"
    return flags, width, precision


def _bytes(size: str | None) -> int:
    return 8 if size in EIGHT_BYTES else 4


def _narrow(value: int, size: str | None, signed: bool) -> int:
    """%hd and %hhd print the low 16 or 8 bits."""
    bits = {"h": 16, "hh": 8}.get(size)
    if bits is None:
        return value
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _integer(value: int, flags: str, width: str, precision: str | None, kind: str) -> str:
    """A precision is the least number of digits, and zero has none where it is 0. It switches the flag 0 off."""
    digits = format(abs(value), BASES.get(kind, "d")) if value or precision not in ("", "0") else ""
    digits = digits.zfill(int(precision or 0))
    if "#" in flags and kind == "o" and not digits.startswith("0"):
        digits = "0" + digits
    prefix = "0" + kind if "#" in flags and kind in "xX" and value else ""
    return _padded(_sign(value < 0, flags) + prefix, digits, flags if precision is None else flags.replace("0", ""), width)


def _sign(negative: bool, flags: str) -> str:
    return "-" if negative else "+" if "+" in flags else " " if " " in flags else ""


def _padded(prefix: str, digits: str, flags: str, width: str) -> str:
    missing = max(0, int(width or 0) - len(prefix) - len(digits))
    if "-" in flags:
        return prefix + digits + " " * missing
    return prefix + "0" * missing + digits if "0" in flags else " " * missing + prefix + digits


def _double(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def _not_finite(value: float, flags: str, width: str, upper: bool) -> str:
    """inf or nan, whose sign is told as well, and which is not filled up with zeros."""
    text = _padded(_sign(math.copysign(1, value) < 0, flags), format(abs(value), "f"), flags.replace("0", ""), width)
    return text.upper() if upper else text


def _hexadecimal(value: float, flags: str, width: str, precision: str | None, upper: bool) -> str:
    """%a: 0x1.8p+1, with as many digits as it needs or as the precision says."""
    sign = _sign(math.copysign(1, value) < 0, flags)
    if not math.isfinite(value):
        return _not_finite(value, flags, width, upper)
    whole, digits, exponent = re.fullmatch(r"-?0x([01])\.([0-9a-f]+)(p.*)", value.hex()).groups()
    digits = digits.ljust(HEXADECIMAL_DIGITS, "0")
    if precision is None:
        digits = digits.rstrip("0")
    elif (count := int(precision or 0)) < HEXADECIMAL_DIGITS:
        rounded = round(Fraction(int(whole + digits, 16), 16 ** (HEXADECIMAL_DIGITS - count)))      # half to even
        whole, digits = format(rounded // 16 ** count, "x"), format(rounded % 16 ** count, f"0{count}x") if count else ""
    else:
        digits = digits.ljust(count, "0")
    point = "." if digits or "#" in flags else ""
    text = _padded(sign + "0x", whole + point + digits + exponent, flags, width)
    return text.upper() if upper else text
