"""An address book: which host address and which device address are the same byte.

CUDA has no function from a device address back to "the" host address. A program that needs the way
back keeps the pairs, and this is such a book:

    >>> book = AddressBook()
    >>> view = book.add(host=0x1000, device=0x9000, nbytes=256)
    >>> hex(book.to_host(0x9010))
    '0x1010'

It keeps numbers only. It calls no CUDA function, owns no memory, and knows what it was told. Not
here: what the driver knows (address_facts.py). A look-up costs O(log n) comparisons among n ranges.
"""
import itertools
from collections.abc import Hashable
from dataclasses import dataclass
from typing import SupportsInt

from ..core.errors import Misuse, Released, WrongPointer, WrongSize
from ..core.ranges import Ranges


class NotInBook(Misuse, LookupError):
    """The book has no such address, or no address on the side asked for."""


@dataclass(eq=False)
class View:
    """One entry: `nbytes` bytes at a host address, at a device address, or at both.

    Views with equal `memory` show the same memory, this one from byte `offset` of it on.
    """

    host: int | None
    device: int | None
    nbytes: int
    memory: Hashable
    offset: int = 0
    freed: bool = False


class AddressBook:
    """Pairs of host and device addresses, with look-ups both ways, for interior addresses too."""

    _memories = itertools.count(1)

    def __init__(self) -> None:
        self._sides: dict[str, Ranges[View]] = {"host": Ranges(), "device": Ranges()}
        self._views: dict[Hashable, list[View]] = {}    # memory -> the living views that show it

    def add(self, host: SupportsInt | None = None, device: SupportsInt | None = None, nbytes: int = 0,
            memory: Hashable | None = None, offset: int = 0) -> View:
        """Enter a view and return it.

        host, device: address of its first byte on that side; None where it has none there
        nbytes:       its length in bytes
        memory:       what two views of one memory share: the `memory` of the first view. None:
                      memory of its own
        offset:       where in the memory the view starts, in bytes

        Raises WrongPointer where it has no address, or overlaps a living view: free that one first;
        WrongSize for less than a byte.
        """
        if host is None and device is None:
            raise WrongPointer("a view needs a host address, a device address, or both")
        if nbytes <= 0:
            raise WrongSize(f"a view of {nbytes} bytes holds no address: enter its length in bytes")
        view = View(None if host is None else int(host), None if device is None else int(device), int(nbytes),
                    next(self._memories) if memory is None else memory, int(offset))
        for side, ranges in self._sides.items():
            start = getattr(view, side)
            for overlapped in ranges.within(start, start + view.nbytes) if start is not None else ():
                if not overlapped.freed:
                    raise WrongPointer(f"the {side} addresses from {start:#x} on are already in the book: "
                                       "free that view first")
        for side, ranges in self._sides.items():
            start = getattr(view, side)
            if start is not None:
                ranges.set(start, start + view.nbytes, view)    # what was freed here is forgotten
        self._views.setdefault(view.memory, []).append(view)
        return view

    def free(self, view: View) -> None:
        """Note that a view's addresses are valid no more. They stay known as freed until they are
        given out again.

        Raises Released for a view that was freed, NotInBook for one of another book.
        """
        if view.freed:
            raise Released("this view was freed: look up a live one, or add it again")
        if view not in self._views.get(view.memory, ()):
            raise NotInBook("this view is not in this book")
        view.freed = True
        self._views[view.memory].remove(view)
        if not self._views[view.memory]:
            del self._views[view.memory]

    def to_device(self, host_address: SupportsInt) -> int:
        """The device address of the byte at a host address. Raises NotInBook, or Released where it
        was freed."""
        return self._other_side(host_address, "host", "device")

    def to_host(self, device_address: SupportsInt) -> int:
        """The host address of the byte at a device address. Raises NotInBook, or Released where it
        was freed.

        Where the view of that device address has no host address, another view of the same byte may
        have one: then it is that one's.
        """
        return self._other_side(device_address, "device", "host")

    def find(self, address: SupportsInt, side: str = "device") -> View | None:
        """The view that holds an address on one side, freed or not; None where the book has
        none."""
        return self._sides[side].at(int(address))

    def _other_side(self, address: SupportsInt, side: str, other_side: str) -> int:
        view = self.find(address, side)
        if view is None:
            raise NotInBook(f"{int(address):#x} is not a {side} address of this book: add its range first")
        if view.freed:
            raise Released(f"the {side} address {int(address):#x} was freed, and no allocation has it any more")
        byte = int(address) - getattr(view, side) + view.offset
        for candidate in (view, *self._views[view.memory]):
            start = getattr(candidate, other_side)
            if start is not None and candidate.offset <= byte < candidate.offset + candidate.nbytes:
                return start + byte - candidate.offset
        raise NotInBook(f"the memory at {side} address {int(address):#x} has no {other_side} address")
