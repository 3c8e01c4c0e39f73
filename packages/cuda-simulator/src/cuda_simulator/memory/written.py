"""What has been written to each allocation since it was made, as far as anybody saw.

The host's copies and fills are noted always, as ranges: that costs next to nothing. Kernels write too, and only examined
launches tell what: after one that nobody examined, what was there before counts as written.
"""
import mmap

import numpy as np

from .allocations import memory

MOST_RANGES = 64


def note(address, size):
    """The host writes to device memory."""
    allocation = memory.at(address)
    if allocation is None or allocation.known_since != memory.unexamined:
        return
    if allocation.written_flags is not None:
        start = max(address - allocation.start, 0)
        allocation.written_flags[start:start + size] = 1
        return
    ranges = allocation.host_wrote
    if ranges and ranges[-1][1] == address:
        ranges[-1] = (ranges[-1][0], address + size)
    elif len(ranges) >= MOST_RANGES:
        allocation.known_since = -1             # too many to keep: it counts as written
    else:
        ranges.append((address, address + size))


def map_of(allocation):
    """One byte for each byte of an allocation, 1 where it has been written; None where all is, or nobody knows."""
    if allocation.known_since != memory.unexamined:
        return None
    if any(start <= allocation.start and allocation.end <= end for start, end in allocation.host_wrote):
        return None
    if allocation.written_flags is None:
        size = -(-allocation.size // 16) * 16
        allocation.written_flags = np.frombuffer(mmap.mmap(-1, size), np.uint8)
        for start, end in allocation.host_wrote:
            allocation.written_flags[max(start - allocation.start, 0):end - allocation.start] = 1
    return allocation.written_flags


def unexamined_launch():
    """A kernel runs that nobody examines: it may write anywhere."""
    memory.unexamined += 1
