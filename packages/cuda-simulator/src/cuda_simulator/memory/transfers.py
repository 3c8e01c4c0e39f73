"""Copies and fills: which bytes may be moved, and moving them.

Every call names each side's *role*. A directed copy (`cuMemcpyHtoD`) says which side is the device's and which
the host's; a unified one (`cuMemcpy`) lets the driver find out, and takes an address that it does not know for
pageable host memory.

Sizes are checked before a byte moves: a copy that is refused changes nothing.
"""
import enum
import itertools

import numpy as np

from ..libcuda import process_memory
from ..libcuda.lacking import not_answered
from ..libcuda.results import CallError, Result
from . import written
from .allocations import MANAGED_KINDS, ON_HOST, AllocationKind, memory
from .virtual import reservations


class Role(enum.Enum):
    """What a call says about one side of a copy."""
    HOST = "host"
    DEVICE = "device"
    UNIFIED = "unified"


def segments(address, size, role, context, write, by_device=False):
    """Where the bytes are in this process: [(process address, size), ...]; INVALID_VALUE where they may not be used.

    by_device: by the device's page tables. A copy goes by the host's addresses to registered memory, as an H200 was seen to do
    """
    allocation = memory.at(address)
    if allocation is not None and allocation.kind is AllocationKind.HOST_POOL and role is Role.DEVICE:
        raise CallError(Result.INVALID_VALUE, "for a copy with a direction, memory of a pool on the host is not device memory")
    if allocation is not None and allocation.original.views:
        _check_number(allocation, address, role)
    if allocation is not None:
        pieces = memory.segments(address, size, context.device, write)
        if pieces is None:
            raise CallError(Result.INVALID_VALUE, f"{size} bytes at {address:#x} are not all there, or not accessible")
        if allocation.second_view and not by_device:
            pieces = [(start - allocation.second_view.delta, length) for start, length in pieces]
    elif role is Role.DEVICE:
        raise CallError(Result.INVALID_VALUE, f"{address:#x} is not an address that the device knows")
    elif reservations.at(address):
        # The driver takes what it does not know for a host pointer and follows it: a segmentation fault, as on an
        # H200. Nothing here softens that.
        pieces = [(address, size)]
    else:
        pieces = _pageable(address, size, write)
    if write:
        written.note(address, size)
        if allocation is not None and allocation.kind in MANAGED_KINDS:
            memory.require_room_to_touch(size)
        for start, length in pieces:
            memory.backing.touch(start, length)
    return pieces


def _check_number(allocation, address, role):
    """Of memory with a number for the host and another for the device, a copy with a direction wants that of its side."""
    if role is Role.DEVICE and allocation.original is allocation:
        raise CallError(Result.INVALID_VALUE, f"{address:#x} is the host's number, and no address of the device")
    if role is Role.HOST and allocation.original is not allocation:
        raise not_answered("no document says what a copy does with the device's number of registered memory on the host's side")


def _pageable(address, size, write):
    try:
        process_memory.check(address, size, write)
    except process_memory.BadAddress as error:
        raise CallError(Result.INVALID_VALUE, f"the host has no {error}") from None
    return [(address, size)]


def is_pageable(address):
    """Is this host memory that the driver does not know? Then no copy engine reaches it while the host goes on."""
    return memory.at(address) is None


def is_managed(address):
    """Is this managed memory, however it was made?"""
    allocation = memory.at(address)
    return allocation is not None and allocation.kind in MANAGED_KINDS


def is_on_device(address):
    """Is this device memory, however it was made?"""
    allocation = memory.at(address)
    return allocation is not None and allocation.kind not in ON_HOST


def move(target, source):
    """Copy between two lists of segments of the same total size."""
    target, source = list(target), list(source)
    while target:
        (to_address, room), (from_address, length) = target[0], source[0]
        step = min(room, length)
        process_memory.copy(to_address, from_address, step)
        target[:1] = [(to_address + step, room - step)] if room > step else []
        source[:1] = [(from_address + step, length - step)] if length > step else []


def part(pieces, offset, size):
    """The segments of `size` bytes from `offset` on, of a list of segments."""
    parts = []
    for start, length in pieces:
        step = min(size, length - offset)
        if step > 0:
            parts.append((start + offset, step))
            size -= step
        offset = max(0, offset - length)
    return parts


# -- boxes: rows of bytes a pitch apart, layers of rows -----------------------------------------------------------

class Box:
    """`width` bytes x `height` rows x `depth` layers from `address` on, with pitches in bytes."""

    def __init__(self, address, width, height, depth, row_pitch, layer_pitch):
        self.address, self.width, self.height, self.depth = address, width, height, depth
        self.row_pitch, self.layer_pitch = row_pitch, layer_pitch

    @property
    def extent(self):
        """Bytes from the first to the last."""
        return (self.depth - 1) * self.layer_pitch + (self.height - 1) * self.row_pitch + self.width

    def find(self, role, context, write):
        """Where it is in this process: `pieces` of memory, and `bytes`, an array (depth, height, width), if they are one."""
        self.pieces = segments(self.address, self.extent, role, context, write)
        joined = all(start + length == next_start for (start, length), (next_start, _) in itertools.pairwise(self.pieces))
        self.bytes = np.lib.stride_tricks.as_strided(bytes_at(self.pieces[0][0], self.extent), (self.depth, self.height, self.width),
                                                     (self.layer_pitch, self.row_pitch, 1)) if joined else None

    def staged(self):
        """A box of its own with these bytes, those of the host, as they are now."""
        copy = Box(0, self.width, self.height, self.depth, self.width, self.width * self.height)
        copy.bytes = self.bytes.copy()
        copy.pieces = [(copy.bytes.ctypes.data, copy.bytes.nbytes)]
        return copy

    def fill_from(self, source):
        """Copy a box of the same shape."""
        if self.bytes is None or source.bytes is None:      # mappings side by side, of memory that lies apart
            move(self.rows(self.pieces), source.rows(source.pieces))
        else:
            np.copyto(self.bytes, source.bytes)

    def rows(self, pieces):
        """Its rows, as segments of those that it lies in, `pieces`; or these where nothing lies between its rows."""
        if (self.height == 1 or self.row_pitch == self.width) and (self.depth == 1 or self.layer_pitch == self.height * self.width):
            return pieces
        return [segment for layer in range(self.depth) for row in range(self.height)
                for segment in part(pieces, layer * self.layer_pitch + row * self.row_pitch, self.width)]


def bytes_at(address, size):
    """`size` bytes of this process as a writable NumPy array, without a copy."""
    class ProcessBytes:
        __array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}
    return np.asarray(ProcessBytes())
