"""Memory that several processes use: export it in one, open it in another. And another process to try it with.

An address means something in one process. What can be sent to another is a handle, which the driver turns into an address
there: the same bytes, at an address of that process's own.

- memory from `cuMemAlloc` (`cuda.mem_alloc`, GPUArray) has an IPC handle, 64 bytes;
- memory from `cuMemCreate` (`reservation.create(nbytes, exportable=True)`) is exported as a file descriptor.

    >>> from course_lib import sharing
    >>> def first_byte(handle):
    ...     import pycuda.driver as cuda
    ...     found = bytearray(1)
    ...     with sharing.open_handle(handle) as memory:
    ...         cuda.memcpy_dtoh(found, memory.device_address)
    ...     return found[0]
    >>> memory = cuda.mem_alloc(64)
    >>> cuda.memset_d8(memory, 7, 64)
    >>> with sharing.other_process() as other:
    ...     other.run(first_byte, sharing.export(memory))
    7

Where to read: exporting and opening (handles.py), the other process as this one sees it (other_process.py), and what
runs in it (turns.py).
"""
from .handles import Descriptor, Opened, export, open_descriptor, open_handle
from .other_process import Kept, OtherEnded, OtherFailed, OtherProcess, other_process

__all__ = ["Descriptor", "Kept", "Opened", "OtherEnded", "OtherFailed", "OtherProcess", "export", "open_descriptor",
           "open_handle", "other_process"]
