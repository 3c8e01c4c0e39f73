"""Pictures of made-up memory, for a wide page and for a narrow one (tests/drawings.py).

What must hold of any picture (nothing overlaps, nothing is cut off) is in the other tests. That a line ends at its arrow, a hatching
fills its strip, and words stand beside what they name is seen by looking.
"""
import dataclasses
import functools

from course_lib.managed import RangeAttributes
from course_lib.pointers.address_facts import Kind
from courseware.memory_map.launch_map import InsideMap, InsideRow
from courseware.memory_map.page_map import PageMap
from courseware.memory_map.picture import frame, inside, layout, pages, still
from courseware.memory_map.residency import Page, Place
from courseware.memory_map.scene import Block, PhysicalMemory, ReservedRange, Scene

from .made_up import block


def every_kind():
    """A Scene with a block of each kind, in each state that is drawn otherwise."""
    space, shared = ReservedRange(0xb0000000, 8 << 20, ("space",)), PhysicalMemory((99,), "device", 2 << 20)
    on_host = PhysicalMemory((98,), "host", 4096)
    blocks = [
        block(0, Kind.PINNED), block(1, Kind.REGISTERED, 1 << 20, device=0x7000), block(2, Kind.PAGEABLE), block(3, Kind.MANAGED, 3000),
        block(4, Kind.DEVICE, names=("a", "name", "that is far too long for its pill")), block(5, Kind.DEVICE, names=(), access=False),
        block(6, Kind.PINNED, flags=("portable", "writecombined")), block(7, Kind.KERNEL_HEAP, forward=0x80000000),
        block(8, Kind.MAPPED, 2 << 20, shared), block(9, Kind.MAPPED, 2 << 20, shared, access=False), block(10, Kind.MAPPED_HOST, memory=on_host),
        block(10, Kind.MAPPED, 2 << 20, names=(), reservation=space), Block((), Kind.RESERVED, 2 << 20, device=0xb0200000, reservation=space),
        Block((), Kind.RESERVED, 4 << 20, device=0xb0400000, reservation=space, walked=False),
        block(13, Kind.MAPPED_HOST, 1000, PhysicalMemory((96,), "host", 1000), host=0xe0000000, access=False),
        block(14, Kind.MANAGED, 100, forward=0xf0000000), Block(("gone_host",), Kind.FREED, host=0x4000),
        Block(("gone",), Kind.FREED, device=0x1000), Block(("both_gone",), Kind.FREED, host=0x2000, device=0x3000),
        Block(("handle",), Kind.DEVICE, 4 << 20, memory=PhysicalMemory((97,), "device", 4 << 20)), Block(("zero",), Kind.NULL)]
    return Scene(tuple(blocks), memory_names={shared: ("memory", "again")})


def the_devices():
    """A Scene with nothing of the host's."""
    return Scene((block(0), block(1, Kind.KERNEL_HEAP, forward=0x20000000), Block(("gone",), Kind.FREED, device=0x1000), block(3, access=False)))


def with_numbers(width, scene):
    """A program's picture: the first numbers in memory, one of them new, and work that is not done."""
    scene = dataclasses.replace(scene, memory_names={})
    numbers = {letter: ["1", None, "-3", "12345678901", "5"][:number % 6] for number, letter in enumerate(scene.letters.values())}
    more = layout.Details(scene.letters, numbers, frozenset({("B", 0), ("F", 2)}), ((1, 0x10000000), (2, 0x10000004), (3, 0x50000000), (4, 0x10000000 + 64)))
    pieces, height = layout.draw(scene, width, more=more)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="mm" viewBox="-1 0 {width.total + 10} {height:.0f}">' + "".join(
        f'<g transform="translate({piece.x:g} {piece.y:g})">{piece.markup}</g>' for piece in sorted(pieces, key=lambda piece: piece.layer)) + "</svg>")


class SomePages(PageMap):
    """Whichever driver is attached."""

    source = "as somebody made it up", "It is made up."


def some_pages():
    """A PageMap with pages in every place, compared with an earlier one; and two with more runs than rows."""
    device, host, both = frozenset({"device 0"}), frozenset({"host"}), frozenset({"host", "device 0"})
    nothing, advised = RangeAttributes(None, None, False, ()), RangeAttributes("device 0", "host", True, ("device 0",))
    places = [Place(frozenset(), "since its allocation"), Place(device, "since a prefetch"), Place(host, "since the host touched it"),
              Place(both, "since a copy"), Place(None, "since a prefetch to the device"), Place(host, "in the host's page tables", device)]
    now = [Page(place, advised if number == 3 else nothing) for number, place in enumerate(places) for _ in range(8 ** number)]
    before = [Page(places[0], nothing)] * 9 + now[9:]
    turns = [Page(places[number % 5], nothing) for number in range(60)]
    in_the_strip_alone = [Page(places[number], nothing) for number in [*8 * (1, 2), 0, 4, 3]]
    return SomePages("table", (1, 0), now, before), SomePages("", (1, 0), turns), SomePages("strip", (1, 0), in_the_strip_alone)


def some_launches():
    """Few blocks and threads, and more of both than are drawn."""
    rows = [InsideRow("tile", "shared", (0x7f0001000000,), 2, "block"), InsideRow("own", "local", (0xfffcc0,), 8, "thread"),
            InsideRow("table", "global", (0x7f0002000000, 0x7f0002000040), 1, "all launches"), InsideRow("(registers)", "none", (), 8, "thread")]
    return InsideMap("few", 2, 3, rows, "The driver says nothing."), InsideMap("many", 70, 33, rows, "The driver says that it needs 4 registers.")


def drawings():
    """{name of a file: a function that gives its text}"""
    bodies = {"map": lambda: still.html(every_kind()),
              "map-with-numbers": lambda: frame.framed(*(with_numbers(width, every_kind()) for width in (layout.WIDE, layout.NARROW)), still.STYLE),
              "map-of-the-device": lambda: frame.framed(*(with_numbers(width, the_devices()) for width in layout.widths([the_devices()])), still.STYLE),
              "pages": lambda: "".join(pages.svg(seen, f"pages-{number}{columns.right}", columns)
                                       for number, seen in enumerate(some_pages()) for columns in (pages.WIDE, pages.NARROW)),
              "launches": lambda: "".join(inside.svg(seen, f"launch-{number}{room[1]}", room)
                                          for number, seen in enumerate(some_launches()) for room in (inside.WIDE, inside.NARROW))}
    return {f"{name}.html": functools.partial(_page, body) for name, body in bodies.items()}


def _page(body):
    return '<!DOCTYPE html>\n<meta charset="utf-8">\n' + body().replace("><", ">\n<") + "\n"
