"""Answers to the exercises of this lesson are tried here, in the sandbox, with memory made for them. No address leaves it."""
import itertools
import mmap
from collections.abc import Iterator

from course_lib import pinned, reservation
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda

from ...exercises import host_memory
from ...exercises.exercise import Case
from ...exercises.values import Told

PAGE, FAR = 4096, 1 << 20


# is_pinned ------------------------------------------------------------------------------------------------------------

def kinds_of_memory(stack):
    """A Case for memory of each kind: is it page-locked host memory?"""
    current_context()
    size = reservation.granularity()
    host, on_device, pageable = stack.enter_context(pinned.allocate(1000)), cuda.mem_alloc(1000), np.zeros(1000, np.uint8)
    registered = stack.enter_context(pinned.register(np.frombuffer(mmap.mmap(-1, PAGE), np.uint8)))
    once = np.frombuffer(mmap.mmap(-1, PAGE), np.uint8)
    pinned.register(once).release()
    managed = cuda.managed_empty(1000, np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL)
    addresses = stack.enter_context(reservation.reserve(size))
    addresses.map(stack.enter_context(reservation.create(size))).set_access("readwrite")
    if (on_host := host_memory.for_the_device_alone(stack)) is not None:
        yield Case("memory on the host that only the device may use", (on_host,), True, True,
                   "is_pinned(address of memory created on the host)")
    for what, address, expected, hidden in (
            ("pinned memory", host.host_address, True, False), ("device memory", int(on_device), False, False),
            ("pageable memory", pageable.ctypes.data, False, False),
            ("a byte within pinned memory", host.host_address + 333, True, True),
            ("the last byte of pinned memory", host.host_address + 999, True, True),
            ("the byte behind pinned memory", host.host_address + 1000, False, True),
            ("registered memory", registered.host_address, True, True),
            ("a byte within registered memory", registered.host_address + 77, True, True),
            ("memory that was registered once", once.ctypes.data, False, True),
            ("managed memory", managed.ctypes.data, False, True),
            ("memory mapped at a reserved address", addresses.start, False, True), ("the null pointer", 0, False, True)):
        yield Case(what, (address,), expected, hidden, f"is_pinned(address of {what})")
    stack.push(lambda *_, kept=(on_device, pageable, managed, once): None)      # they live as long as the cases


# edges ----------------------------------------------------------------------------------------------------------------

def edges(answer, nbytes, at):
    """Ask for the edges of pinned memory of `nbytes` with neighbours; returns where they are, from its start."""
    current_context()
    before, memory, behind = (pinned.allocate(size) for size in (700, nbytes, 300))
    with before, memory, behind:
        found = answer(memory.host_address + at)
        start = memory.host_address
        if isinstance(found, Iterator):
            return (_place(one, start) for one in itertools.islice(found, 10))      # read once only, and told so
        if not isinstance(found, (tuple, list, np.ndarray)):
            return _place(found, start)
        if len(found) and all(isinstance(one, (int, np.integer)) and abs(int(one)) < FAR for one in found[:10]):
            return Told("distances or lengths, and no addresses")
        places = tuple(_place(one, start) for one in found[:10])
        return Told("the edge of other memory, beyond the gap") if _beyond(places, nbytes) else places


def _beyond(found, nbytes):
    """Is one of the two edges in the memory of a neighbour? It has edges of its own, beyond the gap."""
    return len(found) == 2 and all(isinstance(one, int) for one in found) and (found[0] < -1 or found[1] > nbytes)


def _place(address, start):
    if not isinstance(address, (int, np.integer)):
        return address
    return int(address) - start if abs(int(address) - start) < FAR else "far from there"
