"""Blocks: the pieces of memory that allocations are cut from, as on an H200. A small allocation shares one with others;
a large one has one of its own.

What kinds of block there are: memory of a device (of a context or of a pool, of this process or opened from another),
page-locked, managed, and of pools on the host. Each knows where its addresses and its bytes come from.

Not here: allocations (allocations.py).
"""
from ..libcuda import process_memory
from ..libcuda.lacking import not_answered
from ..libcuda.process_memory import round_up
from ..libcuda.results import CallError, Result
from ..page_tables import present
from ..systems import current_system
from . import directory, memory_files
from .address_spaces import UNIFIED
from .advice import PAGE, Pages
from .places import NOWHERE
from .ranges import PieceGaps
from .residency import Where
from .runs import Runs
from .windows import DEVICE_ALIGNMENT, GRANULARITY, backing, take_addresses, window


class MemoryBlock:
    """A piece of memory that is cut into allocations: one large one, or many small ones, as on an H200.

    `owner` is the context or the memory pool that the memory belongs to.
    """

    def __init__(self, owner, size):
        self.owner, self.size = owner, round_up(size, self.GRANULE)
        self.live = 0
        self.open()
        self.gaps = PieceGaps(self.start, self.start + self.size + self.GAP * DEVICE_ALIGNMENT)

    GRANULE = GRANULARITY
    GAP = 0        # bytes that stay unused after each allocation
    shared = False    # may other processes have it, and write it?

    def _room(self, size):
        """Bytes of the block that an allocation takes."""
        return round_up(size + self.GAP, DEVICE_ALIGNMENT)

    def holds(self, address):
        """Has the device this address in its page tables, allocated or not?"""
        return self.start <= address < self.start + self.size

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


class DeviceBlock(MemoryBlock):
    """Device memory: addresses of the device window, bytes in the backing."""
    GAP = 1    # unlike on an H200: so that a kernel's overrun meets nothing, and is told
    file = None    # the memory file with its bytes, once other processes may have them

    @property
    def shared(self):
        return self.file is not None

    def open(self):
        self.owner.device.charge(self.size)
        try:
            self._open()
        except CallError:
            self.owner.device.refund(self.size)
            raise

    def _open(self):
        # A granule of addresses after the block stays unused, for the reason that GAP has.
        self._addresses = getattr(self.owner, "space", UNIFIED).gaps
        self.start = take_addresses(self.size + GRANULARITY, GRANULARITY, slack=GRANULARITY, gaps=self._addresses)
        self.delta = self._bytes() - self.start
        self.places = directory.memory_came(self.owner.device)

    def _bytes(self):
        """Where the bytes are in this process."""
        return backing.take(self.size)

    def close(self):
        self._close()
        self._refund()

    def _close(self):
        backing.give(self.start + self.delta, self.size)
        self._addresses.give(self.start, self.size + GRANULARITY)

    def _refund(self):
        """The device has the memory back, though not before other processes give up what was shared with them."""
        directory.memory_went(self.places)
        device, size = self.owner.device, self.size
        if self.file is None:
            device.refund(size)
        else:
            file, self.file = self.file, None
            directory.withdraw(file)
            memory_files.when_free(file, lambda: (device.refund(size), file.close()))

    def share(self):
        """Put the bytes into a memory file that other processes may map. Nobody may use them meanwhile (moving.py)."""
        if self.file is None:
            self.file = backing.move_to_file(self.start + self.delta, self.size, "device memory")


class _InPieces:
    """A stretch of a pool's addresses. Behind them is memory in pieces of 32 MiB: they come when an allocation needs them, and go when
    the pool lets them go. What is free of it the pool knows (pools.py)."""
    GRANULE, STRETCH = 32 << 20, 1 << 30

    def __init__(self, owner, size):
        self.pieces = set()     # numbers of those that are there
        super().__init__(owner, max(size, self.STRETCH))

    def missing(self, start, size):
        """The pieces that are not there yet, of those that these bytes need."""
        low, high = start - self.start, start - self.start + size
        return [piece for piece in range(low // self.GRANULE, -(-high // self.GRANULE)) if piece not in self.pieces]

    def bring(self, pieces):
        """Let memory come; OUT_OF_MEMORY where there is not enough."""
        self._charge(len(pieces) * self.GRANULE)
        self.pieces.update(pieces)

    def release(self, piece):
        self.pieces.remove(piece)
        self._empty(self.start + self.delta + piece * self.GRANULE)
        self._charge(-self.GRANULE)

    def _charge(self, size):
        """Count memory as taken, or (negative) as given back."""

    def _empty(self, place):
        """The bytes of a piece go back to the operating system."""
        if not self.shared:
            self._discard(place)
        elif not self.owner.file.held_elsewhere:
            process_memory.empty_file_pages(place, self.GRANULE)

    def _discard(self, place):
        process_memory.discard(place, self.GRANULE)

    @property
    def shared(self):
        """Does it lie in a file of the pool's, which other processes may map?"""
        return self.owner.file is not None

    def _file(self):
        """The pool's file, with room for this block from `offset` on."""
        self.offset = self.owner.room.take(self.size)
        self.owner.file.grow(self.offset + self.size)
        self.owner.in_file += 1
        return self.owner.file

    def close(self):
        super().close()
        if self.shared:
            self.owner.room.give(self.offset, self.size)
            self.owner.in_file -= 1
            self.owner.close_file()

    def holds(self, address):
        return (address - self.start) // self.GRANULE in self.pieces

    def give(self, allocation):
        """The pool had it back when the free was called."""
        return False


class PoolBlock(_InPieces, DeviceBlock):
    """Device memory of a memory pool."""

    def open(self):
        self._open()

    def _charge(self, size):
        device = self.owner.device
        device.charge(size) if size > 0 else device.refund(-size)

    def _bytes(self):
        return backing.take_file(self._file(), self.size, self.offset) if self.shared else super()._bytes()

    def _discard(self, place):
        backing.empty(place, self.GRANULE)

    def _refund(self):
        directory.memory_went(self.places)


class ForeignBlock(MemoryBlock):
    """A block of another process's, mapped here. `owner` is the context or the imported pool that opened it; `key` is what it
    is found by in `foreign`, to be opened once only."""
    GAP, shared = DeviceBlock.GAP, True

    def __init__(self, owner, key, file, size, offset=0):
        self.key, self._from = key, (file, offset)
        super().__init__(owner, size)

    def open(self):
        file, offset = self._from
        self.start = take_addresses(self.size + GRANULARITY, GRANULARITY, slack=GRANULARITY)
        self.delta = backing.take_file(file, self.size, offset) - self.start
        self.places = directory.memory_came(self.owner.device)
        foreign[self.key] = self

    def give(self, allocation):
        """What is taken here is its owner's business; this process only counts what it has open of it."""
        self.live -= 1
        if not self.live:
            self.close()
        return not self.live

    def close(self):
        del foreign[self.key]
        directory.memory_went(self.places)
        backing.give(self.start + self.delta, self.size)
        window.gaps.give(self.start, self.size + GRANULARITY)


foreign = {}    # key -> ForeignBlock


class OpenBlock(MemoryBlock):
    """Memory that the host may follow as well: addresses with open pages, which take memory when they are touched."""
    delta = 0

    def open(self):
        self._own_addresses = self.size >= window.most    # too many for the device window
        if self.size >= process_memory.END:
            raise CallError(Result.OUT_OF_MEMORY, "no process has so many addresses")
        if self._own_addresses:
            self.start = process_memory.reserve_aligned(self.size, GRANULARITY)
        else:
            self.start = take_addresses(self.size + GRANULARITY, GRANULARITY, slack=GRANULARITY, gaps=window.gaps_of_both)
        self._open_pages()

    def _open_pages(self):
        process_memory.open_pages(self.start, self.size)

    def close(self):
        if self._own_addresses:
            process_memory.unmap(self.start, self.size)
        else:
            process_memory.close_pages(self.start, self.size)
            window.gaps_of_both.give(self.start, self.size + GRANULARITY)


class HostPoolBlock(_InPieces, OpenBlock):
    """Memory of a pool on the host."""

    def _open_pages(self):
        if self.shared:
            process_memory.map_file(self._file().descriptor, self.size, self.start, self.offset)
            process_memory.not_for_children(self.start, self.size)
        else:
            super()._open_pages()


class ForeignHostBlock(ForeignBlock):
    """Of another process's pool on the host."""
    delta = 0

    def open(self):
        file, offset = self._from
        self.start = take_addresses(self.size + GRANULARITY, GRANULARITY, slack=GRANULARITY, gaps=window.gaps_of_both)
        process_memory.map_file(file.descriptor, self.size, self.start, offset)
        process_memory.not_for_children(self.start, self.size)
        foreign[self.key] = self

    def close(self):
        del foreign[self.key]
        process_memory.close_pages(self.start, self.size)
        window.gaps_of_both.give(self.start, self.size + GRANULARITY)


class _ManagedPages(OpenBlock):
    """Pages of which something may be said, and which are somewhere.

    The simulator has a view of its own (`delta`), so that only the host uses the addresses that were given out: then the
    operating system's page tables tell which pages the host touched (`touched_by_host`).
    """
    preferred = NOWHERE     # the place that every page prefers from the start

    def open(self):
        super().open()
        self.pages, self.where = Pages(self.start // PAGE, self.preferred), Runs(Where())

    def _open_pages(self):
        own_view = process_memory.open_shared_pages(self.start, self.size)
        self._tells = own_view is not None
        if self._tells:
            self.delta = own_view - self.start
        else:
            super()._open_pages()

    def close(self):
        if self._tells:
            process_memory.unmap(self.start + self.delta, self.size)
        super().close()

    def touched_by_host(self, first_page, end_page):
        """[(first page, page after the last), ...]: those that the host touched since they were last let go."""
        if not self._tells:
            return []
        return [run[:2] for run in present(first_page * PAGE, (end_page - first_page) * PAGE) or () if run[2]]

    def let_go(self, first_page, end_page):
        """The host will be noticed when it touches these pages."""
        if self._tells:
            process_memory.let_go(first_page * PAGE, (end_page - first_page) * PAGE)


class ManagedBlock(_ManagedPages):
    """Managed memory, of a context or of a module: what was said of its pages, and where they are."""
    closed = False      # to the host, for now

    def open(self):
        super().open()
        if not current_system().concurrent_managed_access:
            if not self._tells:
                super().close()
                raise not_answered("this machine gives the simulator no view of its own of managed memory")
            try:        # the memory is on the device from the start
                self.owner.device.charge(self.size)
            except CallError:
                super().close()
                raise

    def close(self):
        super().close()
        if not current_system().concurrent_managed_access:
            self.owner.device.refund(self.size)

    def close_to_host(self, closed):
        """Let the host touch it, or end the process that does."""
        if closed != self.closed:
            self.closed = closed
            process_memory.protect(self.start, self.size, not closed, not closed)

    def give(self, allocation):
        """What is freed is forgotten, as on an H200, also of a neighbour that shares a page with it."""
        pages = allocation.start // PAGE, -(-allocation.end // PAGE)
        self.pages.forget(*pages)
        self.where.change(*pages, lambda where: Where())
        self.let_go(*pages)
        return super().give(allocation)


class ManagedPoolBlock(_InPieces, _ManagedPages):
    """Memory of a pool of managed memory. It begins with the pool's place as the preferred one; what is given back to the
    pool is not forgotten (on an H200 a block that is taken again says where it was prefetched before)."""
    STRETCH = 0

    def _discard(self, place):
        """Its bytes go with the whole."""

    @property
    def preferred(self):
        return self.owner.place


class PinnedBlock(MemoryBlock):
    """Page-locked memory: pages of the process, those of an allocation resident from its start on. A child that is forked has the
    same ones. The simulator has a view of its own (`delta`): which pages the host touches is seen while kernels are examined."""
    flags = None    # of its first allocation

    def open(self):
        # None: the window has no room, and the pages lie anywhere.
        self._reserved = window.page_locked_gaps.take(self.size + GRANULARITY, GRANULARITY, slack=GRANULARITY)
        try:
            self.start, own_view = process_memory.map_pages_twice(self.size, self._reserved)
        except MemoryError:
            self._give_back()
            raise
        self.delta = own_view - self.start

    def touched_by_host(self):
        """The numbers of the pages that the host has touched since they were let go."""
        runs = present(self.start, self.size) or () if self.delta else ()
        return {page for start, end, is_present in runs if is_present for page in range(start, end)}

    def let_go(self):
        """The host will be noticed when it touches a page."""
        if self.delta:
            process_memory.let_go(self.start, self.size)

    def take(self, size):
        """Addresses in this block, or None. Only their pages are made resident: all of a block would take milliseconds."""
        start = super().take(size)
        if start is not None:
            process_memory.make_resident(start, size)
        return start

    def close(self):
        if self.delta:
            process_memory.unmap(self.start + self.delta, self.size)
        if self._reserved is None:
            process_memory.unmap(self.start, self.size)
        else:
            process_memory.close_pages(self.start, self.size)
        self._give_back()

    def _give_back(self):
        if self._reserved is not None:
            window.page_locked_gaps.give(self._reserved, self.size + GRANULARITY)
