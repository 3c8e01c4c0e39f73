"""Many copies in one call (cuda.h: cuMemcpyBatchAsync), and what all calls with many entries have in common.

Not here: prefetches and discards of many ranges (managed_batches.py).
"""
import bisect
import ctypes

from ..device.streams import LEGACY
from ..libcuda.library import HEALTHY, call, handle, pointer, size
from ..libcuda.output import load_array
from ..libcuda.results import CallError, Result
from ..memory.managed import note_copy
from ..memory.transfers import Role, move, segments
from .copies import do_in_order, reaching, tell
from .streams import stream_of
from .virtual_memory import Location

IN_ITS_TURN, DURING_THIS_CALL, AT_ANY_TIME = 1, 2, 3    # CUmemcpySrcAccessOrder: when the source is read


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


class CopyAttributes(ctypes.Structure):
    """CUmemcpyAttributes."""
    _fields_ = [("srcAccessOrder", ctypes.c_int), ("srcLocHint", Location), ("dstLocHint", Location),
                ("flags", ctypes.c_uint)]


def batch_stream(number):
    """The stream of a batch, which must not be the NULL stream."""
    if number in (0, LEGACY):
        raise _invalid("the NULL stream takes no batch")
    return stream_of(number)


@call("cuMemcpyBatchAsync_v2", needs=HEALTHY)
def memcpy_batch_async(targets: pointer, sources: pointer, sizes: pointer, count: size, attributes: pointer,
                       indices: pointer, kinds: size, number: handle):
    """Copies in any order; here one after the other. A wrong one ends the call; those before it are done."""
    stream = batch_stream(number)
    entries = list(zip(load_array(targets, count), load_array(sources, count), load_array(sizes, count)))
    orders = [attribute.srcAccessOrder for attribute in load_array(attributes, kinds, CopyAttributes)]
    firsts = list(load_array(indices, kinds))
    for order in orders:
        if order not in (IN_ITS_TURN, DURING_THIS_CALL, AT_ANY_TIME):
            raise _invalid(f"there is no access order {order}")
    if firsts[0] != 0 or not all(length for _, _, length in entries):
        raise _invalid("the first attributes are those of the first copy, and no copy is empty")
    for number_of_copy, (target, source, length) in enumerate(entries):
        to_segments = segments(target, length, Role.UNIFIED, reaching(stream), write=True)
        from_segments = segments(source, length, Role.UNIFIED, reaching(stream), write=False)
        note_copy(target, length)
        note_copy(source, length)
        work = do_in_order(stream, number, lambda work=None, sides=(to_segments, from_segments): move(*sides),
                           (target, Role.UNIFIED), (source, Role.UNIFIED))
        order = orders[bisect.bisect_right(firsts, number_of_copy) - 1]
        tell(stream, work, "a copy of a batch", (target, to_segments), (source, from_segments), watched=order != DURING_THIS_CALL)
