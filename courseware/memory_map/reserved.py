"""The blocks of a reservation: where memory is mapped in it, which, and whether kernels may use it there.

No call lists them. But cuMemRetainAllocationHandle says of one address which physical memory is mapped there, and gives
the same handle for two mappings of the same memory. So a reservation is walked from granule to granule, and one that is
too long for that has parts of which nobody knows whether memory is mapped there.
"""
from dataclasses import dataclass

from course_lib.core.device import location
from course_lib.core.errors import ask
from course_lib.pointers import REASON_OF
from course_lib.pointers.address_facts import Kind, attribute
from course_lib.reservation.mapping import Mapping

from cuda.bindings import driver as cu

from .scene import Block, PhysicalMemory, ReservedRange, names_of

KINDS = (Kind.RESERVED, Kind.MAPPED, Kind.MAPPED_HOST)

GRANULE = 2 << 20      # the driver manages device memory in pieces of this size
# 1 TiB has half a million granules. Past these, only places are looked at that a variable leads to.
MOST_GRANULES = 512
WALKED = MOST_GRANULES * GRANULE


@dataclass(frozen=True)
class ReservedPiece:
    """Part of a reservation: a mapping, or addresses between known mappings (then `memory` is None)."""

    start: int
    nbytes: int
    memory: PhysicalMemory | None = None
    walked: bool = True     # was every granule of it looked at?


def blocks(start, row):
    """The blocks of the reservation that begins at `start`, in order of address.

    row: the (AskedPlace, Facts) that lead into it
    """
    nbytes = row[0][1].nbytes
    its_pieces = pieces(start, nbytes, [place.address for place, _ in row])
    # With several pieces, a variable that leads to the first address means the whole, unless it is a mapping.
    whole = [(place, address_facts) for place, address_facts in row
             if len(its_pieces) > 1 and place.address == start and not isinstance(place.value, Mapping)]
    reservation = ReservedRange(start, nbytes, names_of(whole))
    inside = [pair for pair in row if pair not in whole]
    return [_block(piece, reservation, [pair for pair in inside if _holds(piece, pair[0].address)])
            for piece in its_pieces]


def pieces(start, nbytes, addresses=()):
    """The pieces of a reservation, in order of address: a list of ReservedPiece.

    start, nbytes: its first address, its size
    addresses:     in it, that variables lead to

    CUDA calls: cuMemRetainAllocationHandle, cuMemGetAllocationPropertiesFromHandle, cuMemRelease, cuMemGetAddressRange
    (CUDA Driver API, Virtual Memory Management).
    """
    end = start + nbytes
    walk_end = min(end, start + WALKED)
    led_to = {address // GRANULE * GRANULE for address in addresses}
    places = [*range(start, walk_end, GRANULE), *sorted(led_to)]

    def between(gap, stop):
        """The piece between two mappings."""
        walked = all(place in led_to for place in range(max(gap, walk_end), stop, GRANULE))
        return ReservedPiece(gap, stop - gap, walked=walked)

    found, position = [], start
    for place in places:
        memory = _memory_at(place) if place >= position else None
        if memory:
            mapped, size = _extent(place, memory, end)
            if mapped > position:
                found.append(between(position, mapped))
            found.append(ReservedPiece(mapped, size, memory))
            position = mapped + size
    if position < end:
        found.append(between(position, end))
    return found


def memory_of(memory_object):
    """The PhysicalMemory of a physical.Memory object."""
    handle = memory_object.handle
    return PhysicalMemory(("handle", int(handle)), _location(handle), memory_object.nbytes)


def _memory_at(address):
    """The PhysicalMemory that is mapped at an address, or None."""
    status, handle = cu.cuMemRetainAllocationHandle(address)
    if int(status):
        return None
    try:
        return PhysicalMemory(("handle", int(handle)), _location(handle), None)
    finally:
        cu.cuMemRelease(handle)


def _location(handle):
    """"device" or "host": where physical memory is. (cuMemGetAllocationPropertiesFromHandle)"""
    properties = ask(cu.cuMemGetAllocationPropertiesFromHandle, handle)
    return "device" if properties.location.type == cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE else "host"


def _extent(address, memory, end):
    """(start, size) of the mapping at an address."""
    status, mapped, size = cu.cuMemGetAddressRange(address)
    if not int(status) and int(mapped):
        return int(mapped), size
    # No answer before somebody has access. Then it goes as far as the same memory does.
    stop = address + GRANULE
    while stop < end and _memory_at(stop) == memory:
        stop += GRANULE
    return address, stop - address


def _block(piece, reservation, row):
    if piece.memory is None:
        return Block(names_of(row, piece.start), Kind.RESERVED, piece.nbytes, None, piece.start,
                     reservation=reservation, no_way_back=REASON_OF[Kind.RESERVED].value, walked=piece.walked)
    kind = Kind.MAPPED if piece.memory.where == "device" else Kind.MAPPED_HOST
    host = attribute(piece.start, "HOST_POINTER")
    rights = int(ask(cu.cuMemGetAccess, location("device"), piece.start))
    return Block(names_of(row, piece.start), kind, piece.nbytes, host, piece.start,
                 PhysicalMemory(piece.memory.key, piece.memory.where, piece.nbytes), way_back=host,
                 no_way_back="" if host is not None else REASON_OF[kind].value, access=rights != 0,
                 reservation=reservation, buffer_id=attribute(piece.start, "BUFFER_ID"))


def _holds(piece, address):
    return piece.start <= address < piece.start + piece.nbytes
