"""`host_pointer_for` is asked about memory of every kind here, in the sandbox; and scripts are run with the learner's `Book`.

What comes out is a word for each answer, never an address of the driver's.
"""
import mmap

from course_lib import kernel_heap, pinned, reservation
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda

from ...exercises import host_memory
from ...exercises.exercise import Case
from ...exercises.values import Label, same

SAME, HOST, NONE, UNKNOWN = Label("the same address"), Label("the host's address of the byte"), "no host pointer", "unknown"


def host_pointer(answer, address, host=None):
    """The `run`: text as it is, a number as what it stands for."""
    got = answer(address)
    if isinstance(got, (int, np.integer)) and not isinstance(got, bool):
        if host is not None and same(got, host):
            return HOST
        if same(got, address):
            return SAME
        return Label(f"the number {got}" if 0 <= got < 4096 else "another number")
    return got


def cases(stack):
    """Memory of every kind, one Case for each. It goes back with the stack."""
    current_context()
    size = reservation.granularity()
    host, on_device, pageable = stack.enter_context(pinned.allocate(64)), cuda.mem_alloc(64), np.zeros(64, np.uint8)
    registered = stack.enter_context(pinned.register(np.frombuffer(mmap.mmap(-1, 4096), np.uint8)))
    managed = cuda.managed_empty(64, np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL)
    addresses = stack.enter_context(reservation.reserve(2 * size))
    addresses.map(stack.enter_context(reservation.create(size))).set_access("readwrite")
    heap = stack.enter_context(kernel_heap.allocate(64))
    for_the_device = host_memory.for_the_device_alone(stack)
    for description, address, expected, hidden in (
            ("pinned memory", host.host_address, SAME, False),
            ("device memory", int(on_device), NONE, False),
            ("the null pointer", 0, UNKNOWN, False),
            ("an address inside pinned memory", host.host_address + 33, SAME, True),
            ("registered memory", registered.host_address + 7, SAME, True),
            ("registered memory, by the device's address", (registered.device_address + 7, registered.host_address + 7), HOST, True),
            ("managed memory", managed.ctypes.data, SAME, True),
            ("pageable memory", pageable.ctypes.data, UNKNOWN, True),
            ("memory mapped at a reserved address", addresses.start + 5, NONE, True),
            ("memory mapped on the host, for the device alone", for_the_device, NONE, True),
            ("reserved addresses with nothing mapped", addresses.start + size, UNKNOWN, True),
            ("the heap of kernels", heap.addresses[0], UNKNOWN, True)):
        if address is not None:
            yield Case(description, address if isinstance(address, tuple) else (address,), expected, hidden,
                       f"host_pointer_for({description})" if "address" in description else f"host_pointer_for(address of {description})")
    stack.push(lambda *_, references=(on_device, pageable, managed): None)    # they live as long as the cases


# address-book ---------------------------------------------------------------------------------------------------------

def case(description, script, expected, hidden=True):
    """A Case that runs a script; what it gives is the value of its last line."""
    return Case(description, (script,), expected, hidden, script.strip())


def run_script(answer, script):
    """Run the lines with the learner's Book; the value of the last one."""
    *lines, question = script.strip().splitlines()
    names = {"Book": answer, "book": answer()}
    exec("\n".join(lines), names)
    return eval(question, names)


def random_script(source):
    """Views of up to three memories, one of which may be freed, and one question. What is asked for is never in two
    other views: the statement says nothing about which of them to take."""
    lines, views = [], []
    for place in range(source.randint(1, 4)):
        memory = source.choice("abc")
        host, device = (source.choice([base + 100 * place, base + 100 * place, None]) for base in (1000, 5000))
        for side, address in enumerate((host, device)):
            if address is not None and any(view[2] == memory and view[side] is not None for view in views):
                host, device = (None, device) if side == 0 else (host, None)
        views.append((host, device, memory))
        lines.append(f"view{place} = book.add({host}, {device}, 64, {memory!r})")
    if len(views) > 1 and source.random() < 0.4:
        lines.append(f"book.free(view{source.randrange(len(views))})")
    side = source.randrange(2)
    start = (1000, 5000)[side] + 100 * source.randrange(len(views))
    lines.append(f"book.{('to_device', 'to_host')[side]}({start + source.choice([0, 1, 40, 63, 64, -1])})")
    return case("", "\n".join(lines), None)
