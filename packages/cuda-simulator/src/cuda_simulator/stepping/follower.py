"""Follows one thread of one launch: an observer of the interpreter that makes a LaunchTrace.

    from cuda_simulator.stepping.follower import Follower
    from cuda_simulator.watch import watching

    with watching(Follower(thread=(3, 0, 0))) as seen:
        kernel(x, block=(32, 1, 1))
        cuda.Context.synchronize()
    print(seen.record.steps)

Names of variables need a kernel that was compiled with -G.
"""
import re
import threading
import weakref

import numpy as np

from ..examination.sources import source_of
from ..ptx import Observer
from ..ptx.program import Register
from .naming import Naming
from .records import LaunchTrace
from .thread import Thread
from .variables import Unreadable, of_functions


class Follower(Observer):
    """Follows thread `thread` of block `block`, each an (x, y, z), in the launch with this number; the first is 1.

    Of the steps `limit` are kept, the others counted.
    """

    def __init__(self, thread=(0, 0, 0), block=(0, 0, 0), launch=1, limit=60):
        self._thread, self._block, self._launch, self._limit = thread, block, launch, limit
        self._lock = threading.Lock()       # kernels of two streams run at once
        self._numbers, self._launches, self._followed = weakref.WeakKeyDictionary(), 0, None

    @property
    def record(self):
        """What was seen so far, as a LaunchTrace."""
        record = self._followed.record() if self._followed is not None else LaunchTrace()
        record.launches = self._launches
        return record

    def access(self, group, instruction, space, addresses, size, access):
        if (followed := self._of(group)) and (position := followed.arrives(group, instruction)) is not None:
            address = addresses if type(addresses) is int else int(addresses[position])
            followed.thread.reaches(group, instruction, space, address, size, access)

    def step(self, group, instruction):
        if (followed := self._of(group)) and (position := followed.arrives(group, instruction)) is not None:
            followed.thread.did(group, position, instruction)

    def end(self, group, end):
        if (followed := self._of(group)) and followed.arrives(group, end.instruction) is not None:
            followed.thread.ends_block(group, end)

    def _of(self, group):
        """What follows the launch of a group; None where that is not the one to follow."""
        launch = group.wave.launch
        with self._lock:
            if launch not in self._numbers:
                self._launches += 1
                self._numbers[launch] = self._launches
            if self._numbers[launch] != self._launch:
                return None
            if self._followed is None:
                self._followed = Followed(launch, self._thread, self._block, self._limit)
        return self._followed if self._followed.is_in(group.wave) else None


class Followed:
    """One launch, and what is seen of its thread."""

    def __init__(self, launch, thread, block, limit):
        self.launch = launch
        program = launch.kernel.program
        self.source = source_of(program.text)
        try:
            variables = of_functions(program.text)
        except Unreadable:      # of another compiler: then registers are all there is
            variables = {}
        self.named = bool(variables.get(launch.kernel.name))
        files = [instruction.source[0] for instruction in launch.code.function.body
                 if not isinstance(instruction, str) and instruction.source]
        self.file = files[0] if files else None     # of the kernel itself; the others are headers
        self.moves = {instruction for code in launch.kernel.linker.codes.values() for instruction in _moves(code.function.body)}
        self.lines, self.words = (self.source or "").splitlines(), {}
        self.thread = Thread(Naming(launch, variables, self.source), variables, self.in_source, self.words_of, limit)
        self.block, self.number = _number(block, launch.grid), _number(thread, launch.block)

    def in_source(self, instruction):
        """The line of an instruction; 0 for one of a header or of no line, None where the kernel has no lines."""
        if self.file is None:
            return None
        if instruction.source is None or instruction.source[0] != self.file or id(instruction) in self.moves:
            return 0
        return instruction.source[1]

    def words_of(self, line):
        """The words of the statement that begins at a line; None where the source is not known."""
        if line not in self.words:
            end = line
            while end < len(self.lines) and not re.search("[;{}]", self.lines[end - 1]):
                end += 1
            self.words[line] = set(re.findall(r"\w+", " ".join(self.lines[line - 1:end]))) if 0 < line <= len(self.lines) else None
        return self.words[line]

    def is_in(self, wave):
        """Whether the block that is followed is in this wave."""
        return wave.first_block <= self.block < wave.first_block + wave.blocks

    def arrives(self, group, instruction):
        """Lanes come to an instruction; the thread's position among them, None where it is not."""
        lane = (self.block - group.wave.first_block) * self.launch.threads + self.number
        position = int(np.searchsorted(group.lanes, lane))
        if position == len(group.lanes) or group.lanes[position] != lane:
            return None
        self.thread.arrives(group, position, instruction)
        return position

    def record(self):
        return LaunchTrace(kernel=self.launch.kernel.name, source=self.source or "", grid=self.launch.grid, block=self.launch.block,
                      named=self.named, steps=self.thread.steps, more_steps=self.thread.count - len(self.thread.steps))


def _moves(body):
    """The ids of instructions that belong to no line: where paths meet, the compiler moves registers, and jumps on.

    It writes no .loc before these, so that they seem to be of the line that stands above them, which may be on another path.
    """
    before, at_start = None, False      # source: one object for all instructions after a .loc
    for instruction in body:
        if isinstance(instruction, str):
            at_start = True
            continue
        moves = instruction.opcode.startswith("mov") and all(isinstance(operand, Register) for operand in instruction.operands)
        jumps = instruction.opcode.startswith("bra") and instruction.guard is None
        at_start = at_start and instruction.source is before and (moves or jumps)
        if at_start:
            yield id(instruction)
        before = instruction.source


def _number(position, extent):
    """The number of a thread in its block, or of a block in its grid."""
    return (position[2] * extent[1] + position[1]) * extent[0] + position[0]
