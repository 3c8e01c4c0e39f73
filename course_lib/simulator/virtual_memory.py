"""Virtual memory management: addresses without memory, memory without addresses, and the maps between them.

- a `Reservation` is a range of addresses with nothing behind it (`cuMemAddressReserve`);
- a `Physical` is memory that has no address (`cuMemCreate`);
- a `Mapping` joins the two (`cuMemMap`) and is closed until somebody is given access (`cuMemSetAccess`).

One `Physical` may be mapped at several addresses: all of them show the same bytes, because all of them lead to
the same backing. Memory located on the host is a memory file, mapped at the very address that the device uses:
the host may follow it.

Not here: argument structures of C (calls/virtual_memory.py).
"""
import itertools
import os
from dataclasses import dataclass, field

from . import heap, process_memory
from .memory import Allocation, Kind, memory
from .ranges import RangeMap
from .results import CudaError, Result
from .state import driver, lock
from .windows import GRANULARITY, Backing

DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT = 1, 2, 3, 4    # CUmemLocationType
READ, READ_WRITE = 1, 3                                     # CUmemAccess_flags
MOST_ADDRESSES = 1 << 47                                    # of a process on x86-64

_handles = itertools.count(0x51D0000001)    # odd numbers that are no address, so that a mix-up shows


@dataclass(eq=False)
class Reservation:
    """Addresses set aside. `own_pages`: too many for the device window, and therefore reserved by themselves."""
    start: int
    size: int
    own_pages: bool = False

    @property
    def end(self):
        return self.start + self.size


@dataclass(eq=False)
class Physical:
    """Memory without an address. Lives while somebody holds its handle or a mapping shows it."""
    size: int
    location: tuple             # (CUmemLocationType, id)
    properties: bytes           # the CUmemAllocationProp it was made with
    owners: int = 1
    mappings: int = 0
    handle: int = field(default_factory=_handles.__next__)
    file: int = -1              # of host-located memory: the memory file
    backing: int = 0            # where the driver itself sees the bytes

    @property
    def on_host(self):
        return self.location[0] != DEVICE

    def release_if_unused(self):
        """Give the memory back once nobody can reach it any more."""
        if self.owners or self.mappings:
            return
        physicals.pop(self.handle, None)
        if self.on_host:
            process_memory.unmap(self.backing, self.size)
            os.close(self.file)
        else:
            memory.backing.give(self.backing, self.size)
            driver.devices[self.location[1]].refund(self.size)


@dataclass(eq=False)
class Mapping(Allocation):
    """Physical memory shown at a range of addresses, with the access rights that each location has."""
    physical: Physical = None
    reservation: Reservation = None
    access: dict = field(default_factory=dict)    # (CUmemLocationType, id) -> READ or READ_WRITE

    def readable(self, device):
        return self.access.get((DEVICE, device.ordinal), 0) & READ != 0

    def writable(self, device):
        return self.access.get((DEVICE, device.ordinal), 0) == READ_WRITE

    @property
    def host_access(self):
        """What the host may do here: rights that were given to it, for memory that is located there."""
        return self.access.get((HOST, 0), 0)

    @property
    def access_of_anyone(self):
        """Is anybody allowed anything here?"""
        return any(self.access.values())

    def host_pointer(self, address):
        return address if self.host_access else None


reservations = RangeMap()
physicals = {}    # handle -> Physical, while the handle has an owner or the memory a mapping


def _require(condition, why, result=Result.INVALID_VALUE):
    if not condition:
        raise CudaError(result, why)


def reserve(size, alignment, hint):
    """Set addresses aside; at `hint` where that is free, else elsewhere."""
    _require(size and size % GRANULARITY == 0, f"the size must be a multiple of {GRANULARITY}")
    _require(alignment & (alignment - 1) == 0 and alignment <= MOST_ADDRESSES,
             "the alignment must be 0 or a power of two")
    alignment = max(alignment, GRANULARITY)
    _require(hint % alignment == 0, f"a wanted address must be a multiple of {alignment}")
    _require(size < MOST_ADDRESSES and hint < MOST_ADDRESSES, "no process has such addresses", Result.OUT_OF_MEMORY)
    with lock:
        if hint and memory.window.gaps.take_at(hint, size):
            reservation = Reservation(hint, size)
        elif size < memory.window.size // 2:
            reservation = Reservation(memory.take_addresses(size, alignment), size)
        else:
            try:
                reservation = Reservation(process_memory.reserve_aligned(size, alignment), size, own_pages=True)
            except MemoryError:
                raise CudaError(Result.OUT_OF_MEMORY, "this process has not so many addresses left") from None
        reservations.add(reservation)
        return reservation


def free(start, size):
    """Give a whole reservation back; nothing may be mapped in it."""
    with lock:
        reservation = reservations.at(start)
        _require(reservation and (reservation.start, reservation.size) == (start, size),
                 "only a whole reservation can be freed, from its start")
        _require(not memory.allocations.overlapping(start, start + size), "unmap it first")
        reservations.remove(reservation)
        if reservation.own_pages:
            process_memory.unmap(start, size)
        else:
            memory.window.gaps.give(start, size)


def create(size, location, properties):
    """Make physical memory of a device, or of the host."""
    _require(size and size % GRANULARITY == 0, f"the size must be a multiple of {GRANULARITY}")
    physical = Physical(size, location, properties)
    with lock:
        if physical.on_host:
            if size + Backing.RESERVE > process_memory.available():
                raise CudaError(Result.OUT_OF_MEMORY, "this machine has not that much memory")
            physical.file = os.memfd_create("cuMemCreate")
            os.ftruncate(physical.file, size)
            physical.backing = process_memory.map_file(physical.file, size)
        else:
            driver.device(location[1]).charge(size)
            physical.backing = memory.backing.take(size)
        physicals[physical.handle] = physical
    return physical


def owned(handle):
    """The memory behind a handle that somebody holds, or INVALID_VALUE."""
    physical = physicals.get(handle)
    _require(physical and physical.owners, "this is not the handle of physical memory, or it was released")
    return physical


def release(handle):
    """Give one hold on the memory back. While a mapping shows it, the memory stays."""
    with lock:
        physical = owned(handle)
        physical.owners -= 1
        physical.release_if_unused()


def retain(address):
    """The handle of the memory mapped at `address`, held once more."""
    with lock:
        mapping = mapping_at(address)
        _require(mapping, "nothing is mapped at this address")
        mapping.physical.owners += 1
        return mapping.physical.handle


def mapping_at(address):
    """The mapping that holds `address`, or None."""
    found = memory.at(address)
    return found if isinstance(found, Mapping) else None


def map_memory(start, size, offset, handle):
    """Show the memory behind `handle` at reserved addresses. Nobody has access yet."""
    with lock:
        physical = owned(handle)
        _require(size, "nothing to map")
        _require(offset == 0 and size == physical.size, "only the whole of a handle can be mapped",
                 Result.NOT_SUPPORTED)
        _require(start % GRANULARITY == 0, f"the address must be a multiple of {GRANULARITY}")
        reservation = reservations.at(start)
        _require(reservation and start + size <= reservation.end, "these addresses are not reserved")
        _require(not memory.allocations.overlapping(start, start + size), "something is mapped here already")
        device = driver.devices[0 if physical.on_host else physical.location[1]]
        memory.allocations.add(Mapping(Kind.MAPPING, start, size, None, device, physical.backing - start,
                                       maker="cuMemMap", physical=physical, reservation=reservation))
        physical.mappings += 1
        if physical.on_host:
            process_memory.map_file(physical.file, size, start)
            process_memory.protect(start, size, False, False)


def _whole_mappings(start, size):
    """The mappings that make up [start, start + size): no part of one."""
    found = memory.allocations.overlapping(start, start + size)
    _require(all(isinstance(one, Mapping) and start <= one.start and one.end <= start + size for one in found),
             "part of a mapping")
    return found


def unmap(start, size):
    """Take all whole mappings in a reserved range away; their memory stays while a handle holds it."""
    with lock:
        _require(size and start % GRANULARITY == 0, f"the address must be a multiple of {GRANULARITY}")
        _require(reservations.at(start), "this address is not reserved")    # how far the reservation goes, nobody asks
        for mapping in _whole_mappings(start, size):
            memory.allocations.remove(mapping)
            mapping.freed = True
            memory.history.append(mapping)
            if mapping.physical.on_host:
                process_memory.close_pages(mapping.start, mapping.size)
            mapping.physical.mappings -= 1
            mapping.physical.release_if_unused()


def set_access(start, size, rights):
    """Give `rights`, [(location, flags)], to whole mappings that follow one another without a gap."""
    with lock:
        mappings = _whole_mappings(start, size)
        _require(size and sum(mapping.size for mapping in mappings) == size, "not all of this range is mapped")
        for mapping in mappings:
            for (kind, _), flags in rights:
                _require(kind == DEVICE or mapping.physical.on_host or not flags,
                         "the host has no way to the device's memory", Result.NOT_SUPPORTED)
        for mapping in mappings:
            mapping.access.update(rights)
            if mapping.physical.on_host:
                may = mapping.host_access
                process_memory.protect(mapping.start, mapping.size, may & READ != 0, may == READ_WRITE)


def access(address, location):
    """The rights that `location` has at `address`; none at memory that is not mapped this way."""
    mapping = mapping_at(address)
    _require(mapping or memory.at(address) or heap.blocks.at(address), "nothing is here")
    return mapping.access.get(location, 0) if mapping else 0


def access_of_whole_host(address):
    """What an H200 answers for CU_MEM_LOCATION_TYPE_HOST: the most that anybody may do with memory located there."""
    mapping = mapping_at(address)
    rights = access(address, (HOST, 0))
    return max(mapping.access.values(), default=0) if mapping and mapping.physical.on_host else rights
