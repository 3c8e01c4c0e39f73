"""Answers to the exercises of this lesson are tried here, in the sandbox, with memory made for them. No address leaves it."""
import mmap

from course_lib import pinned, reservation
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda

from ...exercises import host_memory
from ...exercises.exercise import Case

PAGE = 4096


def is_pinned(answer, address, registration=None):
    """What an answer says of an address. registration: it is asked while this lasts as well, and what it says then is not looked at"""
    if registration is not None:
        answer(address)
        registration.release()
    return answer(address)


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
    for description, address, expected, hidden in (
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
        yield Case(description, (address,), expected, hidden, f"is_pinned(address of {description})")
    until_now = np.frombuffer(mmap.mmap(-1, PAGE), np.uint8)
    yield Case("memory that was registered when it was asked about before", (until_now.ctypes.data, pinned.register(until_now)), False,
               True, "is_pinned(address), then cuMemHostUnregister(address), and again is_pinned(address)")
    if (on_host := host_memory.for_the_device_alone(stack)) is not None:
        yield Case("memory on the host that only the device may use", (on_host,), True, True,
                   "is_pinned(address of memory created on the host)")
    stack.push(lambda *_, references=(on_device, pageable, managed, once, until_now): None)    # they live as long as the cases
