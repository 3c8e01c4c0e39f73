"""The way back from an address to a host pointer, as far as there is one.

- `facts` gathers everything that is known of an address, and `attribute` asks for one thing
  (address_facts.py);
- `host_pointer_for` is the inverse of cuMemHostGetDevicePointer, as far as there is an inverse: it
  answers with a host address, or with the reason why there is none;
- `both` asks in both directions, forward and back, and gives the driver's answers as they are
  (both_ways.py);
- `host_may_read` asks the operating system, not the driver: may the host read at this address?
- `AddressBook` is for the rest: programs that need the way back keep the pairs (address_book.py).

Not here: the forward call, from the host's address to the device's (`course_lib.mapped`).

    >>> import pycuda.driver as cuda
    >>> from course_lib import pinned, pointers
    >>> with pinned.allocate(16) as host:
    ...     pointers.host_pointer_for(host.device_address + 5) == host.host_address + 5
    True
    >>> pointers.host_pointer_for(cuda.mem_alloc(16))
    no host pointer: DEVICE_MEMORY, it is device memory, which the host cannot read; copy it (cuMemcpyDtoH)
    >>> pointers.both(cuda.mem_alloc(16))
    device none  host none
"""
import enum
from dataclasses import dataclass
from typing import Any

from ..core.address import host_may_read
from .address_book import AddressBook, NotInBook, View
from .address_facts import Facts, Kind, attribute, facts
from .both_ways import BothWays, both

__all__ = ["AddressBook", "BothWays", "Facts", "Kind", "NoHostPointer", "NotInBook", "Reason", "View", "attribute", "both",
           "facts", "host_may_read", "host_pointer_for"]


class Reason(enum.Enum):
    """Why there is no host pointer for an address."""

    DEVICE_MEMORY = "it is device memory, which the host cannot read; copy it (cuMemcpyDtoH)"
    NO_HOST_ACCESS = "it is on the host, which was given no access to it; set_access('readwrite', who='host') gives it"
    KERNEL_HEAP = ("a kernel allocated it, and host calls know nothing of it; let a kernel copy it to cuMemAlloc "
                   "memory first")
    RESERVED_ONLY = "the address is reserved, and no memory is mapped there"
    PAGEABLE = ("the host can read there, but the driver has no entry for it. Usually that is pageable memory; a freed part of "
                "pinned memory may look the same")
    FREED = "it was freed, and no allocation has the address any more"
    NULL = "it is the null pointer"
    UNKNOWN = "the driver does not know it: never allocated, or freed"


REASON_OF = {Kind.DEVICE: Reason.DEVICE_MEMORY, Kind.MAPPED: Reason.DEVICE_MEMORY,
             Kind.MAPPED_HOST: Reason.NO_HOST_ACCESS, Kind.RESERVED: Reason.RESERVED_ONLY,
             Kind.KERNEL_HEAP: Reason.KERNEL_HEAP, Kind.PAGEABLE: Reason.PAGEABLE, Kind.FREED: Reason.FREED,
             Kind.NULL: Reason.NULL, Kind.UNKNOWN: Reason.UNKNOWN}


@dataclass(frozen=True, repr=False)
class NoHostPointer:
    """The answer of `host_pointer_for` where there is no host pointer. It counts as false."""

    reason: Reason

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"no host pointer: {self.reason.name}, {self.reason.value}"


def host_pointer_for(address: Any) -> int | NoHostPointer:
    """The host's address of the byte at a device address: an int. Or a NoHostPointer, whose
    `reason` is a Reason.

    address: as for `facts`. Interior addresses give interior addresses; each of several views of
             one memory gives the address of that view.

    Pinned, registered and managed memory have a host pointer, and so has mapped memory located on
    the host, once the host was given access. The rest has none: what cudaHostGetDevicePointer leads
    to is a small part of all device addresses, and from the others nothing leads back.

    CUDA call: cuPointerGetAttribute with CU_POINTER_ATTRIBUTE_HOST_POINTER (CUDA Driver API,
    Unified Addressing). In the runtime API: cudaPointerGetAttributes(&a, p); look at a.type first,
    then at a.hostPointer.
    """
    address_facts = facts(address)
    if address_facts.host_address is None:
        return NoHostPointer(REASON_OF[address_facts.kind])
    return address_facts.host_address
