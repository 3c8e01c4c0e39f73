"""What happens if the host reads an address, found out without a segmentation fault.

The system's write(2) reads the byte in this process's place, through the same tables. Where a program's own read would
be a segmentation fault, it answers EFAULT (write(2), ERRORS). Not here: what belongs to which memory
(course_lib/pointers/address_facts.py).
"""
import ctypes
import os

_write = ctypes.CDLL(None, use_errno=True).write
_write.argtypes = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t


def host_reads(address):
    """True if the host can read the byte at an address, an int; False if its read would be a segmentation fault.

        >>> host_reads(0)
        False
    """
    into, out = os.pipe()
    try:
        return _write(out, address, 1) == 1
    finally:
        os.close(into)
        os.close(out)
