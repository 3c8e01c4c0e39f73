"""Answers to the exercises of this lesson are tried here, in the sandbox, on reserved addresses. No address leaves it. What
is right the driver says.
"""
import contextlib

from course_lib.reservation import physical

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ...exercises import order
from ...exercises.exercise import Case
from ...exercises.values import Remark
from ...exercises.watching import watched

SUCCESS = cu.CUresult.CUDA_SUCCESS
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM


# reserve_for ----------------------------------------------------------------------------------------------------------

def sizes(stack):
    """A Case for each number of bytes; the granularity is asked for."""
    granule = physical.granularity()
    for description, nbytes, hidden in (
            ("less than a granule", 1024, False), ("one byte more than a granule", granule + 1, False),
            ("a multiple already", 3 * granule, True), ("0 bytes", 0, True), ("a single byte", 1, True),
            ("one byte less than five granules", 5 * granule - 1, True), ("exactly one granule", granule, True)):
        yield Case(description, (nbytes, "device"), _reserved(physical.round_up(nbytes)), hidden, f"reserve_for({nbytes}, where)")
    yield Case("memory on the host", (1024, "host"), _reserved(physical.granularity("host")), True, "reserve_for(1024, where)")


def _reserved(nbytes):
    return f"{nbytes} bytes, which are reserved"


def reserve_for(answer, nbytes, where):
    """What comes of an answer's range of addresses, in words. where: "device" or "host", the kind of memory that it is told"""
    kind = physical.properties(where)
    with (watched(answer, cu, "cuMemAddressReserve") as calls,
          watched(answer, cu, "cuMemGetAllocationGranularity") as questions,
          watched(answer, cu, "cuMemAddressFree") as freed):
        try:
            got, failed = answer(nbytes, kind), None
        except Exception as error:
            got, failed = None, error
    reserved = {int(result[1]): int(arguments[0]) for _, arguments, result in calls if result[0] == SUCCESS}
    gone = [reserved.pop(int(arguments[0]), 0) for _, arguments, result in freed if result[0] == SUCCESS]
    refused = [int(arguments[0]) for _, arguments, result in calls if result[0] != SUCCESS]
    try:
        if refused and not reserved:
            return Remark(f"a size that the driver refuses: {refused[-1]} bytes")
        if failed:
            raise failed
        if gone and not reserved:
            return Remark("a range that was reserved, and is freed already")
        kinds, options = ({int(field(arguments)) for _, arguments, _ in questions}
                          for field in (lambda arguments: arguments[0].location.type, lambda arguments: arguments[1]))
        return _judged(got, reserved, "another kind of memory was asked about" if kinds - {int(kind.location.type)} else
                       "another granularity than `MINIMUM` was asked for" if options - {int(MINIMUM)} else
                       "" if questions else "nobody was asked for the granularity")
    finally:
        for address, size in reserved.items():
            cu.cuMemAddressFree(address, size)


def _judged(got, reserved, but):
    if not reserved and isinstance(got, (tuple, list)) and len(got) == 2 and all(isinstance(number, int) for number in got):
        if cu.cuMemAddressFree(*got)[0] == SUCCESS:     # reserved by a library that nobody watches, as ctypes can
            return Remark(_reserved(got[1]))
    if not reserved:
        return Remark("no call of cuda-bindings has reserved anything")
    if isinstance(got, (int, np.integer, cu.CUdeviceptr)):
        return Remark("the address alone" if int(got) in reserved else "a number alone")
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return got
    address, size = got
    if not isinstance(address, (int, np.integer, cu.CUdeviceptr)) or not isinstance(size, (int, np.integer)):
        return Remark(f"a {type(address).__name__} and a {type(size).__name__}")
    if int(size) in reserved and int(address) not in reserved:
        return Remark("the size, and the address behind it")
    if int(address) not in reserved:
        return Remark("an address that is not reserved")
    if reserved.pop(int(address)) != size:
        cu.cuMemAddressFree(address, size)
        return Remark(f"{size} byte{'' if size == 1 else 's'}, and another number of them is reserved")
    if cu.cuMemAddressFree(address, size)[0] != SUCCESS:
        return Remark(f"{size} bytes, and they cannot be freed: is something mapped there?")
    if reserved:
        return Remark(f"{size} bytes, and other addresses stay reserved")
    return Remark(_reserved(size) + (but and f", and {but}"))


# vmm-order ------------------------------------------------------------------------------------------------------------

LINES = {
    "reserve": "address = cuMemAddressReserve(size, 0, 0, 0)",
    "create": "memory = cuMemCreate(size, on_the_device, 0)",
    "map": "cuMemMap(address, size, 0, memory, 0)",
    "access": "cuMemSetAccess(address, size, [may_read_and_write], 1)",
    # A memset returns before it is done, and memory that is taken away meanwhile breaks CUDA for the process.
    "use": "cuMemsetD8(address, 7, size); cuCtxSynchronize()",
    "unmap": "cuMemUnmap(address, size)",
    "release": "cuMemRelease(memory)",
    "free": "cuMemAddressFree(address, size)",
}


@contextlib.contextmanager
def _world():
    on_the_device, right = physical.on_the_device()
    names = order.calls("cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemsetD8",
                        "cuCtxSynchronize", "cuMemUnmap", "cuMemRelease", "cuMemAddressFree")
    names |= {"size": physical.granularity(), "on_the_device": on_the_device, "may_read_and_write": right}
    try:
        yield names
    finally:
        cuda.Context.synchronize()
        order.undo(names, LINES["unmap"], LINES["release"], LINES["free"])


def put_in_order(answer, world):
    """Make the calls in the order of `answer`."""
    return order.execute(LINES, answer, world, [("release", "memory")])


order_cases = order.one_case(_world)
