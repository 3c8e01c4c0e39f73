"""A kind of memory that several exercises try: physical memory on the host, mapped for the device alone."""
from course_lib import reservation
from course_lib.core.errors import NotSupported


def for_the_device_alone(stack):
    """An address of memory that is on the host and has no host pointer; None where the driver has no such memory.

    stack: a contextlib.ExitStack, which gives it back
    """
    try:
        memory = stack.enter_context(reservation.create(reservation.granularity("host"), "host"))
    except NotSupported:
        return None
    addresses = stack.enter_context(reservation.reserve(memory.nbytes))
    addresses.map(memory).set_access("readwrite", "device")
    return addresses.start
