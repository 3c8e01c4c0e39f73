"""Memory pools: what is taken from them and given back in the order of streams, what they keep, and what they release.

A pool is on a device, on the host, or of managed memory. What is free of it is a list of spans. A span that was freed in the order of a
stream remembers the work that it was freed by: who may have it before that work is done is what take() decides.

Not here: the calls (calls/pools.py, calls/stream_ordered.py), the memory behind the addresses (blocks.py).
"""
from bisect import bisect
from dataclasses import dataclass

from ..libcuda import handles
from ..libcuda.lacking import not_answered
from ..libcuda.process_memory import round_up
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver, lock
from ..systems import current_system
from . import memory_files
from .allocations import moments
from .blocks import HostPoolBlock, ManagedPoolBlock, PoolBlock
from .places import DEVICE, WHOLE_HOST
from .ranges import Gaps
from .windows import DEVICE_ALIGNMENT, TiB

FILE_NAME, ON_HOST = "pool of memory on device", "pool of memory on host 0"
READ, READ_WRITE = 1, 3    # CUmemAccess_flags
PINNED, MANAGED = 1, 2     # CUmemAllocationType
POSIX_FILE_DESCRIPTOR = 1  # CUmemAllocationHandleType
(REUSE_EVENTS, REUSE_OPPORTUNISTIC, REUSE_INTERNAL, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT,
 USED_HIGH) = range(1, 9)    # CUmemPool_attribute


@dataclass(eq=False)
class Span:
    """Bytes of a pool that are free: for all, or (`free`) once that work is done, and before for work that comes after it."""
    block: object
    start: int
    end: int
    free: object = None
    since: int = 0    # the moment of the call that freed it last

    def joins(self, next_one):
        """Do the two become one?"""
        same_stream = self.free is next_one.free is None or self.free and next_one.free and self.free.stream is next_one.free.stream
        return same_stream and self.end == next_one.start and self.block is next_one.block

    def take_in(self, next_one):
        """Grow by the span behind it, which `joins` has allowed."""
        self.end, self.since = next_one.end, max(self.since, next_one.since)
        if self.free and self.free.moment < next_one.free.moment:
            self.free = next_one.free


class Pool:
    """A memory pool. `device` is the one that its memory is charged to, or, of a pool on the host, the first."""
    stale = null = Result.INVALID_VALUE
    kind = PINNED    # what CUDA calls memory that stays where it is, also on a device
    imported = exported = False
    file = None      # with all its memory, of a pool that other processes may import

    def __init__(self, device, handle_types=0, largest=None, on_host=False):
        self.device, self.destroyed, self.on_host = device, False, on_host
        self.place = WHOLE_HOST if on_host else (DEVICE, device.ordinal)
        self.handle_types, self.largest = handle_types, largest    # largest: bytes, or None
        self.blocks, self.spans = [], []    # stretches of addresses; what is free of them, by address
        self.access = {} if on_host else {self.place: READ_WRITE}
        self.attributes = dict.fromkeys(range(1, 9), 0) | {REUSE_EVENTS: 1, REUSE_OPPORTUNISTIC: 1, REUSE_INTERNAL: 1}
        if handle_types == POSIX_FILE_DESCRIPTOR:
            self.file = memory_files.create(ON_HOST if on_host else f"{FILE_NAME} {device.slot}", 0)
            self.room, self.in_file = Gaps(0, TiB), 0    # of the file; blocks that are in it
        handles.give(self)
        _living.add(self)

    @property
    def kind_of_block(self):
        """The class of its blocks."""
        return HostPoolBlock if self.on_host else PoolBlock

    def set_access(self, place, rights):
        """Give a device rights, all or none of them. The pool's own keeps what it has."""
        if rights == READ:
            raise CallError(Result.NOT_SUPPORTED, "memory of a pool cannot be for reading only")
        self._check_access(place, rights)
        self.access[place] = rights

    def _check_access(self, place, rights):
        if place[0] != DEVICE:
            raise CallError(Result.NOT_SUPPORTED, "memory of a device is not for the host, and a host's pool needs no right for it")
        if not 0 <= place[1] < len(driver.devices) or place == self.place and rights != READ_WRITE:
            raise CallError(Result.INVALID_DEVICE, "a pool's own device keeps its access; there is nobody else here")

    # -- taking and giving back ------------------------------------------------------------------------------------

    def take(self, size, stream):
        """Room for `size` bytes that work of a stream uses: (block, start, the work that it has to wait for first).

        The stream's own comes first, then what an event puts before it, then what is done. Only if no span alone is large enough, what
        lies side by side is joined, and the pool grows. If it cannot, the stream gets what other work may still use, and waits for that.
        """
        room, may = round_up(size, DEVICE_ALIGNMENT), self.attributes
        span = self._smallest(room, lambda free: free and free.stream is stream)
        if not span and may[REUSE_EVENTS]:
            span = self._smallest(room, lambda free: free and stream.comes_after(free))
        if not span and may[REUSE_OPPORTUNISTIC]:
            span = self._smallest(room, lambda free: free and free.done)
        if not span:
            if may[REUSE_OPPORTUNISTIC]:
                self._set_free(lambda free: free.done)
            span = self._smallest(room, lambda free: free is None or free.stream is stream) or self._grown(room)
        if not span and may[REUSE_INTERNAL]:
            span = self._smallest(room, lambda free: free is not None)
        if not span:
            raise CallError(Result.OUT_OF_MEMORY, f"neither the pool nor the device has {size} bytes more")
        start, free = span.start, span.free
        span.start += room
        if span.start == span.end:
            self.spans.remove(span)
        self._count(self.attributes[USED_CURRENT] + size)
        waits = free is not None and not (free.stream is stream or free.done or stream.comes_after(free))
        return span.block, start, [free] if waits else []

    def _smallest(self, room, usable):
        """The smallest span with that much room whose memory is there; of those that are alike, the one that was freed first."""
        fitting = [span for span in self.spans if span.end - span.start >= room and usable(span.free)
                   and not span.block.missing(span.start, room)]
        return min(fitting, key=lambda span: (span.end - span.start, span.since), default=None)

    def _grown(self, room):
        """A span for which memory had to come; None where there is none."""
        span = next((span for span in self.spans if span.free is None and span.end - span.start >= room), None)
        if span is None:
            block = self.kind_of_block(self, room)
            span = Span(block, block.start, block.start + block.size)
        else:
            self.spans.remove(span)    # what the pool keeps may have to go for it, but not this
        block = span.block
        pieces = block.missing(span.start, room)
        try:
            if self.largest is not None and self.attributes[RESERVED_CURRENT] + len(pieces) * block.GRANULE > self.largest:
                raise CallError(Result.OUT_OF_MEMORY, f"the pool may have at most {self.largest} bytes")
            block.bring(pieces)
        except CallError:
            if block in self.blocks:
                self._add(span)
            else:
                block.close()
            return None
        if block not in self.blocks:
            self.blocks.append(block)
        self._count(self.attributes[USED_CURRENT])
        return self._add(span)

    def give(self, allocation, free=None):
        """An allocation ends, when the work `free` is done; at once without it. Who asks how much is used hears nothing of the second,
        as from an H200's driver."""
        with lock:
            end = allocation.start + round_up(allocation.size, DEVICE_ALIGNMENT)
            self._add(Span(allocation.block, allocation.start, end, free, next(moments)))
            self._count(self.attributes[USED_CURRENT] - (allocation.size if free else 0))
            if free is None:
                self._keep_to_threshold()

    def _add(self, span):
        """A span more. With neighbours that the same stream freed, or that are free for all, it is one."""
        at = bisect(self.spans, span.start, key=lambda span: span.start)
        if at < len(self.spans) and span.joins(self.spans[at]):
            span.take_in(self.spans.pop(at))
        if at and self.spans[at - 1].joins(span):
            self.spans[at - 1].take_in(span)
            return self.spans[at - 1]
        self.spans.insert(at, span)
        return span

    def _set_free(self, ended):
        """What was freed by work of which that is true is free for all."""
        spans, self.spans = self.spans, []
        for span in spans:
            if span.free is not None and ended(span.free):
                span.free = None
            if self.spans and self.spans[-1].joins(span):
                self.spans[-1].take_in(span)
            else:
                self.spans.append(span)

    # -- keeping and letting go ------------------------------------------------------------------------------------

    def waited_for(self, order):
        """The host has waited for the work of streams up to `order` (device/streams.py): what was freed by it is free for all, and what
        the pool has beyond its threshold goes."""
        with lock:
            self._set_free(lambda free: order.get(free.stream.number, 0) >= free.order[free.stream.number])
            self._keep_to_threshold()

    def _keep_to_threshold(self):
        self.release_while(lambda reserved: reserved > self.attributes[RELEASE_THRESHOLD])

    def trim(self, keep):
        """Release what is free for all, but keep at least so many bytes."""
        with lock:
            self.release_while(lambda reserved: reserved - PoolBlock.GRANULE >= keep)

    def release_while(self, too_much):
        """Release pieces that are wholly free for all, as long as `too_much` is true of what is reserved."""
        for span in list(self.spans) if too_much(self.attributes[RESERVED_CURRENT]) else ():
            block = span.block
            for piece in sorted(block.pieces) if span.free is None else ():
                start = block.start + piece * block.GRANULE
                if span.start <= start and start + block.GRANULE <= span.end and too_much(self.attributes[RESERVED_CURRENT]):
                    block.release(piece)
                    self._count(self.attributes[USED_CURRENT])
            if not block.pieces and span.start == block.start and span.end == block.start + block.size:
                self.spans.remove(span)
                self.blocks.remove(block)
                block.close()

    def check_end(self):
        """May it be destroyed? Its memory stays until it is freed."""

    def let_go(self):
        """Somebody destroys it. True if nobody has it any more."""
        return True

    def close_file(self):
        """Close the file, if the pool was destroyed and nothing of it is left."""
        if self.file is not None and self.destroyed and not self.in_file:
            self.file.close()

    def _count(self, used):
        reserved = sum(len(block.pieces) * block.GRANULE for block in self.blocks)
        for current_, high, value in ((USED_CURRENT, USED_HIGH, used), (RESERVED_CURRENT, RESERVED_HIGH, reserved)):
            self.attributes[current_] = value
            self.attributes[high] = max(self.attributes[high], value)


class ManagedPool(Pool):
    """A pool of managed memory. `place` is the preferred location of what it gives, as it was named: perhaps nowhere.

    Everybody may use its memory, whatever access says (an H200's answers: tests/conformance, managed/pools).
    """
    kind, kind_of_block = MANAGED, ManagedPoolBlock

    def __init__(self, place):
        if not current_system().concurrent_managed_access:
            raise not_answered("no document says whether pools of managed memory are without CONCURRENT_MANAGED_ACCESS")
        super().__init__(driver.devices[place[1] if place[0] == DEVICE else 0])
        self.place, self.access = place, {}

    def _check_access(self, place, rights):
        """Whoever is named: it changes nothing."""


_default, _current = {}, {}    # (kind, place) -> Pool
_living = set()                # all that are not destroyed, or have memory still


def waited_for(order):
    """The host has waited for work: see Pool.waited_for."""
    for pool in list(_living):
        if pool.spans:      # free memory, which most pools have none of
            pool.waited_for(order)
        if pool.destroyed and not pool.blocks:
            _living.discard(pool)


def release_all(device):
    """Somebody needs more memory than the device has left: all that its pools keep, and is free for all, goes, as on an H100."""
    for pool in list(_living):
        if pool.kind_of_block is PoolBlock and pool.device is device:
            with lock:
                pool.release_while(lambda reserved: True)


def default(kind, place):
    """The pool of a kind that a place has from the start."""
    key = kind, place
    if key not in _default:
        if kind == MANAGED:
            pool = ManagedPool(place)
        elif place == WHOLE_HOST:
            pool = Pool(driver.devices[0], on_host=True)
        else:
            pool = Pool(driver.devices[place[1]])
        _default[key] = _current[key] = pool
    return _default[key]


def current(kind, place):
    """The pool that allocations of a kind at a place are taken from."""
    default(kind, place)
    return _current[kind, place]


def choose(kind, place, pool):
    """Make a pool the current one of a kind at a place."""
    default(kind, place)
    _current[kind, place] = pool


def forget(pool):
    """The pool is destroyed: where it was current, the default one is again. INVALID_VALUE for a default pool."""
    pool.check_end()
    if pool in _default.values():
        raise CallError(Result.INVALID_VALUE, "the default pool of a device stays")
    if not pool.let_go():
        return
    for key, chosen in _current.items():
        if chosen is pool:
            _current[key] = _default[key]
    handles.forget(pool)
    pool.attributes[RELEASE_THRESHOLD] = 0
    waited_for({})
    pool.close_file()
