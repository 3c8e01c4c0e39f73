"""What the host touches too early: page-locked memory that a copy or a kernel writes, before it has waited for that.

The host has a view of page-locked memory of its own (memory/blocks.py), and the operating system's page tables tell which of its pages
were touched since they were taken out of there. They are taken out when work is given to a stream, and looked at when
the host has waited for something. That a page was touched says nothing of where in it: a page counts only if all that is allocated
there is written by that one work. Whether the host read or wrote is not known; both are too early.

Decided for silence: from a volatile or atomic write to page-locked memory on, or a value that a stream writes, nothing is told any
more, because the host may wait for that. Registered memory has no second view, so nothing is seen there: its
pages are the program's own, with other data in them, and to close them (mprotect) would stop it, and fail the system's calls there.
"""
from dataclasses import dataclass, field

from ..libcuda.process_memory import PAGE
from ..memory.allocations import AllocationKind, memory
from .findings import Finding

REMEDY = "Wait first: synchronize the stream, or an event behind it."


@dataclass(eq=False)
class Pending:
    """Work that the host has not waited for, and what the host has touched since it was given."""
    stamp: object
    name: str
    place: str
    writes: list = None             # [(start, end)] in this process; None until they are known
    touched: set = field(default_factory=set)       # numbers of the host's pages


class HostTouches:
    """What the host touches, for one session."""

    def __init__(self):
        self._pending, self._silent = [], False
        self._ended = []        # (stamp, what it wrote) of work that had ended before it was told that it was given

    def note_work(self, stamp, name, place):
        """Work was given to a stream: from here on the host's touches count for it."""
        if self._silent or stamp is None:
            return
        self._note()
        writes = next((writes for ended, writes in self._ended if ended is stamp), None)
        self._ended = [work for work in self._ended if work[0] is not stamp]
        self._pending.append(Pending(stamp, name, place, writes))
        for block in _blocks():
            block.let_go()

    def note_writes(self, stamp, writes, strong=False):
        """What work writes has become known."""
        writes = [(int(start), int(end)) for start, end in writes]
        if strong and any(pinned.start + pinned.delta < end and start < pinned.end + pinned.delta
                          for start, end in writes for pinned in _pinned_allocations()):
            self.be_silent()
        matching = [pending for pending in self._pending if pending.stamp is stamp]
        for pending in matching:
            pending.writes = writes
        if not matching and not self._silent:
            self._ended.append((stamp, writes))

    def be_silent(self):
        """The host may learn by a value in memory what is done."""
        self._pending, self._silent = [], True

    def look(self, at_end, caller):
        """The host has learned something, or the session ends: the findings. caller: a function, says where the program is"""
        self._note()
        due = [pending for pending in self._pending if pending.writes is not None and (at_end or pending.stamp.known_to_the_host())]
        self._pending = [pending for pending in self._pending if pending not in due]
        return [self._finding(pending, "" if at_end else f", which it does at {caller()}", early)
                for pending in due if (early := _early(pending))]

    def _finding(self, pending, until, early):
        return Finding("race", "", f"the host uses what {pending.name} ({pending.place}) writes, before it has waited for it{until}",
                       REMEDY, variable=f"{early.size} bytes", space="host", count=1)

    def _note(self):
        """Add what the host has touched to all that is pending."""
        if self._pending:
            touched = set().union(*(block.touched_by_host() for block in _blocks()))
            for pending in self._pending:
                pending.touched |= touched


def _pinned_allocations():
    return [allocation for allocation in memory.allocations
            if allocation.kind is AllocationKind.PINNED and allocation.original is allocation and allocation.delta]


def _blocks():
    return {id(allocation.block): allocation.block for allocation in _pinned_allocations()}.values()


def _early(pending):
    """An allocation of which the host touched a page that this work alone writes; None without one."""
    pinned = _pinned_allocations()
    for start, end in pending.writes:
        for allocation in pinned:
            low, high = max(start - allocation.delta, allocation.start), min(end - allocation.delta, allocation.end)
            for page in range(low // PAGE, -(-high // PAGE)) if low < high else ():
                on_page = [(max(other.start, page * PAGE), min(other.end, (page + 1) * PAGE)) for other in pinned
                           if other.start < (page + 1) * PAGE and other.end > page * PAGE]
                if page in pending.touched and all(low <= first and last <= high for first, last in on_page):
                    return allocation
    return None
