"""Many ranges of managed memory in one call (cuda.h: cuMemPrefetchBatchAsync, cuMemDiscardBatchAsync,
cuMemDiscardAndPrefetchBatchAsync).

As an H200, a call does one range after the other: what comes before one that is refused is done.
"""
from ..libcuda.library import HEALTHY, call, handle, pointer, size, u64
from ..libcuda.output import load_array
from ..libcuda.results import CallError, Result
from ..memory.managed import ManagedRange
from .batches import batch_stream
from .managed import checked_place, prefetch
from .virtual_memory import Location


def _ranges(addresses, sizes, count, flags):
    """[(address, size), ...] of a batch."""
    if flags:
        raise CallError(Result.INVALID_VALUE, "no flags are defined")
    return list(zip(load_array(addresses, count), load_array(sizes, count)))


def _places(count, locations, indices, kinds):
    """The place of each of `count` ranges: the n-th is for the ranges from indices[n] up to the next one's."""
    if kinds > count:
        raise CallError(Result.INVALID_VALUE, "more places than ranges")
    starts = list(load_array(indices, kinds))
    named = [checked_place((location.type, location.id)) for location in load_array(locations, kinds, Location)]
    if starts[0] != 0 or starts != sorted(starts) or starts[-1] >= count:
        raise CallError(Result.INVALID_VALUE, "the places' indices are those of ranges, from 0 on, in order")
    index, places = 0, []
    for position in range(count):
        if index + 1 < kinds and starts[index + 1] == position and position:
            index += 1
        places.append(named[index])
    return places


def _discard(range_, queue):
    """The content may be lost; here it stays. Where the pages are is then the driver's choice."""
    queue.submit(lambda work: range_.lose("discard"))


@call("cuMemPrefetchBatchAsync", needs=HEALTHY, not_null={"number": Result.INVALID_VALUE})
def mem_prefetch_batch_async(addresses: pointer, sizes: pointer, count: size, locations: pointer, indices: pointer,
                             kinds: size, flags: u64, number: handle):
    queue, ranges = batch_stream(number), _ranges(addresses, sizes, count, flags)
    for (address, length), place in zip(ranges, _places(count, locations, indices, kinds)):
        prefetch(ManagedRange(address, length), place, queue)


@call("cuMemDiscardBatchAsync", needs=HEALTHY, not_null={"number": Result.INVALID_VALUE})
def mem_discard_batch_async(addresses: pointer, sizes: pointer, count: size, flags: u64, number: handle):
    queue = batch_stream(number)
    for address, length in _ranges(addresses, sizes, count, flags):
        _discard(ManagedRange(address, length), queue)


@call("cuMemDiscardAndPrefetchBatchAsync", needs=HEALTHY, not_null={"number": Result.INVALID_VALUE})
def mem_discard_and_prefetch_batch_async(addresses: pointer, sizes: pointer, count: size, locations: pointer,
                                         indices: pointer, kinds: size, flags: u64, number: handle):
    queue, ranges = batch_stream(number), _ranges(addresses, sizes, count, flags)
    for (address, length), place in zip(ranges, _places(count, locations, indices, kinds)):
        range_ = ManagedRange(address, length)
        _discard(range_, queue)
        prefetch(range_, place, queue)
