"""Host memory that a device has at other addresses than the host: on systems where registered memory is such, or all of it.

A DeviceView is a range of addresses of the device window, so the host that follows one is stopped. It belongs to an allocation of the
host's, and ends with it. Not here: which memory is such (allocations.py, calls/host_memory.py).
"""
from ..libcuda.process_memory import PAGE, round_up
from .address_spaces import UNIFIED
from .windows import GRANULARITY, take_addresses


class DeviceView:
    """The addresses at which a device has `original`, an Allocation of the host's. Else it is like that."""

    freed = False
    views = {}
    context = None      # it ends with the original, not with a context

    def __init__(self, original, gaps):
        self.original, self._gaps = original, gaps
        self._room = round_up(original.size + PAGE, GRANULARITY) + GRANULARITY      # a granule stays unused behind it
        self._room_start = take_addresses(self._room, GRANULARITY, gaps=gaps)
        self.start = self._room_start + original.start % PAGE   # aligned as the host's
        self.size, self.end = original.size, self.start + original.size
        self.shift = original.start - self.start
        self.delta = self.shift + original.delta

    def __getattr__(self, name):
        return getattr(self.original, name)

    def end_of(self, allocations):
        """Take it out of the table of allocations, and give its addresses back."""
        self.freed = True
        allocations.remove(self)
        self._gaps.give(self._room_start, self._room)


def add(original, allocations, space=UNIFIED):
    """The view of an allocation in an address space: a new one, unless it has one."""
    if space not in original.views:
        view = DeviceView(original, space.gaps)
        allocations.add(view)
        original.views[space] = view
    return original.views[space]
