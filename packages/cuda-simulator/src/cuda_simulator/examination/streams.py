"""Races between streams, and with the host: two launches or copies that use the same bytes, and nothing that orders them.

For each examined launch, and for each copy, fill and stream-ordered allocation meanwhile, the bytes that it read and wrote are kept
as ranges. Two of them race if one writes what the other uses, and neither is known to come before the other
(precedence.py). The source of an asynchronous copy is compared with what it was when the copy was given, as soon as the host
has waited for it: if it differs and no work wrote there, the host did. What the host touches of the memory that work on a
stream writes is seen by its pages (host_touches.py).

Decided for silence: two kernels that use an atomic or volatile word together, because it may hand over the rest. Not here: the
threads of one kernel (races.py).
"""
import os
import re
import sys
from dataclasses import dataclass, field

import numpy as np

from ..libcuda.process_memory import read
from ..memory.allocations import memory
from ..memory.heap import blocks
from ..ptx.spaces import BASE
from . import precedence
from .cells import INSTRUCTION, INSTRUCTION_MASK, STRONG
from .findings import Finding, at_line
from .host_touches import HostTouches

MOST = 256                  # of what was done last, that is kept
MOST_WATCHED = 64 << 20     # bytes of a copy's source
OURS = re.compile(r"[/\\](cuda_simulator|cuda_without_toolkit|course_lib|courseware|pycuda|numba|numba_cuda|cuda|gpuarray)[/\\]")
REMEDY = "Let one stream wait for the other (an event, and cuStreamWaitEvent), put both on one stream, or synchronize between them."
WAIT = "Wait for the copy first: synchronize its stream, or an event behind it."


@dataclass
class UsedRanges:
    """Bytes of this process, as arrays: starts, ends, the instruction that used them, and whether it was strong (findings.Doing)."""
    starts: np.ndarray
    ends: np.ndarray
    doings: np.ndarray
    strong: np.ndarray

    @classmethod
    def of(cls, pieces):
        """Of [(start, end, instruction, strong)] as arrays."""
        joined = [np.concatenate(column) for column in zip(*pieces)] if pieces else [np.zeros(0, np.int64)] * 4
        order = np.argsort(joined[0], kind="stable")
        return cls(*(column[order] for column in joined))

    def meeting(self, other):
        """[(place in self, place in other)] of ranges that overlap: one for each of ours."""
        if not len(self.starts) or not len(other.starts):
            return np.zeros((0, 2), np.int64)
        # Ranges of one set may overlap where two instructions read the same: the furthest end so far decides.
        furthest = np.maximum.accumulate(other.ends)
        place = np.minimum(np.searchsorted(furthest, self.starts, side="right"), len(other.starts) - 1)
        meets = (other.starts[place] < self.ends) & (other.ends[place] > self.starts)
        return np.stack((np.flatnonzero(meets), place[meets]), axis=1)


@dataclass
class CallSite:
    """Where a program asks for work, and what is allocated then: when the work is done, that may have been freed, and have been given
    to somebody else."""
    place: str
    owners: list = field(default_factory=lambda: [(owner.start + owner.delta - BASE, owner.end + owner.delta - BASE, owner)
                                                  for owner in (*memory.allocations, *blocks)])


@dataclass
class Use:
    """What a launch or a call of the host does to memory."""
    stamp: object
    name: str                   # "kernel add", "the copy to the device"
    site: CallSite
    reads: UsedRanges
    writes: UsedRanges
    examiner: object = None     # of a launch
    verb: str = ""              # of a call, where it does not just read or write


@dataclass(eq=False)     # one watch is no other, whatever they hold
class Watch:
    """The source of an asynchronous copy, and what it held when the copy was given."""
    stamp: object
    name: str
    place: str
    pieces: list
    content: bytes


class StreamRaces:
    """The races between launches and calls of one session."""

    def __init__(self):
        self._uses, self._watches, self._findings, self.touches = [], [], [], HostTouches()

    def take_findings(self):
        """The findings since this was asked last."""
        findings, self._findings = self._findings, []
        return findings

    def launch(self, examiner, stamp, site):
        """A launch has ended; its cells are still there."""
        pieces = {"reads": [], "writes": []}
        for cells in examiner.cells.chunks.values():
            for access, stamps in ("writes", cells.written), ("reads", cells.read), ("reads", cells.read_too):
                if runs := _runs(cells, stamps, examiner.races.floor):
                    pieces[access].append(runs)
        use = Use(stamp, f"kernel {examiner.kernel_name}", site, UsedRanges.of(pieces["reads"]), UsedRanges.of(pieces["writes"]), examiner)
        self._add(use)
        self.touches.note_writes(stamp, zip(use.writes.starts + BASE, use.writes.ends + BASE), use.writes.strong.any())

    def call(self, stamp, name, reads=(), writes=(), watched=False, verb=""):
        """A call of the host reads and writes [(address in this process, bytes)]. watched: the program must leave alone what is read."""
        site = CallSite(caller())
        self._add(Use(stamp, name, site, _plain(reads), _plain(writes), verb=verb))
        if stamp is not None and stamp.stream != precedence.HOST and not verb:
            self.touches.note_work(stamp, name, site.place)
            self.touches.note_writes(stamp, [(start, start + size) for start, size in writes])
        if watched and sum(size for _, size in reads) <= MOST_WATCHED:
            self._watches.append(Watch(stamp, name, site.place, list(reads), _content(reads)))

    def look(self, at_end=False):
        """The host has learned something: was what it had to leave alone left alone until then?"""
        self._findings += self.touches.look(at_end, caller)
        due = [watch for watch in self._watches if at_end or watch.stamp.known_to_the_host()]
        self._watches = [watch for watch in self._watches if watch not in due]
        for watch in due:
            if _content(watch.pieces) != watch.content and not self._written_by_work(watch):
                self._findings.append(Finding(
                    "race", "", f"the host writes to the source of {watch.name} ({watch.place}) before it has waited for the copy", WAIT,
                    variable=f"{len(watch.content)} bytes", space="host", count=1))

    def _written_by_work(self, watch):
        """Has a launch or a copy written to the source since, or beside it? Then it was not the host."""
        source = _plain(watch.pieces)
        return any(use.stamp is not watch.stamp and not use.stamp.comes_before(watch.stamp) and len(source.meeting(use.writes))
                   for use in self._uses)

    # -- comparing -------------------------------------------------------------------------------------------------

    def _add(self, use):
        if use.stamp is None or not len(use.reads.starts) + len(use.writes.starts):
            return
        for other in self._uses:
            if not other.stamp.comes_before(use.stamp) and not use.stamp.comes_before(other.stamp):
                # By their places in the program: which of two streams ends first differs from run to run.
                self._compare(*sorted((use, other), key=lambda side: side.stamp.turn, reverse=True))
        self._uses = [*self._uses[1 - MOST:], use]

    def _compare(self, use, other):
        """What two that nothing orders do to the same bytes."""
        met = [(ours, theirs, we_write, they_write, pairs) for ours, theirs, we_write, they_write in (
            (use.writes, other.writes, True, True), (use.writes, other.reads, True, False), (use.reads, other.writes, False, True))
            if len(pairs := ours.meeting(theirs))]
        for ours, theirs, _, _, pairs in met:
            if (ours.strong[pairs[:, 0]] & theirs.strong[pairs[:, 1]]).any():
                return      # they may hand over the rest by it
        for ours, theirs, we_write, they_write, pairs in met:
            pair_of = {(int(ours.doings[mine]), int(theirs.doings[its])): (mine, its) for mine, its in pairs[::-1].tolist()}
            for mine, its in pair_of.values():
                place = max(int(ours.starts[mine]), int(theirs.starts[its]))
                owners = [owner for owner in (_owner(use, place), _owner(other, place)) if owner is not None]
                if owners and owners[0] is owners[-1]:      # else the memory was given to somebody else in between
                    self._findings.append(_race(use, other, int(ours.doings[mine]), int(theirs.doings[its]), we_write, they_write,
                                                place + BASE - owners[0].delta))


def _runs(cells, stamps, floor):
    """The ranges of one shadow array that a launch has used: (starts, ends, instructions, strong), or None."""
    low = max(cells.low - cells.start >> cells.shift, 0)
    index = low + np.flatnonzero(stamps[low:max(cells.high - cells.start + 3 >> cells.shift, low)] >= floor)
    if not len(index):
        return None
    doings, strong = stamps[index] >> INSTRUCTION & INSTRUCTION_MASK, (stamps[index] & STRONG) != 0
    starts = np.concatenate(([True], (np.diff(index) != 1) | (np.diff(doings) != 0) | (strong[1:] != strong[:-1])))
    ends = np.concatenate((starts[1:], [True]))
    return (cells.start + (index[starts] << cells.shift), cells.start + ((index[ends] + 1) << cells.shift), doings[starts], strong[starts])


def _content(pieces):
    return b"".join(read(start, size) for start, size in pieces)


def _plain(pieces):
    """Ranges of [(address in this process, bytes)], used by a call."""
    return UsedRanges.of([(np.array([start - BASE]), np.array([start - BASE + size]), np.array([-1]), np.array([False]))
                          for start, size in pieces])


def _owner(use, place):
    """The allocation that held a place when it was used; None where it was freed by then."""
    for start, end, owner in use.site.owners:
        if start <= place < end:
            return owner
    return None


def _race(use, other, doing, other_doing, we_write, they_write, address):
    texts, lines, variable, element = [], {}, "", ""
    for side, number, writes in (use, doing, we_write), (other, other_doing, they_write):
        verb, line = side.verb or ("writes" if writes else "reads"), None
        if number >= 0:
            access = side.examiner.doings[number]
            variable, element = side.examiner.names.of(address, _size(access), "global")
            verb, line = access.verb(), side.examiner.line(access.instruction)
            lines.setdefault(side.examiner.kernel_name, line)
        texts.append((side, verb, at_line(line) if line else ""))
    target = element or f"memory at {address:#x}"
    (first, first_verb, first_at), (second, second_verb, second_at) = texts
    text = (f"{first.name} ({first.site.place}) {first_verb} {target}{first_at}, and {second.name} ({second.site.place}) "
            f"{second_verb} it{second_at}: nothing orders the two")
    kernel = next(iter(lines), "")      # the other one's line is in the text
    return Finding("race", kernel, text, REMEDY, tuple(lines.values())[:1], (), variable, element, "global",
                   with_free="frees" in (first_verb, second_verb))


def _size(doing):
    """The bytes of one element that an instruction uses."""
    bits = re.search(r"(\d+)$", doing.words[-1])
    return max(int(bits[1]) // 8, 1) if bits else 4


def caller():
    """Where the program is that called the driver: "line 3 in story" of a notebook, which counts from the `def`, or "script.py:3"."""
    frame = sys._getframe(1)
    while frame is not None and OURS.search(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "line unknown"
    name = os.path.basename(frame.f_code.co_filename)
    if not name.startswith("<") and not re.fullmatch(r"\d+\.py", name):
        return f"{name}:{frame.f_lineno}"
    code = frame.f_code
    if code.co_name.isidentifier():
        return f"line {frame.f_lineno - code.co_firstlineno + 1} in {code.co_name}"
    return f"line {frame.f_lineno}"
