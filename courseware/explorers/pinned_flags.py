"""Explorer of the flags of pinned memory: what was asked for, and what the driver makes of it.

    >>> from courseware import explorers
    >>> explorers.pinned_flags("portable", "writecombined")
    cuMemHostAlloc of 4 MiB with the flags portable, writecombined answers CUDA_SUCCESS.
    flag           asked  reported
    portable       yes    yes
    devicemap      no     yes
    writecombined  yes    yes
    The host's and the device's address are equal.

Each answer comes from real calls; what they allocate or register is given back before the answer is shown. Not here:
pinned memory to work with (course_lib/pinned.py).
"""
import mmap

from course_lib.core.errors import WrongArgument
from course_lib.core.ownership import current_context
from course_lib.pinned import ALLOCATE_FLAGS, REGISTER_FLAGS

import ipywidgets as widgets
import numpy as np
from cuda.bindings import driver as cu

from ..notebook.controls import choice
from .panel import Answer, Panel

CALLS = {"allocate": ("cuMemHostAlloc", ALLOCATE_FLAGS), "register": ("cuMemHostRegister", REGISTER_FLAGS)}
SIZES = {"4 KiB": 4 << 10, "4 MiB": 4 << 20}
# What `register` may be tried on.
PAGES = ORDINARY, REGISTERED, READ_ONLY = (
    "a NumPy array", "an array that is registered already", "pages that cannot be written")


def pinned_flags(*flags, how="allocate", size="4 MiB", pages=ORDINARY):
    """The explorer, a widget; with flags or other arguments the answer to them at once, without a widget.

    flags: names; for ``allocate`` of portable, devicemap, writecombined; for ``register`` of portable, devicemap,
           iomemory, read_only. ``pinned_flags("")`` asks for none
    how:   "allocate" (cuMemHostAlloc) or "register" (cuMemHostRegister)
    size:  "4 KiB" or "4 MiB"
    pages: what is registered: one of PAGES

    Raises WrongArgument for any other word, WrongContext where there is no context.
    CUDA calls: the two named, cuMemHostGetDevicePointer, cuMemHostGetFlags, and cuMemFreeHost or cuMemHostUnregister
    (CUDA Driver API, Memory Management).
    """
    if not flags and (how, size, pages) == ("allocate", "4 MiB", ORDINARY):
        return _panel()
    for word, known in ((how, CALLS), (size, SIZES), (pages, PAGES)):
        if not isinstance(word, str) or word not in known:
            raise WrongArgument(f"{word!r} is not one of: {', '.join(known)}")
    asked = [flag for flag in flags if flag]
    for flag in asked:
        if not isinstance(flag, str) or flag not in CALLS[how][1]:
            raise WrongArgument(f"{CALLS[how][0]} has no flag {flag!r}: there are {', '.join(CALLS[how][1])}")
    current_context()
    return _try(how, asked, size, pages)


def _try(how, asked, size, pages):
    """Make the call, look at what came of it, undo it; returns the Answer."""
    call, names = CALLS[how]
    bits = sum({names[flag] for flag in asked})
    called = f"{call} of {size} with {'the flags ' + ', '.join(asked) if asked else 'no flags'}"
    if how == "allocate":
        status, address = cu.cuMemHostAlloc(SIZES[size], bits)
        undo = cu.cuMemFreeHost
    else:
        memory = _memory(SIZES[size], pages)
        address, undo = memory.ctypes.data, cu.cuMemHostUnregister
        if pages == REGISTERED:
            cu.cuMemHostRegister(address, memory.nbytes, 0)
        status, = cu.cuMemHostRegister(address, memory.nbytes, bits)
    try:
        sentence = f"{called} answers {status.name}."
        if int(status):
            return Answer(sentence, remark=_why(status.name, asked, pages))
        return _look(sentence, address, asked, names)
    finally:
        if not int(status) or pages == REGISTERED:
            undo(address)


def _memory(nbytes, pages):
    if pages == READ_ONLY:
        return np.frombuffer(mmap.mmap(-1, nbytes, prot=mmap.PROT_READ), np.uint8)
    return np.zeros(nbytes, np.uint8)


def _look(sentence, address, asked, names):
    """The Answer for page-locked memory at a host address."""
    status, device_address = cu.cuMemHostGetDevicePointer(address, 0)
    _, reported = cu.cuMemHostGetFlags(address)
    # cuMemHostGetFlags speaks of the flags of cuMemHostAlloc; register's others have no bit there.
    told = {name: _yes(reported & bit) for name, bit in ALLOCATE_FLAGS.items()}
    rows = [(name, _yes(name in asked), told.get(name, "not told")) for name in names]
    equal = not int(status) and int(device_address) == int(address)
    remark = f"The host's and the device's address are {'equal' if equal else 'different'}."
    if ("portable" in asked) != bool(reported & names["portable"]) and names is ALLOCATE_FLAGS:
        remark += " These bytes were cut from a larger piece that the driver had, and portable is that piece's flag."
    return Answer(sentence, ("flag", "asked", "reported"), tuple(rows), remark)


def _yes(value):
    return "yes" if value else "no"


def _why(name, asked, pages):
    """Why memory is not registered, as far as it is known."""
    if name == "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED":
        return "Memory is page-locked once: unregister it first, or use it as it is."
    if "iomemory" in asked:
        return "iomemory is for the address space of another PCIe device, and this is ordinary memory."
    if pages == READ_ONLY and "read_only" not in asked:
        return "Pages that the host itself may not write can be registered as read-only: ask for read_only."
    return ""


def _panel():
    chosen = choice([(f"{how} ({call})", how) for how, (call, _) in CALLS.items()], "allocate", "call")
    size, pages = choice(list(SIZES), "4 MiB", "size"), choice(PAGES, ORDINARY, "pages")
    boxes = {how: [widgets.Checkbox(description=flag, indent=False, layout={"width": "auto", "margin": "0 16px 0 2px"})
                   for flag in flags] for how, (_, flags) in CALLS.items()}
    rows = {how: widgets.HBox(boxes[how], layout={"flex_flow": "row wrap"}) for how in CALLS}

    def show_flags_of(how):
        for name, row in rows.items():
            row.layout.display = "flex" if name == how else "none"
        pages.layout.display = "flex" if how == "register" else "none"

    def ask():
        how = chosen.value
        show_flags_of(how)
        return _try(how, [box.description for box in boxes[how] if box.value], size.value, pages.value)
    return Panel([chosen, size, pages, *rows.values()], ask, 'explorers.pinned_flags("portable")')
