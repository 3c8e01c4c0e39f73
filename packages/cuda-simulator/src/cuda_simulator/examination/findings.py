"""Findings: what was seen, in words, once for each pair of lines.

A Finding is for people and for programs: `message` says all of it, the fields say the parts.
"""
import os
from dataclasses import dataclass, field, replace

MOST = 100      # findings of one launch that are kept; the others are counted
CHECK_THE_INDEX = "Check the index first, as in if (i < n)."
OF_A_WARP = "Put __syncwarp() between the two."
OF_A_BLOCK = "Put __syncthreads() between the two, at a point that all threads of the block reach."

listeners = []  # functions that are called with each Finding which is written to standard error too


def tell(finding):
    """Call every listener."""
    for listener in listeners:
        listener(finding)


@dataclass
class Finding:
    """One mistake in a kernel."""
    kind: str                   # race, barrier, shuffle, uninitialised, freed, out-of-bounds, fault, endless, host-memory
    kernel: str
    message: str
    remedy: str
    lines: tuple = ()           # (file, line) of each access or wait, as far as the compiler told; the one that is seen first
    threads: tuple = ()         # ((block, thread), ...), each an (x, y, z): an example
    variable: str = ""          # "s", "parameter 1"; "" where nothing is known
    element: str = ""           # "s[60]"
    space: str = ""             # shared, global, local
    count: int = 0              # accesses that were seen like this; 0 where they are not counted, as between streams
    same_value: bool = False    # of writes: they all wrote what the others wrote
    apart: int = 0              # of a race: its threads are of one warp (0), of one block (1), of two blocks (2)
    seed: int = 0               # of the order in which warps and blocks ran
    with_free: bool = False     # of a race: one of the two is a call that frees the memory
    path: str = ""              # of the file of the first line, as the compiler was told it; "" where it was told none

    def __str__(self):
        times = "" if self.count < 2 else f" ({self.count} times)"
        return f"{self.kind}: {f'kernel {self.kernel}: ' if self.kernel else ''}{self.message}{times}. {self.remedy}"


class Report:
    """The findings of one launch. The same mistake at the same lines is one finding."""

    def __init__(self, examiner):
        self.examiner = examiner
        self._by_key = {}         # key -> Finding
        self.left_out = 0

    def _add(self, key, count, make):
        finding = self._by_key.get(key)
        if finding is None:
            if len(self._by_key) >= MOST:
                self.left_out += 1
                return None
            finding = self._by_key[key] = make()
            finding.kernel, finding.seed = self.examiner.kernel_name, self.examiner.seed
            finding.path = self.examiner.path(finding.lines[0][0])
        finding.count += count
        return finding

    def race(self, order, lane, doing, other_order, other_lane, other_doing, was_read, address, size, count, same_value,
             under_way=False):
        """`lane` does something now to what `other_lane` has done something to before."""
        line, other_line = self.examiner.line(doing.instruction), self.examiner.line(other_doing.instruction)
        variable, element = self.examiner.names.of(address, size, doing.space)
        # Which of the two came first is chance: a pair of lines is the same pair either way.
        key = ("race", frozenset((line, other_line)), variable)
        block, thread = order.position(lane)
        other_block, other_thread = other_order.position(other_lane)
        verb = doing.verb()
        other_verb = "read" if was_read else other_doing.past()

        apart = 2 if block != other_block else 0 if _warp(order, lane) == _warp(other_order, other_lane) else 1

        def make():
            first = who(thread, block, apart == 2 or self.examiner.several_blocks)
            second = who(other_thread, other_block, apart == 2 or self.examiner.several_blocks)
            threads = (block, thread), (other_block, other_thread)
            why, remedy = _missing(doing, other_doing, apart, line == other_line)
            if under_way:
                why = "the asynchronous copy may still be under way"
                remedy = "Wait for it (__pipeline_wait_prior, cp.async.wait_all), and then __syncthreads()."
            text = f"{first} {verb} {element}{at_line(line)}, and {second} {other_verb} it{at_line(other_line)}: {why}"
            lines = line, other_line
            if was_read:        # the reader first, which is what goes wrong
                text = f"{second} reads {element}{at_line(other_line)}, and {first} {verb} it{at_line(line)}: {why}"
                lines, threads = lines[::-1], threads[::-1]
            return Finding("race", "", text, remedy, lines, threads, variable, element, doing.space, same_value=same_value, apart=apart)

        earlier = self._by_key.get(key)
        if earlier is not None and earlier.apart < apart:       # what orders these orders those, too
            count += self._by_key.pop(key).count
        finding = self._add(key, count, make)
        if finding is not None and not was_read:
            finding.same_value &= same_value or doing.reads

    def uninitialised(self, order, lane, doing, address, size, count):
        line = self.examiner.line(doing.instruction)
        variable, element = self.examiner.names.of(address, size, doing.space)
        block, thread = order.position(lane)

        def make():
            whose = {"shared": "no thread of its block", "local": "the thread itself never", "global": "nobody"}[doing.space]
            text = f"{who(thread, block, self.examiner.several_blocks)} reads {element}{at_line(line)}, which {whose} " + (
                "wrote" if doing.space == "local" else "has written")
            return Finding("uninitialised", "", text, "Write it first: memory holds whatever was there before.", (line,),
                           ((block, thread),), variable, element, doing.space)

        self._add(("uninitialised", line, variable), count, make)

    def outside(self, order, lane, doing, address, size, count):
        """`lane` does something to bytes behind the shared memory of its block."""
        line = self.examiner.line(doing.instruction)
        variable, element = self.examiner.names.of(address, size, doing.space)
        block, thread = order.position(lane)

        def make():
            text = f"{who(thread, block, self.examiner.several_blocks)} {doing.verb()} {element}{at_line(line)}: {outside_of(doing.space)}"
            return Finding("out-of-bounds", "", text, CHECK_THE_INDEX, (line,), ((block, thread),), variable, element, doing.space)

        self._add(("out-of-bounds", line, variable), count, make)

    def shuffle(self, order, lane, other_lane, instruction, count):
        """`lane` asks a lane that its mask names for a value, and that one has ended."""
        line = self.examiner.line(instruction)
        block, thread = order.position(lane)
        _, other_thread = order.position(other_lane)

        def make():
            text = (f"{who(thread, block, self.examiner.several_blocks)} asks for the value of {who(other_thread, block, False)}"
                    f"{at_line(line)}, which has ended: what comes is undefined")
            return Finding("shuffle", "", text, "Let all threads of the warp come by, with a neutral value (0 for a sum), or name in the "
                           "mask only those that do, and ask no others.", (line,), ((block, thread), (block, other_thread)))

        self._add(("shuffle", line), count, make)

    def barrier(self, text, remedy, lines, threads):
        self._add(("barrier", frozenset(lines)), 1, lambda: Finding("barrier", "", text, remedy, tuple(lines), tuple(threads)))

    def findings(self):
        """All of them so far, as a list of its own Findings: what is added later does not change it.

        Reads that only came too early are left out: where a race is said, that is the reason.
        """
        races = [finding for finding in self._by_key.values() if finding.kind == "race"]
        raced = {(race.variable, line) for race in races for line in race.lines}
        of_a_block = {race.variable for race in races if race.apart == 1}
        return [_complete(finding, of_a_block) for finding in self._by_key.values()
                if finding.kind != "uninitialised" or (finding.variable, finding.lines[0]) not in raced]


def _complete(finding, of_a_block):
    """A copy of a Finding, with what only the others tell. of_a_block: variables with a race between warps of one block"""
    message, remedy = finding.message, finding.remedy
    if finding.kind == "race" and finding.variable in of_a_block:       # one remedy for one array: the stronger one
        remedy = remedy.replace(OF_A_WARP, OF_A_BLOCK)
    if finding.same_value:
        message += ", though both write the same value"
    return replace(finding, message=message, remedy=remedy)


def _missing(doing, other_doing, apart, same_line):
    """Why two accesses are a race, and what orders them. apart: as of a Finding"""
    if apart == 2 and doing.passes_on and other_doing.passes_on:
        return ("the scope is the block, and the two are of different blocks",
                "Give it the scope of the device: cuda::thread_scope_device, or atomicAdd in the place of atomicAdd_block.")
    atomic = "an atomic orders no plain access, and " if doing.strong != other_doing.strong else ""
    if apart == 2:
        return (f"{atomic}nothing orders two blocks before the kernel ends",
                "Use an atomic (atomicAdd), or two kernels, or hand it over: __threadfence() and then an atomic flag.")
    one_statement = " Where threads change one number in one statement, no barrier helps: use an atomic (atomicAdd)." if same_line else ""
    if apart == 0:
        return f"{atomic}no __syncwarp() between them", f"{OF_A_WARP}{one_statement}"
    return f"{atomic}no __syncthreads() between them", f"{OF_A_BLOCK}{one_statement}"


def outside_of(space):
    return f"outside of the {space} memory of its block"


def who(thread, block, with_block):
    number = "({},{},{})".format(*thread)
    return f"thread {number}" + (" of block ({},{},{})".format(*block) if with_block else "")


def does(fault):
    """What a KernelFault's thread did there, in a word."""
    return {"read": "reads", "write": "writes", "free": "frees"}.get(fault.access, "updates")


def place_of(fault):
    """(file, line) of a KernelFault, or ("PTX", line) where the compiler told none."""
    return (os.path.basename(fault.source[0]), fault.source[1]) if fault.source is not None else ("PTX", fault.line)


def at_line(line):
    return f" at line {line[1]}" if line[0] != "PTX" else f" at PTX line {line[1]}"


def _warp(order, lane):
    return order.first_block + int(order.block_of[lane]), int(order.thread_of[lane]) // 32


@dataclass
class Doing:
    """What one instruction does to memory."""
    instruction: object
    number: int
    space: str = ""             # of its last access: shared, global, local
    reads: bool = False
    writes: bool = False
    atomic: bool = False        # atom, red
    strong: bool = False        # of a scope that other blocks are in: does not race with its like
    narrow: bool = False        # of a scope that other blocks are not in: so it is within its block
    releases: bool = False      # a fence is part of it
    passes_on: bool = False     # may be part of a handover
    volatile: bool = False
    waits: bool = False         # in a loop that may be waiting for another thread
    words: tuple = field(default=())

    def verb(self):
        """As in "it reads" a word."""
        return "updates" if self.atomic else "writes" if self.writes else "reads"

    def past(self):
        """As in "it read" a word."""
        return "updated" if self.atomic else "wrote" if self.writes else "read"


def doing_of(instruction, number, access):
    """What a load, store, atomic or copy does; a barrier that is counted (mbarrier) is told and asked as a word of a handover."""
    words = tuple(instruction.opcode.split("."))
    atomic, counted = access == "atomic", words[0] == "mbarrier" and words[1] not in ("init", "inval")
    volatile = atomic or counted or words[1] in ("volatile", "relaxed", "acquire", "release")
    narrow = volatile and "cta" in words
    return Doing(instruction, number, reads=atomic or access == "read", writes=atomic or access == "write",
                 atomic=atomic, strong=volatile and not narrow, narrow=narrow, passes_on=volatile, volatile=words[1] == "volatile",
                 releases="release" in words or "acq_rel" in words, words=words)
