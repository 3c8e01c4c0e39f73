"""Memory pools: what stream-ordered allocations are taken from. A pool is on a device, on the host, or of managed memory.

Not here: the calls (calls/pools.py), taking memory and giving it back (calls/stream_ordered.py).
"""
from ..libcuda import handles
from ..libcuda.lacking import not_answered
from ..libcuda.process_memory import round_up
from ..libcuda.results import CudaError, Result
from ..libcuda.state import driver
from ..systems import current as current_system
from . import memory_files
from .blocks import PoolBlock
from .places import DEVICE, WHOLE_HOST
from .ranges import Gaps
from .windows import TiB

FILE_NAME = "pool of memory on device"
READ, READ_WRITE = 1, 3    # CUmemAccess_flags
PINNED, MANAGED = 1, 2     # CUmemAllocationType
POSIX_FILE_DESCRIPTOR = 1  # CUmemAllocationHandleType
(REUSE_EVENTS, REUSE_OPPORTUNISTIC, REUSE_INTERNAL, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT,
 USED_HIGH) = range(1, 9)    # CUmemPool_attribute


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
        self.blocks = {}    # of small allocations, as a context has them
        self.access = {} if on_host else {self.place: READ_WRITE}
        self.attributes = dict.fromkeys(range(1, 9), 0) | {REUSE_EVENTS: 1, REUSE_OPPORTUNISTIC: 1, REUSE_INTERNAL: 1}
        if handle_types == POSIX_FILE_DESCRIPTOR and not on_host:
            self.file = memory_files.create(f"{FILE_NAME} {device.slot}", 0)
            self.room, self.in_file = Gaps(0, TiB), 0    # of the file; blocks that are in it
        handles.give(self)

    def set_access(self, place, rights):
        """Give a device rights, all or none of them. The pool's own keeps what it has."""
        if rights == READ:
            raise CudaError(Result.NOT_SUPPORTED, "memory of a pool cannot be for reading only")
        self._check_access(place, rights)
        self.access[place] = rights

    def _check_access(self, place, rights):
        if place[0] != DEVICE:
            raise CudaError(Result.NOT_SUPPORTED, "memory of a device is not for the host, and a host's pool needs no right for it")
        if not 0 <= place[1] < len(driver.devices) or place == self.place and rights != READ_WRITE:
            raise CudaError(Result.INVALID_DEVICE, "a pool's own device keeps its access; there is nobody else here")

    def check_room(self, size_):
        """OUT_OF_MEMORY where the pool may not grow so far."""
        if self.largest is not None and self.attributes[USED_CURRENT] + size_ > self.largest:
            raise CudaError(Result.OUT_OF_MEMORY, f"the pool may have at most {self.largest} bytes")

    def add(self, size_):
        """Memory was taken (or, negative, given back). A pool reserves it in pieces of 32 MiB, and keeps some."""
        used = self.attributes[USED_CURRENT] + size_
        kept = min(self.attributes[RESERVED_CURRENT], round_up(self.attributes[RELEASE_THRESHOLD], PoolBlock.GRANULE))
        self._count(used, max(round_up(used, PoolBlock.GRANULE), kept))

    def check_end(self):
        """May it be destroyed? Its memory stays until it is freed."""

    def let_go(self):
        """Somebody destroys it. True if nobody has it any more."""
        return True

    def close_file(self):
        """Close the file, if the pool was destroyed and nothing of it is left."""
        if self.file is not None and self.destroyed and not self.in_file:
            self.file.close()

    def trim(self, keep):
        """Give back what is reserved beyond `keep` bytes and not used."""
        used = self.attributes[USED_CURRENT]
        kept = min(self.attributes[RESERVED_CURRENT], round_up(keep, PoolBlock.GRANULE))
        self._count(used, max(round_up(used, PoolBlock.GRANULE), kept))

    def _count(self, used, reserved):
        for current_, high, value in ((USED_CURRENT, USED_HIGH, used), (RESERVED_CURRENT, RESERVED_HIGH, reserved)):
            self.attributes[current_] = value
            self.attributes[high] = max(self.attributes[high], value)


class ManagedPool(Pool):
    """A pool of managed memory. `place` is the preferred location of what it gives, as it was named: perhaps nowhere.

    Everybody may use its memory, whatever access says (an H200's answers: tests/conformance, managed/pools).
    """
    kind = MANAGED

    def __init__(self, place):
        if not current_system().concurrent_managed_access:
            raise not_answered("no document says whether pools of managed memory are without CONCURRENT_MANAGED_ACCESS")
        super().__init__(driver.devices[place[1] if place[0] == DEVICE else 0])
        self.place, self.access = place, {}

    def _check_access(self, place, rights):
        """Whoever is named: it changes nothing."""


_default, _current = {}, {}    # (kind, place) -> Pool


def default(kind, place):
    """The pool of a kind that a place has from the start."""
    key = kind, place
    if key not in _default:
        if kind == MANAGED:
            made = ManagedPool(place)
        elif place == WHOLE_HOST:
            made = Pool(driver.devices[0], on_host=True)
        else:
            made = Pool(driver.devices[place[1]])
        _default[key] = _current[key] = made
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
        raise CudaError(Result.INVALID_VALUE, "the default pool of a device stays")
    if not pool.let_go():
        return
    for key, one in _current.items():
        if one is pool:
            _current[key] = _default[key]
    handles.forget(pool)
    pool.close_file()
