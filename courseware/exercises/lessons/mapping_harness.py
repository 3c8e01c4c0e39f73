"""Lesson 05's answers are tried here, in the sandbox, on reserved addresses and memory that is mapped there.

No address leaves it: a byte is named by its mapping, and by its place in there. What is right the driver says.
"""
from course_lib.core.errors import ask
from course_lib.core.ownership import current_context
from course_lib.reservation import physical

import numpy as np
from cuda.bindings import driver as cu

from ..exercise import Case
from ..values import Told
from .watching import watched

SUCCESS = cu.CUresult.CUDA_SUCCESS


# reserve_for ----------------------------------------------------------------------------------------------------------

def sizes(stack):
    """A Case for each number of bytes; the granularity is asked for."""
    one = physical.granularity()
    for what, nbytes, hidden in (
            ("1024 bytes, as on the web", 1024, False), ("one byte more than a granule", one + 1, False),
            ("a multiple already", 3 * one, True), ("0 bytes", 0, True), ("a single byte", 1, True),
            ("one byte less than five granules", 5 * one - 1, True), ("exactly one granule", one, True)):
        yield Case(what, (nbytes,), _reserved(physical.round_up(nbytes)), hidden, f"reserve_for({nbytes}, where)")


def _reserved(nbytes):
    return f"{nbytes} bytes, which are reserved"


def reserve_for(answer, nbytes):
    """What comes of an answer's range of addresses, in words."""
    with (watched(answer, cu, "cuMemAddressReserve") as calls,
          watched(answer, cu, "cuMemGetAllocationGranularity") as questions,
          watched(answer, cu, "cuMemAddressFree") as freed):
        try:
            got, failed = answer(nbytes, physical.properties("device")), None
        except Exception as error:
            got, failed = None, error
    reserved = {int(result[1]): int(arguments[0]) for _, arguments, result in calls if result[0] == SUCCESS}
    gone = [reserved.pop(int(arguments[0]), 0) for _, arguments, result in freed if result[0] == SUCCESS]
    refused = [int(arguments[0]) for _, arguments, result in calls if result[0] != SUCCESS]
    try:
        if refused and not reserved:
            return Told(f"a size that the driver refuses: {refused[-1]} bytes")
        if failed:
            raise failed
        if gone and not reserved:
            return Told("a range that was reserved, and is freed already")
        return _judged(got, reserved, bool(questions))
    finally:
        for address, size in reserved.items():
            cu.cuMemAddressFree(address, size)


def _judged(got, reserved, asked):
    if not reserved:
        return Told("nothing is reserved")
    if isinstance(got, (int, np.integer, cu.CUdeviceptr)):
        return Told("the address alone" if int(got) in reserved else "a number alone")
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return got
    address, size = got
    if not isinstance(address, (int, np.integer, cu.CUdeviceptr)) or not isinstance(size, (int, np.integer)):
        return Told(f"a {type(address).__name__} and a {type(size).__name__}")
    if int(size) in reserved and int(address) not in reserved:
        return Told("the size, and the address behind it")
    if int(address) not in reserved:
        return Told("an address that is not reserved")
    if reserved.pop(int(address)) != size:
        cu.cuMemAddressFree(address, size)
        return Told(f"{size} bytes, and another number of them is reserved")
    ask(cu.cuMemAddressFree, address, size)
    if reserved:
        return Told(f"{size} bytes, and other addresses stay reserved")
    return Told(_reserved(size) + ("" if asked else ", and nobody was asked for the granularity"))


# other_addresses ------------------------------------------------------------------------------------------------------

def other_addresses(answer, layout, order, place, byte):
    """(mapping, byte) of each address that `answer` gives.

    layout: a letter for each granule of a range: which memory is mapped there, "." for none
    order:  the order in which the mappings are handed over, as places in `layout`
    place, byte: what is asked about
    """
    current_context()
    size = physical.granularity()
    start = ask(cu.cuMemAddressReserve, len(layout) * size, 0, 0, 0)
    memory = {letter: ask(cu.cuMemCreate, size, physical.properties("device"), 0) for letter in {*layout} - {"."}}
    begin = [int(start) + number * size for number in range(len(layout))]
    kept = 0
    try:
        for number, letter in enumerate(layout):
            if letter != ".":
                ask(cu.cuMemMap, begin[number], size, 0, memory[letter], 0)
        with watched(answer, cu, "cuMemRetainAllocationHandle", "cuMemRelease") as calls:
            try:
                found = answer([(begin[number], size) for number in order], begin[place] + byte)
            finally:
                kept = sum({"cuMemRelease": -1}.get(name, 1) for name, _, result in calls if result[0] == SUCCESS)
        if kept:
            return Told("a handle that was retained is not released" if kept > 0 else "a handle is released too often")
        if not isinstance(found, (list, tuple, set, np.ndarray)):
            return _named(found, begin, size)
        named = [_named(one, begin, size) for one in found]
        return set(named) if isinstance(found, set) else named
    finally:
        for number, letter in enumerate(layout):
            if letter != ".":
                cu.cuMemUnmap(begin[number], size)
        if kept >= 0:       # else some handle is gone, and who releases it again may end the process
            for handle in memory.values():
                cu.cuMemRelease(handle)
        cu.cuMemAddressFree(start, len(layout) * size)


def _named(address, begin, size):
    """An address in words: how far into which granule of the range."""
    if not isinstance(address, (int, np.integer)):
        return address
    for number, first in enumerate(begin):
        if first <= int(address) < first + size:
            return f"byte {int(address) - first} of place {number}"
    return f"byte {address}" if 0 <= int(address) < size else "another number"
