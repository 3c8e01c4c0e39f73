"""Where each page of managed memory is, as far as anything tells, and what the driver says of it.

A GPU's driver tells the last prefetch and the advice, and not where a page is. Linux tells which pages are in the page
tables of this process. Such a page is on the host, where the host reaches no other memory:
DIRECT_MANAGED_MEM_ACCESS_FROM_HOST and PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES are 0 then. A read-mostly page may
have a copy on a device, too. Of a page that is not there, nothing follows: the host may have to fetch it from a device,
or nobody has used it yet.

The simulated driver has a model of what moves pages (the package's docs/simulated-driver.md), and its answer is taken
in place of these.

To ask touches no page, and changes nothing. Not here: how it is shown (page_map.py).
"""
import itertools
from dataclasses import dataclass

from course_lib import driver, managed
from course_lib.core.device import device_attribute
from course_lib.managed import PAGE, RangeAttributes
from cuda_simulator.page_tables import PAGE as TABLE_PAGE, present

HOST = "host"
# Where one of these is 1, the host may have a page in its tables that is in a device's memory.
REACHES_DEVICES = ("DIRECT_MANAGED_MEM_ACCESS_FROM_HOST", "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES")


@dataclass(frozen=True)
class Place:
    """Where a page is, as far as anything tells."""

    locations: frozenset | None         # "host", "device 0"; empty: nowhere yet; None: nobody can say
    since: str                          # what brought it there, or after what nothing is known
    perhaps: frozenset = frozenset()    # where there may be a copy, too

    @property
    def words(self):
        """Such as "on the host, perhaps on device 0 too"."""
        if not self.locations:
            return "unknown" if self.locations is None else "nowhere yet"
        surely = " and ".join(map(_on, _ordered(self.locations)))
        return surely + "".join(f", perhaps {_on(side)} too" for side in _ordered(self.perhaps))

    def on(self, place):
        """Is it surely there? place: "host" or "device 0"."""
        return place in (self.locations or ())

    def same(self, other):
        """Is it where another page is, as far as anybody can say?"""
        return (self.locations, self.perhaps) == (other.locations, other.perhaps)


@dataclass(frozen=True)
class Page:
    """What is known of a page."""

    place: Place
    attributes: RangeAttributes    # as the driver says


@dataclass(frozen=True)
class Run:
    """Pages beside each other of which the same is known."""

    first_page: int
    last_page: int
    page: Page
    before: Page | None = None      # what was known earlier, where two moments are compared

    @property
    def count(self):
        """How many pages."""
        return self.last_page - self.first_page + 1

    @property
    def nbytes(self):
        """How many bytes."""
        return self.count * PAGE

    @property
    def pages(self):
        """Such as "pages 2 to 511"."""
        return f"page {self.first_page}" if self.count == 1 else f"pages {self.first_page} to {self.last_page}"


def pages(address, nbytes):
    """What is known of each page that `nbytes` bytes at `address` touch: a list of Page.

    Errors are those of managed.facts. CUDA calls: those of managed.facts, and cuDeviceGetAttribute.
    """
    facts = managed.facts((address, nbytes))
    find = _by_the_model if driver.attached.simulated else _by_the_page_tables
    return [Page(place, attributes) for place, attributes in zip(find(address, nbytes, facts), facts)]


def runs(pages, before=None):
    """The runs of a list of Page, beside an earlier list of as many pages: a list of Run."""
    compared, first_page = [], 0
    for (page, earlier), run in itertools.groupby(zip(pages, before or itertools.repeat(None))):
        last_page = first_page + sum(1 for _ in run) - 1
        compared.append(Run(first_page, last_page, page, earlier))
        first_page = last_page + 1
    return compared


def _by_the_model(address, nbytes, facts):
    from cuda_simulator.memory.managed import residency  # with a GPU, that driver is not there
    for _, size, where in residency(address, nbytes):
        yield from itertools.repeat(Place(where.places, _since(where), where.perhaps), size // PAGE)


def _since(where):
    """What the model says of a page's last move, in words."""
    causes = {"allocated": "its allocation", "prefetch": "a prefetch", "memset": "a memset", "copy": "a copy",
              "discard": "a discard", "advice": "advice was taken back", "the host": "the host touched it"}
    return f"since {causes.get(where.since, where.since)}"


def _by_the_page_tables(address, nbytes, facts):
    there_of = _in_host_tables(address, nbytes) or [None] * len(facts)
    for there, page in zip(there_of, facts):
        if there:
            copies = frozenset({"a device"} if page.read_mostly else ())
            yield Place(frozenset({HOST}), "in the host's page tables", copies)
        elif page.last_prefetch:
            yield Place(None, f"since a prefetch to {_to(page.last_prefetch)}")
        else:
            yield Place(None, "since its allocation")


def _in_host_tables(address, nbytes):
    """For each page: must it be on the host, because the host's page tables have it? None where they tell nothing."""
    if any(device_attribute(name) for name in REACHES_DEVICES):
        return None
    present_runs = present(address, nbytes)
    if present_runs is None:
        return None
    first_table_page = address // TABLE_PAGE
    there = [is_there for start, end, is_there in present_runs for _ in range(start, end)]
    last_page = (address + nbytes - 1) // PAGE
    return [there[page * PAGE // TABLE_PAGE - first_table_page] for page in range(address // PAGE, last_page + 1)]


def _on(place):
    return "on the host" if place == HOST else f"on {place}"


def _to(place):
    return "the host" if place == HOST else place


def _ordered(places):
    return sorted(places, key=lambda place: (place != HOST, place))
