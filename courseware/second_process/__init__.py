"""Another process to share memory with, which does what this one asks of it, call by call.

    >>> from course_lib import sharing
    >>> from courseware.second_process import other_process
    >>> def first_byte(handle):
    ...     import pycuda.driver as cuda
    ...     found = bytearray(1)
    ...     with sharing.open_handle(handle) as memory:
    ...         cuda.memcpy_dtoh(found, memory.device_address)
    ...     return found[0]
    >>> memory = cuda.mem_alloc(64)
    >>> cuda.memset_d8(memory, 7, 64)
    >>> with other_process() as other:
    ...     other.run(first_byte, sharing.export(memory))
    7

Where to read: the other process as this one sees it (other_process.py), and what runs in it (turns.py). Not here:
handles and descriptors (course_lib.sharing).
"""
from .other_process import Kept, OtherEnded, OtherFailed, OtherProcess, other_process

__all__ = ["Kept", "OtherEnded", "OtherFailed", "OtherProcess", "other_process"]
