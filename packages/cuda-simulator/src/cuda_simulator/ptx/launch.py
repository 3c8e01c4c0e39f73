"""One kernel launch: cut the grid into waves, run them, and describe faults."""

from __future__ import annotations

import time

import numpy as np

from .errors import LAUNCH_TIMEOUT, KernelFault
from .parameters import Parameters
from .scheduler import POLL_SECONDS, run_wave
from .special import MULTIPROCESSORS
from .wave import Wave

# So many lanes at once that NumPy's overhead vanishes, and so few that registers stay in the cache.
LANES_OF_A_WAVE = 32768
# What a multiprocessor of an H200 holds at once: blocks that wait for each other may count on it.
THREADS_OF_ONE, BLOCKS_OF_ONE, SHARED_BYTES_OF_ONE = 2048, 32, 228 << 10
OF_THE_SYSTEM = 1 << 10     # of the shared memory, for each block

# glibc gives each large array back to the system when it is freed, and page faults then cost more than the
# arithmetic. Freeing one block of nearly 32 MiB, the most that it learns from, teaches it to keep arrays up to
# that size (mallopt(3), M_MMAP_THRESHOLD). The block is never touched and costs nothing.
untouched = np.empty(30 << 20, np.uint8)
del untouched


class Launch:
    """What all waves of a launch share."""

    def __init__(self, kernel, grid, block, parameter_place, dynamic_shared, machine, observer, examiner=None):
        self.kernel, self.grid, self.block, self.machine = kernel, grid, block, machine
        self.observer, self.examiner = observer, examiner
        self.code = kernel.code
        self.threads = block[0] * block[1] * block[2]
        self.blocks = grid[0] * grid[1] * grid[2]
        self.dynamic_shared = dynamic_shared
        self.shared_bytes = kernel.linker.dynamic_start + dynamic_shared
        self.parameter_place, self.parameters = parameter_place, parameter_place.bytes
        self.poll_at = time.monotonic() + POLL_SECONDS
        self.cannot_begin = 0       # blocks, while all that the device holds at once wait
        self.computes = False       # has a loop gone on in which something changes, since all blocks had their last turn?
        self._numbers = {}
        if examiner is not None:
            examiner.begin(self)

    # ---- numbering, the same for every wave of a size ---------------------------------------------------------

    def lane_numbers(self, lanes: int):
        return self.once(("lane", lanes), lambda: np.arange(lanes))

    def block_numbers(self, lanes: int):
        return self.once(("block", lanes), lambda: np.repeat(np.arange(lanes // self.threads), self.threads))

    def thread_numbers(self, lanes: int):
        return self.once(("thread", lanes), lambda: np.tile(np.arange(self.threads), lanes // self.threads))

    def once(self, key, make):
        """What is the same for all waves with as many lanes, made once."""
        if key not in self._numbers:
            self._numbers[key] = make()
        return self._numbers[key]

    # ---- running ---------------------------------------------------------------------------------------------

    def run(self):
        most = MULTIPROCESSORS * max(1, min(THREADS_OF_ONE // self.threads, BLOCKS_OF_ONE,
                                            SHARED_BYTES_OF_ONE // (self.shared_bytes + OF_THE_SYSTEM)))
        at_once = min(most, max(1, LANES_OF_A_WAVE // self.threads))
        starts = range(0, self.blocks, at_once)
        if self.examiner is not None:
            starts = self.examiner.schedule.waves(list(starts), most // at_once)
        waiting = [(start, min(at_once, self.blocks - start)) for start in reversed(starts)]
        resident, patience = [], 0
        while resident or waiting:
            if waiting and sum(wave.blocks for wave in resident) + waiting[-1][1] <= most:
                resident.append(Wave(self, *waiting.pop()))
                full = False
            else:
                full = True
            self.computes = False
            running = [wave for wave in resident if not run_wave(wave)]
            spinning = full and len(running) == len(resident)
            resident = running
            if patience and not spinning:
                self.poll(stuck=False)
            patience = patience + 1 if spinning else 0
            self.cannot_begin = sum(blocks for _, blocks in waiting) if spinning else 0
            if spinning:        # waiting for the host or another stream: let them run
                self.poll(next(iter(resident[0].resting.values()), None), stuck=self.cannot_begin > 0 and not self.computes)
                time.sleep(0 if patience < 100 else min(5e-4, patience * 1e-6))

    def poll(self, group=None, stuck=None):
        """Let the machine look after what else there is. group: one that runs, or would; stuck: do all blocks that the device holds
        at once wait for what none of them does, while others cannot begin? None where that is not known"""
        self.machine.poll(group and (lambda: self._where(group)), stuck)
        self.poll_at = time.monotonic() + POLL_SECONDS

    # ---- faults ----------------------------------------------------------------------------------------------

    def _where(self, group) -> KernelFault:
        """Where a group is, as a fault that nobody made."""
        block = group.frame.code.blocks[group.pc]
        instructions = [step.instruction for step in (*block.steps, block.end) if step.instruction is not None]
        first = instructions[0] if instructions else None
        with_line = next((instruction for instruction in instructions if instruction.source is not None), first)
        return self.fault(LAUNCH_TIMEOUT, "", group, 0, with_line)

    def position(self, group, position: int):
        """The block and thread, as (x, y, z), of one lane of a group."""
        lane = int(group.lanes[position])
        block = int(group.wave.block_of[lane]) + group.wave.first_block
        thread = lane % self.threads
        return _axes(block, self.grid), _axes(thread, self.block)

    def fault(self, code, reason, group, position, instruction, **details) -> KernelFault:
        block, thread = self.position(group, position)
        source = None
        if instruction is not None and instruction.source is not None:
            file, line = instruction.source
            source = (self.kernel.program.files.get(file, ""), line)
        return KernelFault(code, reason, kernel=self.kernel.name, block=block, thread=thread,
                           line=instruction.line if instruction else 0,
                           text=instruction.text if instruction else "", source=source, **details)


def _axes(number: int, extent) -> tuple[int, int, int]:
    x, y, _ = extent
    return number % x, number // x % y, number // (x * y)


def run(kernel, grid, block, parameters: bytes, dynamic_shared: int, machine, *, observer=None, examiner=None) -> None:
    """Run a kernel to its end; raises KernelFault where it fails, and whatever machine.poll raises."""
    with np.errstate(all="ignore"):
        parameter_place = Parameters(bytes(parameters).ljust(kernel.parameter_bytes, b"\0"), machine.poll)
        try:
            Launch(kernel, tuple(grid), tuple(block), parameter_place, dynamic_shared, machine, observer, examiner).run()
        finally:
            parameter_place.release()
