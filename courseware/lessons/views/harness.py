"""Answers to `two-answers` are tried here, in the sandbox, with memory made for them. No address leaves it."""
import mmap
import re

from course_lib import managed, pinned
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import runtime

from ...exercises.exercise import Case
from ...exercises.values import Label, Remark

SAME, DEVICE = Label("the same address"), Label("the device's address")
PAGE, BYTES = 4096, 1000    # no multiple of 512: behind them is a gap, for the driver aligns what it allocates


def two_answers(answer, address, device):
    """The `run`: the pair with a word for each address. device: what forward answers, None where it refuses."""
    got = answer(address)
    if isinstance(got, (tuple, list, np.ndarray)):
        return tuple(_word(value, address, device) for value in got)
    return got if got is None else Remark("one value, and no pair")


def _word(value, address, device):
    """What an element of the answer is: None and a learner's own words as they are, a number as what it stands for."""
    if isinstance(value, runtime.cudaError_t) or isinstance(value, str) and value.startswith("cudaError"):
        return Remark("an error")
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return _number(int(value), address, device)
    if isinstance(value, str):
        return Remark("a number as text") if re.fullmatch("(0x)?[0-9a-fA-F]+", value) else value
    return value if value is None else Remark("a tuple" if isinstance(value, tuple) else f"an object of type {type(value).__name__}")


def _number(number, address, device):
    if number in (address, device):
        return SAME if number == address else DEVICE
    if abs(number - address) >= PAGE:
        return Label("another number") if number else 0
    return Label("an address before it" if number < address else "an address behind it")


def kinds_of_memory(stack):
    """A Case for memory of each kind, and for bytes at and behind its edges. It goes back with the stack."""
    current_context()
    host, portable, combined = (stack.enter_context(pinned.allocate(BYTES, flags=flags)) for flags in ((), "portable", "writecombined"))
    registered = stack.enter_context(pinned.register(np.frombuffer(mmap.mmap(-1, PAGE), np.uint8)))
    on_device, array = cuda.mem_alloc(BYTES), np.zeros(BYTES, np.uint8)
    managed_address = stack.enter_context(managed.allocate(BYTES)).address
    for description, memory, offset, hidden in (
            ("pinned memory", host, 0, False), ("device memory", int(on_device), 0, False),
            ("a NumPy array's elements", array.ctypes.data, 0, True), ("a byte within pinned memory", host, 333, True),
            ("the last byte of pinned memory", host, BYTES - 1, True),
            ("the byte behind pinned memory", host.host_address + BYTES, 0, True),
            ("portable pinned memory", portable, 5, True), ("write-combined pinned memory", combined, 7, True),
            ("registered memory", registered, 0, True), ("a byte within registered memory", registered, 77, True),
            ("a byte within device memory", int(on_device), 333, True), ("the null pointer", 0, 0, True),
            ("managed memory", managed_address, 0, True), ("a byte within managed memory", managed_address, 100, True)):
        has_addresses = not isinstance(memory, int)
        address, device = (memory.host_address + offset, memory.device_address + offset) if has_addresses else (memory + offset, None)
        if runtime.cudaPointerGetAttributes(address)[1] is None:
            continue        # one of the documented systems, and no document says what back answers there
        expected = (None, SAME if memory == managed_address else None) if device is None else (SAME if device == address else DEVICE, SAME)
        yield Case(description, (address, device), expected, hidden, f"two_answers({f'address of {description}' if address else 0})")
    stack.push(lambda *_, references=(on_device, array): None)    # they live as long as the cases
