"""Which item holds an address: a sorted list of ranges, looked up by bisection.

The address book (pointers/address_book.py) and the journal (journal.py) keep theirs in it. Not
here: what a range means.
"""
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Ranges(Generic[Item]):
    """Which item holds an address: ranges [start, end) without overlap, in order of address."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._items: list[Item] = []

    def at(self, address: int) -> Item | None:
        """The item whose range holds the address, or None."""
        position = bisect_right(self._starts, address) - 1
        return self._items[position] if position >= 0 and address < self._ends[position] else None

    def within(self, start: int, end: int) -> list[Item]:
        """The items with a byte in [start, end)."""
        return self._items[self._slice(start, end)]

    def set(self, start: int, end: int, item: Item) -> None:
        """Give [start, end) to an item; what others had of it they lose."""
        replaced = self._slice(start, end)
        rests = []
        for position in range(replaced.start, replaced.stop):
            if self._starts[position] < start:
                rests.append((self._starts[position], start, self._items[position]))
            if self._ends[position] > end:
                rests.append((end, self._ends[position], self._items[position]))
        starts, ends, items = zip(*sorted([*rests, (start, end, item)], key=lambda piece: piece[0]))
        self._starts[replaced], self._ends[replaced], self._items[replaced] = starts, ends, items

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def _slice(self, start: int, end: int) -> slice:
        first = bisect_right(self._ends, start)    # the first range that ends after `start`
        return slice(first, max(first, bisect_left(self._starts, end)))
