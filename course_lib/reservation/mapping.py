"""A mapping: physical memory shown at reserved addresses, and who may use it there.

Not here: the reserved addresses (addresses.py, whose `Addresses.map` makes mappings) and the memory
(physical.py).
"""
import ctypes
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt
from cuda.bindings import driver as cu

from ..core import journal
from ..core.device_memory import DeviceMemory
from ..core.errors import CudaError, Released, WrongArgument, WrongOrder, WrongPointer, WrongSize, ask, do
from .physical import Memory, supported_location

# CUmemAccess_flags
RIGHTS = {"none": 0, "read": 1, "readwrite": 3}


class MappedPlace:
    """What reserved addresses remember of a mapping. It does not refer to them: Python finds no
    cycle through PyCUDA's classes."""

    def __init__(self, memory: Memory, start: int) -> None:
        do(cu.cuMemMap, start, memory.nbytes, 0, memory.handle, 0)
        memory.mapped += 1
        self.memory, self.start = memory, start
        self.views: list[weakref.ref] = []      # to what keeps each array's memory in sight
        self.rights: dict[str, str] = {}        # "device" or "host" -> what was set last


class Mapping(DeviceMemory):
    """Physical memory at an address: `start`, `nbytes`, `memory`. It lives until `unmap`, or with
    its addresses."""

    def __init__(self, addresses: Any, place: MappedPlace) -> None:
        """addresses: the Addresses, whose module imports this one"""
        super().__init__()
        self.addresses, self._place, self.memory, self.nbytes = addresses, place, place.memory, place.memory.nbytes
        self._start, self._rights = place.start, place.rights

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and other._place is self._place

    def __hash__(self) -> int:
        return hash(self._place)

    @property
    def unmapped(self) -> bool:
        """True once it was unmapped, by itself or with its addresses."""
        return self.addresses.released or self.addresses._places.get(self._start) is not self._place

    def _require(self) -> None:
        if self.unmapped:
            raise Released("this mapping was unmapped: map the memory again")

    @property
    def start(self) -> int:
        """The first address, an int: the device's, and for memory on the host the host's too."""
        self._require()
        return self._start

    device_address = start

    @property
    def state(self) -> str:
        """"mapped" (and nobody may use it), "accessible" for somebody, or "unmapped"."""
        return "unmapped" if self.unmapped else "accessible" if any(map(self.access, self._rights)) else "mapped"

    def set_access(self, rights: str, who: str = "device") -> None:
        """Give or take access: `rights` is "readwrite", "read" or "none"; `who` is "device" or
        "host".

        Until then a kernel that uses the addresses ends in ILLEGAL_ADDRESS, the host in a
        segmentation fault, a copy in INVALID_VALUE. The host can be given access to memory that is
        located there, not to the device's.

        Raises WrongArgument for other words, WrongPointer for the host and device memory, WrongOrder
        where the host is to lose memory that a NumPy array still shows.
        CUDA call: cuMemSetAccess (CUDA Driver API, Virtual Memory Management).
        """
        self._require()
        if rights not in RIGHTS:
            raise WrongArgument(f"there is no access {rights!r}: choose one of {', '.join(RIGHTS)}")
        descriptor = cu.CUmemAccessDesc()
        descriptor.location = supported_location(who)
        descriptor.flags = cu.CUmemAccess_flags(RIGHTS[rights])
        if who == "host" and self.memory.where != "host":
            raise WrongPointer("this is device memory, which the host cannot read: create(nbytes, 'host') makes "
                               "memory that both can use, or copy it")
        if who == "host" and rights != "readwrite" and self.views():
            raise WrongOrder("a NumPy array shows this memory to the host: delete it, then take the access away")
        finish_work()
        do(cu.cuMemSetAccess, self._start, self.nbytes, [descriptor], 1)
        self._rights[who] = rights

    def access(self, who: str = "device") -> str | None:
        """What `who` may do: "readwrite", "read", or None for nothing. (cuMemGetAccess)"""
        self._require()
        flags = int(ask(cu.cuMemGetAccess, supported_location(who), self._start))
        return {1: "read", 3: "readwrite"}.get(flags)

    def get_pointer(self) -> int:
        if self.access() is None:
            raise WrongOrder("the device has no access to this mapping: set_access('readwrite') first")
        return self.start

    def _read_only(self) -> bool:
        return self.access() == "read"

    def _as_numpy(self) -> np.ndarray:
        return self.array()

    def array(self, dtype: npt.DTypeLike = np.uint8) -> np.ndarray:
        """Memory on the host as a NumPy array, in place.

        Raises WrongPointer for memory on the device, WrongOrder where the host has no access,
        WrongSize where the size is not a multiple of the dtype's.
        """
        self._require()
        if self.memory.where != "host":
            raise WrongPointer("this is device memory, which the host cannot read: copy it (cuda.memcpy_dtoh)")
        rights, dtype = self.access("host"), np.dtype(dtype)
        if rights is None:
            raise WrongOrder("the host has no access to this mapping: set_access('readwrite', who='host') first")
        if dtype.hasobject or self.nbytes % dtype.itemsize:
            raise WrongSize(f"{self.nbytes} bytes are not a whole number of {dtype}")
        view = (ctypes.c_ubyte * self.nbytes).from_address(self._start)
        self._place.views.append(weakref.ref(view))
        array = np.frombuffer(memoryview(view), dtype)
        array.flags.writeable = rights == "readwrite"
        return array

    def views(self) -> list:
        """What keeps the memory shown to NumPy: while there is any, `unmap` is refused."""
        views = [(reference, reference()) for reference in self._place.views]
        self._place.views = [reference for reference, view in views if view is not None]
        return [view for _, view in views if view is not None]

    def unmap(self) -> None:
        """Take the memory from these addresses. It keeps its content while a handle or another
        mapping holds it.

        Raises WrongOrder while a NumPy array shows it: its next use would be a segmentation fault.
        CUDA calls: cuCtxSynchronize, for a kernel may be using it still; cuMemUnmap.
        """
        self._require()
        if self.views():
            raise WrongOrder("a NumPy array shows this memory: delete it (and what was made of it), then unmap")
        finish_work()
        do(cu.cuMemUnmap, self._start, self.nbytes)
        del self.addresses._places[self._start], self.addresses._mapped[self._start]
        self.memory.mapped -= 1

    def move(self, addresses: Any, offset: int = 0) -> "Mapping":
        """Unmap the memory, and map it at other reserved addresses with the same access; returns
        the new Mapping.

        Not one byte is copied: the content belongs to the memory, not to its address.

        Raises WrongArgument for what is not reserved addresses, and what `Addresses.map` and
        `unmap` raise.
        """
        self._require()
        if not hasattr(addresses, "map"):
            raise WrongArgument(f"move takes reserved addresses, not {type(addresses).__name__}: reserve(nbytes) makes some")
        addresses._require()
        addresses._check_place(self.memory, offset)
        rights = {who: self.access(who) for who in self._rights}
        self.unmap()
        moved = addresses.map(self.memory, offset)
        for who, right in rights.items():
            if right:
                moved.set_access(right, who)
        return moved

    def __repr__(self) -> str:
        return f"<mapping of {self.nbytes} bytes, {self.state}>"


def finish_work() -> None:
    """Wait for kernels and copies of the current context, if there is one. (cuCtxSynchronize)"""
    if int(ask(cu.cuCtxGetCurrent)):
        do(cu.cuCtxSynchronize)


def teardown(mapped: dict[int, Memory], start: int, nbytes: int, entry: journal.Entry) -> None:
    """Unmap what is left in a reservation, then free it. `mapped` is {start: Memory}."""
    try:
        finish_work()
    except CudaError:    # a kernel has broken CUDA for this process; nothing runs any more
        pass
    while mapped:
        place, memory = mapped.popitem()
        do(cu.cuMemUnmap, place, memory.nbytes)
        memory.mapped -= 1
    journal.note_freed(entry)
    do(cu.cuMemAddressFree, start, nbytes)
