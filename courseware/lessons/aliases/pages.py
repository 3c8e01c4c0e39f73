"""`all_hosts` is tried here, in the sandbox, on pages that the host sees at several addresses.

Two pages of one file are mapped five times, and of each mapping one of the two is registered. No address leaves it: a
byte is named by the view that shows it, and by its place in there.
"""
import mmap
import os

from course_lib import pinned
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda

from ...exercises.values import Label, Remark
from ...exercises.watching import watched

PAGE = mmap.PAGESIZE
ITS_OWN = "its own"
SHOWN = (0, 1, 0, 0, 1)         # which page each view shows, in order of address
GIVEN = (3, 0, 4, 2, 1)         # and the order in which the views are handed over


def all_hosts(answer, content, asked, byte, views=SHOWN):
    """(view, byte) of each address that `answer` gives, the views numbered as they are handed over.

    content: the number in each byte of the pages; None for numbers of all kinds, of which one page has the complements;
             ITS_OWN for the very number that `answer` writes first
    asked:   the view whose device address is asked about, and the byte in it; None for device memory
    views:   which page each view shows
    """
    current_context()
    file = os.memfd_create("pages")
    os.ftruncate(file, 2 * PAGE)
    maps = sorted((np.frombuffer(mmap.mmap(file, 2 * PAGE), np.uint8) for _ in views), key=lambda pages: pages.ctypes.data)
    os.close(file)
    numbers = np.random.default_rng(1).integers(0, 256, PAGE, np.uint8)
    maps[0][:] = [*numbers, *~numbers] if content is None else 0 if content == ITS_OWN else content
    before = maps[0].copy()
    registered = [pinned.register(pages[page * PAGE:][:PAGE]) for pages, page in zip(maps, views)]
    on_device = cuda.to_device(np.zeros(PAGE, np.uint8))
    try:
        given = [registered[number] for number in GIVEN if number < len(views)]
        start = int(on_device) if asked is None else given[asked].device_address
        with watched(answer, cuda, "memset_d8") as fills:
            arrays = [view.array for view in given]
            got = answer(arrays, start + byte)
            if len(arrays) != len(given):
                return Remark("the list of views is another one afterwards")
            if content == ITS_OWN and (maps[0] == before).all():
                maps[0][:] = before[:] = fills[0][1][1] if fills else 1
                got = answer([view.array for view in given], start + byte)
        if (maps[0] != before).any():
            return Remark("the pages hold other numbers now")
        if cuda.from_device(on_device, PAGE, np.uint8).any():
            return Remark("the device memory holds another number now")
        if not isinstance(got, (list, tuple, set, np.ndarray)):
            return _named(got, given, start)
        named = [_named(address, given, start) for address in got]
        return named if isinstance(got, list) else set(named) if isinstance(got, set) else tuple(named)
    finally:
        for memory in registered:
            memory.release()


def _named(address, given, start):
    if not isinstance(address, (int, np.integer)):
        return address
    for number, view in enumerate(given):
        if view.host_address <= int(address) < view.host_address + PAGE:
            return Label(f"byte {int(address) - view.host_address} of views[{number}]")
    if 0 <= int(address) < PAGE:
        return Label(f"the number {int(address)}")
    return Label("the device's address" if start <= int(address) < start + PAGE else "another number")


def expected(asked, byte, views=SHOWN):
    """What is right: every view of the page that view `asked` shows, in order of address."""
    handed = [number for number in GIVEN if number < len(views)]
    page = None if asked is None else views[handed[asked]]
    return [Label(f"byte {byte} of views[{handed.index(number)}]") for number, shown in enumerate(views) if shown == page]
