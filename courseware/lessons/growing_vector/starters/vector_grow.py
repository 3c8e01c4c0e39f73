from course_lib import reservation
from course_lib.core.errors import ask      # ask(call, *arguments): its result, or an exception
from cuda.bindings import driver as cu

# Lesson 09's calls, in order, and helpers for the numbers:
#   ask(cu.cuMemAddressReserve, nbytes, 0, 0, 0)            returns the first address
#   ask(cu.cuMemCreate, nbytes, where, 0)                   returns a handle
#   ask(cu.cuMemMap, address, nbytes, 0, handle, 0)
#   ask(cu.cuMemSetAccess, address, nbytes, [access], 1)
#   ask(cu.cuMemRelease, handle)
#   where, access = reservation.on_the_device()
#   reservation.round_up(nbytes)                            the next multiple of the granularity

class Vector:
    """Device memory that grows in place: it has an address, reserved, and nbytes."""

    def __init__(self, capacity):
        ...         # about three lines

    def grow_to(self, nbytes):
        ...         # about ten lines
