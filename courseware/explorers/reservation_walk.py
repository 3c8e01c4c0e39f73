"""A virtual reservation on its way through its eight steps, and what can be tried after each of them.

The explorer `reservation_steps` shows it. Every step and every attempt is a real call. Not here: the helpers that make
the steps (course_lib/reservation/).
"""
import contextlib

from course_lib import reservation
from course_lib.core.errors import do
from course_lib.pointers import host_pointer_for
from course_lib.reservation.physical import location

import numpy as np
from cuda.bindings import driver as cu

from .. import memory_map
from .host_reads import host_reads

# name -> (CUDA's call, what it comes to)
STEPS = {
    "start": ("", "There is no address, and no memory."),
    "reserve": ("cuMemAddressReserve(&address, size, 0, 0, 0)", "There are addresses, and nothing behind them."),
    "create": ("cuMemCreate(&memory, size, &where, 0)", "There is memory too, and no address points to it."),
    "map": ("cuMemMap(address, size, 0, memory, 0)", "The address points to the memory, but nobody may use it yet."),
    "set access": ("cuMemSetAccess(address, size, &read_and_write, 1)", "The memory can be used."),
    "write": ("cuMemcpyHtoD(address, data, 4)", "The memory holds the number 42."),
    "unmap": ("cuMemUnmap(address, size)", "The memory still holds the number, and no address points to it."),
    "release": ("cuMemRelease(memory)", "The memory is gone; the addresses are still reserved."),
    "free": ("cuMemAddressFree(address, size)", "The addresses are gone too, and may be given out again."),
}
NUMBER = 42


class Walk:
    """One reservation. A method for each step, to be called in the order of STEPS; `close` undoes what is left."""

    def __init__(self, where):
        """where: of the memory, "device" or "host"."""
        self.where, self.size = where, reservation.granularity(where)
        self.addresses = self.memory = self.mapping = None
        self.address = self.handle = 0      # as numbers, which outlive what they stood for
        self._open = contextlib.ExitStack()

    def go_to(self, step):
        """Take all steps up to the one named."""
        for name in list(STEPS)[1:list(STEPS).index(step) + 1]:
            getattr(self, name.replace(" ", "_"))()

    def reserve(self):
        """Reserve addresses. (cuMemAddressReserve)"""
        self.addresses = self._open.enter_context(reservation.reserve(self.size))
        self.address = self.addresses.start

    def create(self):
        """Create memory. (cuMemCreate)"""
        self.memory = self._open.enter_context(reservation.create(self.size, self.where))
        self.handle = self.memory.handle

    def map(self):
        """Map the memory at the addresses. (cuMemMap)"""
        self.mapping = self.addresses.map(self.memory)

    def set_access(self):
        """Let the device use it there; memory on the host also the host. (cuMemSetAccess)"""
        for who in {"device", self.where}:
            self.mapping.set_access("readwrite", who)

    def write(self):
        """Copy a number into it. (cuMemcpyHtoD)"""
        do(cu.cuMemcpyHtoD, self.address, np.array([NUMBER], np.int32), 4)

    def unmap(self):
        """Take the memory from the addresses. (cuMemUnmap)"""
        self.mapping.unmap()
        self.mapping = None

    def release(self):
        """Release the memory. (cuMemRelease)"""
        self.memory.release()

    def free(self):
        """Give the addresses back. (cuMemAddressFree)"""
        self.addresses.free()

    def close(self):
        """Undo what is left of the steps, in the right order."""
        self._open.close()

    def picture(self):
        """The picture of a memory map of what there is, as HTML."""
        made = {"addresses": self.addresses, "memory": self.memory}
        there_is = {name: thing for name, thing in made.items() if thing}
        if not there_is:
            return ("<div style='border:1px dashed; border-radius:6px; max-width:800px; padding:60px 0; text-align:center'>"
                    "no address, no memory</div>")
        return memory_map.look(**there_is).picture

    # What can be tried ----------------------------------------------------------------------------------------------

    def attempts(self, step):
        """(what is tried, what happens) pairs, for the state after `step`. They change nothing."""
        if step == "start":
            return
        readable = host_reads(self.address)
        yield "the host reads the address", "works" if readable else "segmentation fault"
        # Memory on the host that is mapped and accessible to nobody: there a copy in any direction is a segmentation
        # fault of an H200's driver itself. So that is told, and not tried.
        if self.where == "host" and self.mapping and not readable:
            yield "cuMemcpyDtoH from the address", "segmentation fault, in the driver"
        else:
            yield "cuMemcpyDtoH from the address", cu.cuMemcpyDtoH(bytearray(4), self.address, 4)[0].name
        # Not launched either: a kernel that fails takes the context with it.
        may = self.mapping and self.mapping.access("device")
        yield "a kernel uses the address", "works" if may else "would end in ILLEGAL_ADDRESS: it has no access"
        back = host_pointer_for(self.address)
        same = "the same address" if back == self.address else "another address"
        yield "the way back to a host pointer", same if back else f"none: {back.reason.name}"
        text, call = WRONG[step]
        yield text, call(self)[0].name


def _set_access(walk):
    descriptor = cu.CUmemAccessDesc()
    descriptor.location, descriptor.flags = location("device"), cu.CUmemAccess_flags(3)
    return cu.cuMemSetAccess(walk.address, walk.size, [descriptor], 1)


# step -> (a call out of order after it, how it is made). None that could hit somebody else's memory: addresses and
# handles that were given back may have been given out again.
WRONG = {
    "reserve": ("cuMemSetAccess, with nothing mapped", _set_access),
    "create": ("cuMemSetAccess, with nothing mapped", _set_access),
    "map": ("cuMemMap at the same address, again",
            lambda walk: cu.cuMemMap(walk.address, walk.size, 0, walk.handle, 0)),
    "set access": ("cuMemAddressFree, while it is mapped", lambda walk: cu.cuMemAddressFree(walk.address, walk.size)),
    "write": ("cuMemUnmap of the first half", lambda walk: cu.cuMemUnmap(walk.address, walk.size // 2)),
    "unmap": ("cuMemSetAccess, with nothing mapped", _set_access),
    "release": ("cuMemSetAccess, with nothing mapped", _set_access),
    "free": ("cuMemSetAccess, with nothing reserved", _set_access),
}
