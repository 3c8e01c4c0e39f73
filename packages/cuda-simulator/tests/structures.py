"""The bytes of CUDA's structures that are all bytes. cuda-bindings 12 gives them no member to read."""
import ctypes

SIZE = 64       # of IPC handles, and of what a pool exports a pointer as


def bytes_of(structure):
    return ctypes.string_at(structure.getPtr(), SIZE)


def put_bytes(structure, data):
    ctypes.memmove(structure.getPtr(), bytes(data).ljust(SIZE, b"\0"), SIZE)
