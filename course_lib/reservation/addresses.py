"""Reserved addresses: `reserve` makes them, and they know what is mapped there.

Not here: the memory (physical.py), and what a Mapping can do (mapping.py).
"""
import contextlib
import weakref

from cuda.bindings import driver as cu

from ..core import journal
from ..core.device_memory import DeviceMemory
from ..core.errors import CudaError, WrongArgument, WrongOrder, WrongSize, ask
from ..core.ownership import Resource
from .mapping import MappedPlace, Mapping, teardown
from .physical import Memory, granularity, round_up, whole


def reserve(nbytes: int, alignment: int = 0, wanted: int = 0) -> "Addresses":
    """Reserve addresses, with no memory behind them; returns Addresses.

    nbytes:    how many, a multiple of the granularity. Reserving costs no memory: 1 TiB is as cheap
               as 2 MiB
    alignment: the first one is a multiple of it: a power of two, or 0 for the granularity
    wanted:    an address to begin at, a multiple of the granularity. It is a wish: the driver may
               give another, even if this one is free

    Raises WrongSize, naming the next size that is possible, and MemoryError where there are no such
    addresses.
    CUDA call: cuMemAddressReserve (CUDA Driver API, Virtual Memory Management). It needs no
    context.
    """
    whole(nbytes, "reserve")
    if alignment & (alignment - 1):
        power = 1 << (max(alignment, 1) - 1).bit_length()
        raise WrongSize(f"alignment {alignment} is not a power of two: the next is {power}")
    if wanted % granularity():
        raise WrongSize(f"a reservation begins at a multiple of {granularity()}: the next is {round_up(wanted):#x}")
    try:
        start = int(ask(cu.cuMemAddressReserve, nbytes, alignment, wanted, 0))
    except CudaError as error:
        if error.name == "CUDA_ERROR_OUT_OF_MEMORY":
            raise MemoryError(f"there is no free range of {nbytes} addresses") from error
        raise
    return Addresses(start, nbytes)


class Addresses(DeviceMemory, Resource):
    """Reserved addresses: `start` is the first, `nbytes` how many. `mappings` are what is mapped
    there, in order."""

    def __init__(self, start: int, nbytes: int) -> None:
        super().__init__()
        self._start, self.nbytes = start, nbytes
        self._places: dict[int, MappedPlace] = {}    # by where they start
        self._mapped: dict[int, Memory] = {}        # what is left to be unmapped at the end
        self._entry = journal.note("reserved addresses", start, nbytes)
        self._hold(teardown, self._mapped, start, nbytes, self._entry)

    @property
    def start(self) -> int:
        """The first address, an int."""
        self._require()
        return self._start

    device_address = start

    def get_pointer(self) -> int:
        if not any(mapping.access() for mapping in self.mappings):
            raise WrongOrder("nothing in these addresses is the device's to use: map(memory), then set_access('readwrite')")
        return self.start

    @property
    def mappings(self) -> list[Mapping]:
        """What is mapped in these addresses, in order of address: a list of Mapping."""
        return [Mapping(self, place) for _, place in sorted(self._places.items())]

    @property
    def state(self) -> str:
        """"reserved", "partly mapped", "mapped", or "freed"."""
        mapped = sum(mapping.nbytes for mapping in self.mappings)
        if self.released:
            return "freed"
        return "reserved" if not mapped else "mapped" if mapped == self.nbytes else "partly mapped"

    def map(self, memory: Memory, offset: int = 0) -> Mapping:
        """Map the whole of `memory` at `offset` bytes into these addresses; returns the Mapping.
        Nobody has access yet.

        The same memory may be mapped at several places: these are its aliases, and show the same
        bytes.

        Raises WrongSize for an offset that is not a multiple of the granularity, or beyond the end;
        WrongOrder where something is mapped already; Released for memory that was released.
        CUDA call: cuMemMap (CUDA Driver API, Virtual Memory Management).
        """
        self._require()
        self._check_place(memory, offset)
        start = self._start + offset
        self._places[start], self._mapped[start] = MappedPlace(memory, start), memory
        return Mapping(self, self._places[start])

    def _check_place(self, memory: Memory, offset: int) -> None:
        """Raise unless `memory` fits at `offset`."""
        if not isinstance(memory, Memory):
            raise WrongArgument(f"only physical memory can be mapped, not {type(memory).__name__}: create() makes some")
        memory._require()
        if offset < 0 or offset % granularity():
            following = max(-(-offset // granularity()), 0) * granularity()
            raise WrongSize(f"offset {offset} is not a multiple of {granularity()}: the next is {following}")
        start, end = self._start + offset, self._start + offset + memory.nbytes
        if end > self._start + self.nbytes:
            raise WrongSize(f"{memory.nbytes} bytes at offset {offset} end beyond the {self.nbytes} reserved ones: "
                            "reserve more, map at a smaller offset, or create less memory")
        for mapping in self.mappings:
            if mapping.start < end and start < mapping.start + mapping.nbytes:
                raise WrongOrder(f"something is mapped at offset {mapping.start - self._start} already: unmap that "
                                 "first, or take another offset")

    def free(self) -> None:
        """Give the addresses back: the driver's own step, for when nothing is mapped any more.
        (cuMemAddressFree)

        Raises WrongOrder while something is mapped; `release` undoes the mappings too.
        """
        self._require()
        if self._places:
            raise WrongOrder("something is still mapped in these addresses: unmap it first, or call release(), which does")
        self.release()

    def release(self) -> None:
        """Unmap what is mapped, then give the addresses back.

        While a NumPy array shows mapped memory (Mapping.array), this happens when the last such
        array is gone. (cuMemUnmap, cuMemAddressFree)
        """
        self._require()
        views = [view for mapping in self.mappings for view in mapping.views()]
        if views:
            self._let_go()
            _after(views, (self._mapped, self._start, self.nbytes, self._entry))
        else:
            super().release()
        self._places.clear()

    def _name(self) -> str:
        return "reservation"

    def __repr__(self) -> str:
        return f"<{self.nbytes} addresses, {self.state}>"


def _after(views: list, arguments: tuple) -> None:
    """Run `teardown` with these arguments once all views are gone."""
    remaining = [len(views)]

    def one_is_gone() -> None:
        remaining[0] -= 1
        if not remaining[0]:
            with contextlib.suppress(Exception):    # nobody is there to be told
                teardown(*arguments)
    for view in views:
        weakref.finalize(view, one_is_gone)
