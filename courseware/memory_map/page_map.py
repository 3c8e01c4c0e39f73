"""The map of one piece of managed memory, page by page: on the host, on the device, on both, nowhere yet, or unknown.

    >>> from course_lib import managed
    >>> from courseware import memory_map
    >>> memory = managed.allocate(2 << 20)
    >>> managed.prefetch(memory.array[:65536])
    >>> before = memory_map.pages(memory)
    >>> memory.array[0] = 7
    >>> [(run.pages, run.page.attributes.last_prefetch) for run in memory_map.pages(memory).runs][-1]
    ('pages 16 to 511', None)

What is known of a page: residency.py. How it is drawn: picture/pages.py.
"""
import html
from collections import Counter

from course_lib import driver, managed
from course_lib.core import tables
from course_lib.core.errors import WrongArgument
from course_lib.core.sizes import size
from course_lib.pointers.address_facts import attribute

from . import gather, residency
from .picture import pages as picture

# What the words of a place leave open.
PERHAPS = ("Perhaps: a copy may be there, too. A read of the host leaves it, a write ends it, and nothing tells which "
           "of the two the host did.")
READ = ("The strip has all pages; the narrowest parts are drawn wider than they are, to be seen. In the rows, pages "
        "side by side of which the same is known are one box. A page that is nowhere yet has no physical memory. A "
        "zigzag marks a part that is left out.")
MOST_LINES = 100    # of the table
# Who says where the pages are, and what that is worth.
MODEL = ("model of the simulated driver",
         "The simulated driver models where the pages are, following the documentation. A GPU's driver can't report "
         "that before CUDA 13.4, so on a GPU the map shows which pages are in the host's page tables.")
TABLES = ("as far as the host's page tables tell",
          "Up to CUDA 13.3 no call tells where a page is. The operating system tells which pages are in the host's "
          "page tables: they are on the host, where the host reaches no other memory. Of the others the driver only "
          "knows what was said of them.")


def pages(part):
    """Where each page of managed memory is, as far as anything tells: a PageMap, which a cell shows as its last line.

    part: as for managed.prefetch: ManagedMemory, an array or view of it, or (address, nbytes). Page 0 is the first that
    it
          touches; the most are managed.MOST_PAGES

    It reads no page, so it moves none. Raises WrongPointer for what is not managed memory, WrongSize for too many
    pages.
    """
    address, nbytes = managed.range_of(part)
    names = [name for name, value in gather.variables().items() if value is part]
    memory = attribute(address, "BUFFER_ID"), address // managed.PAGE
    return PageMap(names[0] if names else "", memory, residency.pages(address, nbytes))


class PageMap:
    """What `pages` saw. `runs` is a list of residency.Run: pages side by side of which the same is known.

    `places` has a residency.Place for each page: ``places[0].words`` is "on the host", for example, and
    ``places[0].on("host")`` is True then.
    """

    def __init__(self, name, memory, pages, before=None):
        self.name, self._memory, self._pages, self._before = name, memory, pages, before
        self.runs = residency.runs(pages, before)

    def since(self, before):
        """The same map, as a PageMap, with the pages marked that are elsewhere than on an earlier map of them.

            before = memory_map.pages(table)
            ...
            memory_map.pages(table).since(before)

        Raises WrongArgument for what is no map of these pages.
        """
        if not isinstance(before, PageMap) or before._extent != self._extent:
            raise WrongArgument("since() takes an earlier map of the same pages, which memory_map.pages() returned")
        return PageMap(self.name, self._memory, self._pages, before._pages)

    @property
    def places(self):
        """A residency.Place for each page, in order."""
        return [page.place for page in self._pages]

    @property
    def _extent(self):
        """Which pages these are."""
        return self._memory, len(self._pages)

    @property
    def title(self):
        """Whose pages they are, how many, and how large one is."""
        count = len(self._pages)
        return f"{self.name or 'managed memory'}: {count} page{'s'[:count > 1]} of {size(managed.PAGE)}"

    @property
    def source(self):
        """Who says where the pages are, and what that leaves open: in a few words, and in a sentence or two."""
        short, long = MODEL if driver.attached.simulated else TABLES
        return short, f"{long} {PERHAPS}" if any(place.perhaps for place in self.places) else long

    @property
    def changes(self):
        """What changed since the earlier map, in a sentence; empty where there is none."""
        if self._before is None:
            return ""
        moved = Counter()
        for run in self.runs:
            if self.moved(run):
                moved[f"{run.before.place.words} → {run.page.place.words}"] += run.count
        if not moved:
            return "No page is elsewhere than before."
        counted = "; ".join(f"{count} page{'s'[:count > 1]} {words}" for words, count in moved.items())
        return f"Changed: {counted}."

    @staticmethod
    def moved(run):
        """Is this run elsewhere than on the earlier map?"""
        return run.before is not None and not run.page.place.same(run.before.place)

    def __repr__(self):
        head, *lines = self._lines()
        short, long = self.source
        return "\n".join(filter(None, [f"{self.title} ({short})", self.changes, tables.text(lines, head), long]))

    def _repr_html_(self):
        head, *lines = self._lines()
        changes = f"<p>{html.escape(self.changes)}</p>" if self.changes else ""
        return (f"{changes}{picture.html(self)}"
                "<details><summary>The same as a table, and how to read this map</summary>"
                f"{tables.html(lines, head, sections=True)}<p>{html.escape(f'{READ} {self.source[1]}')}</p></details>")

    def _lines(self):
        compared = self._before is not None
        yield ("pages", "size", "where", *(["before"] if compared else []), "since", "last prefetch", "advice")
        for run in self.runs[:MOST_LINES]:
            before = (run.before.place.words if self.moved(run) else "the same",) if compared else ()
            yield (run.pages.partition(" ")[2], size(run.nbytes), run.page.place.words, *before, run.page.place.since,
                   run.page.attributes.last_prefetch or "never", run.page.attributes.advice or "-")
        if len(self.runs) > MOST_LINES:
            left_out = self.runs[MOST_LINES:]
            nbytes = sum(run.nbytes for run in left_out)
            yield (f"{len(left_out)} runs more", size(nbytes), "...", *[""] * (3 + compared))
