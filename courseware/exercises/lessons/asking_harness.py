"""The answers of asking.py are tried here, in the sandbox, with memory that is made for them. No address leaves it."""
import itertools
import mmap
from collections.abc import Iterator

from course_lib import kernels, pinned, reservation
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ..exercise import Case
from ..values import Told
from . import host_memory

READ = "__global__ void read(const int *from, int *to) { *to = *from; }"
SECRET_BYTES, SMALL, PAGE, FAR = 1000, 4, 4096, 1 << 20


# spy ------------------------------------------------------------------------------------------------------------------

def spy(answer, secret, neighbours):
    """Hand `answer` two functions, and say what its number is: the secret, or something else."""
    current_context()
    kept = [cuda.mem_alloc(size) for size in ([SECRET_BYTES, SMALL] * neighbours)[:-1]]
    for small in kept[1::2]:        # gaps that are too small for the secret: a smaller allocation may go there
        small.free()
    read, found = kernels.compile(READ).read, cuda.mem_alloc(4 << 20)       # found has a piece of memory of its own
    made, early = [], []

    def make_secret():
        made.append(cuda.to_device(np.full(SECRET_BYTES // 4, secret, np.int32)))

    def look(address):
        if not made:        # nothing is there perhaps, and a kernel that reads there breaks the context
            early.append(address)
            return 0
        read(1, 1, int(address), found)
        return int(cuda.from_device(found, 1, np.int32)[0])
    got = answer(make_secret, look)
    if not made:
        return "nobody made a secret"
    del kept
    if early and got != secret:
        return "looked before there was a secret"
    return "the secret" if isinstance(got, (int, np.integer)) and got == secret else "another number" if isinstance(got, (int, np.integer)) else got


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
        places = tuple(_place(one, start) for one in found[:10])
        return Told("the edge of other memory, beyond the gap") if _beyond(places, nbytes) else places


def _beyond(found, nbytes):
    """Is one of the two edges in the memory of a neighbour? It has edges of its own, beyond the gap."""
    return len(found) == 2 and all(isinstance(one, int) for one in found) and (found[0] < -1 or found[1] > nbytes)


def _place(address, start):
    if not isinstance(address, (int, np.integer)):
        return address
    return int(address) - start if abs(int(address) - start) < FAR else "far from there"


# register_anyway ------------------------------------------------------------------------------------------------------

def register_anyway(answer, stale):
    """Pages 2 to 4 of eight are to be registered. `stale` are (first page, pages) that were registered before, and of which
    nobody knows any more."""
    current_context()
    pages = np.frombuffer(mmap.mmap(-1, 8 * PAGE), np.uint8)
    start = pages.ctypes.data
    for first, count in stale:
        cu.cuMemHostRegister(start + first * PAGE, count * PAGE, 0)
    try:
        answer(start + 2 * PAGE, 3 * PAGE)
        for first, count in stale:
            beside = first >= 5 or first + count <= 2
            if beside and int(cu.cuMemHostGetFlags(start + first * PAGE)[0]):
                return "a registration beside these pages is gone as well"
        return _registered(start, stale)
    finally:
        for page in range(8):
            cu.cuMemHostUnregister(start + page * PAGE)


def _registered(start, stale):
    """What is registered of the pages 2 to 4, in words."""
    attribute = cu.CUpointer_attribute
    ranges = set()
    for page in range(2, 5):
        error, first = cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, start + page * PAGE)
        if int(error):
            return "some of the pages are not registered"
        ranges.add((int(first) - start, int(cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE, start + page * PAGE)[1])))
    if ranges == {(2 * PAGE, 3 * PAGE)}:
        return "registered, as one range"
    old = ranges & {(first * PAGE, count * PAGE) for first, count in stale}
    return "registered, but by the old registration" if old else "registered, but not as one range of this length"
