"""Virtual memory management: addresses without memory, memory without an address, and the mapping
of one to the other.

    >>> from course_lib import reservation
    >>> size = reservation.granularity()
    >>> with reservation.reserve(2 * size) as addresses, reservation.create(size) as memory:
    ...     mapping = addresses.map(memory, offset=size)
    ...     before = mapping.state
    ...     mapping.set_access("readwrite")
    ...     before, mapping.state
    ('mapped', 'accessible')

The steps, and what undoes each: `reserve` and `Addresses.free`; `create` and `Memory.release`;
`Addresses.map` and `Mapping.unmap`; `Mapping.set_access`, with "none". A ``with`` block, and
collection, undo what is still to be undone, in the right order, whatever the state. For programs
that make the driver's calls themselves, `on_the_device` gives the structures that these calls are
told.

Sizes are multiples of the granularity (2 MiB on today's devices), or refused: `round_up` is there
to be called. The driver's own functions, such as cuMemAddressReserve, give the address through an
out parameter because what every driver call returns is its CUresult; here what a call made is
returned, and errors are exceptions.

Where to read: reserved addresses (addresses.py), physical memory and its granularity (physical.py),
what a Mapping can do (mapping.py), and a buffer that grows in place, which puts the steps together
(growing_buffer.py). Not here: sending the memory to another process (`course_lib.sharing`).
"""
from .addresses import Addresses, reserve
from .growing_buffer import GrowingBuffer
from .mapping import Mapping
from .physical import Memory, create, granularity, on_the_device, round_up

__all__ = ["Addresses", "GrowingBuffer", "Mapping", "Memory", "create", "granularity", "on_the_device", "reserve",
           "round_up"]
