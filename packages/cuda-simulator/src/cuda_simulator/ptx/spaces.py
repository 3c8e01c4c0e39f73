"""State spaces: from the address in a register to the bytes it stands for (PTX ISA 5.1).

Whatever the space, an address ends as a *place*: the distance of the bytes, in this process, from BASE. So
there is one gather and one scatter (instructions/memory_access.py), and this module is all that tells the spaces apart:

    global, const   the driver's ranges: machine.range_of, machine.locate
    shared          one piece for each block of the wave; the same addresses in every block
    local           one piece for each lane; the same addresses in every lane
    param           the kernel's parameters: one piece for all lanes, in a window that has those of every launch (parameters.py)
    generic         any of these: shared, local and param have a window of addresses each, the rest is global

On an H200 a window has 16 MiB. That of shared memory begins at a multiple of 4 GiB, and what follows up to the next one is in no space
(for blocks of a cluster, presumably). Parameters are in global memory too. (tests/conformance/questions/inside_kernels/conversions.py)
"""

from __future__ import annotations

import numpy as np

from ..address_space import ADDRESSES
from . import compiled
from .errors import ILLEGAL_INSTRUCTION, INVALID_ADDRESS_SPACE, MISALIGNED_ADDRESS, KernelFault, MemoryFault
from .parameters import FIRST_BYTE, WINDOW_BYTES
from .types import UNSIGNED

# Where the windows begin. Nothing else is there: Linux gives out addresses from the top down, and a program begins far below.
WINDOW_SIZE = 16 << 20
SHARED_SIZE = 4 << 30       # of the shared window with what belongs to no space behind it
WINDOWS = {"local": (5 << 38) - (2 << 30), "param": (5 << 38) - (1 << 30), "shared": 5 << 38}
SIZES = {"local": WINDOW_SIZE, "param": WINDOW_BYTES, "shared": WINDOW_SIZE}
FIRST_WINDOW, END_OF_WINDOWS = min(WINDOWS.values()), WINDOWS["shared"] + SHARED_SIZE
FUNCTION_WINDOW = 4 << 56   # pointers to functions, which no load follows

# Bytes of local memory for each thread (CUDA Programming Guide, compute capabilities).
MOST_LOCAL = 512 * 1024
MOST_LOCAL_OF_A_WAVE = 2 << 30

LARGEST_WORD = 16               # bytes of one access

BASE = 4096                     # the first page of a process is never mapped


class _Everything:
    """All of this process's memory as one NumPy array; only places that were checked are ever followed."""

    def __init__(self, dtype):
        self.__array_interface__ = {"data": (BASE, False), "typestr": dtype.str, "version": 3,
                                    "shape": ((ADDRESSES - BASE) // dtype.itemsize,)}


MEMORY = {bits: np.asarray(_Everything(dtype)) for bits, dtype in UNSIGNED.items()}
LOAD, STORE = compiled.loaders(BASE), compiled.storers(BASE)


def window(space: str) -> int:
    """The generic address of the first byte of a space."""
    return WINDOWS.get(space, 0)


def within(space: str, addresses):
    """Do generic addresses (an int or a uint64 array) lie in the window of a space?"""
    if type(addresses) is int:
        return WINDOWS[space] <= addresses < WINDOWS[space] + SIZES[space]
    return addresses.astype(np.uint64, copy=False) - np.uint64(WINDOWS[space]) < np.uint64(SIZES[space])    # what is below wraps round


def split(addresses):
    """[(space, which of the addresses)] of generic addresses: "local", "shared", "param", "nowhere" or "global". An int is in one."""
    if type(addresses) is int:
        return [(_space_of(addresses), slice(None))]
    low, high = int(addresses.min()), int(addresses.max())
    if high < FIRST_WINDOW or low >= END_OF_WINDOWS:
        return [("global", slice(None))]
    parts, remaining = [], np.ones(len(addresses), bool)
    for space in WINDOWS:
        inside = within(space, addresses)
        if inside.any():
            parts.append((space, slice(None) if inside.all() else np.flatnonzero(inside)))
            remaining &= ~inside
    if remaining.any():
        nowhere = remaining & (addresses - np.uint64(WINDOWS["shared"]) < np.uint64(SHARED_SIZE))
        parts += [(name, slice(None) if mask.all() else np.flatnonzero(mask))
                  for name, mask in (("nowhere", nowhere), ("global", remaining & ~nowhere)) if mask.any()]
    return parts


def _space_of(address: int) -> str:
    for space, start in WINDOWS.items():
        if start <= address < start + SIZES[space]:
            return space
    return "nowhere" if WINDOWS["shared"] <= address < END_OF_WINDOWS else "global"


def _signed(addresses):
    return addresses if type(addresses) is int else addresses.view(np.int64)


def _aligned_zeros(size: int) -> np.ndarray:
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + size]


class Windows:
    """Where the memory of one wave is: its shared and local pieces, and the driver's ranges lately used."""

    def __init__(self, launch, blocks: int):
        self.blocks, self.lanes = blocks, blocks * launch.threads
        self.machine = launch.machine
        self.parameters = launch.parameters
        self.parameters_place = launch.parameters.ctypes.data - BASE
        self.shared_size = launch.shared_bytes
        self.shared_limit = -(-self.shared_size // LARGEST_WORD) * LARGEST_WORD     # of a word that begins inside, the end is there
        self.shared_stride = -(-max(self.shared_size, 1) // 64) * 64
        self.shared = _aligned_zeros(self.shared_stride * blocks)
        self.shared_place = self.shared.ctypes.data - BASE
        self.ranges = {}        # access -> [(start, end, delta)]
        self.pieces_beside = {} # (register, space, access) -> addresses and where they are: beside()
        self.version = None     # of the machine's ranges, when these were found
        self.local_stride = self.local_place = 0
        self.grow_local(launch.code.frame_bytes)

    def grow_local(self, needed: int):
        """Make each lane's stack at least this long: a call went deeper than any before."""
        if needed <= self.local_stride:
            return
        stride = -(-max(needed, 2 * self.local_stride if self.local_stride else 0) // 16) * 16
        if stride > MOST_LOCAL or stride * self.lanes > MOST_LOCAL_OF_A_WAVE:
            # An H200 ended three endless recursions with 700 (driver 580, 2026-11-30), and not with 714, cuda.h's code for
            # "exceeding the stack size limit".
            raise MemoryFault(0, needed, "the stack of a thread is too deep")
        bigger = _aligned_zeros(stride * self.lanes)
        if self.local_stride:
            bigger.reshape(-1, stride)[:, :self.local_stride] = self.local.reshape(-1, self.local_stride)
        self.local, self.local_stride = bigger, stride
        self.local_place = bigger.ctypes.data - BASE
        self.pieces_beside.clear()

    # ---- places ----------------------------------------------------------------------------------------------

    def find(self, space: str, group, addresses, size: int, access: str):
        """The places of these addresses: an int if it is one place for all lanes, else int64 for each lane."""
        if type(addresses) is int:
            low = high = all_bits = addresses
        else:
            low, high, all_bits = map(int, compiled.extent(addresses))
        if all_bits & (size - 1):
            position = 0 if type(addresses) is int else int(np.argmax((addresses & np.uint64(size - 1)) != 0))
            raise MemoryFault(position, low if low == high else int(addresses[position]),
                              f"the address is not a multiple of {size}", MISALIGNED_ADDRESS)
        piece = self._piece(space, group, addresses, low, high, size, access)
        if piece is not None:
            _, _, places, shift = piece
            return places + shift if shift else places
        if space in ("shared", "local", "param"):
            raise self._outside(space, addresses, high, size)
        if high < FIRST_WINDOW or low >= END_OF_WINDOWS:
            return self._several(addresses, size, access)
        if space in ("global", "const"):
            return self._explicitly_global(group, addresses, low, high, size, access)
        parts = split(addresses)
        if len(parts) == 1:
            return self._generic(parts[0][0], addresses, low, high, size, access)
        return self._mixed(parts, group, addresses, size, access)

    def beside(self, space: str, group, base: int, offset: int, size: int, access: str):
        """The places of the addresses in a register plus an offset, as (places, shift): of each lane place + shift. None: ask `find`.

        Code comes to neighbours of an address again and again (s[i], s[i + 1], ...). Where a piece of memory has the addresses of
        a register, others in this piece need neither a new look nor an addition for each lane.
        """
        addresses = group.registers[base]
        if self.version != self.machine.version:
            self._forget()
        entry = self.pieces_beside.get((base, space, access))
        if entry is None or entry[0] is not addresses:
            wide = addresses.astype(np.uint64, copy=False)
            entry = (addresses, wide, *map(int, compiled.extent(wide)), (0, 0, None, 0))
        _, wide, low, high, bits, (start, end, places, shift) = entry
        if (bits | offset) & (size - 1):
            return None
        if not (start <= low + offset and high + offset + size <= end):
            piece = self._piece(space, group, wide, low + offset, high + offset, size, access)
            if piece is None:
                return None
            start, end, places, shift = piece
            self.pieces_beside[base, space, access] = (*entry[:5], piece)
        return places, shift + offset

    def _forget(self):
        """What was found of the driver's memory holds no more."""
        self.ranges.clear()
        self.pieces_beside.clear()
        self.version = self.machine.version

    def _piece(self, space, group, addresses, low, high, size, access):
        """The one piece of memory that has bytes from `low` to `high` and `size` more, as (start, end, places, shift), or None.

        places + shift are those of `addresses`, which may lie elsewhere; ints if they are one place for all lanes.
        """
        window_start = 0
        if space not in ("shared", "local", "param"):
            if high < FIRST_WINDOW or low >= END_OF_WINDOWS:
                return self._range(addresses, low, high, size, access)
            space = _space_of(low) if space == "generic" else ""
            if space not in ("shared", "local"):
                return None
            window_start = WINDOWS[space]
        if space == "shared":
            limit, origin, stride = self.shared_limit, self.shared_place, self.shared_stride if self.blocks > 1 else 0
        elif space == "local":
            limit, origin, stride = self.local_stride, self.local_place, self.local_stride
        else:
            limit, origin, stride = len(self.parameters), self.parameters_place, 0
        if not (window_start <= low and high + size <= window_start + limit):
            return None
        places, shift = _signed(addresses), origin - window_start
        if stride:
            piece = group.blocks() if space == "shared" else group.lanes
            places = compiled.place(piece, stride, places, shift) if group.count > 1 else int(piece[0]) * stride + places + shift
            shift = 0
        return window_start, window_start + limit, places, shift

    def _explicitly_global(self, group, addresses, low, high, size, access):
        """An instruction for global memory: on an H200 it reaches parameters too, and fails at the windows of shared and local memory."""
        parts = split(addresses)
        for space, part in parts:
            if space in ("shared", "local"):
                position = 0 if type(addresses) is int else int(np.arange(len(addresses))[part][0])
                raise MemoryFault(position, low if type(addresses) is int else int(addresses[position]),
                                  f"an instruction for global memory, and an address of {space} memory", INVALID_ADDRESS_SPACE)
        if len(parts) == 1:
            return self._generic(parts[0][0], addresses, low, high, size, access)
        return self._mixed(parts, group, addresses, size, access)

    def _generic(self, space, addresses, low, high, size, access):
        """Generic addresses that all lie in one space, and are in no piece of it that has them all."""
        if space == "global":
            return self._several(addresses, size, access)
        if space == "nowhere":
            raise MemoryFault(0, low, "no memory has this address")
        base = window(space)
        offsets = addresses - base if type(addresses) is int else addresses - np.uint64(base)
        if space == "param":
            return self._parameters_of_any(offsets, low - base, high - base, size)
        fault = self._outside(space, offsets, high - base, size)
        raise MemoryFault(fault.position, fault.address + base, fault.reason, fault.code)

    def _range(self, addresses, low, high, size, access):
        """_piece of the driver's memory: a range that was found lately, or the one that the driver names."""
        if self.version != self.machine.version:
            self._forget()
        ranges = self.ranges.setdefault(access, [])
        for start, end, delta in ranges:     # noqa: B007  (used after the break)
            if start <= low and high + size <= end:
                break
        else:
            try:
                start, end, delta = self.machine.range_of(low, access)
            except MemoryFault:
                return None
            if not (start <= low and high + size <= end):
                return None
            ranges.insert(0, (start, end, delta))
            del ranges[16:]
        return start, end, _signed(addresses), delta - BASE

    def _several(self, addresses, size, access):
        """Addresses in several ranges of the driver's, or a fault: `locate` tells which lane."""
        several = np.array([addresses], np.uint64) if type(addresses) is int else addresses
        places = self.machine.locate(several, size, access).astype(np.int64) - BASE
        return int(places[0]) if type(addresses) is int else places

    @staticmethod
    def _parameters_of_any(offsets, low, high, size):
        """The window of parameters, by generic addresses: any launch's, at any time."""
        if high + size > WINDOW_BYTES:
            raise MemoryFault(0, low + WINDOWS["param"], "no memory has this address")
        return offsets + (FIRST_BYTE - BASE) if type(offsets) is int else offsets.view(np.int64) + (FIRST_BYTE - BASE)

    def _outside(self, space, offsets, high, size) -> MemoryFault:
        """What is wrong with an address of shared, local or param memory that is not in its piece."""
        limit = {"shared": self.shared_size, "local": self.local_stride, "param": len(self.parameters)}[space]
        uniform = type(offsets) is int
        if space == "shared" and high >= WINDOW_SIZE:       # as an H200 answers
            position = 0 if uniform else int(np.argmax(offsets >= np.uint64(WINDOW_SIZE)))
            return MemoryFault(position, high if uniform else int(offsets[position]), "no address of shared memory", ILLEGAL_INSTRUCTION)
        bad = offsets > np.uint64(limit - size) if limit >= size and not uniform else [True]
        position = int(np.argmax(bad))
        return MemoryFault(position, high if uniform else int(offsets[position]), f"beyond the {limit} bytes of {space} memory")

    def _mixed(self, parts, group, addresses, size, access):
        """Generic addresses of more than one space at once: each part is looked up on its own."""
        places = np.empty(len(addresses), np.int64)
        for _, chosen in parts:
            try:
                places[chosen] = self.find("generic", group.part(chosen), addresses[chosen], size, access)
            except MemoryFault as fault:
                fault.position = int(chosen[fault.position])
                raise
        return places


def kernel_fault(group, fault: MemoryFault, instruction, space, size, access) -> KernelFault:
    """A MemoryFault with what the reader wants to know: which kernel, block, thread and instruction."""
    return group.wave.launch.fault(fault.code, fault.reason, group, fault.position, instruction,
                                   address=fault.address, access=access, size=size, space=space)
