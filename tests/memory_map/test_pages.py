"""The map of managed memory: where its pages are, who says so, and how that is shown."""
import doctest
import itertools
import re
import xml.etree.ElementTree as ElementTree

from course_lib import driver, kernels, managed
from course_lib.core import errors
from course_lib.managed import PAGE, RangeAttributes
from courseware import memory_map
from courseware.memory_map import page_map, residency
from courseware.memory_map.picture import pages as picture, shapes
from courseware.memory_map.residency import Page, Place

import numpy as np
import pycuda.driver as cuda
import pytest
from hypothesis import given, settings, strategies as st

from .made_up import text_past

OF_THE_MODEL = pytest.mark.skipif(not driver.attached.simulated, reason="a GPU does not tell where a page is")
DEVICE, HOST = frozenset({"device 0"}), frozenset({"host"})
NOTHING = RangeAttributes(None, None, False, ())
USE = "__global__ void put(char *p) { p[threadIdx.x * 4096] = 5; } __global__ void get(char *p, char *q) { q[0] = p[threadIdx.x * 4096]; }"


@pytest.fixture
def table():
    with managed.allocate(2 << 20) as memory:
        yield memory


def page(number):
    return slice(number * PAGE, (number + 1) * PAGE)


def where(part):
    """[(pages, where they are), ...]"""
    return [(run.pages, run.page.place.words) for run in memory_map.pages(part).runs]


def map_of(*places, attributes=NOTHING):
    """A PageMap of one page for each place."""
    return page_map.PageMap("made", (1, 0), [Page(place, attributes) for place in places])


def drawn(pages_map, columns=picture.WIDE):
    return ElementTree.fromstring(picture.svg(pages_map, "map-0", columns))


# -- the model of the simulated driver ----------------------------------------------------------------------------

@OF_THE_MODEL
def test_pages_go_where_they_are_touched_first_and_a_prefetch_brings_them(table):
    assert where(table) == [("pages 0 to 511", "nowhere yet")]
    table.array[page(3)] = 1
    with kernels.compile(USE) as code:
        code.put(1, 2, table.address + 5 * PAGE)
        managed.prefetch(table.array[page(3)])
        managed.prefetch(table.array[page(7)], to="host")
        cuda.Context.synchronize()
    places = memory_map.pages(table).places
    assert places[3].on("device 0") and not places[3].on("host") and places[7].on("host") and not places[0].on("host")
    assert where(table) == [("pages 0 to 2", "nowhere yet"), ("page 3", "on device 0"), ("page 4", "nowhere yet"),
                            ("pages 5 to 6", "on device 0"), ("page 7", "on the host"), ("pages 8 to 511", "nowhere yet")]


@OF_THE_MODEL
def test_a_plain_touch_by_the_host_moves_its_page_alone(table):
    managed.prefetch(table.array[:16 * PAGE])
    cuda.Context.synchronize()
    assert table.array[5 * PAGE] == 0
    assert where(table)[:3] == [("pages 0 to 4", "on device 0"), ("page 5", "on the host"), ("pages 6 to 15", "on device 0")]


@OF_THE_MODEL
def test_read_mostly_pages_are_on_both_sides_until_a_write(table):
    table.array[:2 * PAGE] = 3
    managed.advise(table.array[:2 * PAGE], "read_mostly")
    with kernels.compile(USE) as code:
        code.get(1, 2, table.address, table.address + 9 * PAGE)
        cuda.Context.synchronize()
        assert where(table.array[:2 * PAGE]) == [("pages 0 to 1", "on the host and on device 0")]
        table.array[PAGE] = 4       # or was it a read? The page tables do not tell
        code.put(1, 1, table.address)
        cuda.Context.synchronize()
    assert where(table.array[:2 * PAGE]) == [("page 0", "on device 0"), ("page 1", "on the host, perhaps on device 0 too")]
    assert "Perhaps: a copy may be there" in repr(memory_map.pages(table.array[:2 * PAGE]))
    assert "Perhaps" not in repr(memory_map.pages(table.array[:PAGE]))


@OF_THE_MODEL
def test_after_a_copy_nobody_knows(table):
    cuda.memcpy_htod(table.address, np.zeros(PAGE, np.uint8))
    [first, *_] = memory_map.pages(table).runs
    assert (first.page.place, first.last_page) == (Place(None, "since a copy"), 0)


# -- the host's page tables: the same questions on a GPU ----------------------------------------------------------

def by_the_tables(part):
    return list(residency._by_the_page_tables(*managed.range_of(part), managed.facts(part)))


def test_what_is_in_the_hosts_page_tables_is_on_the_host_and_the_rest_is_unknown_since_what_was_said(table):
    managed.prefetch(table.array[:64 * PAGE])
    cuda.Context.synchronize()
    table.array[20 * PAGE] = 7
    places = by_the_tables(table)
    assert places[20] == Place(HOST, "in the host's page tables")
    assert places[0] == places[63] == Place(None, "since a prefetch to device 0")
    assert places[511] == Place(None, "since its allocation")
    managed.prefetch(table.array[page(20)])
    cuda.Context.synchronize()
    assert by_the_tables(table)[20] == places[0]


def test_a_read_mostly_page_in_the_hosts_page_tables_may_have_a_copy_elsewhere(table):
    managed.advise(table.array[page(1)], "read_mostly")
    table.array[:2 * PAGE] = 7
    assert [place.words for place in by_the_tables(table.array[:2 * PAGE])] == ["on the host", "on the host, perhaps on a device too"]


def test_where_the_host_reaches_a_devices_memory_its_page_tables_prove_nothing(table, monkeypatch):
    table.array[0] = 7
    monkeypatch.setattr(residency, "device_attribute", lambda name: name == "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST")
    assert by_the_tables(table)[0] == Place(None, "since its allocation")


def test_where_the_system_hides_its_page_tables_nothing_is_known(table, monkeypatch):
    table.array[0] = 7
    monkeypatch.setattr(residency, "present", lambda address, nbytes: None)
    assert by_the_tables(table)[0].locations is None


@pytest.mark.parametrize("simulated, words", [pytest.param(True, "model of the simulated driver", marks=OF_THE_MODEL),
                                             (False, "as far as the host's page tables tell")])
def test_the_map_says_who_says_it(table, monkeypatch, simulated, words):
    monkeypatch.setattr(type(driver.attached), "simulated", simulated)
    pages_map = memory_map.pages(table)
    assert words in repr(pages_map).splitlines()[0] and words in " ".join(drawn(pages_map).itertext())
    assert pages_map.runs[0].page.place.words == ("nowhere yet" if simulated else "unknown")


def test_looking_moves_no_page_and_says_the_same_again(table):
    managed.prefetch(table.array[:8 * PAGE])
    table.array[100 * PAGE] = 1
    cuda.Context.synchronize()
    before = residency.present(table.address, table.nbytes), managed.facts(table)
    first = repr(memory_map.pages(table))
    assert repr(memory_map.pages(table)) == first
    assert (residency.present(table.address, table.nbytes), managed.facts(table)) == before


# -- how it is told -----------------------------------------------------------------------------------------------

def test_a_part_has_its_own_page_numbers_and_its_name(table):
    part = table.array[page(4)]
    pages_map = memory_map.pages((table.address + 4 * PAGE + 100, PAGE))
    assert pages_map.title == "managed memory: 2 pages of 4 KiB"
    assert memory_map.pages(part).title == "managed memory: 1 page of 4 KiB"


@OF_THE_MODEL
def test_since_marks_the_pages_that_are_elsewhere(table):
    managed.prefetch(table.array[:2 * PAGE])
    cuda.Context.synchronize()
    before = memory_map.pages(table)
    table.array[0] = 7
    pages_map = memory_map.pages(table).since(before)
    assert pages_map.changes == "Changed: 1 page on device 0 → on the host."
    assert [row.get("aria-label") for row in drawn(pages_map).iter() if "marked" in (row.get("class") or "")] == [
        "page 0; 4 KiB; ≠ on the host; before: on device 0; since the host touched it; last prefetch: device 0"]
    assert repr(pages_map).splitlines()[3].split() == ["0", *"4 KiB on the host on device 0 since the host touched it device 0 -".split()]
    assert memory_map.pages(table).since(pages_map).changes == "No page is elsewhere than before."


def test_only_a_map_of_the_same_pages_can_be_compared_with(table):
    pages_map = memory_map.pages(table)
    for other in ("before", memory_map.pages(table.array[page(1)]), memory_map.look(table)):
        with pytest.raises(errors.WrongArgument, match="an earlier map of the same pages"):
            pages_map.since(other)


@pytest.mark.parametrize("part, error", [((4096, 1), errors.WrongPointer), (np.zeros(4), errors.WrongPointer), ("table", errors.WrongArgument),
                                         ((4096, 0), errors.WrongSize)])
def test_what_is_no_managed_memory_is_refused(part, error):
    with pytest.raises(error):
        memory_map.pages(part)


ANYWHERE = st.builds(Place, st.sampled_from([None, frozenset(), HOST, DEVICE, HOST | DEVICE]), st.just("since kernel <put>"),
                     st.sampled_from([frozenset(), frozenset({"a device"})]))


@settings(max_examples=60)
@given(st.lists(st.tuples(ANYWHERE, st.integers(1, 40)), min_size=1, max_size=30), st.sampled_from([picture.WIDE, picture.NARROW]))
def test_the_picture_tells_every_page_once_whatever_the_places(pieces, columns):
    pages_map = map_of(*itertools.chain.from_iterable([place] * count for place, count in pieces))
    assert sum(run.count for run in pages_map.runs) == sum(count for _, count in pieces)
    root = drawn(pages_map, columns)
    rows = [element for element in root.iter() if "row" in (element.get("class") or "").split()]
    assert all(row.get("tabindex") == "0" and row.get("role") == "img" for row in rows)
    pages = [row.get("aria-label").split("; ")[0] for row in rows]
    assert pages == [run.pages for run in pages_map.runs[:len(rows)]]
    if len(rows) < len(pages_map.runs):
        assert len(rows) == picture.MOST_ROWS - 1 and f"and {len(pages_map.runs) - len(rows)} more runs" in " ".join(root.itertext())
    assert text_past(root, columns.right) == []
    identifiers = re.findall(r' id="([^"]*)"', pages_map._repr_html_())
    assert len(set(identifiers)) == len(identifiers)
    strip = [element for element in root.iter() if f"{picture.STRIP}h" in (element.get("d") or "")]
    widths = [float(re.search(r"h([\d.]+)v", element.get("d"))[1]) for element in strip if "url" not in (element.get("fill") or "")]
    room = columns.right - 2 * picture.NAMES
    assert len(widths) == len(pages_map.runs) and sum(widths) == pytest.approx(room, abs=0.2)
    assert min(widths) >= min(picture.LEAST, room / len(widths)) - 0.01


@pytest.mark.parametrize("place, sides", [(HOST, {"host"}), (DEVICE, {"device"}), (HOST | DEVICE, {"host", "device"}), (frozenset(), {"across"}),
                                          (None, {"across"})])
def test_a_run_is_drawn_where_its_pages_are(place, sides):
    link = picture.WIDE.link
    boxes = list(picture._boxes(Place(place, ""), PAGE, 0, picture.Scale([PAGE], picture.COLUMN), link, "map-0"))
    starts = [float(x) for path in boxes for x in re.findall(r'd="M([\d.]+) [\d.]+L', path)]
    ends = [x + picture.COLUMN for x in starts]
    drawn_at = {"host" if end < link else "device" if start > link else "across" for start, end in zip(starts, ends)}
    assert drawn_at == sides


def test_long_tables_end_in_a_line_that_counts_the_rest():
    pages_map = map_of(*[Place(HOST, ""), Place(DEVICE, "")] * 80)
    assert repr(pages_map).splitlines()[-2].startswith("60 runs more  240 KiB")


@OF_THE_MODEL
def test_the_example_is_true():
    examples = doctest.testmod(page_map)
    assert examples.failed == 0 < examples.attempted


def test_between_the_pieces_of_a_box_is_a_gap_as_wide_at_the_bottom_as_at_the_top():
    left, right = [[tuple(map(float, corner.split())) for corner in piece.strip("M").split("L")]
                   for piece in shapes.outline(10, 5, 100, 20, [50]).rstrip("Z").split("Z")]
    ends, begins = ({y: x for x, y in piece if x not in (10, 110)} for piece in (left, right))
    assert sorted(ends) == sorted(begins) == [5, 10, 15, 20, 25]
    assert {begins[y] - ends[y] for y in ends} == {4} and {(begins[y] + ends[y]) / 2 for y in ends} == {48, 52}
