"""Fills (cuda.h: Memory Management, cuMemset*): an element of 1, 2 or 4 bytes again and again, in one row or in
several."""
from ..examination.session import current_session
from ..libcuda import process_memory
from ..libcuda.library import HEALTHY, call, handle, pointer, size, u8, u16, u32
from ..libcuda.results import CallError, Result
from ..memory.allocations import ON_HOST, AllocationKind, memory
from ..memory.managed import touched_by_device
from ..memory.transfers import Box, Role, is_managed, segments
from .copies import queue_of


def _fill(address, pitch, value, width, height, stream=None):
    """`height` rows of `width` elements of the type of `value`, `pitch` bytes apart."""
    pattern, queue = bytes(value), queue_of(stream)
    address = queue.context.space.inside(address)
    if not width or not height:
        return
    if address % len(pattern):
        raise CallError(Result.INVALID_VALUE, f"not a multiple of the element's {len(pattern)} bytes")
    if height > 1 and (pitch < width * len(pattern) or pitch % len(pattern)):
        raise CallError(Result.INVALID_VALUE, "the pitch is smaller than the row, or no multiple of the element")
    box = Box(address, width * len(pattern), height, 1, pitch, 0)
    extent = box.extent
    if is_managed(address) and height == 1 and address + extent >= 1 << 64:
        # An H200 asks only whether the last byte is beyond the allocation, and then fills.
        queue.submit(_beyond_all_addresses)
        return queue.wait() if stream is None else None
    inside_heap = queue.context.heap.process_address(address, extent)
    if inside_heap is not None:
        # The one host call that reaches a kernel's heap, though the documentation forbids them all.
        allocation, pieces = None, [(inside_heap, extent)]
    else:
        allocation = memory.at(address)
        if allocation and not allocation.mapped_for(queue.context.device):
            raise CallError(Result.INVALID_VALUE, "memory of another device, without peer access")
        role = Role.UNIFIED if allocation and allocation.kind is AllocationKind.HOST_POOL else Role.DEVICE
        pieces = segments(address, extent, role, queue.context, write=True, by_device=True)

    rows = box.rows(pieces)

    def action(work=None):
        touched_by_device(address, extent, queue.context.device, True, "memset")
        for start, length in rows:
            process_memory.fill(start, pattern, length // len(pattern))
    work, session = queue.submit(action), current_session()
    if session is not None:
        session.call(work.stamp, "the fill", (), rows)
    if stream is None and (is_managed(address) or allocation and allocation.kind in ON_HOST):
        queue.wait()    # elsewhere the host goes on, stream or not (CUDA Driver API, "API synchronization behavior")


def _beyond_all_addresses(work):
    raise CallError(Result.ILLEGAL_ADDRESS, "a fill past the end of its memory")


@call("cuMemsetD8_v2")
def memset_d8(address: pointer, value: u8, count: size):
    _fill(address, 0, u8(value), count, 1)


@call("cuMemsetD16_v2")
def memset_d16(address: pointer, value: u16, count: size):
    _fill(address, 0, u16(value), count, 1)


@call("cuMemsetD32_v2")
def memset_d32(address: pointer, value: u32, count: size):
    _fill(address, 0, u32(value), count, 1)


@call("cuMemsetD8Async", needs=HEALTHY, in_host_functions=True)
def memset_d8_async(address: pointer, value: u8, count: size, stream: handle):
    _fill(address, 0, u8(value), count, 1, stream)


@call("cuMemsetD16Async", needs=HEALTHY, in_host_functions=True)
def memset_d16_async(address: pointer, value: u16, count: size, stream: handle):
    _fill(address, 0, u16(value), count, 1, stream)


@call("cuMemsetD32Async", needs=HEALTHY, in_host_functions=True)
def memset_d32_async(address: pointer, value: u32, count: size, stream: handle):
    _fill(address, 0, u32(value), count, 1, stream)


@call("cuMemsetD2D8_v2")
def memset_d2d8(address: pointer, pitch: size, value: u8, width: size, height: size):
    _fill(address, pitch, u8(value), width, height)


@call("cuMemsetD2D16_v2")
def memset_d2d16(address: pointer, pitch: size, value: u16, width: size, height: size):
    _fill(address, pitch, u16(value), width, height)


@call("cuMemsetD2D32_v2")
def memset_d2d32(address: pointer, pitch: size, value: u32, width: size, height: size):
    _fill(address, pitch, u32(value), width, height)


@call("cuMemsetD2D8Async", needs=HEALTHY, in_host_functions=True)
def memset_d2d8_async(address: pointer, pitch: size, value: u8, width: size, height: size, stream: handle):
    _fill(address, pitch, u8(value), width, height, stream)


@call("cuMemsetD2D16Async", needs=HEALTHY, in_host_functions=True)
def memset_d2d16_async(address: pointer, pitch: size, value: u16, width: size, height: size, stream: handle):
    _fill(address, pitch, u16(value), width, height, stream)


@call("cuMemsetD2D32Async", needs=HEALTHY, in_host_functions=True)
def memset_d2d32_async(address: pointer, pitch: size, value: u32, width: size, height: size, stream: handle):
    _fill(address, pitch, u32(value), width, height, stream)
