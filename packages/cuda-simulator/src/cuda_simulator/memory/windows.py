"""Two stretches of the process's address space, and what is free in them.

- the *device window*: the addresses that `cuMemAlloc`, `cuMemAddressReserve` and the rest hand out. Its pages are
  closed, so that host code which follows a device address ends in a segmentation fault, as it does with a GPU, and
  so that no device address can ever equal a host address;
- the *backing*: open pages, nowhere else known, that hold what is "in device memory". They cost memory when they are
  touched, so 100 GiB can be allocated on a small machine. What is shared with other processes is moved to a memory file,
  which is then mapped at the same place; what they share is mapped like it.

Not here: what lies at which address (allocations.py).
"""
import os

from ..libcuda import process_memory
from ..libcuda.process_memory import round_up
from ..libcuda.results import CallError, Result
from . import memory_files
from .ranges import Gaps

TiB = 1 << 40
GRANULARITY = 2 << 20        # of physical memory and of reservations on an H200
DEVICE_ALIGNMENT = 512       # of cuMemAlloc on an H200
DEVICE_WINDOW, BACKING_WINDOW = 32 * TiB, 4 * TiB


class Window:
    """Address space from which ranges are cut."""

    def __init__(self, largest, readable):
        # A limit on address space (ulimit -v) refuses the full size; smaller ones do for most programs.
        for size in (largest >> shift for shift in range(15)):
            try:
                base = process_memory.reserve(size + GRANULARITY, readable)
            except MemoryError:
                continue
            self.size = size
            self.start = round_up(base, GRANULARITY)
            self.end = self.start + size
            self.gaps = Gaps(self.start, self.end)
            return
        raise CallError(Result.OUT_OF_MEMORY, "this process may not reserve address space")

    def __contains__(self, address):
        return self.start <= address < self.end


class Backing(Window):
    """Where the bytes of device memory are. Counts what is touched, so that the machine never runs out."""

    RESERVE = 256 << 20    # always left to the rest of the machine

    def __init__(self):
        super().__init__(BACKING_WINDOW, readable=True)
        self._touched = bytearray((self.end - self.start) // GRANULARITY)
        self._of_files = {}    # start of what is mapped from a memory file -> (its end, the file)

    def take(self, size):
        """Bytes for `size` bytes of device memory, in whole granules."""
        start = self.gaps.take(round_up(size, GRANULARITY), GRANULARITY)
        if start is None:
            raise CallError(Result.OUT_OF_MEMORY, "no address space left to hold device memory")
        return start

    def empty(self, start, size):
        """Give pages back to the operating system, and keep the place."""
        process_memory.discard(start, size)
        self._touched[self._chunk(start):self._chunk(start + size)] = bytes(size // GRANULARITY)

    def give(self, start, size):
        """Release bytes; their pages go back to the operating system."""
        size = round_up(size, GRANULARITY)
        if start in self._of_files:
            self._of_files.pop(start)[1].close()
            process_memory.renew_pages(start, size)
        else:
            process_memory.discard(start, size)
        self._touched[self._chunk(start):self._chunk(start + size)] = bytes(size // GRANULARITY)
        self.gaps.give(start, size)

    def take_file(self, file, size, offset=0):
        """Take bytes that show a piece of a memory file."""
        start = self.take(size)
        self._map(file, start, size, offset)
        return start

    def move_to_file(self, start, size, name):
        """Put bytes into a new memory file, which shows them at the same place. Nobody may use them meanwhile (moving.py)."""
        file = memory_files.create(name, size)
        for at in range(start, start + size, GRANULARITY):
            if self._touched[self._chunk(at)]:
                os.pwrite(file.descriptor, process_memory.read(at, GRANULARITY), at - start)
                process_memory.discard(at, GRANULARITY)    # piece by piece: never twice the memory
        self._map(file, start, size)
        return file

    def _map(self, file, start, size, offset=0):
        ours = file.another()    # who opened the file may close it as soon as it is mapped
        process_memory.map_file(file.descriptor, size, start, offset)
        process_memory.not_for_children(start, size)
        self._of_files[start] = start + size, ours

    def file_at(self, place):
        """The memory file with the byte at a place of this process; None for what no other process has."""
        return next((file for start, (end, file) in list(self._of_files.items()) if start <= place < end), None)

    def _chunk(self, address):
        return (address - self.start) // GRANULARITY

    def touch(self, start, size):
        """Before bytes are written: OUT_OF_MEMORY rather than a killed process where the machine has no room."""
        if size and self.start <= start < self.end:
            self.touch_chunks(range(self._chunk(start), self._chunk(start + size - 1) + 1))

    def touch_chunks(self, chunks):
        """The same for numbered chunks of 2 MiB."""
        new_chunks = [chunk for chunk in chunks if not self._touched[chunk]]
        if new_chunks:
            if len(new_chunks) * GRANULARITY + self.RESERVE > process_memory.available():
                raise CallError(Result.OUT_OF_MEMORY, f"this machine has no room for {len(new_chunks) * GRANULARITY} more "
                                "bytes of simulated device memory")
            for chunk in new_chunks:
                self._touched[chunk] = 1

    def untouched(self, start, size):
        """Is any 2 MiB chunk in the range not counted yet?"""
        first, end = self._chunk(start), self._chunk(start + size - 1) + 1
        return b"\0" in self._touched[first:end]


class DeviceWindow(Window):
    """The device window. In its upper half is what host and device both follow (`gaps_of_both`): as on an H200, device memory does
    not get addresses that managed memory had, nor the other way round. Behind its end page-locked memory has its addresses
    (`page_locked_gaps`): were they anywhere in the process, another thread could be given what was just freed."""

    def __init__(self):
        super().__init__(DEVICE_WINDOW, readable=False)
        reserved_end, self.end = self.end, self.end - self.size // 8
        start, middle = self._start_of_ranges(), self._start_of_ranges() + self.size // 2
        self.gaps, self.gaps_of_both = Gaps(start, middle), Gaps(middle, self.end)
        self.page_locked_gaps = Gaps(self.end, reserved_end)
        self.most = self.size // 4    # bytes of one range; a larger one has addresses of its own

    def _start_of_ranges(self):
        """Where the first range begins: far from where the lower half of an address could be one of shared memory's, which a kernel
        that takes the one for the other by mistake would follow."""
        lower = self.start % (4 << 30)
        far = 64 << 20 <= lower < 3 << 30
        return self.start if far or self.size < 64 << 30 else self.start + (2 << 30)


window, backing = DeviceWindow(), Backing()    # of this process


def take_addresses(size, alignment=DEVICE_ALIGNMENT, slack=0, gaps=window.gaps):
    """Addresses of the device window; what was given back is taken again where it is larger by no more than `slack` bytes."""
    start = gaps.take(size, alignment, slack)
    if start is None:
        raise CallError(Result.OUT_OF_MEMORY, "no device addresses left")
    return start
