"""Which pages of managed memory a kernel uses, told to the model of where pages are (memory/residency.py).

Not here: finding the bytes at an address (execution.py).
"""
import itertools

import numpy as np

from ..memory.advice import PAGE
from ..memory.allocations import memory
from ..memory.managed import touched_by_device


class Touches:
    """What one launch used so far. Each page is told once when it is first read and once when it is first written."""

    def __init__(self, kernel, device):
        self._device, self._cause = device, f"kernel {kernel}"
        self._read, self._written = set(), set()    # numbers of pages

    def note(self, addresses, access):
        """The kernel accesses these addresses; those that are not managed memory do not matter."""
        pages = self._read if access == "read" else self._written
        new_pages = [(page, address) for page, address in _one_of_each_page(addresses) if page not in pages]
        pages.update(page for page, _ in new_pages)
        for _, run in itertools.groupby(enumerate(new_pages), lambda numbered: (numbered[1][0] - numbered[0], memory.at(numbered[1][1]))):
            run = [address for _, (_, address) in run]    # of pages side by side, in one allocation
            touched_by_device(run[0], run[-1] + 1 - run[0], self._device, access != "read", self._cause)


def _one_of_each_page(addresses):
    """[(number of a page, one of these addresses in it), ...], in order."""
    pages = addresses // np.uint64(PAGE)
    lowest = pages.min()
    span = int(pages.max() - lowest) + 1
    if span > len(addresses) + PAGE:    # far apart: sorting them is less work than a table
        numbers, places = np.unique(pages, return_index=True)
        return zip(numbers.tolist(), addresses[places].tolist())
    table = np.zeros(span, np.uint64)
    table[pages - lowest] = addresses
    numbers = np.flatnonzero(table)
    return zip((numbers + int(lowest)).tolist(), table[numbers].tolist())
