"""Words to ask what the driver tells of an address: one attribute as it was written, in words, or of a kind."""
import ctypes

from cuda.bindings import driver as cu

from .calls import must, name, where

A = cu.CUpointer_attribute
ATTRIBUTES = {a.name.replace("CU_POINTER_ATTRIBUTE_", ""): int(a) for a in A if 0 < int(a) < 22}
ADDRESSES = ("DEVICE_POINTER", "HOST_POINTER", "RANGE_START_ADDR", "MAPPING_BASE_ADDR")
UNIQUE = ("BUFFER_ID", "MEMORY_BLOCK_ID")
UNTOUCHED = 0xA5A5A5A5A5A5A5A5


def get_attribute(attribute, address):
    """The code and the 16 bytes that cuPointerGetAttribute left, of which it may have written fewer."""
    out = (ctypes.c_uint64 * 2)(UNTOUCHED, UNTOUCHED)
    code = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute(ctypes.byref(out), ctypes.c_int(attribute), ctypes.c_uint64(address))
    return code, out[0], out[1]


def attribute_text(attribute, block, address):
    code, value, _ = get_attribute(ATTRIBUTES[attribute], address)
    return name(code) if code else _value_text(attribute, value, block, address)


def _value_text(attribute, value, block, address):
    if attribute == "CONTEXT":
        return where(value, current=must(cu.cuCtxGetCurrent()))
    if attribute in ADDRESSES:
        return where(value, start=block.address, asked=address) if value < 1 << 63 else "not an address"
    if attribute in UNIQUE or attribute == "MEMPOOL_HANDLE":
        return "something" if value else 0
    if attribute == "P2P_TOKENS":
        return "tokens"
    for width, mask in ((8, 0xFF), (32, 0xFFFFFFFF)):    # a boolean, an int: the bytes that were not written tell
        if value & ~mask & (1 << 64) - 1 == UNTOUCHED & ~mask & (1 << 64) - 1:
            return [value & mask, f"{width} bits"]
    return [value, "64 bits"]


def driver_knows(a):
    """Does the driver know an address?"""
    return name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], a)[0])


def int_attribute(attribute, address):
    """An attribute that is an int."""
    code, value, _ = get_attribute(ATTRIBUTES[attribute], address)
    return name(code) if code else value & 0xFFFFFFFF


def kind_of(a):
    """What a library asks first: the type, whether managed, the device's number, whether mapped."""
    return [int_attribute(attribute, a) if attribute in ("MEMORY_TYPE", "DEVICE_ORDINAL") else _flag(attribute, a)
            for attribute in ("MEMORY_TYPE", "IS_MANAGED", "DEVICE_ORDINAL", "MAPPED")]


def _flag(attribute, a):
    code, value, _ = get_attribute(ATTRIBUTES[attribute], a)
    return name(code) if code else value & 0xFF
