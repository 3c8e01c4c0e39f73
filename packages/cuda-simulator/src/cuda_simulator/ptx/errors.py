"""What can go wrong: while a module is loaded, and while a kernel runs.

No checks live here, only the exceptions that the other modules raise.
"""

from __future__ import annotations

import os

# CUresult codes that a kernel can end with (cuda.h).
ILLEGAL_ADDRESS = 700
LAUNCH_TIMEOUT = 702
ASSERT = 710
ILLEGAL_INSTRUCTION = 715
MISALIGNED_ADDRESS = 716
INVALID_ADDRESS_SPACE = 717
INVALID_PC = 718
LAUNCH_FAILED = 719


class PtxError(Exception):
    """A module that can not be loaded: `line` is the PTX line, `why` says what is wrong with it."""

    def __init__(self, line: int, source_line: str, why: str):
        self.line, self.source_line, self.why = line, source_line.strip(), why
        super().__init__(f"PTX line {line}: {why}\n    {self.source_line}")


class MemoryFault(Exception):
    """Some lanes asked for bytes that are not there.

    `position` is the first bad lane's index in the array of addresses that was asked about.
    """

    def __init__(self, position: int, address: int, reason: str, code: int = ILLEGAL_ADDRESS):
        self.position, self.address, self.reason, self.code = position, address, reason, code
        super().__init__(f"{reason} at {address:#x}")


class Stray(MemoryFault):
    """Some lanes asked for bytes that belong to no allocation, or no longer, and that hardware reaches all the same: they lie
    in a piece of memory that is still in use. The machine that raises it has `stray` and `by_page`; `count` says how many
    of the addresses that were asked about are astray."""

    def __init__(self, position: int, address: int, reason: str, count: int):
        self.count = count
        super().__init__(position, address, reason)


class KernelFault(Exception):
    """A kernel that ended badly; `code` is the CUresult that the driver reports from then on."""

    def __init__(self, code: int, reason: str, *, kernel: str = "", block=None, thread=None, address=None,
                 access=None, size=None, space=None, line: int = 0, text: str = "", source=None):
        self.code, self.reason, self.kernel = code, reason, kernel
        self.block, self.thread = block, thread
        self.address, self.access, self.size, self.space = address, access, size, space
        self.line, self.text, self.source = line, text, source
        super().__init__(self.describe())

    def describe(self) -> str:
        parts = [f"kernel {self.kernel}: {self.reason}", f"block {self.block}, thread {self.thread}"]
        if self.address is not None:
            parts.append(f"{self.access} of {self.size} bytes at {self.address:#x} ({self.space})")
        if self.source is not None:
            parts.append(f"{os.path.basename(self.source[0])}:{self.source[1]}")
        if self.line:
            parts.append(f"PTX line {self.line}: {self.text}")
        return "; ".join(parts)
