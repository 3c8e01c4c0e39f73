"""Words to ask about managed memory with: a block whose pages are its own, places by name, what a range says of itself.

    a = fresh()
    sure(advise(a, PAGE, "SET_READ_MOSTLY"))
    facts(a, PAGE)           -> "read mostly 1; preferred -2 (0, -2); prefetched -2 (0, -2); accessed by -2 -2 -2"
    by_page(a, 3, MOSTLY)    -> [1, 0, 0]

The calls go past cuda.bindings, which refuses places, counts and nulls that the driver itself is to be asked about.
"""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from .calls import Refused, must, raw

PAGE = 4096
MIB = 1 << 20
# The driver cuts smaller blocks from a larger piece, where two of them may share a page.
OWN_PAGES = 4 * MIB

# CUmem_range_attribute
MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED = 1, 2, 3, 4
PREFERRED_TYPE, PREFERRED_ID, PREFETCHED_TYPE, PREFETCHED_ID = 5, 6, 7, 8
ATTRIBUTES = {number: name for name, number in {
    "READ_MOSTLY": MOSTLY, "PREFERRED_LOCATION": PREFERRED, "ACCESSED_BY": ACCESSED_BY, "LAST_PREFETCH_LOCATION": PREFETCHED,
    "PREFERRED_LOCATION_TYPE": PREFERRED_TYPE, "PREFERRED_LOCATION_ID": PREFERRED_ID,
    "LAST_PREFETCH_LOCATION_TYPE": PREFETCHED_TYPE, "LAST_PREFETCH_LOCATION_ID": PREFETCHED_ID}.items()}
# CUmem_advise
ADVICE = {"SET_READ_MOSTLY": 1, "UNSET_READ_MOSTLY": 2, "SET_PREFERRED_LOCATION": 3, "UNSET_PREFERRED_LOCATION": 4,
          "SET_ACCESSED_BY": 5, "UNSET_ACCESSED_BY": 6}
# CUmemLocation: type and id.
PLACES = {"nowhere": (0, 0), "device": (1, 0), "device 1": (1, 1), "device 7": (1, 7), "device -1": (1, -1), "device -2": (1, -2),
          "host": (2, 0), "host 7": (2, 7), "host -1": (2, -1), "host numa": (3, 0), "host numa 1": (3, 1), "host numa 9": (3, 9),
          "host numa -1": (3, -1), "host numa current": (4, 0), "host numa current 9": (4, 9), "type 5": (5, 0), "type 99": (99, 0)}
PLAIN = ("device", "host", "host numa", "host numa current")
UNTOUCHED = -0x5A5A5A5B


def sure(code):
    """The code of a call that the question takes for granted."""
    if code != "SUCCESS":
        raise Refused(code)
    return code


def fresh(size=OWN_PAGES, flags=1):
    """The address of new managed memory; by default no other block shares its pages."""
    return int(must(cu.cuMemAllocManaged(size, flags)))


def location_bits(place):
    """A CUmemLocation as it is passed by value: both numbers in one register."""
    kind, ordinal = PLACES[place]
    return kind | (ordinal & 0xFFFFFFFF) << 32


def advise(address, size, advice, place="device"):
    return raw("cuMemAdvise_v2", address, size, ADVICE.get(advice, advice), location_bits(place))


def prefetch(address, size, place="device", flags=0, stream=0):
    return raw("cuMemPrefetchAsync_v2", address, size, location_bits(place), flags, int(stream))


def prefetch_and_wait(address, size, place="device"):
    """Prefetch, which the question takes for granted, and wait."""
    sure(prefetch(address, size, place))
    must(cu.cuCtxSynchronize())


def attribute(number, address, size, room=4, cells=1):
    """What the driver writes (one int, or a list for more cells), or the error's name; "not written" where it leaves a cell."""
    out = (ctypes.c_int * max(cells, 1))(*[UNTOUCHED] * max(cells, 1))
    code = raw("cuMemRangeGetAttribute", out, room, number, address, size)
    values = ["not written" if value == UNTOUCHED else value for value in out]
    return code if code != "SUCCESS" else values if cells > 1 else values[0]


def facts(address, size):
    """All that a range says of itself, as one text; the error's name if it says nothing."""
    values = {number: attribute(number, address, size) for number in ATTRIBUTES}
    if len(set(values.values())) == 1 and isinstance(values[MOSTLY], str):
        return values[MOSTLY]
    by = attribute(ACCESSED_BY, address, size, 12, 3)
    return (f"read mostly {values[MOSTLY]}; preferred {values[PREFERRED]} ({values[PREFERRED_TYPE]}, {values[PREFERRED_ID]}); "
            f"prefetched {values[PREFETCHED]} ({values[PREFETCHED_TYPE]}, {values[PREFETCHED_ID]}); "
            f"accessed by {' '.join(map(str, by)) if isinstance(by, list) else by}")


def by_page(address, pages, number):
    """One attribute of each of the first pages."""
    return [attribute(number, address + page * PAGE, PAGE) for page in range(pages)]


def batch(verb, addresses, sizes, places=(), indices=None, count=None, flags=0, stream=0):
    """cuMemPrefetchBatchAsync, cuMemDiscardBatchAsync or cuMemDiscardAndPrefetchBatchAsync; the code's name.

    `places` are names, the n-th for the ranges from indices[n] on (by default n). Null arrays: None."""
    n = len(sizes or addresses or ()) if count is None else count
    pointers = None if addresses is None else (ctypes.c_uint64 * max(len(addresses), 1))(*addresses)
    lengths = None if sizes is None else (ctypes.c_size_t * max(len(sizes), 1))(*sizes)
    if "Prefetch" not in verb:
        return raw(verb, pointers, lengths, n, flags, int(stream))
    indices = list(range(len(places or ()))) if indices is None else indices
    locations = None if places is None else (ctypes.c_uint64 * max(len(places), 1))(*map(location_bits, places))
    where_to = (ctypes.c_size_t * max(len(indices), 1))(*indices)
    return raw(verb, pointers, lengths, n, locations, where_to, len(indices), flags, int(stream))


PREFETCH, DISCARD, BOTH = "cuMemPrefetchBatchAsync", "cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync"


def host_byte(address):
    return ctypes.string_at(address, 1)[0]


def host_write(address, value, size=64):
    ctypes.memset(address, value, size)


def view(address, kind, count):
    """An array of NumPy's over memory that the host may use."""
    width = np.dtype(kind).itemsize
    return np.frombuffer((ctypes.c_ubyte * (width * count)).from_address(address), dtype=kind)
