"""Answers to the exercises of this lesson are tried here, in the sandbox, with memory made for them. No address leaves it.

What should come is asked of the driver at hand, by calls of this module's own.
"""
import contextlib
import mmap

from course_lib import pinned
from course_lib.core.errors import do
from course_lib.core.ownership import current_context

import numpy as np
from cuda.bindings import driver as cu, runtime

from ...exercises import order
from ...exercises.exercise import Case
from ...exercises.values import Remark
from ...exercises.watching import watched

PAGE = mmap.PAGESIZE
SUCCESS = cu.CUresult.CUDA_SUCCESS
MISSING = "some of the pages are not registered"


# answer_of ------------------------------------------------------------------------------------------------------------

def ranges(stack):
    """A Case for each range that is to be registered: expected is what the driver answers here, and nothing left."""
    current_context()
    for description, registered, start, nbytes, hidden in (
            ("a range that nobody registered", ((0, 4096),), 4096, 4096, False),
            ("a range that is registered already", ((4096, 8192),), 4096, 8192, False),
            ("one byte", (), 5000, 1, True),
            ("a range that begins where another ends", ((1000, 500),), 1500, 700, True),
            ("a range that reaches into another from before", ((9000, 500),), 8000, 1001, True),
            ("a range inside another", ((0, 20000),), 4096, 4096, True),
            ("a range around two others", ((5000, 10), (9000, 10)), 4096, 8192, True),
            ("a range whose second page has a registered part", ((12000, 10),), 4096, 8192, True),
            ("a shorter range of the same start", ((4096, 8192),), 4096, 100, True),
            ("a longer range of the same start", ((4096, 100),), 4096, 8192, True),
            ("0 bytes", (), 4096, 0, True), ("0 bytes where another range begins", ((4096, 8192),), 4096, 0, True),
            ("memory that the driver allocated", None, 0, 4096, True)):
        expected = answer_of(_registered_and_undone, registered, start, nbytes)
        yield Case(description, (registered, start, nbytes), expected, hidden, f"answer_of(address, {nbytes})")


def _registered_and_undone(address, nbytes):
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error == SUCCESS:
        cu.cuMemHostUnregister(address)
    return error.name


def answer_of(answer, registered, start, nbytes):
    """What `answer` says of a range in memory of which some is `registered`; in words, what it left or took away."""
    if registered is None:
        with pinned.allocate(nbytes) as memory:
            return answer(memory.host_address, nbytes)
    pages = np.frombuffer(mmap.mmap(-1, 8 * PAGE), np.uint8)
    base = pages.ctypes.data
    for offset, size in registered:
        do(cu.cuMemHostRegister, base + offset, size, 0)
    try:
        with watched(answer, runtime, "cudaHostRegister") as by_runtime:
            got = answer(base + start, nbytes)
        if by_runtime:
            return Remark(f"{got}, and the runtime was asked, not the driver")
        if any(not _known(base + offset) or not _known(base + offset + size - 1) for offset, size in registered):
            return Remark(f"{got}, and what somebody else had registered is no longer registered")
        borders = {byte for offset, size in ((start, nbytes), *registered)
                   for byte in (offset - 1, offset, offset + size - 1, offset + size)}
        in_range = [base + byte for byte in borders if start <= byte < start + nbytes
                    and not any(offset <= byte < offset + size for offset, size in registered)]
        return Remark(f"{got}, and the range is still registered") if any(map(_known, in_range)) else got
    finally:
        for offset in {start, *(offset for offset, _ in registered)}:
            cu.cuMemHostUnregister(base + offset)


def _known(address):
    return cu.cuMemHostGetFlags(address)[0] == SUCCESS


# register_anyway ------------------------------------------------------------------------------------------------------

def register_anyway(answer, stale, pages=3):
    """So many pages from page 2 on are to be registered, of eight. `stale` are (first page, pages) that were registered before,
    and of which nobody knows any more."""
    current_context()
    memory = np.frombuffer(mmap.mmap(-1, 8 * PAGE), np.uint8)
    start = memory.ctypes.data
    for first_page, count in stale:
        cu.cuMemHostRegister(start + first_page * PAGE, count * PAGE, 0)
    try:
        with watched(answer, cu, "cuMemHostRegister") as calls:
            answer(start + 2 * PAGE, pages * PAGE)
        for first_page, count in stale:
            beside = first_page >= 2 + pages or first_page + count <= 2
            if beside and int(cu.cuMemHostGetFlags(start + first_page * PAGE)[0]):
                return "a registration beside these pages is gone as well"
        outcome = _registered(start, stale, pages)
        if outcome == MISSING and calls and int(calls[-1][2][0]):
            return f"{MISSING}: the last `cuMemHostRegister` was refused by {calls[-1][2][0].name}"
        return outcome
    finally:
        for page in range(8):
            cu.cuMemHostUnregister(start + page * PAGE)


def _registered(start, stale, pages):
    """What is registered of so many pages from page 2 on, in words."""
    attribute = cu.CUpointer_attribute
    registrations = set()
    for page in range(2, 2 + pages):
        error, first_byte = cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, start + page * PAGE)
        if int(error):
            return MISSING
        _, nbytes = cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE, start + page * PAGE)
        registrations.add((int(first_byte) - start, int(nbytes)))
    if registrations == {(2 * PAGE, pages * PAGE)}:
        return "registered, as one range"
    old_ones = registrations & {(first_byte * PAGE, count * PAGE) for first_byte, count in stale}
    return "registered, but by the old registration" if old_ones else "registered, but not as one range of this length"


# register-order -------------------------------------------------------------------------------------------------------

LINES = {
    "register": "cuMemHostRegister(host, nbytes, 0)",
    "translate": "device = cuMemHostGetDevicePointer(host, 0)",
    "allocate": "target = cuMemAlloc(nbytes)",
    "copy": "cuMemcpyDtoD(target, device, nbytes)",
    "free": "cuMemFree(target)",
    "unregister": "cuMemHostUnregister(host)",
}


@contextlib.contextmanager
def _world():
    array = np.arange(4096, dtype=np.uint8)
    names = order.calls("cuMemHostRegister", "cuMemHostGetDevicePointer", "cuMemAlloc", "cuMemcpyDtoD", "cuMemFree",
                        "cuMemHostUnregister") | {"host": array.ctypes.data, "nbytes": array.nbytes}
    try:
        yield names
    finally:
        order.undo(names, LINES["free"], LINES["unregister"])


def put_in_order(answer, world):
    """Make the calls in the order of `answer`."""
    return order.execute(LINES, answer, world)


order_cases = order.one_case(_world)
