"""What the driver says of memory, gathered into a Scene.

Every fact is an answer of the driver, or of the operating system's list of pages (backing.py), on a GPU and on the
simulated driver alike. Not here: which memory to ask about (gather.py), and the pieces of reservations (reserved.py).
"""
import dataclasses

from course_lib import driver
from course_lib.core import journal
from course_lib.core.device import device_attribute
from course_lib.core.errors import CudaError, WrongContext, do
from course_lib.core.ownership import current_context
from course_lib.pinned import ALLOCATE_FLAGS, REGISTER_FLAGS, RegisteredMemory
from course_lib.pointers import REASON_OF
from course_lib.pointers.address_facts import UNKNOWN_ANSWERS, Kind, facts
from course_lib.reservation.physical import Memory as MemoryObject

from cuda.bindings import driver as cu

from . import reserved
from .backing import memories
from .gather import HeldHandle
from .scene import Block, PhysicalMemory, Scene, names_of, number_of

PAGES = (Kind.PAGEABLE, Kind.REGISTERED)            # whose pages the operating system gave, not CUDA
WHERE = {Kind.PINNED: "host", Kind.HOST_POOL: "host", Kind.MANAGED: "both", Kind.DEVICE: "device",
         Kind.KERNEL_HEAP: "device"}
HAD_HOST_ADDRESS = {kind.value for kind in (Kind.PINNED, Kind.HOST_POOL, Kind.REGISTERED, Kind.MANAGED)}
NOWHERE = (Kind.FREED, Kind.NULL, Kind.UNKNOWN)


def scene(gather):
    """The Scene of what `gather()` returns, a gather.Gathered; where the driver answers nothing, it says why."""
    simulated = driver.attached.simulated
    try:
        current_context()
        do(cu.cuMemGetInfo)        # after a fault attributes are still told, and this is refused
        gathered = gather()
        blocks, names = _blocks(gathered.places)
        return Scene(blocks, memory_names=names, simulated=simulated, left_out=gathered.left_out)
    except WrongContext as error:
        return Scene(trouble=f"There is nothing to ask: {error}.", simulated=simulated)
    except CudaError as error:
        return Scene(trouble=f"A kernel has broken CUDA for this process ({error.name}): its memory can no longer be "
                     "used. Restart this process (in Jupyter: Kernel > Restart).", simulated=simulated)


def _blocks(places):
    """(blocks, {PhysicalMemory: names}) of what was asked about."""
    rows = {}       # what it is and where it starts -> [(AskedPlace, Facts)], for two variables may lead to the same
    for place in places:
        address_facts = facts(place.address) if place.address is not None else None
        if address_facts is None or address_facts.kind not in NOWHERE or place.name:
            rows.setdefault(_row(place, address_facts), []).append((place, address_facts))
    rows = _parts_with_their_whole(rows)
    objects = {}    # PhysicalMemory -> names of the objects that hold it
    for (kind, _), row in rows.items():
        if kind is MemoryObject:
            objects[reserved.memory_of(row[0][0].value)] = names_of(row)
    blocks = []
    for (kind, start), row in rows.items():
        if kind == "reservation":
            blocks += reserved.blocks(start, row)
        elif kind is not MemoryObject:
            blocks.append(_block(kind, start, row))
    mapped = {block.memory for block in blocks}
    blocks += [Block(names, Kind.MAPPED if memory.where == "device" else Kind.MAPPED_HOST, memory.nbytes, memory=memory)
               for memory, names in objects.items() if memory not in mapped]
    blocks = [_with_forward_call(block) for block in _with_pages(blocks)]
    return _in_order(blocks), {memory: names for memory, names in objects.items() if memory in mapped}


def _row(place, address_facts):
    if address_facts is None:
        living = isinstance(place.value, (MemoryObject, HeldHandle)) and not place.value.released
        return (MemoryObject, place.value) if living else (Kind.FREED, place.name)
    if address_facts.kind in reserved.KINDS:
        return "reservation", address_facts.start
    return address_facts.kind, _start(address_facts)


def _start(address_facts):
    byte = number_of(address_facts)
    if address_facts.start is not None:
        return address_facts.start - address_facts.address + byte
    entry = journal.find(byte)      # the driver tells nothing of heaps, and of what was freed
    of_it = entry and (address_facts.kind is Kind.FREED or address_facts.kind.value == entry.kind)
    return entry.start if of_it else byte


def _parts_with_their_whole(rows):
    """The same rows; pageable memory inside other pageable memory, such as a slice of an array, joins the row of that.

    Of pageable memory the driver tells neither start nor size, so what an array says of itself has to do.
    """
    ends = {}       # row -> where it ends, for all that the variables say
    for key, row in rows.items():
        if key[0] is Kind.PAGEABLE:
            ends[key] = key[1] + max(place.nbytes or 1 for place, _ in row)
    whole, joined = None, {}        # a part -> its whole
    for key in sorted(ends, key=lambda key: (key[1], -ends[key])):
        if whole and ends[key] <= ends[whole]:
            joined[key] = whole
        else:
            whole = key
    joined_rows = {}
    for key, row in rows.items():
        joined_rows.setdefault(joined.get(key, key), []).extend(row)
    return joined_rows


def _block(kind, start, row):
    """The block of one allocation, or of an address that leads nowhere."""
    address_facts = row[0][1]
    if address_facts is None:
        return Block(names_of(row), Kind.FREED, unregistered=isinstance(row[0][0].value, RegisteredMemory))
    if kind in NOWHERE:
        return _nowhere(kind, start, row)

    def moved(address):     # from the byte that was asked about to the first one
        return None if address is None else address - number_of(address_facts) + start
    nbytes = address_facts.nbytes
    host = way_back = moved(address_facts.host_address)
    device = moved(address_facts.device_address)
    if kind is Kind.KERNEL_HEAP:        # the driver tells nothing of it: course_lib.kernel_heap wrote down what it made
        nbytes, device = _written_down(kind, start) or row[-1][0].nbytes, start
    if kind is Kind.PAGEABLE:           # nor of this: an array knows its size itself
        nbytes, host = max(place.nbytes or 0 for place, _ in row) or None, start
        device = start if _kernels_may_use_pageable() else None
    memory = PhysicalMemory((kind, start), WHERE[kind], nbytes) if kind in WHERE else None
    why_not = "" if way_back is not None else REASON_OF[kind].value
    sides = {name: _side(place, host, device, nbytes) for place, its in row
             for name in names_of([(place, its)], start)}
    return Block(names_of(row, start), kind, nbytes, host, device, memory, way_back, why_not,
                 flags=_flags(address_facts), buffer_id=address_facts.buffer_id, sides=sides)


def _kernels_may_use_pageable():
    """True on machines where kernels may follow any host address. (PAGEABLE_MEMORY_ACCESS)"""
    return bool(device_attribute("PAGEABLE_MEMORY_ACCESS"))


def _side(place, host, device, nbytes):
    """The AskedPlace.side of a name. Where the two sides have other numbers, the number itself tells."""
    if not place.side or None in (host, device) or host == device:
        return place.side
    return "host" if host <= place.address < host + (nbytes or 1) else "device"


def _written_down(kind, start):
    """The size of what a helper wrote down for an address, None where there is no such entry."""
    entry = journal.find(start)
    return entry.nbytes if entry and entry.kind == kind.value and entry.start == start else None


def _nowhere(kind, address, row):
    """The block of an address that leads nowhere now, on the sides where it led somewhere before."""
    entry = journal.find(address) if kind is Kind.FREED else None
    host = address if entry and entry.kind in HAD_HOST_ADDRESS else None
    nbytes = entry.nbytes if entry and entry.start == address else None
    return Block(names_of(row, address), kind, nbytes, host, address, no_way_back=REASON_OF[kind].value)


def _flags(address_facts):
    """Names of the flags that the driver reports, in the order of their bits."""
    names = REGISTER_FLAGS if address_facts.kind is Kind.REGISTERED else ALLOCATE_FLAGS
    return tuple(name for name, bit in names.items() if (address_facts.flags or 0) & bit)


def _with_pages(blocks):
    """The same blocks, with the physical memory behind those whose pages the operating system gave."""
    places = [place for place, block in enumerate(blocks) if block.kind in PAGES]
    placed = memories([(blocks[place].host, blocks[place].nbytes or 1) for place in places])
    for place, memory in zip(places, placed):
        blocks[place] = dataclasses.replace(blocks[place], memory=memory)
    return blocks


def _with_forward_call(block):
    """The same block, with what cuMemHostGetDevicePointer answers for its first byte.

    It is asked with the host's address, or where there is none with the device's: an H200's driver answers for mapped
    memory on the device too. It only asks, whatever the address.
    """
    address = block.device if block.host is None else block.host
    if address is None:
        return block
    status, answer = cu.cuMemHostGetDevicePointer(address, 0)
    if status.name in UNKNOWN_ANSWERS:
        return dataclasses.replace(block, no_forward=status.name.removeprefix("CUDA_ERROR_"))
    if int(status):
        raise CudaError("cuMemHostGetDevicePointer", status)
    return dataclasses.replace(block, forward=int(answer))


def _in_order(blocks):
    """The same blocks, so that those of one reservation stand together, and those that show one memory."""
    reservations, memories_of = {}, {}
    for block in blocks:
        if block.reservation:
            reservations.setdefault(block.reservation, []).append(block)
        elif block.memory:
            memories_of.setdefault(block.memory, []).append(block)
    order = {}      # id -> Block
    for block in blocks:
        mates = reservations[block.reservation] if block.reservation else [block]
        for mate in [*mates, *(shown for view in mates for shown in memories_of.get(view.memory, ()))]:
            order.setdefault(id(mate), mate)
    return tuple(order.values())
