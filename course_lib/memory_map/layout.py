"""Where everything goes: a Scene in, boxes and arrows with coordinates out. No colours, no SVG (svg.py).

From left to right: names, host addresses, the host's memory, the link, the device's memory, device addresses. One row
for each block; physical memory that several rows show stands between them. Units are those of the picture's view box.
"""
from dataclasses import dataclass

from .scale import Scale

NAMES, HOST, HOST_MEMORY, DEVICE_MEMORY, DEVICE, RIGHT = 10, 168, 326, 456, 614, 730     # where each column begins
COLUMN = 112            # how wide the columns of boxes are
LINK = 447              # the line between the host's memory and the device's
WIDTH = 840
HEAD = 58               # above the first row
ROOMY, COMPACT = (26, 34), (13, 15)     # height of a box, and the gap below it, where way-back arrows run
MOST_ROOMY = 14         # rows


@dataclass(frozen=True)
class Box:
    """A block in one tier. `shape` is "solid", "reserved" (nothing behind it) or "gone"."""

    tier: str               # "host", "device", or "memory"
    x: float
    y: float
    width: float
    height: float
    row: int                # of the first block that it belongs to
    breaks: tuple = ()      # x of each cut
    shape: str = "solid"

    @property
    def middle(self):
        return self.y + self.height / 2

    @property
    def right(self):
        return self.x + self.width


@dataclass(frozen=True)
class Arrow:
    """A way from one box to another. `how` is "follow", "no access", "back" or "no way back"."""

    how: str
    row: int
    points: tuple           # (x, y) of its corners


@dataclass(frozen=True)
class Picture:
    """A Scene with coordinates."""

    height: float
    rows: tuple             # y of each row's top
    box_height: float
    gap: float
    boxes: tuple
    arrows: tuple
    brackets: tuple         # (Reservation, y from, y to)

    @property
    def roomy(self):
        return self.box_height == ROOMY[0]


def layout(scene):
    """The Picture of a Scene."""
    height, gap = ROOMY if len(scene.blocks) <= MOST_ROOMY else COMPACT
    scale = Scale([block.nbytes for block in scene.blocks] + [memory.nbytes for memory in scene.letters], COLUMN)
    rows = tuple(HEAD + gap / 2 + number * (height + gap) for number in range(len(scene.blocks)))

    def box(tier, x, y, nbytes, row, shape):
        return Box(tier, x, y, scale.length(nbytes), height, row, tuple(x + cut for cut in scale.breaks(nbytes)), shape)

    boxes, host, device = [], {}, {}
    for row, (block, y) in enumerate(zip(scene.blocks, rows)):
        shape = "solid" if block.memory else "reserved" if block.reservation else "gone"
        if block.change == "gone":
            shape = "gone"
        if block.host is not None:
            host[row] = box("host", HOST, y, block.nbytes, row, shape)
        if block.device is not None:
            device[row] = box("device", DEVICE, y, block.nbytes, row, shape)
    memories = _memories(scene, rows, height, gap, box)
    arrows = []
    for row, block in enumerate(scene.blocks):
        if block.change == "gone":
            continue
        memory = memories.get(block.memory)
        if memory and row in host:
            arrows.append(_follow("follow", row, (host[row].right, host[row].middle), (memory.x, memory.middle), HOST + COLUMN))
        if memory and row in device:
            how = "follow" if block.access else "no access"
            arrows.append(_follow(how, row, (DEVICE, device[row].middle), (memory.right, memory.middle), DEVICE))
        if row in device and (memory or shape_of(block) == "reserved"):
            lane = _lane(rows[row], height, gap, memory if len(scene.views.get(block.memory, ())) > 1 else None)
            arrows.append(_back(row, device[row], host.get(row) if block.way_back is not None else None, lane))
    bottom = HEAD + len(rows) * (height + gap) + gap / 2
    return Picture(bottom, rows, height, gap, (*host.values(), *memories.values(), *device.values()), tuple(arrows),
                   tuple(_brackets(scene, rows, height)))


def shape_of(block):
    return "reserved" if block.reservation and not block.memory else "solid"


def _memories(scene, rows, height, gap, box):
    """{Memory: its Box}: each in the middle of the rows that show it, or as near as the others leave room."""
    wanted = []
    for memory, views in scene.views.items():
        numbers = [row for row, block in enumerate(scene.blocks) if block.memory == memory]
        wanted.append(((rows[numbers[0]] + rows[numbers[-1]]) / 2, numbers[0], memory))
    found, free = {}, 0
    for y, row, memory in sorted(wanted, key=lambda one: one[:2]):
        y = max(y, free)
        length = box("memory", 0, 0, memory.nbytes, row, "solid").width
        x = {"host": HOST_MEMORY, "device": DEVICE_MEMORY, "both": LINK - length / 2}[memory.where]
        gone = all(block.change == "gone" for block in scene.views[memory])
        found[memory] = box("memory", x, y, memory.nbytes, row, "gone" if gone else "solid")
        free = y + height + gap / 4
    return found


def _follow(how, row, start, end, edge):
    """From the end of a view to its memory: straight where they are level, else with a bend beside the column."""
    bend = 40 if end[0] > start[0] else -40
    if abs(start[1] - end[1]) < 1:
        return Arrow(how, row, (start, end))
    return Arrow(how, row, (start, (edge, start[1]), (edge + bend, end[1]), end))


def _lane(y, height, gap, memory):
    """The height at which a way-back arrow runs: below its row, or above where the memory is in its way."""
    below = y + height + gap * 0.3
    return y - gap * 0.3 if memory and memory.y < below + 2 and memory.y + memory.height > below - 2 else below


def _back(row, device, host, lane):
    edge = device.y + device.height if lane > device.y else device.y
    start = (DEVICE + 6, edge)
    if host is None:
        return Arrow("no way back", row, (start, (DEVICE + 6, lane), (DEVICE - 24, lane)))
    into = HOST + min(host.width / 2, 12)
    return Arrow("back", row, (start, (DEVICE + 6, lane), (into, lane), (into, edge)))


def _brackets(scene, rows, height):
    """The reservations of more than one block, each with the rows that it spans."""
    spans = {}
    for block, y in zip(scene.blocks, rows):
        if block.reservation:
            first, _ = spans.get(block.reservation, (y, y))
            spans[block.reservation] = first, y + height
    return [(reservation, *span) for reservation, span in spans.items() if span[1] - span[0] > height]
