"""Answers to the exercises of this lesson are tried here, in the sandbox, with memory made for them. No address leaves it."""
import mmap

from course_lib import kernels, managed, pinned, reservation
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda

from ...exercises import host_memory
from ...exercises.exercise import Case
from ...exercises.values import settled

OWN_PAGES = 2 << 20     # bytes: an allocation as large shares no page with another
PLACES = {"D": "device", "H": "host"}
VARIABLES = ("__managed__ int shared = 1; __device__ int on_device = 2; "
             "__global__ void use() { shared = on_device; }")


# last_places ----------------------------------------------------------------------------------------------------------

def last_places(answer, pages, first_page):
    """Ask for the places of some pages of an allocation, from page `first_page` on. `pages` has a letter for each: D for the
    device, H for the host, and a dot for one that was never prefetched. The pages around them are prefetched elsewhere."""
    current_context()
    with managed.allocate(OWN_PAGES) as memory:
        start = memory.address + first_page * managed.PAGE
        for number, letter in enumerate(pages):
            if letter in PLACES:
                managed.prefetch((start + number * managed.PAGE, managed.PAGE), to=PLACES[letter])
        cuda.Context.synchronize()
        return settled(answer(start, len(pages)))      # what is read later, is read when the memory is gone


# advise_table ---------------------------------------------------------------------------------------------------------

def advise_table(answer, offset, nbytes):
    """Let `answer` advise a table at `offset` in an allocation; returns the numbers of the pages that are read mostly.

    The pages up to two behind the table are asked: all 512 would take most of the time, and tell no more.
    """
    current_context()
    with managed.allocate(OWN_PAGES) as memory:
        answer(memory.address + offset, nbytes)
        by_page = managed.facts((memory.address, min(offset + nbytes + 2 * managed.PAGE, OWN_PAGES)))
    if any(attributes.preferred_location or attributes.accessed_by or attributes.last_prefetch for attributes in by_page):
        return "other advice was given, or a prefetch"
    return [page for page, attributes in enumerate(by_page) if attributes.read_mostly]


# host_may_touch -------------------------------------------------------------------------------------------------------

def kinds_of_memory(stack):
    """A Case for each kind of memory and each state: may the host use it now?"""
    current_context()
    code = stack.enter_context(kernels.compile(VARIABLES))
    moving, host = stack.enter_context(managed.allocate(1000)), stack.enter_context(pinned.allocate(1000))
    registered = stack.enter_context(pinned.register(np.frombuffer(mmap.mmap(-1, 4096), np.uint8)))
    on_device = cuda.mem_alloc(1000)
    addresses = stack.enter_context(reservation.reserve(reservation.granularity()))
    addresses.map(stack.enter_context(reservation.create(reservation.granularity()))).set_access("readwrite")
    kinds = [
        ("managed memory", moving.address, True, True, True, False),
        ("managed memory", moving.address, True, False, False, False),
        ("device memory", int(on_device), False, True, False, False),
        ("managed memory", moving.address, False, False, True, True),
        ("managed memory", moving.address, False, True, True, True),
        ("the last byte of managed memory", moving.address + 999, True, False, False, True),
        ("a `__managed__` variable", code.variable("shared")[0], True, False, False, True),
        ("a `__managed__` variable", code.variable("shared")[0], True, True, True, True),
        ("a `__device__` variable", code.variable("on_device")[0], False, True, False, True),
        ("pinned memory", host.host_address, False, True, True, True),
        ("pinned memory", host.host_address + 5, True, False, True, True),
        ("registered memory", registered.host_address, True, False, True, True),
        ("device memory", int(on_device), True, False, False, True),
        ("memory mapped at a reserved address, on the device,", addresses.start, False, True, False, True)]
    if (on_host := host_memory.for_the_device_alone(stack)) is not None:
        kinds.append(("memory on the host that only the device may use,", on_host, False, True, False, True))
    for description, address, runs, concurrent, expected, hidden in kinds:
        state = (f"{'while a kernel runs' if runs else 'while no kernel runs'}, "
                 f"on a device that is {'' if concurrent else 'not '}concurrent")
        yield Case(f"{description} {state}", (address, runs, concurrent), expected, hidden,
                   f"host_may_touch(address of {description.rstrip(',')}, {runs}, {concurrent})")
    stack.push(lambda *_, references=on_device: None)    # it lives as long as the cases
