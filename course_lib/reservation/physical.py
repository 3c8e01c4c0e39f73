"""Physical memory without an address: `create` makes it, a reservation gives it an address
(addresses.py).

Here too: the granularity that all sizes of virtual memory management are multiples of. Not here:
what is mapped where (addresses.py, mapping.py).
"""
import numpy as np
from cuda.bindings import driver as cu

from ..core.device import device_attribute, location
from ..core.errors import CudaError, NotSupported, WrongArgument, WrongSize, ask, do
from ..core.ownership import Resource

DESCRIPTOR = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


def supported_location(where: str) -> cu.CUmemLocation:
    """The CUmemLocation called "device" or "host", as in core.device, for virtual memory. Raises
    NotSupported where the device has no such memory there."""
    named = location(where, numa=True)
    needed = "VIRTUAL_MEMORY_MANAGEMENT" if where == "device" else "HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT"
    if not device_attribute(f"{needed}_SUPPORTED"):
        raise NotSupported(f"this device has no virtual memory management for the {where}: use "
                           + ("cuda.mem_alloc" if where == "device" else "pinned.allocate"))
    return named


def properties(where: str, exportable: bool = False) -> cu.CUmemAllocationProp:
    """The CUmemAllocationProp of ordinary memory at a location, which may be exported as a file
    descriptor or not."""
    prop = cu.CUmemAllocationProp()
    prop.type = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    prop.location = supported_location(where)
    if exportable:
        prop.requestedHandleTypes = DESCRIPTOR
    return prop


def on_the_device() -> tuple[cu.CUmemAllocationProp, cu.CUmemAccessDesc]:
    """What cuMemCreate and cuMemSetAccess are told of memory that the current device owns and may
    read and write.

    Returns (CUmemAllocationProp, CUmemAccessDesc), for programs that make the driver's calls
    themselves.
    """
    access = cu.CUmemAccessDesc()
    access.location, access.flags = location("device"), cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return properties("device"), access


def granularity(where: str = "device") -> int:
    """What sizes and addresses are multiples of, in bytes. (cuMemGetAllocationGranularity)"""
    minimum = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    return ask(cu.cuMemGetAllocationGranularity, properties(where), minimum)


def round_up(nbytes: int, where: str = "device") -> int:
    """The next multiple of the granularity: what to ask for, in bytes, to have `nbytes`."""
    return max(-(-nbytes // granularity(where)), 1) * granularity(where)


def whole(nbytes: int, call: str, where: str = "device") -> None:
    """Raise WrongSize unless `nbytes` is a positive multiple of the granularity, WrongArgument for no
    number."""
    if not isinstance(nbytes, (int, np.integer)):
        raise WrongArgument(f"{call} takes a number of bytes, not {nbytes!r}")
    if nbytes <= 0 or nbytes % granularity(where):
        raise WrongSize(f"{call} takes multiples of {granularity(where)} bytes, and {nbytes} is not one: the next is "
                        f"{round_up(nbytes, where)}, which round_up({nbytes}) gives")


def create(nbytes: int, where: str = "device", exportable: bool = False) -> "Memory":
    """Create physical memory, which has no address yet; returns Memory.

    nbytes:     a multiple of the granularity
    where:      "device", or "host": such memory has one address that host and device share, once it
                is mapped and both were given access
    exportable: it may be exported to other processes as a file descriptor (sharing.export). To be
                said now: the driver exports no memory that was created without it

    Raises WrongSize, naming the next possible size; MemoryError where there is not as much;
    NotSupported.
    CUDA call: cuMemCreate (CUDA Driver API, Virtual Memory Management).
    """
    whole(nbytes, "create", where)
    try:
        return Memory(ask(cu.cuMemCreate, nbytes, properties(where, exportable), 0), nbytes, where)
    except CudaError as error:
        if error.name == "CUDA_ERROR_OUT_OF_MEMORY":
            raise MemoryError(f"the {where} does not have {nbytes} bytes left") from error
        raise


class Memory(Resource):
    """Physical memory: `nbytes` of it, at `where`. It lives until it was released *and* is mapped
    nowhere."""

    def __init__(self, handle: cu.CUmemGenericAllocationHandle, nbytes: int, where: str) -> None:
        self._handle, self.nbytes, self.where = handle, nbytes, where
        self.mapped = 0    # at how many places
        self._hold(do, cu.cuMemRelease, handle)

    @property
    def handle(self) -> cu.CUmemGenericAllocationHandle:
        """The driver's CUmemGenericAllocationHandle. It is not an address, and cannot be
        followed."""
        self._require()
        return self._handle

    @property
    def state(self) -> str:
        """"created", "mapped at 2 places", "released, but mapped at 1 place", or "gone"."""
        places = f"mapped at {self.mapped} " + ("place" if self.mapped == 1 else "places")
        if self.released:
            return f"released, but {places}" if self.mapped else "gone"
        return places if self.mapped else "created"

    def _name(self) -> str:
        return "physical memory"

    def __repr__(self) -> str:
        return f"<{self.nbytes} bytes of physical memory on the {self.where}, {self.state}>"
