"""A piece of memory of each kind, for the length of a ``with`` block.

    >>> with buffer("write-combined", 1 << 20) as memory:
    ...     memory.on_host, memory.reached_by_kernels, memory.words.size
    (True, True, 262144)

The kinds are called as in palette.py. Managed memory is neither of those on the host nor of those on the device: where
its pages are changes with each access, and that is what is measured of it (managed_memory.py).
"""
import contextlib
import dataclasses

from course_lib import pinned, reservation
from course_lib.core.errors import NotSupported, WrongArgument
from course_lib.reservation.mapping import finish_work
from course_lib.reservation.physical import round_up

import numpy as np
import pycuda.driver as cuda

ON_HOST = ("pageable", "pinned", "write-combined", "registered", "mapped reservation, on the host")
ON_DEVICE = ("device", "mapped reservation")
PAGE = 4096


@dataclasses.dataclass
class Buffer:
    """Memory of one kind: `nbytes` from `address` on. `words` shows it to the host as uint32, None for the device's.

    Freed, it has neither.
    """

    kind: str
    nbytes: int
    address: int | None
    words: np.ndarray | None

    @property
    def on_host(self):
        """Can the host read and write it?"""
        return self.words is not None

    @property
    def reached_by_kernels(self):
        """May a kernel use its address?"""
        return self.kind != "pageable"


@contextlib.contextmanager
def buffer(kind, nbytes):
    """A Buffer of `nbytes` bytes, a multiple of 4. It is freed at the end of the block.

    Its pages are all there, except those of managed memory, which are there from the first write on.

    Raises MemoryError where there is not as much, NotSupported where the device has no such memory.
    CUDA calls: those of course_lib/pinned.py and course_lib/reservation/, cuMemAlloc, cuMemAllocManaged.
    """
    if kind not in _MAKERS:
        raise WrongArgument(f"there is no memory called {kind!r} to be measured: there is {', '.join(_MAKERS)}")
    with _MAKERS[kind](nbytes) as (address, array):
        measured = Buffer(kind, nbytes, address, None if array is None else array[:nbytes].view(np.uint32))
        del array
        try:
            yield measured
        finally:
            finish_work()
            measured.address = measured.words = None    # an array that shows the memory would keep it


@contextlib.contextmanager
def _pageable(nbytes):
    array = _pages(nbytes)
    yield array.ctypes.data, array


@contextlib.contextmanager
def _pinned(nbytes, flags=()):
    with pinned.allocate(nbytes, flags=flags) as memory:
        yield memory.device_address, memory.array


def _write_combined(nbytes):
    return _pinned(nbytes, "writecombined")


@contextlib.contextmanager
def _registered(nbytes):
    with pinned.register(_pages(nbytes)) as memory:
        yield memory.device_address, memory.array


@contextlib.contextmanager
def _mapped(nbytes, where="device"):
    whole = round_up(nbytes, where)
    with reservation.reserve(whole) as addresses, reservation.create(whole, where) as memory:
        mapping = addresses.map(memory)
        mapping.set_access("readwrite")
        if where == "host":
            mapping.set_access("readwrite", who="host")
        yield mapping.start, mapping.array() if where == "host" else None


def _mapped_on_host(nbytes):
    return _mapped(nbytes, "host")


@contextlib.contextmanager
def _managed(nbytes):
    if not cuda.Context.get_device().get_attribute(cuda.device_attribute.CONCURRENT_MANAGED_ACCESS):
        raise NotSupported("on this system the pages of managed memory do not move when they are touched "
                           "(CONCURRENT_MANAGED_ACCESS is 0)")
    array = cuda.managed_empty(nbytes, np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL)
    yield array.ctypes.data, array


@contextlib.contextmanager
def _device(nbytes):
    memory = cuda.mem_alloc(nbytes)
    try:
        yield int(memory), None
    finally:
        memory.free()


_MAKERS = {"pageable": _pageable, "pinned": _pinned, "write-combined": _write_combined, "registered": _registered,
           "mapped reservation, on the host": _mapped_on_host, "device": _device, "mapped reservation": _mapped,
           "managed": _managed}


def _pages(nbytes):
    """Pageable memory that begins at a page, all of it written once: a page is there only from then on."""
    raw = np.empty(nbytes + PAGE, np.uint8)
    array = raw[-raw.ctypes.data % PAGE:][:nbytes]
    array[:] = 0
    return array
