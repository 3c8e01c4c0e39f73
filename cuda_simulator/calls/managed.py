"""Managed memory beyond its allocation (cuda.h: cuMemAdvise, cuMemPrefetchAsync, cuMemRangeGetAttribute,
cuStreamAttachMemAsync).

Here every byte of managed memory is where host and device both reach it. Advice and prefetches are remembered, so that
questions about them are answered, and move nothing.
"""
import ctypes
from dataclasses import astuple, dataclass, replace

from ..libcuda.library import HEALTHY, call, handle, i32, pointer, size, u32, u64
from ..libcuda.output import load, store
from ..libcuda.results import CudaError, Result
from ..libcuda.state import driver
from ..memory.allocations import Kind, memory
from ..memory.physical import DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT
from .streams import stream_of

SET_READ_MOSTLY, UNSET_READ_MOSTLY, SET_PREFERRED, UNSET_PREFERRED, SET_ACCESSED_BY, UNSET_ACCESSED_BY = range(1, 7)
NOWHERE, ON_HOST = -2, -1    # CU_DEVICE_INVALID, CU_DEVICE_CPU
ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE = 1, 2, 4


def _invalid(why):
    return CudaError(Result.INVALID_VALUE, why)


@dataclass(frozen=True)
class Advice:
    """What was said about bytes of managed memory."""
    read_mostly: int = 0
    preferred: tuple = (0, NOWHERE)    # (CUmemLocationType, id)
    accessed_by: tuple = ()
    prefetched: tuple = (0, NOWHERE)


class Range:
    """Bytes of one managed allocation, which keeps advice by piece: [(start of the piece, Advice)], in order."""

    def __init__(self, address, bytesize):
        allocation = memory.at(address)
        if (allocation is None or allocation.kind is not Kind.MANAGED or not bytesize
                or address + bytesize > allocation.end):
            raise _invalid("not bytes of one managed allocation")
        if not hasattr(allocation, "advice"):
            allocation.advice = [(allocation.start, Advice())]
        self.start, self.end, self.allocation = address, address + bytesize, allocation

    def _pieces(self):
        pieces = self.allocation.advice
        ends = [start for start, _ in pieces[1:]] + [self.allocation.end]
        return [(start, end, advice) for (start, advice), end in zip(pieces, ends)]

    def told(self):
        """What is said of all these bytes: what differs from piece to piece counts as not said."""
        found = [advice for start, end, advice in self._pieces() if start < self.end and end > self.start]
        return Advice(*(values[0] if len(set(values)) == 1 else default for values, default in
                        zip(zip(*(astuple(advice) for advice in found)), astuple(Advice()))))

    def advise(self, change):
        """Replace the advice of these bytes by `change` of it."""
        pieces = []
        for start, end, advice in self._pieces():
            first, last = max(start, self.start), min(end, self.end)
            if first >= last:
                pieces.append((start, advice))
                continue
            pieces += [(start, advice)] * (start < first) + [(first, change(advice))] + [(last, advice)] * (last < end)
        self.allocation.advice = pieces


def _unpack(location):
    """A CUmemLocation passed by value: type and id in one register."""
    return location & 0xFFFFFFFF, ctypes.c_int(location >> 32).value


def place_of(location, missing=Result.INVALID_VALUE):
    """(type, id) as it is reported: the host's id is -1 unless a NUMA node was named."""
    kind, number = location
    if kind == DEVICE and not 0 <= number < len(driver.devices):
        raise CudaError(missing, f"there is no device {number}")
    if kind in (HOST, HOST_NUMA_CURRENT):
        return kind, ON_HOST
    if kind not in (DEVICE, HOST_NUMA) or kind == HOST_NUMA and number != 0:
        raise _invalid(f"no place of type {kind}, id {number}")
    return kind, number


def _prefetch(address, bytesize, location, flags, stream):
    place = place_of(location, Result.INVALID_DEVICE)
    if flags:
        raise _invalid("no flags are defined")
    part = Range(address, bytesize)
    stream_of(stream)
    part.advise(lambda advice: replace(advice, prefetched=place))


@call("cuMemPrefetchAsync", needs=HEALTHY)
def mem_prefetch_async(address: pointer, bytesize: size, device: i32, stream: handle):
    _prefetch(address, bytesize, (HOST, 0) if device == ON_HOST else (DEVICE, device), 0, stream)


@call("cuMemPrefetchAsync_v2", needs=HEALTHY)
def mem_prefetch_async_v2(address: pointer, bytesize: size, location: u64, flags: u32, stream: handle):
    _prefetch(address, bytesize, _unpack(location), flags, stream)


def _advise(address, bytesize, what, location):
    part = Range(address, bytesize)
    if what in (SET_READ_MOSTLY, UNSET_READ_MOSTLY):
        part.advise(lambda advice: replace(advice, read_mostly=int(what == SET_READ_MOSTLY)))
    elif what in (SET_PREFERRED, UNSET_PREFERRED):
        preferred = place_of(location) if what == SET_PREFERRED else (0, NOWHERE)
        part.advise(lambda advice: replace(advice, preferred=preferred))
    elif what in (SET_ACCESSED_BY, UNSET_ACCESSED_BY):
        if location[0] == HOST_NUMA:
            raise _invalid("access is said of devices and of the host as a whole")
        place = place_of(location)
        added = (place,) if what == SET_ACCESSED_BY else ()
        part.advise(lambda advice: replace(
            advice, accessed_by=tuple(one for one in advice.accessed_by if one != place) + added))
    else:
        raise _invalid(f"there is no advice {what}")


@call("cuMemAdvise")
def mem_advise(address: pointer, bytesize: size, what: i32, device: i32):
    _advise(address, bytesize, what, (HOST, 0) if device == ON_HOST else (DEVICE, device))


@call("cuMemAdvise_v2")
def mem_advise_v2(address: pointer, bytesize: size, what: i32, location: u64):
    _advise(address, bytesize, what, _unpack(location))


def _old_style(place):
    """A place as one number: a device, the host as -1, nowhere as -2."""
    return ON_HOST if place[0] in (HOST, HOST_NUMA, HOST_NUMA_CURRENT) else place[1]


def _range_attribute(target, room, attribute, advice):
    if attribute == 3:    # the devices that were said to access it, as many as there is room for, -2 after the last
        known = [_old_style(place) for place in advice.accessed_by]
        if room < 4 or room % 4:
            raise _invalid("room for whole numbers")
        for position in range(min(room // 4, 64)):
            store(target + 4 * position, ctypes.c_int, known[position] if position < len(known) else NOWHERE)
        return
    values = {1: advice.read_mostly, 2: _old_style(advice.preferred), 4: _old_style(advice.prefetched),
              5: advice.preferred[0], 6: advice.preferred[1], 7: advice.prefetched[0], 8: advice.prefetched[1]}
    if attribute not in values or room != 4:
        raise _invalid(f"no range attribute {attribute} of {room} bytes")
    store(target, ctypes.c_int, values[attribute])


@call("cuMemRangeGetAttribute")
def mem_range_get_attribute(target: pointer, room: size, attribute: i32, address: pointer, bytesize: size):
    _range_attribute(target, room, attribute, Range(address, bytesize).told())


@call("cuMemRangeGetAttributes")
def mem_range_get_attributes(targets: pointer, rooms: pointer, attributes: pointer, count: size, address: pointer,
                             bytesize: size):
    advice = Range(address, bytesize).told()
    if not 0 < count <= 64:
        raise _invalid("1 to 64 attributes")
    for target, room, attribute in zip(load(targets, ctypes.c_size_t * count), load(rooms, ctypes.c_size_t * count),
                                       load(attributes, ctypes.c_int * count)):
        _range_attribute(target, room, attribute, advice)


@call("cuStreamAttachMemAsync", needs=HEALTHY)
def stream_attach_mem_async(stream: handle, address: pointer, length: size, flags: u32):
    """Managed memory is visible to everybody at any time here: to attach it changes nothing."""
    queue, allocation = stream_of(stream), memory.at(address)
    if allocation is None or allocation.kind is not Kind.MANAGED or address != allocation.start:
        raise _invalid("not the start of managed memory")
    if flags not in (ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE) or length not in (0, allocation.size):
        raise _invalid("one flag, and the whole allocation")
    if flags == ATTACH_SINGLE and queue.null:
        raise _invalid("the NULL stream is not a single one")

