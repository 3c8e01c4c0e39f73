"""Many copies, prefetches or discards in one call (cuda.h: cuMemcpyBatchAsync and its like)."""
import ctypes
from dataclasses import replace

from ..libcuda.library import HEALTHY, call, handle, pointer, size, u64
from ..libcuda.output import load
from ..libcuda.results import CudaError, Result
from ..memory.transfers import Role, move, segments
from .copies import do_in_order
from .managed import Range, place_of
from .streams import stream_of
from .virtual_memory import Location

MOST = 1 << 20    # entries of a batch


def _invalid(why):
    return CudaError(Result.INVALID_VALUE, why)


class CopyAttributes(ctypes.Structure):
    """CUmemcpyAttributes."""
    _fields_ = [("srcAccessOrder", ctypes.c_int), ("srcLocHint", Location), ("dstLocHint", Location),
                ("flags", ctypes.c_uint)]


def _array(address, count, ctype=ctypes.c_size_t):
    """An array of a batch, which must not be empty."""
    if not 0 < count <= MOST:
        raise _invalid(f"1 to {MOST} entries")
    return load(address, ctype * count)


def _stream(number):
    if number == 0:
        raise _invalid("the NULL stream takes no batch")
    return stream_of(number)


@call("cuMemcpyBatchAsync_v2", needs=HEALTHY)
def memcpy_batch_async(targets: pointer, sources: pointer, sizes: pointer, count: size, attributes: pointer,
                       indices: pointer, kinds: size, number: handle):
    """Copies in any order; here one after the other. A wrong one ends the call; those before it are done."""
    stream = _stream(number)
    entries = list(zip(_array(targets, count), _array(sources, count), _array(sizes, count)))
    for one in _array(attributes, kinds, CopyAttributes):
        if one.srcAccessOrder not in (1, 2, 3):    # in the stream's order, during this call, at any time
            raise _invalid(f"there is no access order {one.srcAccessOrder}")
    if _array(indices, kinds)[0] != 0 or not all(length for _, _, length in entries):
        raise _invalid("the first attributes are those of the first copy, and no copy is empty")
    for target, source, length in entries:
        to = segments(target, length, Role.UNIFIED, stream.context, write=True)
        come = segments(source, length, Role.UNIFIED, stream.context, write=False)
        do_in_order(stream, number, lambda work=None, to=to, come=come: move(to, come), target, source)


@call("cuMemPrefetchBatchAsync", needs=HEALTHY)
def mem_prefetch_batch_async(addresses: pointer, sizes: pointer, count: size, locations: pointer, indices: pointer,
                             kinds: size, flags: u64, number: handle):
    stream = _stream(number)
    ranges = _ranges(addresses, sizes, count, flags)
    starts = list(_array(indices, kinds))
    places = [place_of((one.type, one.id)) for one in _array(locations, kinds, Location)]

    def action(work):
        for position, part in enumerate(ranges):
            place = [place for start, place in zip(starts, places) if start <= position][-1]
            part.advise(lambda advice, place=place: replace(advice, prefetched=place))
    if starts[0] != 0:
        raise _invalid("the first location is that of the first range")
    stream.submit(action)


@call("cuMemDiscardBatchAsync", needs=HEALTHY)
def mem_discard_batch_async(addresses: pointer, sizes: pointer, count: size, flags: u64, number: handle):
    """The content may be lost; here it stays."""
    _stream(number)
    _ranges(addresses, sizes, count, flags)


def _ranges(addresses, sizes, count, flags):
    if flags:
        raise _invalid("no flags are defined")
    return [Range(address, length) for address, length in zip(_array(addresses, count), _array(sizes, count))]
