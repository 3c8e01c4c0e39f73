"""Managed memory beyond its allocation (cuda.h: cuMemAdvise, cuMemPrefetchAsync, cuMemRangeGetAttribute,
cuStreamAttachMemAsync).

Here every byte of managed memory is where host and device both reach it. Advice and prefetches are remembered, so that
questions about them are answered, and move nothing.

Not here: prefetches of many ranges (managed_batches.py), what advice comes to (memory/advice.py).
"""
import ctypes

from ..device import exclusive
from ..libcuda.lacking import not_answered
from ..libcuda.library import HEALTHY, call, handle, i32, pointer, size, u32, u64
from ..libcuda.output import load_array, store
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver
from ..memory.advice import SET_ACCESSED_BY, SET_PREFERRED, UNSET_ACCESSED_BY
from ..memory.allocations import AllocationKind, memory
from ..memory.managed import ManagedRange
from ..memory.places import (
    CPU,
    DEVICE,
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    NO_DEVICE,
    ON_HOST,
    WHOLE_HOST,
    as_device,
)
from ..systems import current_system
from .streams import stream_of

(READ_MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED, PREFERRED_TYPE, PREFERRED_ID, PREFETCHED_TYPE,
 PREFETCHED_ID) = range(1, 9)    # CUmem_range_attribute
ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE = 1, 2, 4
_OF_NO_POOL = {AllocationKind.MANAGED, AllocationKind.MANAGED_VARIABLE}    # what takes advice, and is attached


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


# -- places --------------------------------------------------------------------------------------------------------

def _unpack(location):
    """A CUmemLocation passed by value: type and id in one register."""
    return location & 0xFFFFFFFF, ctypes.c_int(location >> 32).value


def _of_device(number):
    """The place that older calls name by one number, -1 for the host."""
    return WHOLE_HOST if number == CPU else (DEVICE, number)


def checked_place(place, missing=Result.INVALID_VALUE):
    """A place that memory can be at, as it was named; `missing` is the error for a device that is not there."""
    kind, number = place
    if kind == DEVICE and not 0 <= number < len(driver.devices):
        raise CallError(missing, f"there is no device {number}")
    if kind not in (DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT) or kind == HOST_NUMA and number != 0:
        raise _invalid(f"no place of type {kind}, id {number}")
    return place


def _as_told(place):
    """A place as a range tells it: the host has no number."""
    return WHOLE_HOST if place[0] == HOST else place


# -- prefetches and advice -----------------------------------------------------------------------------------------

def _prefetch(address, bytesize, location, flags, stream):
    if flags or not address or not bytesize:
        raise _invalid("no flags are defined, and no range is empty")
    queue = stream_of(stream)
    place = _as_told(checked_place(location, Result.INVALID_DEVICE))
    range_ = ManagedRange(address, bytesize, wrapping=True)
    prefetch(range_, place, queue)


def prefetch(range_, place, queue):
    """Send pages to a place, in the order of a stream. A range says so at once, as on an H200."""
    if not current_system().concurrent_managed_access:
        if place[0] == DEVICE:
            raise CallError(Result.INVALID_DEVICE, "prefetches are for devices with CONCURRENT_MANAGED_ACCESS")
        raise not_answered("cuda.h asks for CONCURRENT_MANAGED_ACCESS, and does not say what a prefetch to the host answers without it")
    range_.prefetch(place)
    queue.submit(lambda work: range_.arrive(place))


@call("cuMemPrefetchAsync", needs=HEALTHY)
def mem_prefetch_async(address: pointer, bytesize: size, device: i32, stream: handle):
    _prefetch(address, bytesize, _of_device(device), 0, stream)


@call("cuMemPrefetchAsync_v2", needs=HEALTHY)
def mem_prefetch_async_v2(address: pointer, bytesize: size, location: u64, flags: u32, stream: handle):
    _prefetch(address, bytesize, _unpack(location), flags, stream)


def _advise(address, bytesize, advice, place, missing=Result.INVALID_VALUE):
    """As an H200: only advice that is about a place looks at its number, and what names a node of the host does nothing,
    whatever the bytes are."""
    if not 1 <= advice <= UNSET_ACCESSED_BY:
        raise _invalid(f"there is no advice {advice}")
    if place[0] != DEVICE and place[0] not in ON_HOST:
        raise _invalid(f"there is no type of place {place[0]}")
    if advice in (SET_ACCESSED_BY, UNSET_ACCESSED_BY) and place[0] not in (DEVICE, HOST):
        raise _invalid("access is said of devices and of the host as a whole")
    if advice in (SET_PREFERRED, SET_ACCESSED_BY, UNSET_ACCESSED_BY):
        checked_place(place, missing)
        if place[0] == DEVICE and not current_system().concurrent_managed_access:
            raise CallError(Result.INVALID_DEVICE, "such advice is for devices with CONCURRENT_MANAGED_ACCESS")
    if place[0] in (HOST_NUMA, HOST_NUMA_CURRENT):
        return
    allocation = memory.at(address)
    if bytesize and allocation is not None and allocation.kind is AllocationKind.MANAGED_POOL:
        raise CallError(Result.NOT_SUPPORTED, "memory of a pool takes no advice")
    ManagedRange(address, bytesize).advise(advice, _as_told(place))


@call("cuMemAdvise")
def mem_advise(address: pointer, bytesize: size, advice: i32, device: i32):
    _advise(address, bytesize, advice, _of_device(device), Result.INVALID_DEVICE)


@call("cuMemAdvise_v2")
def mem_advise_v2(address: pointer, bytesize: size, advice: i32, location: u64):
    _advise(address, bytesize, advice, _unpack(location))


# -- what a range says ---------------------------------------------------------------------------------------------

def _values(attribute, room, attributes):
    """The numbers that answer for a range attribute, for as much room as there is."""
    if attribute == ACCESSED_BY:    # as many as there is room for, and nobody after the last
        if room < 4 or room % 4:
            raise _invalid("room for whole numbers")
        accessors, count = attributes.accessors(), room // 4
        return [*accessors, *[NO_DEVICE] * count][:count]
    values = {READ_MOSTLY: attributes.read_mostly, PREFERRED: as_device(attributes.preferred), PREFETCHED: as_device(attributes.prefetched),
              PREFERRED_TYPE: attributes.preferred[0], PREFERRED_ID: attributes.preferred[1],
              PREFETCHED_TYPE: attributes.prefetched[0], PREFETCHED_ID: attributes.prefetched[1]}
    if attribute not in values or room != 4:
        raise _invalid(f"no range attribute {attribute} of {room} bytes")
    return [values[attribute]]


def _tell(questions, address, bytesize):
    """Answer [(target, room, attribute), ...] of a range; all of them or none."""
    attributes = ManagedRange(address, bytesize, wrapping=True).attributes()
    answers = [(target, _values(attribute, room, attributes)) for target, room, attribute in questions]
    for target, values in answers:
        for position, value in enumerate(values):
            store(target + 4 * position, ctypes.c_int, value)


@call("cuMemRangeGetAttribute")
def mem_range_get_attribute(target: pointer, room: size, attribute: i32, address: pointer, bytesize: size):
    _tell([(target, room, attribute)], address, bytesize)


@call("cuMemRangeGetAttributes")
def mem_range_get_attributes(targets: pointer, rooms: pointer, attributes: pointer, count: size, address: pointer,
                             bytesize: size):
    _tell(list(zip(load_array(targets, count), load_array(rooms, count), load_array(attributes, count, ctypes.c_int))), address, bytesize)


# -- attachment ----------------------------------------------------------------------------------------------------

@call("cuStreamAttachMemAsync", needs=HEALTHY, in_host_functions=True)
def stream_attach_mem_async(stream: handle, address: pointer, length: size, flags: u32):
    """Managed memory is visible to everybody at any time here, as on every device with CONCURRENT_MANAGED_ACCESS: to
    attach it changes nothing."""
    stream_of(stream)
    allocation = memory.at(address)
    if allocation is None or allocation.kind not in _OF_NO_POOL or address != allocation.start:
        raise _invalid("not the start of managed memory")
    if flags not in (ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE) or length not in (0, allocation.size):
        raise _invalid("one flag, and the whole allocation")
    if flags == ATTACH_SINGLE and not stream:    # but CU_STREAM_LEGACY, which means the same stream, is taken
        raise _invalid("the NULL stream is not a single one")
    if not current_system().concurrent_managed_access:
        to = {ATTACH_GLOBAL: None, ATTACH_HOST: exclusive.ATTACHED_TO_HOST, ATTACH_SINGLE: stream_of(stream)}[flags]
        stream_of(stream).submit(lambda work: exclusive.attach(allocation, to))
