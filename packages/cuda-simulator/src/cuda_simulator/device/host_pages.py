"""What a kernel finds at an address of the host that nobody registered, on a system with PAGEABLE_MEMORY_ACCESS.

The device has the rights of the host's page tables. The program may give the pages back while the kernel runs. So each access
asks anew, and what is read comes from a copy that the operating system makes, which fails where a page is gone and does not
end the process. Between the question and a write the page may still go; then the process ends, as by a write of its own.

Not here: whose memory it is, and whether it still is (borrowed.py).
"""
from collections import deque

import numpy as np

from .. import ptx
from ..libcuda.process_memory import PAGE, BadAddress, allows, read
from ..memory.allocations import memory
from ..memory.heap import blocks


class HostPages:
    """The host's pages, as one launch meets them."""

    def __init__(self):
        self._writable = set()          # numbers of pages
        self._copies = deque(maxlen=4)  # of what was read lately: an instruction may look at two

    def locate(self, addresses, positions, access, in_place):
        """Where the bytes at `addresses[which]` are in this process; MemoryFault names the first without a page that lets it.

        in_place: also what is read, for whoever compares accesses by their places
        """
        selected = addresses[positions]
        pages, inverse = np.unique(selected // np.uint64(PAGE), return_inverse=True)
        copies = [self._page(int(page), access != "read") for page in pages]
        for position, number in enumerate(inverse):
            if copies[number] is None or self._is_known(int(selected[position])):
                raise ptx.MemoryFault(int(positions[position]), int(selected[position]), "no memory that this kernel may " + access)
        if access != "read" or in_place:
            return selected
        self._copies.append(np.frombuffer(b"".join(copies), np.uint8))
        return (self._copies[-1].ctypes.data + inverse * PAGE).astype(np.uint64) + selected % np.uint64(PAGE)

    @staticmethod
    def _is_known(address):
        """Is it an address of the driver's own? Those have rules of their own."""
        return address in memory.window or address in memory.backing or memory.at(address) or blocks.at(address)

    def _page(self, number, write):
        """The bytes of a page, or None where the host has none there, or may not write it."""
        try:
            page = read(number * PAGE, PAGE)
        except BadAddress:
            return None
        if write and number not in self._writable:
            if not allows(number * PAGE, PAGE, "w"):
                return None
            self._writable.add(number)
        return page
