"""Virtual memory management: addresses without memory, and the maps that put memory behind them.

- a `Reservation` is a range of addresses with nothing behind it (`cuMemAddressReserve`);
- a `MappedRange` shows physical memory there (`cuMemMap`) and is closed until somebody is given access (`cuMemSetAccess`).

One `Physical` may be mapped at several addresses: all of them show the same bytes, because all of them lead to
the same backing. Memory located on the host is a memory file, mapped at the very address that the device uses:
the host may follow it.

Not here: memory without an address (physical.py), argument structures of C (calls/virtual_memory.py).
"""
from dataclasses import dataclass, field

from ..libcuda import process_memory
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver, lock
from . import heap
from .allocations import Allocation, AllocationKind, memory
from .physical import Physical, memory_of, require
from .places import DEVICE, HOST
from .ranges import RangeMap
from .windows import GRANULARITY, take_addresses

READ, READ_WRITE = 1, 3                                     # CUmemAccess_flags


@dataclass(eq=False)
class Reservation:
    """Addresses set aside. `own_pages`: too many for the device window, and therefore reserved by themselves."""
    start: int
    size: int
    own_pages: bool = False

    @property
    def end(self):
        """The address after its last byte."""
        return self.start + self.size


@dataclass(eq=False)
class MappedRange(Allocation):
    """Physical memory shown at a range of addresses, with the access rights that each location has."""
    physical: Physical = None
    beyond: set = field(default_factory=set)      # the starts of its granules that no reservation has
    access: dict = field(default_factory=dict)    # (CUmemLocationType, id) -> READ or READ_WRITE

    def readable(self, device):
        return self.access.get((DEVICE, device.ordinal), 0) & READ != 0

    def writable(self, device):
        return self.access.get((DEVICE, device.ordinal), 0) == READ_WRITE

    def mapped_for(self, device):
        return self.readable(device) or self.host_access != 0

    @property
    def host_access(self):
        """What the host may do here: rights that were given to it, for memory that is located there."""
        return self.access.get((HOST, 0), 0)

    def host_pointer(self, address):
        return address if self.host_access else None


reservations = RangeMap()
STRETCH = 32 << 20     # bytes: an H200's driver takes addresses for what is smaller in stretches of this
_stretches = set()     # the numbers of those that it has taken


def _stretches_of(start, size):
    return range(start // STRETCH, (start + size - 1) // STRETCH + 1)


def reserve(size, alignment, hint):
    """Set addresses aside; at `hint` where the driver grants it, else elsewhere.

    An H200 grants small wishes only within the stretches of addresses that its driver has already. A large range has addresses of
    its own, and wishes within one that was freed are not granted (tests/conformance/questions/virtual_memory/wanted_addresses.py).
    """
    require(size and size % GRANULARITY == 0, f"the size must be a multiple of {GRANULARITY}")
    require(alignment & (alignment - 1) == 0 and alignment <= process_memory.END,
             "the alignment must be 0 or a power of two")
    alignment = max(alignment, GRANULARITY)
    require(hint % alignment == 0, f"a wanted address must be a multiple of {alignment}")
    require(size < process_memory.END and hint < process_memory.END, "no process has such addresses", Result.OUT_OF_MEMORY)
    with lock:
        if hint and (size >= STRETCH or _stretches.issuperset(_stretches_of(hint, size))) and _take_at(hint, size):
            reservation = Reservation(hint, size)
        elif size < memory.window.most:
            alignment = max(alignment, STRETCH if size >= STRETCH else 0)    # so it shares none with what is small
            reservation = Reservation(take_addresses(size, alignment), size)
        else:
            try:
                reservation = Reservation(process_memory.reserve_aligned(size, alignment), size, own_pages=True)
            except MemoryError:
                raise CallError(Result.OUT_OF_MEMORY, "this process does not have that many addresses left") from None
        reservations.add(reservation)
        if size < STRETCH:
            _stretches.update(_stretches_of(reservation.start, size))
        return reservation


def free(start, size):
    """Give a whole reservation back; nothing may be mapped in it."""
    with lock:
        reservation = reservations.at(start)
        require(reservation and (reservation.start, reservation.size) == (start, size),
                 "only a whole reservation can be freed, from its start")
        require(not memory.allocations.overlapping(start, start + size), "unmap it first")
        reservations.remove(reservation)
        if reservation.own_pages:
            process_memory.unmap(start, size)
        else:
            memory.window.gaps.give(start, size, apart=True)


def retain(address):
    """The handle of the memory mapped at `address`, held once more."""
    with lock:
        mapping = mapping_at(address)
        require(mapping and reservations.at(address), "nothing is mapped at this address, or no reservation has it")
        mapping.physical.owners += 1
        return mapping.physical.handle


def mapping_at(address):
    """The mapping that holds `address`, or None."""
    allocation = memory.at(address)
    return allocation if isinstance(allocation, MappedRange) else None


def _take_beyond(start, end):
    """The starts of the granules of [start, end) that no reservation has, taken. None where somebody else has one of them."""
    granules = set()
    for granule in range(start, end, GRANULARITY):
        if reservations.at(granule) is None:
            if not memory.window.gaps.take_at(granule, GRANULARITY):
                _give_back(granules)
                return None
            granules.add(granule)
            _stretches.update(_stretches_of(granule, GRANULARITY))
    return granules


def _give_back(granules):
    for granule in granules:
        memory.window.gaps.give(granule, GRANULARITY)


def _take_at(start, size):
    """Take addresses for a reservation. What a mapping covers that begins in another one counts as free, as on an H200."""
    covering = {neighbour: {granule for granule in neighbour.beyond if start <= granule < start + size}
                for neighbour in memory.allocations.overlapping(start, start + size) if isinstance(neighbour, MappedRange)}
    for granules in covering.values():
        _give_back(granules)
    is_taken = memory.window.gaps.take_at(start, size)
    for mapping, granules in covering.items():
        if is_taken:
            mapping.beyond -= granules
        else:
            for granule in granules:
                memory.window.gaps.take_at(granule, GRANULARITY)
    return is_taken


def map_memory(start, size, offset, handle):
    """Show the memory behind `handle` at reserved addresses. Nobody has access yet."""
    with lock:
        physical = memory_of(handle)
        require(size, "nothing to map")
        require(offset == 0 and size == physical.size, "only the whole of a handle can be mapped",
                 Result.NOT_SUPPORTED)
        require(start % GRANULARITY == 0, f"the address must be a multiple of {GRANULARITY}")
        require(reservations.at(start), "this address is not reserved")
        require(not memory.allocations.overlapping(start, start + size), "something is mapped here already")
        # An H200 asks that a mapping begins in a reservation, and that nobody has the addresses behind its end.
        beyond = _take_beyond(start, start + size)
        require(beyond is not None, "these addresses are not reserved, and not free either")
        device = driver.devices[max(0, physical.location[1]) if physical.location[0] == DEVICE else 0]
        memory.allocations.add(MappedRange(AllocationKind.MAPPING, start, size, None, device, physical.backing - start,
                                       maker="cuMemMap", physical=physical, beyond=beyond))
        physical.mappings += 1
        if physical.on_host:
            process_memory.map_file(physical.file, size, start)
            process_memory.protect(start, size, False, False)


def _whole_mappings(start, size):
    """The mappings that make up [start, start + size): no part of one."""
    mappings = memory.allocations.overlapping(start, start + size)
    require(all(isinstance(mapping, MappedRange) and start <= mapping.start and mapping.end <= start + size for mapping in mappings),
             "part of a mapping")
    return mappings


def unmap(start, size):
    """Take all whole mappings in a reserved range away; their memory stays while a handle holds it."""
    with lock:
        require(size and start % GRANULARITY == 0, f"the address must be a multiple of {GRANULARITY}")
        require(reservations.at(start), "this address is not reserved")    # how far the reservation goes, nobody asks
        for mapping in _whole_mappings(start, size):
            memory.allocations.remove(mapping)
            mapping.freed = True
            memory.history.append(mapping)
            _give_back(mapping.beyond)
            if mapping.physical.on_host:
                process_memory.close_pages(mapping.start, mapping.size)
            mapping.physical.mappings -= 1
            mapping.physical.release_if_unused()


def set_access(start, size, rights):
    """Give `rights`, [(location, flags)], to whole mappings. An H200 looks at both ends: gaps may be in between."""
    with lock:
        mappings = _whole_mappings(start, size)
        require(mappings and (mappings[0].start, mappings[-1].end) == (start, start + size),
                "the range must begin and end with a mapping")
        for (kind, number), flags in rights:    # one after the other: what a wrong one follows is done
            for mapping in mappings:
                require(kind == DEVICE or mapping.physical.on_host or not flags,
                        "the host has no way to the device's memory", Result.NOT_SUPPORTED)
                mapping.access[kind, number] = flags
                if mapping.physical.on_host:
                    may = mapping.host_access
                    process_memory.protect(mapping.start, mapping.size, may & READ != 0, may == READ_WRITE)


def access(address, location):
    """The rights that `location` has at `address`; none at memory that is not mapped this way."""
    mapping = mapping_at(address)
    require(mapping or memory.at(address) or heap.blocks.at(address), "nothing is here")
    return mapping.access.get(location, 0) if mapping else 0


def access_of_whole_host(address):
    """What an H200 answers for CU_MEM_LOCATION_TYPE_HOST: the most that anybody may do with the memory."""
    mapping = mapping_at(address)
    return max(mapping.access.values(), default=0) if mapping else access(address, (HOST, 0))
