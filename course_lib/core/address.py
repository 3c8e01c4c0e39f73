"""The number behind everything that has an address.

Python hides no address: PyCUDA's allocations and arrays, NumPy's arrays and this course's own
objects all give theirs. `address_of` takes any of them. Not here: what the number means
(`course_lib.pointers`).
"""
from typing import Any

import numpy as np

from .errors import WrongPointer


def address_of(thing: Any) -> int:
    """The address of a thing, as an int.

    thing: an int; a pycuda DeviceAllocation or a CUdeviceptr; a GPUArray, or whatever else has
           ``__cuda_array_interface__``; a NumPy array; an object with `device_address`, as those of
           pinned.py

    Raises WrongPointer for what has none.

        >>> address_of(0x1000)
        4096
    """
    if isinstance(thing, np.ndarray):
        return thing.ctypes.data
    for name in ("device_address", "ptr"):      # this course's own objects; GPUArray
        address = getattr(thing, name, None)    # once: it may ask the driver
        if address is not None:
            return int(address)
    if hasattr(thing, "__cuda_array_interface__"):
        return int(thing.__cuda_array_interface__["data"][0])
    try:
        address = int(thing)
    except (TypeError, ValueError):
        address = -1
    if isinstance(thing, (bool, float, np.floating, str)) or not 0 <= address < 1 << 64:
        raise WrongPointer(f"{thing!r} is not an address: pass an int from 0 to 2**64 - 1, or an array or allocation")
    return address


def host_may_read(address: int) -> bool:
    """True if the host can read the byte at an address, by the operating system's list of this
    process's pages."""
    with open("/proc/self/maps") as maps:       # "start-end rwxp offset device inode path", proc(5)
        for line in maps:
            span, rights = line.split(maxsplit=2)[:2]
            start, end = (int(bound, 16) for bound in span.split("-"))
            if start <= address < end:
                return rights.startswith("r")
    return False
