"""Blocks: the pieces of memory that allocations are cut from, as on an H200. A small allocation shares one with others;
a large one has one of its own.

What kinds of block there are: memory of a device (of a context or of a pool), page-locked, managed, and of pools on the
host. Each knows where its addresses and its bytes come from.

Not here: allocations (allocations.py).
"""
from ..libcuda import process_memory
from ..libcuda.process_memory import round_up
from ..libcuda.results import CudaError, Result
from .advice import PAGE, Pages
from .ranges import PieceGaps
from .residency import Where
from .runs import Runs
from .windows import DEVICE_ALIGNMENT, GRANULARITY, backing, take_addresses, window


class Block:
    """A piece of memory that is cut into allocations: one large one, or many small ones, as on an H200.

    `owner` is the context or the memory pool that the memory belongs to.
    """

    def __init__(self, owner, size):
        self.owner, self.size = owner, round_up(size, self.GRANULE)
        self.live = 0
        self.open()
        self.gaps = PieceGaps(self.start, self.start + self.size + self.GAP * DEVICE_ALIGNMENT)

    GRANULE = GRANULARITY
    GAP = 0    # bytes that stay unused after each allocation

    def _room(self, size):
        """Bytes of the block that an allocation takes."""
        return round_up(size + self.GAP, DEVICE_ALIGNMENT)

    def take(self, size):
        """Addresses in this block, or None."""
        start = self.gaps.take(self._room(size), DEVICE_ALIGNMENT)
        if start is not None:
            self.live += 1
        return start

    def give(self, allocation):
        """An allocation ends; with the last one, so does the block. True if it did. Until then its bytes stay what they are."""
        self.gaps.give(allocation.start, self._room(allocation.size))
        self.live -= 1
        if not self.live:
            self.close()
        return not self.live


class DeviceBlock(Block):
    """Device memory: addresses of the device window, bytes in the backing."""
    GAP = 1    # unlike on an H200: so that a kernel's overrun meets nothing, and is told

    def open(self):
        self.owner.device.charge(self.size)
        try:
            # A granule of addresses after the block stays unused, for the reason that GAP has.
            self.start = take_addresses(self.size + GRANULARITY, GRANULARITY, slack=GRANULARITY)
            self.delta = backing.take(self.size) - self.start
        except CudaError:
            self.owner.device.refund(self.size)
            raise

    def close(self):
        backing.give(self.start + self.delta, self.size)
        window.gaps.give(self.start, self.size + GRANULARITY)
        self.owner.device.refund(self.size)


class PoolBlock(DeviceBlock):
    """Device memory of a memory pool."""
    GRANULE = 32 << 20


class OpenBlock(Block):
    """Memory that the host may follow as well: addresses with open pages, which take memory when they are touched."""
    delta = 0

    def open(self):
        self._own_addresses = self.size >= window.size // 2    # too many for the device window
        if self.size >= process_memory.END:
            raise CudaError(Result.OUT_OF_MEMORY, "no process has so many addresses")
        if self._own_addresses:
            self.start = process_memory.reserve_aligned(self.size, GRANULARITY)
        else:
            self.start = take_addresses(self.size + GRANULARITY, GRANULARITY, slack=GRANULARITY)
        process_memory.open_pages(self.start, self.size)

    def close(self):
        if self._own_addresses:
            process_memory.unmap(self.start, self.size)
        else:
            process_memory.close_pages(self.start, self.size)
            window.gaps.give(self.start, self.size + GRANULARITY)


class HostPoolBlock(OpenBlock):
    """Memory of a pool on the host."""
    GRANULE = 32 << 20


class ManagedBlock(OpenBlock):
    """Managed memory, of a context or of a module: what was said of its pages, and where they are."""

    def open(self):
        super().open()
        self.pages, self.where = Pages(self.start // PAGE), Runs(Where())

    def give(self, allocation):
        """What is freed is forgotten, as on an H200, also of a neighbour that shares a page with it."""
        pages = allocation.start // PAGE, -(-allocation.end // PAGE)
        self.pages.forget(*pages)
        self.where.change(*pages, lambda where: Where())
        return super().give(allocation)


class ManagedPoolBlock(OpenBlock):
    """Memory of a pool of managed memory. It begins with the pool's place as the preferred one; what is given back to the
    pool is not forgotten (on an H200 a block that is taken again says where it was prefetched before)."""
    GRANULE = 32 << 20

    def open(self):
        super().open()
        self.pages, self.where = Pages(self.start // PAGE, self.owner.place), Runs(Where())


class PinnedBlock(Block):
    """Page-locked memory: pages of the process, resident from the start."""
    delta = 0
    flags = None    # of its first allocation

    def open(self):
        self.start = process_memory.map_pages(self.size)

    def close(self):
        process_memory.unmap(self.start, self.size)
