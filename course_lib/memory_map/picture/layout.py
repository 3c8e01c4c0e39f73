"""Where everything goes: a Scene in, boxes and arrows with coordinates out. No colours, no SVG (svg.py).

From left to right: names, host addresses, the host's memory, the link, the device's memory, device addresses. One row
for each block; physical memory that several rows show stands in the middle of them. Units are those of the picture.
"""
from dataclasses import dataclass

from .scale import Scale

NAMES, HOST, HOST_MEMORY, LINK, DEVICE_MEMORY, DEVICE, RESERVATIONS = 8, 178, 336, 468, 480, 648, 768    # columns
COLUMN = 112                            # how wide the longest box is
RIGHT, BRACKETS = 774, 96               # where the picture ends, and what it grows by where there are brackets
HEAD, FOOT = 50, 16                     # above the first row; below the last
ROOMY, COMPACT = (26, 34), (13, 15)     # height of a box, and of the gap below it, where the ways back run
MOST_ROOMY = 14                         # rows; more are drawn compactly
LETTER = 7.9                            # how wide one is, in a label


@dataclass(frozen=True)
class Box:
    """A block in one tier: "host", "device" or "memory". `shape` is "solid", "reserved" or "gone"."""

    tier: str
    shape: str
    x: float
    y: float
    width: float
    height: float
    cuts: tuple             # x of each zigzag
    row: int                # the first block that it belongs to
    label: str = ""         # beside it, at its right end

    @property
    def right(self):
        return self.x + self.width

    @property
    def middle(self):
        return self.y + self.height / 2

    @property
    def label_end(self):
        return self.right + (LETTER * len(self.label) + 8 if self.label else 0)


@dataclass(frozen=True)
class Arrow:
    """A way from one box to another: "follow", "no access", "back" or "no way back". `points` are its corners."""

    how: str
    row: int
    points: tuple


@dataclass(frozen=True)
class Picture:
    """A Scene with coordinates. `rows` has the y of each row's boxes, `brackets` (Reservation, y from, y to)."""

    width: float
    height: float
    stretched: bool         # is a block drawn longer than it is?
    rows: tuple
    box_height: float
    gap: float
    boxes: tuple
    arrows: tuple
    brackets: tuple

    @property
    def roomy(self):
        return (self.box_height, self.gap) == ROOMY


def layout(scene):
    """The Picture of a Scene."""
    height, gap = ROOMY if len(scene.blocks) <= MOST_ROOMY else COMPACT
    rows = tuple(HEAD + gap / 2 + number * (height + gap) for number in range(len(scene.blocks)))
    scale = Scale([part.nbytes for part in (*scene.blocks, *scene.letters)], COLUMN)

    def box(tier, shape, x, y, nbytes, row, label=""):
        cuts = tuple(x + cut for cut in scale.cuts(nbytes))
        return Box(tier, shape, x, y, scale.length(nbytes), height, cuts, row, label)

    host, device = ({row: box(tier, shape(block), x, rows[row], block.nbytes, row)
                     for row, block in enumerate(scene.blocks) if getattr(block, tier) is not None}
                    for tier, x in (("host", HOST), ("device", DEVICE)))
    memories = _memories(scene, rows, height + gap / 4, box, scale)
    arrows = tuple(arrow for row, block in enumerate(scene.blocks) if block.memory and block.change != "gone"
                   for arrow in _arrows(row, block, host.get(row), memories[block.memory], device.get(row), gap))
    brackets = tuple(_brackets(scene, rows, height))
    return Picture(width=RIGHT + (BRACKETS if brackets else 0), height=HEAD + len(rows) * (height + gap) + FOOT,
                   stretched=scale.stretched, rows=rows, box_height=height, gap=gap, arrows=arrows, brackets=brackets,
                   boxes=(*host.values(), *memories.values(), *device.values()))


def shape(block):
    """How a block's boxes are drawn."""
    return "gone" if block.change == "gone" or not (block.memory or block.reservation) else \
        "solid" if block.memory else "reserved"


def _memories(scene, rows, pitch, box, scale):
    """{Memory: its Box}: each in the middle of the rows that show it, or as near below as the others leave room."""
    shown_in = {memory: [] for memory in scene.letters}
    for row, block in enumerate(scene.blocks):
        if block.memory:
            shown_in[block.memory].append(row)
    found, free = {}, 0
    for memory, numbers in sorted(shown_in.items(), key=lambda one: one[1][0] + one[1][-1]):
        y = max((rows[numbers[0]] + rows[numbers[-1]]) / 2, free)
        x = {"host": HOST_MEMORY, "device": DEVICE_MEMORY, "both": LINK - scale.length(memory.nbytes) / 2}[memory.where]
        shapes = {shape(scene.blocks[row]) for row in numbers}
        found[memory] = box("memory", "solid" if "solid" in shapes else "gone", x, y, memory.nbytes, numbers[0],
                            scene.letters[memory])
        free = y + pitch
    return found


def _arrows(row, block, host, memory, device, gap):
    """The ways between a block's boxes; None stands for a box that is not there."""
    if host:
        end = memory.x, memory.middle
        yield Arrow("follow", row, _to_memory((host.right, host.middle), HOST + COLUMN + 6, 34, end))
    if device:
        yield Arrow("follow" if block.access else "no access", row,
                    _to_memory((DEVICE, device.middle), DEVICE - 6, -34, (memory.label_end, memory.middle)))
        above = memory.middle > device.middle + 1       # the way back runs where the way there does not
        edge = device.y if above else device.y + device.height
        lane = edge + gap * (-0.3 if above else 0.3)
        turn = DEVICE + min(device.width / 2, 8)
        if block.way_back is None or host is None:
            yield Arrow("no way back", row, ((turn, edge), (turn, lane), (DEVICE - 26, lane)))
        else:
            into = HOST + min(host.width / 2, 8)
            yield Arrow("back", row, ((turn, edge), (turn, lane), (into, lane), (into, edge)))


def _to_memory(start, bend, width, end):
    """The corners of the way from a view to its memory: straight where they are level, else with a bend."""
    return (start, end) if abs(start[1] - end[1]) < 1 else (start, (bend, start[1]), (bend + width, end[1]), end)


def _brackets(scene, rows, height):
    """The reservations of more than one block, each with the rows that it spans."""
    spans = {}
    for block, y in zip(scene.blocks, rows):
        if block.reservation:
            first, _ = spans.get(block.reservation, (y, y))
            spans[block.reservation] = first, y + height
    return [(reservation, first, last) for reservation, (first, last) in spans.items() if last - first > height]
