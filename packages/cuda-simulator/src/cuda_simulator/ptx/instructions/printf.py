"""printf's format strings, for one thread (CUDA Programming Guide, formatted output).

The compiler passes arguments as C varargs do: integers of up to 32 bits take 4 bytes, long ones, doubles and
pointers 8, each aligned to its size. Flags, width, precision and the sizes hh h l ll z t j are C's.
"""

from __future__ import annotations

import re
import struct

SPECIFICATION = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?"
                           r"(?P<size>hh|h|ll|l|L|z|t|j)?(?P<kind>[%diouxXeEfFgGaAcsp])")
EIGHT_BYTES = {"l", "ll", "L", "z", "t", "j"}


class FormatArguments:
    """The arguments behind the format, taken one after another."""

    def __init__(self, read):
        self.read, self.offset = read, 0

    def unsigned(self, size: int) -> int:
        self.offset = -(-self.offset // size) * size
        value = self.read(self.offset, size)
        self.offset += size
        return value

    def signed(self, size: int) -> int:
        value = self.unsigned(size)
        return value - (1 << 8 * size) if value >> (8 * size - 1) else value


def format_text(text: str, read, read_text) -> str:
    """Fill in a format string.

    read(offset, size) gives an argument's bytes as an unsigned int, read_text(pointer) a string's characters.
    """
    arguments = FormatArguments(read)
    return SPECIFICATION.sub(lambda match: _replace(match, arguments, read_text), text)


def _replace(match, arguments, read_text) -> str:
    """One specification, like %-8.3f, filled in. Python's % does most of it as C does."""
    kind, size = match["kind"], match["size"]
    if kind == "%":
        return "%"
    flags, width, precision = _layout(match, arguments)
    start = "%" + flags + width
    layout = start if precision is None else f"{start}.{precision or '0'}"
    if kind in "di":
        return (layout + "d") % _narrow(arguments.signed(_bytes(size)), size, True)
    if kind in "ouxX":
        value = _narrow(arguments.unsigned(_bytes(size)), size, False)
        if "#" in flags and kind == "o":
            return _octal(layout, value)
        if not value:
            layout = layout.replace("#", "")
        return (layout + ("d" if kind == "u" else kind)) % value
    if kind in "eEfFgG":
        return (layout + kind) % _double(arguments.unsigned(8))
    if kind in "aA":
        return _hexadecimal(_double(arguments.unsigned(8)), flags, width, precision, kind == "A")
    if kind == "c":
        return (layout + "s") % chr(arguments.unsigned(4) & 0xFF)
    pointer = arguments.unsigned(8)
    if kind == "p":
        return (start + "s") % (hex(pointer) if pointer else "(nil)")
    return (layout + "s") % (read_text(pointer) if pointer else "(null)")


def _layout(match, arguments) -> tuple[str, str, str | None]:
    """Flags, width and precision; a * takes an argument."""
    flags, width, precision = match["flags"], match["width"] or "", match["precision"]
    if width == "*":
        number = arguments.signed(4)
        width = str(abs(number))
        if number < 0:
            flags += "-"
    if precision == "*":
        number = arguments.signed(4)
        precision = str(number) if number >= 0 else None
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


def _octal(specification: str, value: int) -> str:
    """C writes 017 where Python writes 0o17."""
    text = f"0{value:o}" if value else "0"
    return (specification.replace("#", "").split(".")[0] + "s") % text


def _double(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def _hexadecimal(value: float, flags: str, width: str, precision, upper: bool) -> str:
    """%a: 0x1.8p+1, without the trailing zeros that float.hex writes."""
    text = value.hex()
    if precision is None:
        text = re.sub(r"\.?0*p", "p", text)
    if "+" in flags and not text.startswith("-"):
        text = "+" + text
    return ("%" + flags.replace("+", "").replace("0", "") + width + "s") % (text.upper() if upper else text)
