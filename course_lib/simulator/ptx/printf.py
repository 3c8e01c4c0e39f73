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


def format_text(text: str, read, read_text) -> str:
    """Fill in a format string.

    read(offset, size) gives an argument's bytes as an unsigned int, read_text(pointer) a string's characters.
    """
    offset = 0

    def argument(size: int) -> int:
        nonlocal offset
        offset = -(-offset // size) * size
        value = read(offset, size)
        offset += size
        return value

    def signed(size: int) -> int:
        value = argument(size)
        return value - (1 << 8 * size) if value >> (8 * size - 1) else value

    def replace(match) -> str:
        flags, kind = match["flags"], match["kind"]
        if kind == "%":
            return "%"
        width = match["width"] or ""
        if width == "*":
            number = signed(4)
            width, flags = str(abs(number)), flags + ("-" if number < 0 else "")
        precision = match["precision"]
        if precision == "*":
            number = signed(4)
            precision = str(number) if number >= 0 else None
        specification = "%" + flags + width + ("" if precision is None else "." + (precision or "0"))
        size = 8 if match["size"] in EIGHT_BYTES else 4
        if kind in "di":
            return (specification + "d") % _narrow(signed(size), match["size"], True)
        if kind in "ouxX":
            value = _narrow(argument(size), match["size"], False)
            if "#" in flags and kind == "o":
                return _octal(specification, value)
            if not value:
                specification = specification.replace("#", "")
            return (specification + ("d" if kind == "u" else kind)) % value
        if kind in "eEfFgG":
            return (specification + kind) % _double(argument(8))
        if kind in "aA":
            return _hexadecimal(_double(argument(8)), flags, width, precision, kind == "A")
        if kind == "c":
            return (specification + "s") % chr(argument(4) & 0xFF)
        pointer = argument(8)
        if kind == "p":
            return ("%" + flags + width + "s") % (hex(pointer) if pointer else "(nil)")
        return (specification + "s") % (read_text(pointer) if pointer else "(null)")

    return SPECIFICATION.sub(replace, text)


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
