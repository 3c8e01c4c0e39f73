"""A buffer on the device that grows in place: its address stays, and nothing is copied.

It reserves addresses for the most that it may ever hold, which costs nothing, and maps memory there
as it grows.

    >>> from course_lib import reservation
    >>> size = reservation.granularity()
    >>> with reservation.GrowingBuffer(most=16 * size) as buffer:
    ...     buffer.grow(size)
    ...     address = buffer.device_address
    ...     buffer.grow(2 * size)
    ...     buffer.nbytes == 3 * size, buffer.device_address == address
    (True, True)

cuMemAlloc memory cannot do that: more of it is another allocation at another address, and a copy.
Not here: the steps themselves (addresses.py, physical.py, mapping.py).
"""
from ..core.device_memory import DeviceMemory
from ..core.errors import WrongOrder, WrongSize
from ..core.ownership import Resource
from .addresses import Addresses, reserve
from .mapping import finish_work
from .physical import create, whole


class GrowingBuffer(DeviceMemory, Resource):
    """Device memory at one address, of a size that changes."""

    def __init__(self, most: int) -> None:
        """most: the largest size, in bytes, a multiple of the granularity (`reservation.round_up`
        finds it)"""
        super().__init__()
        whole(most, "GrowingBuffer")
        self._addresses = reserve(most)
        self._hold(_release, self._addresses)

    @property
    def device_address(self) -> int:
        """Where the buffer begins: the same address, whatever its size."""
        self._require()
        return self._addresses.start

    def get_pointer(self) -> int:
        if not self.nbytes:
            raise WrongOrder("the buffer is empty, so no kernel may use it: grow() first")
        return self.device_address

    @property
    def nbytes(self) -> int:
        """How large it is now, in bytes."""
        self._require()
        return sum(mapping.nbytes for mapping in self._addresses.mappings)

    @property
    def most(self) -> int:
        """How large it can become, in bytes."""
        return self._addresses.nbytes

    def grow(self, nbytes: int) -> None:
        """Add `nbytes` bytes at the end, a multiple of the granularity. The content so far stays
        where it is.

        Raises WrongSize for other sizes and beyond `most`, MemoryError where the device has not as
        much. The buffer is then as it was. CUDA calls: cuMemCreate, cuMemMap, cuMemSetAccess.
        """
        mapped = self.nbytes
        whole(nbytes, "grow")
        if nbytes > self.most - mapped:
            raise WrongSize(f"{mapped} bytes and {nbytes} more are too many for the {self.most} reserved: at most "
                            f"{self.most - mapped} can be added, and `most` is chosen when the buffer is made")
        finish_work()       # if a kernel has broken CUDA for this process, this says so, while there is nothing to undo
        # Released at once: from now on the mapping alone keeps the memory alive.
        with create(nbytes) as memory:
            mapping = self._addresses.map(memory, mapped)
            try:
                mapping.set_access("readwrite")
            except BaseException:
                mapping.unmap()
                raise

    def shrink(self) -> None:
        """Give the part back that the last `grow` added, and its content with it. (cuMemUnmap)

        Raises WrongOrder where nothing was added.
        """
        if not self.nbytes:
            raise WrongOrder("the buffer is empty: grow() first")
        self._addresses.mappings[-1].unmap()

    def _name(self) -> str:
        return "growing buffer"

    def __repr__(self) -> str:
        if self.released:
            return "<growing buffer, released>"
        return f"<growing buffer of {self.nbytes} bytes, at most {self.most}>"


def _release(addresses: Addresses) -> None:
    if not addresses.released:
        addresses.release()
