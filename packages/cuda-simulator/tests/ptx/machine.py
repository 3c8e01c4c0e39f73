"""A small stand-in for the driver, so that the interpreter can be tested alone.

Device memory is a NumPy array in this process; its device addresses differ from its process addresses by an
offset, so that a forgotten translation shows.
"""

from __future__ import annotations

import contextlib

import numpy as np

from . import interpreter as ptx

SHIFT = 1 << 44             # device address = process address + SHIFT


class PtxMachine:
    def __init__(self, heap_bytes: int = 1 << 20, patience: float = 60):
        import time
        self.symbols = {}
        self.version = 0
        self.printed = ""
        self._ranges = []           # (start, end, array, readable, writable)
        self._heap = None
        self._heap_bytes = heap_bytes
        self._heap_blocks = {}
        self._time = time.monotonic
        self._end = time.monotonic() + patience
        self._clock = 0
        self.polls = 0

    # ---- for tests -------------------------------------------------------------------------------------------

    def array(self, values) -> tuple[int, np.ndarray]:
        """Device memory with these contents: its device address, and the array itself, seen from the host."""
        values = np.ascontiguousarray(values)
        raw = np.zeros(values.nbytes + 512, np.uint8)
        start = -raw.ctypes.data % 256
        piece = raw[start:start + values.nbytes]
        view = piece.view(values.dtype).reshape(values.shape)
        view[...] = values
        address = piece.ctypes.data + SHIFT
        self._ranges.append((address, address + values.nbytes, raw))
        self._ranges.sort(key=lambda range_: range_[0])
        self.version += 1
        return address, view

    def load(self, module: ptx.PtxModule) -> dict:
        """Place a module's variables; their arrays of bytes by name."""
        images = {}
        for name, variable in module.variables.items():
            address, images[name] = self.array(np.zeros(max(variable.size, 1), np.uint8))
            self.symbols[name] = address
        for name, variable in module.variables.items():
            image = np.frombuffer(variable.image(self.symbols), np.uint8)
            images[name][:len(image)] = image
        return images

    # ---- what the interpreter asks -----------------------------------------------------------------------------

    def range_of(self, address: int, access: str):
        for start, end, _ in self._ranges:
            if start <= address < end:
                return start, end, -SHIFT
        raise ptx.MemoryFault(0, address, "no allocation has this address")

    @staticmethod
    def exclusive(place):
        return contextlib.nullcontext()

    def locate(self, addresses, size: int, access: str):
        translated = np.empty(len(addresses), np.uint64)
        for position, address in enumerate(addresses.tolist()):
            try:
                start, end, delta = self.range_of(address, access)
            except ptx.MemoryFault as fault:
                raise ptx.MemoryFault(position, address, fault.reason) from None
            if address + size > end:
                raise ptx.MemoryFault(position, address, "beyond the end of the allocation")
            translated[position] = address + delta
        return translated

    def malloc(self, sizes):
        blocks = np.zeros(len(sizes), np.uint64)
        for lane, size in enumerate(np.asarray(sizes).tolist()):
            if size <= self._heap_bytes:
                self._heap_bytes -= size
                address, _ = self.array(np.zeros(max(size, 1), np.uint8))
                blocks[lane] = address
                self._heap_blocks[address] = size
        return blocks

    def free(self, addresses):
        for address in np.asarray(addresses).tolist():
            if address:
                self._heap_bytes += self._heap_blocks.pop(address)
                self._ranges = [range_ for range_ in self._ranges if range_[0] != address]
                self.version += 1

    def print(self, texts: list[str], to="stdout"):
        self.printed += "".join(texts)

    def poll(self, where=None, stuck=None):
        self.polls += 1
        if self._time() > self._end:
            raise TimeoutError("the kernel ran too long for this test")

    def clock(self) -> int:
        self._clock += 1
        return self._clock
