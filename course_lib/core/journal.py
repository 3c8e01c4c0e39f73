"""What the helpers made in this process, and what of it is gone.

The driver forgets an address the moment it is freed: to its calls, "freed" and "never allocated"
are alike, and a kernel's heap it never knew. The helpers write down here what they make, so that
pointers/ can tell these apart. Where the driver does know, its word counts.

Not here: addresses that came to be without the helpers, but for what `note_seen` was told.
"""
import dataclasses

from .ownership import ContextOf
from .ranges import Ranges


@dataclasses.dataclass(eq=False)
class Entry:
    """A range of addresses that a helper made, or that the driver was once seen to know."""

    kind: str           # "pinned memory", "kernel heap", ...
    start: int
    nbytes: int
    context: ContextOf | None   # the one that it goes away with; None where it outlives contexts
    freed: bool = False
    seen: bool = False      # the driver knew it; no helper made it, and none will say when it is gone
    unsure: bool = False    # freed, but where a kernel's malloc gave it out again, the driver would not tell

    @property
    def alive(self) -> bool:
        """False once it was freed, or its context destroyed."""
        return not self.freed and self.context_alive

    @property
    def context_alive(self) -> bool:
        """False once the context was destroyed that it goes away with."""
        return self.context is None or self.context.alive


_entries: Ranges[Entry] = Ranges()


def note(kind: str, start: int, nbytes: int, context: ContextOf | None = None) -> Entry:
    """Write down that a range of addresses came to be; returns its entry."""
    entry = Entry(kind, start, nbytes, context)
    _entries.set(start, start + nbytes, entry)
    return entry


def note_freed(entry: Entry) -> None:
    """Write down that it is gone."""
    entry.freed = True


def find(address: int) -> Entry | None:
    """The latest entry whose range holds an address, freed or not; None without one."""
    return _entries.at(address)


def entries() -> list[Entry]:
    """Every entry that still has addresses of its own, in order of address; where two overlapped,
    the later has them."""
    return list(dict.fromkeys(_entries))


def note_seen(kind: str, start: int, nbytes: int) -> None:
    """Write down that the driver knows a range, unless that is written already.

    What was only seen may be gone, and its addresses given out again: the driver's word of now
    takes its place.
    """
    entry = find(start)
    if entry is None or entry.freed or start + nbytes > entry.start + entry.nbytes or entry.seen and entry.kind != kind:
        note(kind, start, nbytes).seen = True
