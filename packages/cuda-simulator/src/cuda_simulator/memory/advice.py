"""What was said of managed memory, page by page: advice (cuMemAdvise), and the place of the last prefetch.

Rests on an H200's answers (tests/conformance: managed/advice, /range_attributes, /prefetch). What is said of some bytes
is said of every 4 KiB page that they touch, also of a page that two small allocations share. A range says what all its
pages say, as far as the driver looks at them (runs.py).

Not here: where the pages are (residency.py), which bytes are managed (managed.py), what a call may name (calls/managed.py).
"""
from dataclasses import dataclass, replace

from ..libcuda.state import driver
from .places import DEVICE, NOWHERE, as_device
from .runs import Runs, StridingRuns

PAGE = 4096    # of managed memory; the host's are as large on x86-64
SET_READ_MOSTLY, UNSET_READ_MOSTLY, SET_PREFERRED, UNSET_PREFERRED, SET_ACCESSED_BY, UNSET_ACCESSED_BY = range(1, 7)


@dataclass(frozen=True)
class AdvisedAttributes:
    """The attributes of a page, or of a range: cuMemRangeGetAttribute's. Places are (CUmemLocationType, id)."""
    read_mostly: bool = False
    preferred: tuple = NOWHERE
    prefetched: tuple = NOWHERE
    accessed_by: frozenset = frozenset()

    def advised(self, advice, place):
        """The same after a piece of advice."""
        if advice in (SET_READ_MOSTLY, UNSET_READ_MOSTLY):
            return replace(self, read_mostly=advice == SET_READ_MOSTLY)
        if advice in (SET_PREFERRED, UNSET_PREFERRED):
            return replace(self, preferred=place if advice == SET_PREFERRED else NOWHERE)
        if advice == SET_ACCESSED_BY:
            return replace(self, accessed_by=self.accessed_by | {place})
        return replace(self, accessed_by=self.accessed_by - {place})

    def accessors(self):
        """Who was named to access it: devices by number, then the host as -1."""
        return sorted(map(as_device, self.accessed_by), key=lambda number: (number < 0, number))


def together(pages):
    """What pages say together: that they are read mostly if all are, a place if all name the same, who accesses them all.

    No pages are all read mostly, and every device accesses them, and they name no place: so an H200 answers of a range whose
    size wraps around.
    """
    if not pages:
        return AdvisedAttributes(read_mostly=True, accessed_by=frozenset((DEVICE, number) for number in range(len(driver.devices))))
    read_mostly, preferred, prefetched, accessed_by = zip(*map(_fields, pages))
    return AdvisedAttributes(all(read_mostly), *(places[0] if len(set(places)) == 1 else NOWHERE for places in (preferred, prefetched)),
                             frozenset.intersection(*accessed_by))


def _fields(attributes):
    return attributes.read_mostly, attributes.preferred, attributes.prefetched, attributes.accessed_by


class Pages:
    """What was said of the pages of one block, from number `first_page` on. `preferred` is the place of the block's pool, if any."""

    def __init__(self, first_page, preferred=NOWHERE):
        self._at_first = AdvisedAttributes(preferred=preferred)
        self._attributes = StridingRuns(self._at_first, first_page)

    def of(self, first_page, end_page):
        """[(first page, page after the last, AdvisedAttributes), ...] of the pages [first_page, end_page), every one."""
        return Runs.between(self._attributes, first_page, end_page)

    def attributes(self, first_page, end_page):
        """What these pages say together."""
        return together([attributes for _, _, attributes in self._attributes.between(first_page, end_page)])

    def advise(self, first_page, end_page, advice, place):
        """Say a piece of advice of these pages."""
        self._attributes.change(first_page, end_page, lambda attributes: attributes.advised(advice, place))

    def prefetch(self, first_page, end_page, place):
        """Remember that these pages were prefetched to a place."""
        self._attributes.change(first_page, end_page, lambda attributes: replace(attributes, prefetched=place))

    def forget(self, first_page, end_page):
        """These pages were freed."""
        Runs.change(self._attributes, first_page, end_page, lambda attributes: self._at_first)
