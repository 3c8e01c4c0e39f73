"""Reads of what nobody wrote: shared memory, local arrays, device memory from cuMemAlloc or from malloc in a kernel.

A byte of a map stands for a byte of memory: 1 where somebody wrote. Decided for silence: what was partly written (padding of
a structure is copied with it), an element of a vector load that the kernel only copies on, memory that another kernel may have
written while nobody examined, and every kind of memory that the host can write by itself.
"""
import numpy as np

from ..memory.allocations import AllocationKind, memory
from ..memory.heap import blocks
from ..memory.written import map_of
from ..ptx.program import Register, Vector

_ONES = {1: 0x01, 2: 0x0101, 4: 0x01010101, 8: 0x0101010101010101}


class WrittenMap:
    """Which bytes from `start` on have been written."""

    def __init__(self, start, flags):
        self.start = start
        flags = np.pad(flags, (0, -len(flags) % 16)) if len(flags) % 16 else flags
        self.views = {size: flags.view(f"u{size}") for size in (1, 2, 4, 8)}

    def mark(self, places, size):
        """`size` bytes at each of these places were written."""
        for part, width in _parts(size):
            index = (places + (part - self.start)) >> (width.bit_length() - 1)
            if type(index) is not int and len(index) > 1 and int(index[-1]) - int(index[0]) == len(index) - 1 \
                    and (index[1:] - index[:-1] == 1).all():
                index = slice(int(index[0]), int(index[-1]) + 1)
            self.views[width][index] = _ONES[width]

    def blank(self, places, width):
        """For each place: was none of its `width` bytes written?"""
        index = (places - self.start) >> (width.bit_length() - 1)
        return self.views[width][index] == 0


def _parts(size):
    """A vector of 16 bytes is two of 8."""
    width = min(size, 8)
    return [(part, width) for part in range(0, size, width)]


class Initialised:
    """What has been written, for one launch."""

    def __init__(self, examiner):
        self.examiner = examiner
        self.ranges = []        # (start place, end place, WrittenMap or None) of allocations seen in this launch
        self.version = None

    def of_wave(self, wave):
        """A wave begins: nobody has written to its shared and local memory."""
        windows = wave.windows
        wave.shared_map = WrittenMap(windows.shared_place, np.zeros(len(windows.shared), np.uint8))
        wave.local_map = None

    def access(self, group, lanes, doing, places, size):
        """Check what a load reads, and remember what a store writes."""
        wave = group.wave
        if doing.space == "shared":
            self._check_and_mark(group, lanes, wave.shared_map, doing, places, size)
        elif doing.space == "local":
            self._check_and_mark(group, lanes, self._local(wave), doing, places, size)
        else:
            self._global(group, lanes, doing, places, size)

    def _check_and_mark(self, group, lanes, map_, doing, places, size):
        if doing.reads:
            self._check(group, lanes, map_, doing, places, size)
        if doing.writes:
            map_.mark(places, size)

    def _check(self, group, lanes, map_, doing, places, size):
        if "exch" in doing.words and not is_computed_with(group.frame.code, doing.instruction.operands[0]):
            return      # whose result nobody uses, only writes
        count = max(1, len(_destinations(doing.instruction)))
        width = size // count
        if type(places) is int:
            places = np.array([places])
        blank = [map_.blank(places + number * width, width) for number in range(count)]
        whole = np.logical_and.reduce(blank)
        if not whole.any() and count > 1:
            used = [number for number in range(count) if blank[number].any()
                    and is_computed_with(group.frame.code, _destinations(doing.instruction)[number])]
            whole = np.logical_or.reduce([blank[number] for number in used]) if used else whole
        if whole.any():
            position = int(np.argmax(whole))
            address = self.examiner.address_of(position)
            self.examiner.report.uninitialised(group.wave.examined, int(lanes[position]), doing, address, width,
                                               int(np.count_nonzero(whole)))

    # -- local memory ----------------------------------------------------------------------------------------------

    def _local(self, wave):
        windows = wave.windows
        if wave.local_map is None or wave.local_map.start != windows.local_place:
            stride, old = windows.local_stride, wave.local_map and wave.local_map.views[1]
            fresh = np.zeros(wave.lanes * stride, np.uint8)
            if old is not None and len(old):        # the stack has grown
                fresh.reshape(wave.lanes, -1)[:, :len(old) // wave.lanes] = old.reshape(wave.lanes, -1)
            wave.local_map = WrittenMap(windows.local_place, fresh)
        return wave.local_map

    def enter(self, wave, lanes, frame, written_ranges):
        """A call: the function's variables are nobody's yet, but for the arguments; after it, its results are there."""
        stride = wave.windows.local_stride
        if not stride:
            return
        table = self._local(wave).views[1][:wave.lanes * stride].reshape(wave.lanes, stride)
        if frame is not None:
            table[lanes, frame.local_base:frame.local_base + frame.code.frame_bytes] = 0
        for start, size in written_ranges:
            table[lanes, start:start + size] = 1

    # -- device memory ---------------------------------------------------------------------------------------------

    def _global(self, group, lanes, doing, places, size):
        low, high = (places, places) if type(places) is int else (int(places.min()), int(places.max()))
        for start, end, map_ in self._ranges():
            if start <= low and high < end:
                if map_ is not None:
                    self._check_and_mark(group, lanes, map_, doing, places, size)
                return
        if self._learn(low):
            return self._global(group, lanes, doing, places, size)
        if type(places) is not int and low != high:         # several allocations: one by one
            for place in np.unique(places)[:1000].tolist():
                covering = next((entry for entry in self._ranges() if entry[0] <= place < entry[1]), None)
                if covering is None and self._learn(place):
                    covering = self.ranges[-1]
                if covering is not None and covering[2] is not None:
                    chosen = places == place
                    self._check_and_mark(group, lanes[chosen], covering[2], doing, places[chosen], size)

    def _ranges(self):
        version = memory.allocations.version, blocks.version
        if version != self.version:
            self.ranges, self.version = [], version
        return self.ranges

    def _learn(self, place):
        """Find the allocation that a place is in."""
        base = self.examiner.base
        address = self.examiner.last_address(place)
        allocation = self.examiner.launch.machine.allocation_at(address)
        if allocation is None:
            return False
        start = allocation.start + allocation.delta - base
        if any(entry[0] == start for entry in self.ranges):
            return False
        flags = map_of(allocation) if allocation.kind in (AllocationKind.DEVICE, AllocationKind.HEAP) else None
        self.ranges.append((start, start + allocation.size, None if flags is None else WrittenMap(start, flags)))
        return True


def _destinations(instruction):
    operand = instruction.operands[0]
    return operand.items if isinstance(operand, Vector) else (operand,)


def is_computed_with(code, operand):
    """Does an instruction other than a store use this register? A structure that is copied takes its padding along."""
    for instruction in code.function.body:
        if isinstance(instruction, str) or instruction.opcode.startswith("st."):
            continue
        start = 0 if instruction.opcode.startswith(("setp", "bra", "call", "bar")) else 1
        for used in instruction.operands[start:]:
            items = used.items if isinstance(used, Vector) else (used,)
            if isinstance(operand, Register) and any(isinstance(item, Register) and item.name == operand.name for item in items):
                return True
    return False
