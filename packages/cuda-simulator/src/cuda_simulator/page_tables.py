"""Which pages of this process the operating system has in its page tables, so that the CPU reaches them without a page fault.

Linux tells this in /proc/self/pagemap, 8 bytes for each page, of which the highest bit says "present" (Linux kernel
documentation, "Examining Process Page Tables"). It needs no rights; only the page's number in the chips does. Asking touches
no page.

Not here: what a present page means for managed memory (memory/residency.py).
"""
import itertools
import mmap

import numpy as np

PAGE = mmap.PAGESIZE
_PRESENT = np.uint64(1 << 63)
_AT_ONCE = 1 << 20      # pages: 8 MiB of answers


def present(address, size):
    """The runs of pages that `size` bytes at `address` touch: [(first page's number, number after the last, is it there?), ...].

    In order, without gaps. None where the system does not tell.
    """
    first_page, end_page = address // PAGE, -(-(address + size) // PAGE)
    runs = []
    try:
        with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
            for start in range(first_page, end_page, _AT_ONCE):
                count = min(_AT_ONCE, end_page - start)
                pagemap.seek(8 * start)
                entries = np.frombuffer(pagemap.read(8 * count), np.uint64)
                if len(entries) < count:
                    return None
                is_present = entries & _PRESENT != 0
                edges = [0, *(np.flatnonzero(is_present[1:] != is_present[:-1]) + 1).tolist(), count]
                runs += [(start + low, start + high, bool(is_present[low])) for low, high in itertools.pairwise(edges)]
    except OSError:
        return None
    return _joined(runs)


def _joined(runs):
    """The same runs, those beside each other that are alike made one."""
    joined = []
    for start, end, is_present in runs:
        if joined and joined[-1][2] == is_present:
            joined[-1] = joined[-1][0], end, is_present
        else:
            joined.append((start, end, is_present))
    return joined
