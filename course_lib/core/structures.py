"""The bytes of CUDA's structures that are all bytes, such as an IPC handle. cuda-bindings 12 gives
them no member to read.

Not here: what the bytes are good for (`course_lib.sharing`).
"""
import ctypes
from typing import Any

HANDLE_SIZE = 64    # bytes, cuda.h: CU_IPC_HANDLE_SIZE


def bytes_of(structure: Any) -> bytes:
    """The 64 bytes of a structure of cuda.bindings, such as CUipcMemHandle."""
    return ctypes.string_at(structure.getPtr(), HANDLE_SIZE)


def put_bytes(structure: Any, data: bytes) -> Any:
    """Write 64 bytes into a structure of cuda.bindings, and return it."""
    ctypes.memmove(structure.getPtr(), bytes(data).ljust(HANDLE_SIZE, b"\0"), HANDLE_SIZE)
    return structure
