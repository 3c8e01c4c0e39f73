"""Every byte that CUDA knows of: which kind of memory an address belongs to, and where its bytes really are.

An `Allocation` is a range of addresses; ``delta`` added to one of its addresses gives the address of the byte in this
process. For device memory that leads from the device window to the backing (windows.py), and for managed and page-locked memory to
the simulator's own view of it (blocks.py). Registered memory has one of whole pages (registered_pages.py); else its delta is 0.

Not here: the blocks that allocations are cut from (blocks.py), physical handles (physical.py), reservations
(virtual.py), the heap of kernels (heap.py), copies (transfers.py).
"""
import enum
import itertools
from collections import deque
from dataclasses import dataclass, field

from ..libcuda import process_memory
from ..libcuda.lacking import not_answered
from ..libcuda.results import CallError, Result
from ..libcuda.state import lock
from ..systems import current_system
from . import registered_pages, views, windows
from .blocks import DeviceBlock, HostPoolBlock, ManagedBlock, ManagedPoolBlock, PinnedBlock, PoolBlock
from .moving import use
from .places import DEVICE
from .ranges import RangeMap
from .windows import Backing


class AllocationKind(enum.Enum):
    """What made a range of addresses."""
    DEVICE = "device memory"
    OPENED = "device memory of another process"
    PINNED = "pinned host memory"
    REGISTERED = "registered host memory"
    MANAGED = "managed memory"
    MAPPING = "mapped reservation"
    VARIABLE = "module variable"
    HEAP = "kernel heap block"
    HOST_POOL = "memory of a pool on the host"
    MANAGED_VARIABLE = "managed module variable"
    MANAGED_POOL = "memory of a pool of managed memory"


moments = itertools.count()      # of the host's calls that free in the order of a stream, and that give a stream work
DEVICE_MAP, WRITE_COMBINED = 2, 4    # CU_MEMHOSTALLOC_*
HOST_KINDS = {AllocationKind.PINNED, AllocationKind.REGISTERED}    # that cuMemHostGetFlags and its like know
ON_HOST = HOST_KINDS | {AllocationKind.HOST_POOL}
ON_ONE_DEVICE = {AllocationKind.DEVICE, AllocationKind.OPENED, AllocationKind.VARIABLE, AllocationKind.HEAP}
MANAGED_KINDS = {AllocationKind.MANAGED, AllocationKind.MANAGED_VARIABLE, AllocationKind.MANAGED_POOL}


@dataclass(eq=False)
class Allocation:
    """A range of addresses that CUDA knows, from `start` to `end`."""
    kind: AllocationKind
    start: int
    size: int
    context: object            # the context it was made in; None where it belongs to none
    device: object
    delta: int = 0             # add to an address of the range: where that byte is in this process
    flags: int = 0             # as cuMemHostGetFlags reports them
    maker: str = ""            # the call that made it, for messages
    read_only: bool = False    # registered so: no kernel may write it
    sync_memops: bool = False  # CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, as set; copies have always happened here
    block: object = None       # the Block that it lies in; registered memory and mappings lie in none
    pool: object = None        # the memory pool, of stream-ordered allocations
    buffer_id: int = field(default_factory=itertools.count(1).__next__)
    freed: bool = False
    # What has been written to it, for kernels that are examined (written.py).
    known_since: int = -1      # as many kernels had run unexamined when it was made; -1: nobody knows
    host_wrote: list = field(default_factory=list)
    written_flags: object = None
    opened: int = 0            # how often this process has opened it, of another process's memory
    views: dict = field(default_factory=dict)    # address space -> DeviceView: the device's other addresses (views.py)
    second_view: object = None    # of registered memory: the device's own view of the pages (registered_pages.py)
    attached: object = None    # of managed memory: the host (ATTACHED_TO_HOST), a stream, or None for everybody

    shift = 0       # add to an address of the range: the host's number of that byte

    @property
    def end(self):
        """The address after its last byte."""
        return self.start + self.size

    @property
    def original(self):
        """The allocation itself; of a DeviceView, the one that it is of."""
        return self

    def readable(self, device):
        """May `device` read it? Its kernels, beside that, need a way there (`mapped_for`); its copies do not."""
        return True

    def writable(self, device):
        """May `device` write it?"""
        return not self.read_only

    def mapped_for(self, device):
        """Do the page tables of `device` have it? All memory of the host and all managed memory; of another device's, only what
        cuMemAlloc gave a context that is a peer: no module's variables, and no kernels' heap."""
        return (self.device is device or self.kind not in ON_ONE_DEVICE
                or self.kind is AllocationKind.DEVICE and self.context in device.peers)

    host_access = 0    # rights of the host beside the device's; only mappings have them

    def host_pointer(self, address):
        """The host's address of the byte at `address`; None where the host has none."""
        return address if self.kind in HOST_KINDS or self.kind in MANAGED_KINDS else None


@dataclass(eq=False)
class PoolAllocation(Allocation):
    """Memory of a pool on a device: for the devices that the pool gives access, also after the allocation."""

    def readable(self, device):
        return self.pool.access.get((DEVICE, device.ordinal), 0) != 0

    writable = mapped_for = readable    # all rights or none


@dataclass(eq=False)
class HostPoolAllocation(PoolAllocation):
    """Memory of a pool on the host: the host may always follow its address."""
    host_access = True

    def mapped_for(self, device):
        return True

    def host_pointer(self, address):
        return address


OF_POOLS = {PoolBlock: (PoolAllocation, AllocationKind.DEVICE), HostPoolBlock: (HostPoolAllocation, AllocationKind.HOST_POOL),
            ManagedPoolBlock: (Allocation, AllocationKind.MANAGED_POOL)}


class AllocationTable:
    """All allocations of the process. One table for all contexts and devices: addresses are unified."""

    def __init__(self):
        self.window, self.backing = windows.window, windows.backing
        self.allocations = RangeMap()
        self.history = deque(maxlen=4096)    # freed allocations, for messages
        self.leaving = {}                    # freed in the order of a stream that has not come to it -> the moment of the call
        self.unexamined = 0                  # kernels that have run and nobody looked what they write (written.py)

    # -- finding ---------------------------------------------------------------------------------------------------

    def at(self, address):
        """The allocation that holds `address`, or None."""
        return self.allocations.at(address)

    def neighbour_at(self, address):
        """An allocation of the block that holds `address`, itself allocated or not; None where no block does. All of a block's
        are alike."""
        for neighbour in self.allocations.neighbours(address):
            block = neighbour and neighbour.block
            if block and block.holds(address):
                return neighbour
        return None

    def block_at(self, address):
        """The block that holds `address`, allocated or not, or None."""
        neighbour = self.neighbour_at(address)
        return neighbour and neighbour.block

    def segments(self, address, size, device, write):
        """The process addresses of `size` bytes from `address` on as [(process address, size), ...].

        More than one where mapped ranges lie side by side. None unless `device` may do this access to all of it.
        """
        pieces, end = [], address + size
        while address < end:
            allocation = self.at(address)
            if allocation is None:
                return None
            readable = allocation.readable(device)
            if not (allocation.writable(device) if write else readable) and (readable or not allocation.host_access):
                return None    # the host's right, too, helps a device only where it has none of its own
            if pieces and allocation.kind is not AllocationKind.MAPPING:
                return None    # only mappings are neighbours by intent; other ranges merely happen to touch
            length = min(end, allocation.end) - address
            pieces.append((address + allocation.delta, length))
            address += length
        return pieces

    # -- making and freeing ----------------------------------------------------------------------------------------

    def _take(self, kind_of_block, owner, size, key):
        """Room for `size` bytes in a block: one that is there, or a new one. (block, start)

        `owner` keeps its blocks by `key`: what is not alike does not share a block.
        """
        shared = owner.blocks.setdefault(key, [])
        if size > kind_of_block.GRANULE // 2:
            block = kind_of_block(owner, size)
            return block, block.take(size)
        for block in reversed(shared):    # the last one first: the others are likely full
            start = block.take(size)
            if start is not None:
                return block, start
        shared.append(kind_of_block(owner, size))
        return shared[-1], shared[-1].take(size)

    def add_device(self, size, context, kind=AllocationKind.DEVICE, maker="cuMemAlloc"):
        """Device memory of `size` bytes, of a context."""
        with lock:
            block, start = self._take(DeviceBlock, context, size, kind)
            return self._add(Allocation(kind, start, size, context, block.owner.device, block.delta, maker=maker, block=block))

    def add_to_pool(self, size, pool, stream):
        """Memory of a pool for the work of a stream: (allocation, the work that the stream has to wait for)."""
        with lock:
            block, start, after = pool.take(size, stream)
            make, kind = OF_POOLS[type(block)]
            allocation = make(kind, start, size, None, pool.device, block.delta, maker="cuMemAllocAsync", block=block, pool=pool)
            if kind is AllocationKind.MANAGED_POOL:
                allocation.flags, allocation.sync_memops = DEVICE_MAP, True
            return self._add(allocation), after

    def add_opened(self, block, offset, size, pool=None):
        """A part of a block of another process's, opened in the block's context or through an imported pool."""
        with lock:
            context, maker = (None, "cuMemPoolImportPointer") if pool else (block.owner, "cuIpcOpenMemHandle")
            make, kind = (Allocation, AllocationKind.OPENED) if not pool else OF_POOLS[HostPoolBlock if pool.on_host else PoolBlock]
            allocation = make(kind, block.start + offset, size, context, block.owner.device, block.delta, maker=maker, block=block,
                              pool=pool, opened=1)
            block.live += 1
            for stale in self.allocations.overlapping(allocation.start, allocation.end):    # its owner freed that and gave its place away
                self.free(stale)
            return self._add(allocation)

    def share(self, allocation):
        """Put the block of an allocation into a memory file that other processes may map; the file."""
        if not allocation.block.shared:
            with use.by_nobody(), lock:
                for neighbour in self.allocations.overlapping(allocation.block.start, allocation.block.start + allocation.block.size):
                    neighbour.known_since = -1    # others may write it now
                allocation.block.share()
        return allocation.block.file

    def add_pinned(self, size, context, flags, maker):
        """Page-locked memory. Whether it is told to be portable goes by the first allocation of its block."""
        with lock:
            self.require_room(size, "lock")
            key = (AllocationKind.PINNED, flags & WRITE_COMBINED if current_system().unified_addressing else flags)
            block, start = self._take(PinnedBlock, context, size, key)
            if block.flags is None:
                block.flags = flags
            allocation = self._add(Allocation(AllocationKind.PINNED, start, size, context, context.device, block.delta, block.flags, maker,
                                              block=block))
            return self._seen_elsewhere(allocation) if flags & WRITE_COMBINED else allocation

    def add_managed(self, size, context):
        """Memory whose address host and device may both follow."""
        with lock:
            if current_system().concurrent_managed_access:
                room = self._take(ManagedBlock, context, size, AllocationKind.MANAGED)
            else:       # pages of its own: they are closed to the host one allocation at a time
                block = ManagedBlock(context, size)
                room = block, block.take(size)
            return self._add_managed(AllocationKind.MANAGED, size, room, context, context.device, "cuMemAllocManaged")

    def add_managed_variable(self, size, context, name):
        """A `__managed__` variable, in a block of its own. It belongs to its module, so it is in no context."""
        with lock:
            if not current_system().unified_addressing:
                raise not_answered("managed variables are of CUDA 6.0")
            block = ManagedBlock(context, size)
            return self._add_managed(AllocationKind.MANAGED_VARIABLE, size, (block, block.take(size)), None, context.device,
                                     f"variable {name}")

    def _add_managed(self, kind, size, room, context, device, maker):
        block, start = room
        return self._add(Allocation(kind, start, size, context, device, block.delta, flags=DEVICE_MAP, maker=maker, block=block,
                                    sync_memops=True))

    def _add(self, allocation):
        if allocation.block is None or not allocation.block.shared:    # else others write it, and nobody knows what
            allocation.known_since = self.unexamined
        self.allocations.add(allocation)
        return allocation

    @staticmethod
    def require_room(size, purpose):
        """OUT_OF_MEMORY where this machine has not `size` bytes more. purpose: what they are for, a verb"""
        if size + Backing.RESERVE > process_memory.available():
            raise CallError(Result.OUT_OF_MEMORY, f"this machine does not have that much memory to {purpose}")

    def require_room_to_touch(self, size):
        """OUT_OF_MEMORY before a call fills more of managed memory than this machine has; small pieces are not looked at."""
        if size > Backing.RESERVE:
            self.require_room(size, "touch")

    def add_registered(self, start, size, context, flags, read_only, mapped):
        """Host memory that exists already, and its mappings. Its address and its content stay as they are."""
        with lock:
            view = registered_pages.of(start, size, mapped)
            return self._seen_elsewhere(self._add(Allocation(
                AllocationKind.REGISTERED, start, size, context, context.device, view.delta if view else 0, flags=flags,
                read_only=read_only, maker="cuMemHostRegister", second_view=view)))

    def _seen_elsewhere(self, allocation):
        """Host memory that devices have at other addresses, where the system is such."""
        if not current_system().registered_at_host_address:
            views.add(allocation, self.allocations)
        return allocation

    def leave(self, allocation):
        """Free an allocation in the order of a stream: the host knows it no more, and work that was given before still does, until
        `free` says that the stream has come to it."""
        with lock:
            self._forget(allocation)
            self.leaving[allocation] = next(moments)

    def seen_from(self, moment, address):
        """The allocation that holds `address` for work that was given at a moment, or None: of those that were freed since, the first."""
        past = [(end, allocation) for allocation, end in list(self.leaving.items())
                if end > moment and allocation.start <= address < allocation.end]
        return min(past, key=lambda pair: pair[0])[1] if past else self.at(address)

    def free(self, allocation):
        """Take an allocation out of the table and give back what it held."""
        with lock:
            if self.leaving.pop(allocation, None) is None:
                self._forget(allocation)
            if allocation.second_view:
                allocation.second_view.give_back()
            block = allocation.block
            if block is not None and block.give(allocation):
                for shared in block.owner.blocks.values() if allocation.context else ():
                    if block in shared:
                        shared.remove(block)

    def _forget(self, allocation):
        for view in allocation.views.values():
            view.end_of(self.allocations)
        self.allocations.remove(allocation)
        allocation.freed = True
        self.history.append(allocation)


memory = AllocationTable()
