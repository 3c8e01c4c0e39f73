"""Ranges of managed memory: what is said of their pages and where those are.

Three kinds of memory are managed: what cuMemAllocManaged gives, `__managed__` variables, and what a pool of managed memory
gives. Host and device follow the same address. How many bytes there are is bounded by addresses alone; a page takes memory
of this machine when somebody touches it.

Not here: the blocks that it is cut from (blocks.py).
"""
from ..libcuda.lacking import not_answered
from ..libcuda.results import CallError, Result
from ..libcuda.stand_in import inside
from ..libcuda.state import lock
from ..systems import current_system
from .advice import PAGE, UNSET_READ_MOSTLY
from .allocations import MANAGED_KINDS, memory
from .places import DEVICE
from .residency import name_of, unknown

_ADDRESSES = 1 << 64


class ManagedRange:
    """`size` bytes from `address` on, of one managed allocation; INVALID_VALUE where they are not.

    `wrapping` takes a size that wraps around the end of all addresses, for a range without pages: so an H200 does where it
    asks only whether the last byte is beyond the allocation.
    """

    def __init__(self, address, size, wrapping=False):
        allocation = memory.at(address)
        end = address + size
        if wrapping and end >= _ADDRESSES:
            end -= _ADDRESSES
        if allocation is None and current_system().pageable_access and address not in memory.window:
            raise not_answered("cuda.h lets programs advise and prefetch pageable memory where PAGEABLE_MEMORY_ACCESS is 1; that is "
                               "not simulated")
        if allocation is None or allocation.kind not in MANAGED_KINDS or not size or end > allocation.end:
            raise CallError(Result.INVALID_VALUE, "not bytes of one managed allocation")
        self.allocation = allocation
        self.first_page, self.end_page = address // PAGE, -(-end // PAGE)    # numbers of pages

    @property
    def _pages(self):
        return self.allocation.block.pages

    def attributes(self):
        """What all these pages say."""
        with lock:
            return self._pages.attributes(self.first_page, self.end_page)

    def advise(self, advice, place):
        """Say a piece of advice of these pages."""
        with lock:
            self._pages.advise(self.first_page, self.end_page, advice, place)
            if advice == UNSET_READ_MOSTLY:
                self._move(lambda attributes, where: where.collapsed(attributes))

    def prefetch(self, place):
        """Remember the place. The pages get there when the stream does (`arrive`), but are said to be there at once."""
        with lock:
            self._pages.prefetch(self.first_page, self.end_page, place)

    def arrive(self, place):
        """These pages are at a place now."""
        self._move(lambda attributes, where: where.prefetched(attributes, place))

    def touch(self, toucher, write, cause):
        """These pages were touched by a device, such as "device 0"."""
        self._move(lambda attributes, where: where.touched(attributes, toucher, write, cause))

    def lose(self, since):
        """Nobody knows where these pages are from now on."""
        self._move(lambda attributes, where: unknown(since))

    def _move(self, change):
        with lock:
            if self.allocation.freed:
                return
            self._hear_of_host()
            self._change(self.first_page, self.end_page, change)
            for first_page, end_page, where in self._where.between(self.first_page, self.end_page):
                if where.watched:
                    self.allocation.block.let_go(first_page, end_page)

    def _hear_of_host(self):
        """Take into account what the host touched by itself."""
        for first_page, end_page in self.allocation.block.touched_by_host(self.first_page, self.end_page):
            self._change(first_page, end_page, lambda attributes, where: where.seen_on_host(attributes))

    def _change(self, first_page, end_page, change):
        for start, end, attributes in self._pages.of(first_page, end_page):
            self._where.change(start, end, lambda where, attributes=attributes: change(attributes, where))

    @property
    def _where(self):
        return self.allocation.block.where

    def places(self):
        """[(start, size, Where), ...]: bytes of one allocation, and where they are."""
        with lock:
            self._hear_of_host()
            pieces = self._where.between(self.first_page, self.end_page)
        return [(first_page * PAGE, (end_page - first_page) * PAGE, where) for first_page, end_page, where in pieces]


@inside
def residency(address, nbytes):
    """Where the pages of managed memory are that `nbytes` bytes at `address` touch, by the model of residency.py.

    [(address of the first page, bytes, Where), ...], in order. CallError INVALID_VALUE unless it is one managed allocation's.
    Where the operating system hides its page tables, or allows no second view of memory, what the host touched by itself is
    not known.
    """
    return ManagedRange(address, nbytes).places()


def touched_by_device(address, nbytes, device, write, cause):
    """A device used these bytes. Nothing happens where they are no managed memory."""
    if _is_managed(address):
        ManagedRange(address, nbytes).touch(name_of((DEVICE, device.ordinal)), write, cause)


def note_copy(address, nbytes):
    """A copy used these bytes: whether on the device or on the host is the driver's choice."""
    if _is_managed(address):
        ManagedRange(address, nbytes).lose("copy")


def _is_managed(address):
    allocation = memory.at(address)
    return allocation is not None and allocation.kind in MANAGED_KINDS
