"""Everything that is known of an address: `facts(address)`, and the kinds of memory that there are.

Almost every question is put by the call for one attribute, cuPointerGetAttribute. The call for
several at once, cuPointerGetAttributes (and the runtime's cudaPointerGetAttributes), *succeeds* for
an address that the driver does not know, and gives that address itself as the host's: who trusts it
reads a kernel's heap from the host, and crashes. One thing it alone tells: that addresses are
reserved while no memory is mapped there.

Use it as ``pointers.facts``, and ``pointers.attribute`` where one answer is enough. Not here: the
way back to a host pointer (__init__.py).
"""
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cuda.bindings import driver as cu

from ..core import journal, registration, tables
from ..core.address import address_of, host_may_read
from ..core.device import location
from ..core.errors import CudaError, WrongArgument
from ..core.ownership import current_context

ATTRIBUTE = cu.CUpointer_attribute
ALREADY_REGISTERED = "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"
UNKNOWN_ANSWERS = ("CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_NOT_FOUND", "CUDA_ERROR_NOT_SUPPORTED")


class Kind(enum.Enum):
    """What kind of memory an address belongs to."""

    PINNED = "pinned memory"                            # cuMemHostAlloc
    HOST_POOL = "pinned memory, from a pool"            # cuMemPoolCreate on the host
    REGISTERED = "registered memory"                    # cuMemHostRegister
    MANAGED = "managed memory"                          # cuMemAllocManaged
    DEVICE = "device memory"                            # cuMemAlloc, and the variables of modules
    MAPPED = "mapped reservation"                       # cuMemMap, of memory located on a device
    MAPPED_HOST = "mapped reservation, on the host"     # cuMemMap, of memory located on the host
    RESERVED = "reserved addresses"                     # cuMemAddressReserve, and nothing mapped
    KERNEL_HEAP = "kernel heap"                         # malloc in a kernel
    PAGEABLE = "pageable memory"                        # the host's own
    FREED = "freed"                                     # was one of these
    NULL = "null"
    UNKNOWN = "unknown"


@dataclass(frozen=True, repr=False)
class Facts:
    """What is known of one address. None where the driver has no answer."""

    address: int
    kind: Kind
    start: int | None = None            # RANGE_START_ADDR, or of a host pool's cuMemGetAddressRange
    nbytes: int | None = None           # RANGE_SIZE: size of that range
    mapping: tuple[int | None, int] | None = None   # (start, size) of the mapping, where the range is a reservation
    host_address: int | None = None     # HOST_POINTER: the host's address of this byte
    device_address: int | None = None   # DEVICE_POINTER: the device's address of this byte
    memory_type: str | None = None      # MEMORY_TYPE: "host" or "device"
    flags: int | None = None            # cuMemHostGetFlags, of pinned and registered memory
    buffer_id: int | None = None        # BUFFER_ID: differs for each allocation, and is never used again
    context: int | None = None          # CONTEXT: handle of the context that owns it; 0 where none does
    device: int | None = None           # DEVICE_ORDINAL

    def rows(self) -> Iterator[tuple[str, str]]:
        """(label, text) pairs, of what has an answer."""
        yield "kind", self.kind.value
        for name in ("address", "start", "nbytes", "host_address", "device_address", "memory_type", "flags",
                     "buffer_id", "context", "device"):
            value = getattr(self, name)
            if value is not None:
                number = name in ("nbytes", "memory_type", "flags", "buffer_id", "device")
                yield name.replace("_", " "), str(value) if number else f"{value:#x}"
        if self.mapping:
            start, size = self.mapping
            yield "mapping", f"{size} bytes" + (f" from {start:#x}" if start else "")

    def __repr__(self) -> str:
        return tables.text(self.rows(), least=14, gap=1)

    def _repr_html_(self) -> str:
        return tables.html(self.rows(), labels=True)


def facts(address: Any) -> Facts:
    """Everything that is known of an address, as Facts.

    address: an int, or what has an address: a cuda.DeviceAllocation, a GPUArray, a NumPy array (its
             first element), the objects of pinned.py and reservation/

    The driver is asked first. An address of which it knows nothing is looked for among this
    process's pages (pageable memory), and in what the helpers made or were asked about before
    (freed).

    Raises WrongPointer for what is not an address, CudaError once a kernel has broken CUDA for its process.

    CUDA calls, in the CUDA Driver API under Unified Addressing, Memory Management and Virtual
    Memory Management:

    - cuCtxGetCurrent, cuCtxGetId, cuCtxGetDevice, cuPointerGetAttribute, cuPointerGetAttributes,
      cuMemHostGetFlags, cuMemGetAddressRange, cuMemGetAccess, and for an object of pinned.py
      cuMemHostGetDevicePointer: these only ask;
    - cuMemRetainAllocationHandle and cuMemRelease: for a moment the memory that is mapped there has
      a handle more;
    - cuMemHostRegister of one byte, for pinned and registered memory, and where pinned memory was
      freed: it is refused, and the reason is the answer. Where it is not, another thread gave the
      memory back meanwhile, or the driver did, and cuMemHostUnregister undoes it at once. The
      helpers' own `register` and `unregister` wait until then; a program that calls
      cuMemHostRegister itself, for the same memory and at the same moment, may be refused.
    """
    address = address_of(address)
    current_context()
    memory_type = attribute(address, "MEMORY_TYPE")
    if memory_type is None:
        return _facts_without_attributes(address)
    fields: dict[str, Any] = {name: attribute(address, constant) for name, constant in (
        ("start", "RANGE_START_ADDR"), ("nbytes", "RANGE_SIZE"), ("host_address", "HOST_POINTER"),
        ("device_address", "DEVICE_POINTER"), ("buffer_id", "BUFFER_ID"), ("context", "CONTEXT"),
        ("device", "DEVICE_ORDINAL"))}
    kind = _kind_with_attributes(address, memory_type)
    if kind is None:        # another thread gave it back since the first question: ask anew
        return facts(address)
    if kind is Kind.HOST_POOL:      # here RANGE_START_ADDR is an offset (an H200, driver 580)
        fields["start"], _ = _address_range(address) or (None, None)
    if kind in (Kind.PINNED, Kind.REGISTERED):
        fields["flags"] = value_in("cuMemHostGetFlags", cu.cuMemHostGetFlags(address))
    if kind in (Kind.MAPPED, Kind.MAPPED_HOST):
        fields["mapping"] = _address_range(address)
        journal.note_seen(Kind.RESERVED.value, fields["start"], fields["nbytes"])
    elif fields["start"] is not None:        # a driver may not say it of each of two numbers
        journal.note_seen(kind.value, fields["start"], fields["nbytes"])
    return Facts(address, kind, memory_type={1: "host", 2: "device"}.get(memory_type), **fields)


def _address_range(address: int) -> tuple[int | None, int] | None:
    """(start, size) of an allocation or mapping; None before somebody has access. (cuMemGetAddressRange)"""
    status, start, size = cu.cuMemGetAddressRange(address)
    return None if int(status) else (int(start) or None, size)


def _facts_without_attributes(address: int) -> Facts:
    kind = _kind_without_attributes(address)
    if kind is not Kind.RESERVED:
        return Facts(address, kind)
    reservation = reserved_range(address)
    return Facts(address, kind, *reservation) if reservation else facts(address)    # another thread gave it back


def attribute(address: Any, name: str) -> int | None:
    """One pointer attribute of an address, as an int; None where the driver has no answer.

    address: as for `facts`
    name:    of the attribute, such as "HOST_POINTER", or "MEMORY_TYPE" (1 on the host, 2 on the
             device)

    Raises WrongArgument for a name that CUDA does not have, WrongPointer for what is not an
    address, CudaError once a kernel has broken CUDA for its process.

    CUDA call: cuPointerGetAttribute (CUDA Driver API, Unified Addressing).
    """
    which = getattr(ATTRIBUTE, f"CU_POINTER_ATTRIBUTE_{name}", None)
    if which is None:
        raise WrongArgument(f"there is no pointer attribute {name!r}: it is a name such as 'HOST_POINTER', without "
                            "CU_POINTER_ATTRIBUTE_")
    return value_in("cuPointerGetAttribute", cu.cuPointerGetAttribute(which, address_of(address)))


def value_in(call: str, answer: tuple) -> int | None:
    """The number in an answer of cuda.bindings, (status, number); None where the driver has no
    answer.

    Raises CudaError, which names the call, for any other error.
    """
    status, *values = answer
    if status.name in UNKNOWN_ANSWERS:
        return None
    if int(status):
        raise CudaError(call, status)
    return int(values[0])


def _kind_with_attributes(address: int, memory_type: int) -> Kind | None:
    """The kind of memory at an address that has attributes; None where it turns out to be given
    back."""
    if attribute(address, "IS_MANAGED"):
        return Kind.MANAGED
    if is_mapped(address):
        return Kind.MAPPED_HOST if memory_type == 1 else Kind.MAPPED
    if memory_type == 2:
        return Kind.DEVICE
    if attribute(address, "MEMPOOL_HANDLE"):
        return Kind.HOST_POOL
    # No attribute tells pinned from registered. But the driver refuses to register either, each for
    # its own reason.
    return {None: None, ALREADY_REGISTERED: Kind.REGISTERED}.get(registration.refusal(address), Kind.PINNED)


def _kind_without_attributes(address: int) -> Kind:
    """The kind of memory at an address that has none."""
    if address == 0:
        return Kind.NULL
    entry = journal.find(address)
    # A GPU's driver puts the heap of the next context where that of the last one was: the journal's
    # word ends with its context.
    if entry and entry.kind == Kind.KERNEL_HEAP.value and entry.context_alive:
        given_out_again = device_has(address) and not entry.unsure
        return Kind.KERNEL_HEAP if entry.alive or given_out_again else Kind.FREED
    if host_may_read(address):
        return Kind.FREED if entry and not entry.alive and _kept_by_driver(entry.kind, address) else Kind.PAGEABLE
    reservation = reserved_range(address)
    if reservation:
        journal.note_seen(Kind.RESERVED.value, *reservation)
        return Kind.RESERVED
    if device_has(address):
        return Kind.KERNEL_HEAP
    return Kind.FREED if entry else Kind.UNKNOWN


def _kept_by_driver(kind: str, address: int) -> bool:
    """True for a freed part of a larger piece of pinned or managed memory that the driver keeps: it
    refuses to register it."""
    refusals = {Kind.PINNED.value: ALREADY_REGISTERED, Kind.MANAGED.value: "CUDA_ERROR_INVALID_VALUE"}
    return kind in refusals and registration.refusal(address) == refusals[kind]


def is_mapped(address: int) -> bool:
    """True if physical memory is mapped at a reserved address. (cuMemRetainAllocationHandle,
    cuMemRelease)"""
    status, handle = cu.cuMemRetainAllocationHandle(address)
    if int(status):
        return False
    cu.cuMemRelease(handle)
    return True


def reserved_range(address: int) -> tuple[int, int] | None:
    """(first address, size in bytes) of the reserved range that an address lies in; None where none
    is reserved.

    The call for one attribute has no answer for an address where nothing is mapped. The call for
    several answers for it, and where no addresses are reserved leaves the zeros that were there.
    (cuPointerGetAttributes)
    """
    status, values = cu.cuPointerGetAttributes(
        2, [ATTRIBUTE.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, ATTRIBUTE.CU_POINTER_ATTRIBUTE_RANGE_SIZE], address)
    if int(status):
        raise CudaError("cuPointerGetAttributes", status)
    start, nbytes = map(int, values)
    return (start, nbytes) if nbytes else None


def device_has(address: int) -> bool:
    """True if an address belongs to any memory of the device, the driver's own included.
    (cuMemGetAccess)

    An address without attributes is then in the heap of kernels, for which no call asks: of what the
    device has, two parts have no attributes, the heap, and what the driver has for itself (code,
    stacks, printf's buffer), which counts as heap here: no address in it comes from an allocation.
    What was freed the device no longer has, not even between allocations that live (an H200, driver
    580).
    """
    return int(cu.cuMemGetAccess(location("device"), address)[0]) == 0
