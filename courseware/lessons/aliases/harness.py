"""Answers to the exercises of this lesson are tried here, in the sandbox, on memory that is mapped at several addresses.

No address leaves it: a byte is named by its mapping, and by its place in there.
"""
from course_lib.core.errors import ask, do
from course_lib.core.ownership import current_context
from course_lib.reservation import physical

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ...exercises.values import Label, Remark
from ...exercises.watching import watched

SUCCESS = cu.CUresult.CUDA_SUCCESS


# other_addresses ------------------------------------------------------------------------------------------------------

def other_addresses(answer, layout, order, place, byte, granules=1):
    """(mapping, byte) of each address that `answer` gives.

    layout: a letter for each place of a range: which memory is mapped there, "." for none; a capital letter's is twice as large
    order:  the order in which the mappings are handed over, as places in `layout`
    place, byte: what is asked about
    granules: of each place
    """
    current_context()
    sizes = [granules * physical.granularity() * (2 if letter.isupper() else 1) for letter in layout]
    start = int(ask(cu.cuMemAddressReserve, sum(sizes), 0, 0, 0))
    memory = {letter: ask(cu.cuMemCreate, sizes[layout.index(letter)], physical.properties("device"), 0) for letter in {*layout} - {"."}}
    places = [(start + sum(sizes[:number]), size) for number, size in enumerate(sizes)]
    retained, mappings = 0, [places[number] for number in order]
    try:
        for (address, size), letter in zip(places, layout):
            if letter != ".":
                do(cu.cuMemMap, address, size, 0, memory[letter], 0)
        with watched(answer, cu, "cuMemRetainAllocationHandle", "cuMemRelease") as calls:
            try:
                got = answer(mappings, places[place][0] + byte)
            finally:
                retained = sum({"cuMemRelease": -1}.get(name, 1) for name, _, result in calls if result[0] == SUCCESS)
        if not all(_is_mapped(places[number][0]) for number in order):
            return Remark("memory that was mapped is mapped no more")
        if retained:
            return Remark("a handle that was retained is not released" if retained > 0 else "a handle is released too often")
        if sorted(mappings) != [places[number] for number in sorted(order)]:
            return Remark("the program's list of mappings is another one afterwards")
        if not isinstance(got, (list, tuple, set, np.ndarray)):
            return _named(got, places)
        named = [_named(address, places) for address in got]
        return named if isinstance(got, list) else set(named) if isinstance(got, set) else tuple(named)
    finally:
        for (address, size), letter in zip(places, layout):
            if letter != ".":
                cu.cuMemUnmap(address, size)
        if retained >= 0:    # else some handle is gone, and who releases it again may end the process
            for handle in memory.values():
                cu.cuMemRelease(handle)
        cu.cuMemAddressFree(start, sum(sizes))


def _is_mapped(address):
    error, handle = cu.cuMemRetainAllocationHandle(address)
    return error == SUCCESS and cu.cuMemRelease(handle)[0] == SUCCESS


def _named(address, places):
    """An address in words: how far into which granule of the range."""
    if not isinstance(address, (int, np.integer)):
        return address
    for number, (start, size) in enumerate(places):
        if start <= int(address) < start + size:
            return Label(f"byte {int(address) - start} of place {number}")
    return Label(f"byte {address}" if 0 <= int(address) < places[0][1] else "another number")


# lend -----------------------------------------------------------------------------------------------------------------

def _may(call, *arguments):
    """May the device do that?"""
    try:
        call(*arguments)
    except cuda.LogicError:
        return False
    return True


def lend(answer, granules):
    """What came of the learner's two mappings: a sentence without addresses."""
    with physical.create(granules * physical.granularity()) as memory:
        got = answer(memory)
        if got is None:
            return None
        if not isinstance(got, (tuple, list)):
            return f"one {type(got).__name__} alone"
        if len(got) != 2:
            return f"a {type(got).__name__} of {len(got)}, and not of two"
        no_mapping = next((mapping for mapping in got if not hasattr(mapping, "set_access")), None)
        if no_mapping is not None:
            return f"an object of type {type(no_mapping).__name__}, which is no mapping"
        if got[0].start == got[1].start:
            return "one address"
        readable = [_may(cuda.from_device, mapping.start, memory.nbytes, np.uint8) for mapping in got]
        if not all(readable):
            return f"two addresses, and {'the first' if readable[1] else 'the second' if readable[0] else 'neither'} may not be read"
        if not all(_shows(memory, mapping.start) for mapping in got):
            return Remark("two addresses, and not both are of the memory that was given")
        writable = [name for value, (name, mapping) in enumerate(zip(("the first", "the second"), got), 1)
                    if _may(cuda.memset_d8, mapping.start, value, memory.nbytes)]
        which = "each" if len(writable) == 2 else f"only {writable[0]}" if writable else "neither"
        return f"one memory at two addresses, of which {which} may be written"


def _shows(memory, address):
    handle = ask(cu.cuMemRetainAllocationHandle, address)
    do(cu.cuMemRelease, handle)
    return int(handle) == int(memory.handle)
