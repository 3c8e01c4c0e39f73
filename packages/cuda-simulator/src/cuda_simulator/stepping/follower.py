"""Follows the threads of a launch: an observer of the interpreter that makes a LaunchTrace.

    from cuda_simulator.stepping.follower import Follower
    from cuda_simulator.watch import watching

    with watching(Follower()) as seen:
        kernel(x, block=(3, 1, 1))
        cuda.Context.synchronize()
    print(seen.record.threads[0])

Names of memory need a kernel that was compiled with -G.
"""
import threading

from ..examination.sources import source_of
from ..ptx import Observer
from ..ptx.program import Register
from .naming import Naming
from .records import LaunchTrace
from .thread import Thread
from .variables import Unreadable, of_functions


class Follower(Observer):
    """Follows the first launch, and in it the first block, if it has no more than `most` threads.

    Of a thread's steps `limit` are kept.
    """

    def __init__(self, most=4, limit=400):
        self._most, self._limit = most, limit
        self._lock = threading.Lock()       # kernels of two streams run at once
        self._followed = None

    @property
    def record(self):
        """What was seen so far, as a LaunchTrace; None where nothing was launched."""
        return self._followed and self._followed.record()

    def access(self, group, instruction, space, addresses, size, access):
        for position, thread in self._threads(group):
            thread.arrives(group, instruction)
            address = addresses if type(addresses) is int else int(addresses[position])
            thread.reaches(instruction, space, address, size, access)

    def step(self, group, instruction):
        for position, thread in self._threads(group):
            thread.arrives(group, instruction)
            thread.did(group, position, instruction)

    def end(self, group, end):
        for _, thread in self._threads(group):
            thread.arrives(group, end.instruction)

    def _threads(self, group):
        """[(position among a group's lanes, Thread)] of those that are followed."""
        with self._lock:
            if self._followed is None:
                self._followed = Followed(group.wave.launch, self._most, self._limit)
        followed = self._followed
        if group.wave.launch is not followed.launch or group.wave.first_block:
            return []
        lanes = [int(lane) for lane in group.lanes]
        return [(position, followed.threads[lane]) for position, lane in enumerate(lanes) if lane < len(followed.threads)]


class Followed:
    """One launch, and its threads."""

    def __init__(self, launch, most, limit):
        self.launch = launch
        program = launch.kernel.program
        self.source = source_of(program.text) or ""
        try:
            variables = of_functions(program.text)
        except Unreadable:      # of another compiler: then addresses are all there is
            variables = {}
        files = [instruction.source[0] for instruction in launch.code.function.body
                 if not isinstance(instruction, str) and instruction.source]
        self.file = files[0] if files else None     # of the kernel itself; the others are headers
        self.moves = {instruction for code in launch.kernel.linker.codes.values() for instruction in _moves(code.function.body)}
        naming = Naming(launch, variables, self.source)
        count = launch.threads if launch.threads <= most else 0
        self.threads = [Thread(naming, self.line_of, limit) for _ in range(count)]

    def line_of(self, instruction):
        """The line of an instruction in the source; 0 for one of a header or of no line."""
        if instruction.source is None or instruction.source[0] != self.file or id(instruction) in self.moves:
            return 0
        return instruction.source[1]

    def record(self):
        return LaunchTrace(self.launch.kernel.name, self.source, self.launch.threads, [thread.steps for thread in self.threads])


def _moves(body):
    """The ids of instructions that belong to no line: where paths meet, the compiler moves registers, and jumps on.

    It writes no .loc before these, so that they seem to be of the line that stands above them, which may be on another path.
    """
    previous_source, at_start = None, False     # one object for all instructions after a .loc
    for instruction in body:
        if isinstance(instruction, str):
            at_start = True
            continue
        moves = instruction.opcode.startswith("mov") and all(isinstance(operand, Register) for operand in instruction.operands)
        jumps = instruction.opcode.startswith("bra") and instruction.guard is None
        at_start = at_start and instruction.source is previous_source and (moves or jumps)
        if at_start:
            yield id(instruction)
        previous_source = instruction.source
