"""Managed memory: one number for host and device, and pages that the driver moves to whoever
touches them.

`allocate` gives it as a NumPy array that kernels may use too. Two ways to influence where its pages
are:

- `prefetch` sends them to the device or to the host;
- `advise` tells the driver how they will be used, and `withdraw` takes that back.

`facts` asks what the driver tells of each page. That is what was said of it: the advice, and the
place of the last prefetch. Up to CUDA 13.3 no call says where a page is *now*: a touch by the host,
a kernel or a copy moves it and leaves no note.

    >>> from course_lib import managed
    >>> with managed.allocate(2 << 20) as memory:       # 512 pages
    ...     managed.prefetch(memory.array[:managed.PAGE + 1], to="device")      # a byte of the second page counts
    ...     managed.advise(memory, "read_mostly")
    ...     managed.facts(memory)
    page      last prefetch  preferred  read mostly  accessed by
    0 to 1    device 0       -          yes          -
    2 to 511  never          -          yes          -
    Where a page is now is not told: whoever touched it since then may have moved it.

An allocation of 2 MiB or more begins with a page of its own. Smaller ones may share a page, and
then what was said of it.

Not here: page-locked memory (`course_lib.pinned`), and what the driver knows of any address
(`course_lib.pointers`).
"""
import contextlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .core import device
from .core.array_memory import ArrayMemory
from .core.errors import CudaError, NotSupported, WrongArgument, WrongPointer, WrongSize, ask, ask_all, do
from .core.ownership import current_context
from .core.shapes import checked
from .core.tables import text

PAGE = 4096         # bytes, on x86-64: advice and prefetches are remembered for each page, whatever part of it they name
MOST_PAGES = 65536  # that `facts` asks about, one by one

# Their third flag, SINGLE, is for an attachment to one stream, after the allocation.
ATTACH_FLAGS = {"global": cuda.mem_attach_flags.GLOBAL, "host": cuda.mem_attach_flags.HOST}
ADVICE = ("read_mostly", "preferred_location", "accessed_by")
HOST, NOWHERE = cu.CU_DEVICE_CPU, cu.CU_DEVICE_INVALID
_ASKED = [getattr(cu.CUmem_range_attribute, f"CU_MEM_RANGE_ATTRIBUTE_{name}")
          for name in ("LAST_PREFETCH_LOCATION", "PREFERRED_LOCATION", "READ_MOSTLY", "ACCESSED_BY")]


class ManagedMemory(ArrayMemory):
    """Managed memory, as `allocate` returns it. Use it in ``with``, or call `release`.

    Kernels may use its `array` at the same address. It ends with its context, too: no array may be
    used after that.
    """
    _DLPACK_KIND = 13       # dlpack.h: kDLCUDAManaged

    def __init__(self, array: np.ndarray) -> None:
        super().__init__(array)
        self._owned_by_pycuda(self._name())

    @property
    def address(self) -> int:
        """Where it starts, for host and device: an int."""
        return self.array.ctypes.data

    host_address = device_address = address

    def _name(self) -> str:
        return "managed memory"


def allocate(shape: int | Iterable[int], dtype: npt.DTypeLike = np.uint8, attach: str = "global") -> ManagedMemory:
    """Allocate managed memory for an array, and return it as ManagedMemory. The content is not
    initialised.

    shape:  number of elements, or a tuple of dimensions
    dtype:  of the elements, as NumPy takes it
    attach: who may use it: ``"global"``, any stream of any device, or ``"host"``, the host at
            first. Where the device has CONCURRENT_MANAGED_ACCESS, either is used by both

    It may be larger than the device's memory, and takes none until somebody touches it.

    Raises WrongSize for no elements, WrongArgument for another `attach` or a dtype of Python
    objects, NotSupported where the device has no managed memory, and PyCUDA's MemoryError where
    there are not as many addresses.

    CUDA call: cuMemAllocManaged, through pycuda.driver.managed_empty (CUDA Driver API, Memory
    Management; CUDA C++ Programming Guide, Unified Memory Programming).
    """
    if attach not in ATTACH_FLAGS:
        raise WrongArgument(f"attach is 'global' or 'host', not {attach!r}")
    shape, dtype = checked(shape, dtype)
    current_context()
    _supported("MANAGED_MEMORY", "has no managed memory: take pinned.allocate")
    return ManagedMemory(cuda.managed_empty(shape, dtype, mem_flags=ATTACH_FLAGS[attach]))


def prefetch(part: Any, to: str = "device", stream: cuda.Stream | None = None) -> None:
    """Send pages to a place, in the order of a stream. The call does not wait.

    part:   ManagedMemory; a contiguous NumPy array or view in managed memory; or (address, nbytes).
            Every page that it touches is sent
    to:     ``"device"`` (that of the current context) or ``"host"``
    stream: a pycuda Stream; None is the default stream

    `facts` tells the place at once, also while the stream has not come to it. Where pages of the
    part were told different things before, an H200's driver (580.159.04) remembers a prefetch for
    some of them only, and so it does with advice: name pages of one kind in each call.

    Raises WrongPointer for what is not managed memory, WrongSize for no bytes or for more than the
    allocation has, WrongArgument for another place, NotSupported where the device lacks
    CONCURRENT_MANAGED_ACCESS.
    CUDA call: cuMemPrefetchAsync (CUDA Driver API, Unified Addressing).
    """
    address, nbytes = range_of(part)
    if not (stream is None or isinstance(stream, cuda.Stream)):
        raise WrongArgument(f"stream is a pycuda.driver.Stream or None, not {type(stream).__name__}")
    location = _location(to)
    with _refusals_explained(address, nbytes):
        device.prefetch(address, nbytes, location, stream)


def advise(part: Any, advice: str, where: str = "device") -> None:
    """Tell the driver how pages will be used. It moves nothing by itself, and changes no content.

    part:   as for `prefetch`
    advice: one of

    - ``"read_mostly"``: whoever reads a page gets a copy, and a write ends the copies (`where` says
      nothing here);
    - ``"preferred_location"``: where they are at `where`, leave them there if others can use them
      from afar;
    - ``"accessed_by"``: keep the pages in the tables of `where`, wherever they are, as far as it
      can reach them

    where: ``"device"`` (that of the current context) or ``"host"``

    Raises the same as `prefetch`. CUDA call: cuMemAdvise (CUDA Driver API, Unified Addressing).
    """
    _advised(part, "SET", advice, where)


def withdraw(part: Any, advice: str, where: str = "device") -> None:
    """Take advice back; there need not be any. Arguments and errors are those of `advise`."""
    _advised(part, "UNSET", advice, where)


@dataclass(frozen=True)
class RangeAttributes:
    """What the driver tells of a page. Places are "device 0" or "host", and None where none was
    named."""

    last_prefetch: str | None
    preferred_location: str | None
    read_mostly: bool
    accessed_by: tuple[str, ...]

    @property
    def advice(self) -> str:
        """The advice in words, such as "read mostly, preferred: host"; empty for none."""
        return ", ".join([*(["read mostly"] if self.read_mostly else []),
                          *([f"preferred: {self.preferred_location}"] if self.preferred_location else []),
                          *(f"accessed by {place}" for place in self.accessed_by)])

    def _cells(self) -> tuple[str, ...]:
        return (self.last_prefetch or "never", self.preferred_location or "-", "yes" if self.read_mostly else "no",
                ", ".join(self.accessed_by) or "-")


class PageAttributes(tuple[RangeAttributes, ...]):
    """A RangeAttributes for each page, in order. As text, a line for each run of pages that say the
    same."""

    def __repr__(self) -> str:
        rows, first_page = [], 0
        for attributes, run in itertools.groupby(self):
            last_page = first_page + sum(1 for _ in run) - 1
            pages = f"{first_page}" if first_page == last_page else f"{first_page} to {last_page}"
            rows.append((pages, *attributes._cells()))
            first_page = last_page + 1
        return (text(rows, ("page", "last prefetch", "preferred", "read mostly", "accessed by"))
                + "\nWhere a page is now is not told: whoever touched it since then may have moved it.")


def range_of(part: Any) -> tuple[int, int]:
    """(address, nbytes) of managed memory that is named as for `prefetch`. No driver is asked.

    Raises WrongArgument for what names no memory, WrongPointer for an array with gaps, WrongSize
    for no bytes.
    """
    part = getattr(part, "array", part)
    if isinstance(part, np.ndarray):
        if not part.flags.forc:
            raise WrongPointer("the array is not contiguous: name the array that it is a view of, or a slice without steps")
        part = part.ctypes.data, part.nbytes
    if not (isinstance(part, tuple) and len(part) == 2 and all(isinstance(number, (int, np.integer)) for number in part)):
        raise WrongArgument("name managed memory as what allocate() returned, as an array or view of it, or as "
                            "(address, nbytes)")
    address, nbytes = map(int, part)
    if nbytes < 1:
        raise WrongSize("an empty range has no pages: name 1 byte or more")
    return address, nbytes


def facts(part: Any) -> PageAttributes:
    """What the driver tells of each page: a PageAttributes, with a RangeAttributes for each. It
    does not tell where a page is.

    part: as for `prefetch`, of at most MOST_PAGES pages. Page 0 is the first that it touches

    Each page is asked about by itself. A larger range would not do: where its pages differ the
    answer is "never", "no" or none, as it is where all of them were told nothing.

    Raises WrongPointer for what is not managed memory, WrongSize for no bytes or for too many.
    CUDA call: cuMemRangeGetAttributes (CUDA Driver API, Unified Addressing).
    """
    address, nbytes = range_of(part)
    pages = range(address // PAGE, (address + nbytes - 1) // PAGE + 1)
    if len(pages) > MOST_PAGES:
        raise WrongSize(f"{len(pages)} pages are too many to ask about one by one: name a part of at most {MOST_PAGES} pages, "
                        "such as memory.array[:1000]")
    current_context()
    with _refusals_explained(address, nbytes):
        do(cu.cuMemRangeGetAttribute, 4, cu.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, address, nbytes)
    room = [4, 4, 4, 4 * (cuda.Device.count() + 1)]     # the last answer is a list of devices and the host
    # Of each page, one byte that is the part's: the rest of its first and last page may be somebody
    # else's.
    return PageAttributes(_attributes_at(max(address, page * PAGE), room) for page in pages)


def _attributes_at(address: int, room: list[int]) -> RangeAttributes:
    prefetched, preferred, read_mostly, accessed_by = ask(cu.cuMemRangeGetAttributes, room, _ASKED, len(room), address, 1)
    return RangeAttributes(_place(prefetched), _place(preferred), bool(read_mostly),
                           tuple(place for place in map(_place, accessed_by) if place))


def _place(number: int) -> str | None:
    return None if number == NOWHERE else "host" if number == HOST else f"device {number}"


def _location(name: str) -> cu.CUmemLocation:
    """Where a prefetch or an advice sends memory; raises NotSupported where the device takes neither."""
    named = device.location(name)
    _supported("CONCURRENT_MANAGED_ACCESS", "takes neither prefetches nor advice: its CONCURRENT_MANAGED_ACCESS is 0")
    return named


def _supported(attribute: str, otherwise: str) -> None:
    if not device.device_attribute(attribute):
        raise NotSupported(f"this device {otherwise}")


def _advised(part: Any, verb: str, advice: str, where: str) -> None:
    if advice not in ADVICE:
        raise WrongArgument(f"no advice is called {advice!r}: there are {', '.join(ADVICE)}")
    address, nbytes = range_of(part)
    location, number = _location(where), getattr(cu.CUmem_advise, f"CU_MEM_ADVISE_{verb}_{advice.upper()}")
    with _refusals_explained(address, nbytes):
        device.advise(address, nbytes, number, location)


@contextlib.contextmanager
def _refusals_explained(address: int, nbytes: int) -> Iterator[None]:
    """Where a call about a range is refused for its range, say what is wrong with that."""
    try:
        yield
    except CudaError as error:
        if (explained := _refused(address, nbytes)) is not None:
            raise explained from error
        raise


def _refused(address: int, nbytes: int) -> Exception | None:
    """What is wrong with a range, as an exception; None where it is one of managed memory."""
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED
    _, is_managed = cu.cuPointerGetAttribute(attribute, address)
    if not is_managed:      # the same for an address that the driver does not know
        return WrongPointer(f"{address:#x} is not in managed memory, or no longer: name memory of managed.allocate, or a "
                            "`__managed__` variable")
    start, size = ask_all(cu.cuMemGetAddressRange, address)
    if address + nbytes > int(start) + size:
        return WrongSize(f"{nbytes} bytes from {address:#x} on go past the end: the allocation has "
                         f"{int(start) + size - address} from there on")
    return None
