"""Memory pools: what stream-ordered allocations are taken from. A pool is on a device or on the host.

Not here: the calls (calls/pools.py), taking memory and giving it back (calls/stream_ordered.py).
"""
from ..libcuda import handles
from ..libcuda.process_memory import round_up
from ..libcuda.results import CudaError, Result
from ..libcuda.state import driver
from .blocks import PoolBlock

READ_WRITE = 3    # CU_MEM_ACCESS_FLAGS_PROT_READWRITE
(REUSE_EVENTS, REUSE_OPPORTUNISTIC, REUSE_INTERNAL, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT,
 USED_HIGH) = range(1, 9)    # CUmemPool_attribute


class Pool:
    """A memory pool. `device` is the one that its memory is charged to, or, of a pool on the host, the first."""
    stale = null = Result.INVALID_VALUE

    def __init__(self, device, handle_types=0, largest=None, on_host=False):
        self.device, self.destroyed, self.on_host = device, False, on_host
        self.handle_types, self.largest = handle_types, largest    # largest: bytes, or None
        self.blocks = {}    # of small allocations, as a context has them
        self.access = {} if on_host else {device.ordinal: READ_WRITE}
        self.attributes = dict.fromkeys(range(1, 9), 0) | {REUSE_EVENTS: 1, REUSE_OPPORTUNISTIC: 1, REUSE_INTERNAL: 1}
        handles.give(self)

    def check_room(self, size_):
        """OUT_OF_MEMORY where the pool may not grow so far."""
        if self.largest is not None and self.attributes[USED_CURRENT] + size_ > self.largest:
            raise CudaError(Result.OUT_OF_MEMORY, f"the pool may have at most {self.largest} bytes")

    def add(self, size_):
        """Memory was taken (or, negative, given back). A pool reserves it in pieces of 32 MiB, and keeps some."""
        used = self.attributes[USED_CURRENT] + size_
        kept = min(self.attributes[RESERVED_CURRENT], round_up(self.attributes[RELEASE_THRESHOLD], PoolBlock.GRANULE))
        self._count(used, max(round_up(used, PoolBlock.GRANULE), kept))

    def trim(self, keep):
        """Give back what is reserved beyond `keep` bytes and not used."""
        used = self.attributes[USED_CURRENT]
        kept = min(self.attributes[RESERVED_CURRENT], round_up(keep, PoolBlock.GRANULE))
        self._count(used, max(round_up(used, PoolBlock.GRANULE), kept))

    def _count(self, used, reserved):
        for current_, high, value in ((USED_CURRENT, USED_HIGH, used), (RESERVED_CURRENT, RESERVED_HIGH, reserved)):
            self.attributes[current_] = value
            self.attributes[high] = max(self.attributes[high], value)


class Host:
    """Stands where a device does that has a default pool and a current one."""


HOST = Host()


def default(place):
    """The pool that a device, or the host, has from the start."""
    if not hasattr(place, "default_pool"):
        made = Pool(driver.devices[0], on_host=True) if place is HOST else Pool(place)
        place.default_pool = place.current_pool = made
    return place.default_pool


def current(place):
    """The pool that allocations of a device, or of the host, are taken from."""
    default(place)
    return place.current_pool
