"""Results that a driver call writes where its caller says: numbers, structures, text.

An address that can not be written is INVALID_VALUE, never a crash.
"""
import ctypes
import struct

from . import process_memory
from .results import CallError, Result

MOST = 1 << 20    # entries of an array

# How a C type lies in memory; faster than a ctypes object for each result.
_PACK = {ctypes.c_int: "i", ctypes.c_uint: "I", ctypes.c_size_t: "N", ctypes.c_uint64: "Q", ctypes.c_bool: "?",
         ctypes.c_float: "f"}
_PACK = {ctype: struct.Struct(code).pack for ctype, code in _PACK.items()}


def store(address, ctype, value):
    """Write `value` as the C type `ctype`."""
    store_bytes(address, _PACK[ctype](value))


def store_bytes(address, data):
    """Write bytes."""
    try:
        process_memory.write(address, data)
    except process_memory.BadAddress:
        raise CallError(Result.INVALID_VALUE, f"the result cannot be written to {address:#x}") from None


def store_string(address, room, text):
    """Write `text` with its terminating zero into `room` bytes, cut where it is longer."""
    if room > 0:
        store_bytes(address, text.encode()[:room - 1] + b"\0")


def load(address, structure):
    """Read a C structure or number; INVALID_VALUE where there is none."""
    try:
        return structure.from_buffer_copy(process_memory.read(address, ctypes.sizeof(structure)))
    except process_memory.BadAddress:
        raise CallError(Result.INVALID_VALUE, f"no {structure.__name__} at {address:#x}") from None


def load_array(address, count, ctype=ctypes.c_size_t):
    """An array that must not be empty; INVALID_VALUE where there is none."""
    if not 0 < count <= MOST:
        raise CallError(Result.INVALID_VALUE, f"1 to {MOST} entries")
    return load(address, ctype * count)


def load_string(address):
    """Read a C string; INVALID_VALUE where there is none."""
    try:
        return process_memory.read_string(address).decode(errors="replace")
    except process_memory.BadAddress:
        raise CallError(Result.INVALID_VALUE, f"no string at {address:#x}") from None
