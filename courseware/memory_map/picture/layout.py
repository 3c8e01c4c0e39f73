"""Where everything goes: a Scene in, boxes and arrows with coordinates out. No colours, no SVG (svg.py).

From left to right: names, host addresses, the host's memory, the link, the device's memory, device addresses. One row
for each block; physical memory that several rows show stands in the middle of them. Units are those of the picture.

Each box of addresses has its number on one side, above or below. On the other side run the forward call and the way back,
side by side. Each of the two has half of the gap between two rows for itself, so that nothing covers a number.
"""
from dataclasses import dataclass

from ..descriptions import address
from .scale import Scale

NAMES, HOST, HOST_MEMORY, LINK, DEVICE_MEMORY, DEVICE, RESERVATIONS = 8, 194, 352, 484, 496, 664, 796    # columns
COLUMN = 112                            # how wide the longest box is
RIGHT, BRACKETS = 800, 88               # where the picture ends, and what it grows by where there are brackets
HEAD, FOOT = 46, 16                     # above the first row; below the last
MOST_ROOMY = 14                         # rows; more are drawn compactly
LETTER = 7.9                            # how wide one is, in a label
TURN = 11                               # how far from a box's side the ways that begin or end there turn


@dataclass(frozen=True)
class Pitch:
    """How rows follow each other."""

    box: float          # height of a box
    gap: float          # below it
    lanes: tuple        # how far from a box the ways across run, the nearer one first
    above: float        # how far above a box its address stands, if it stands above
    below: float        # how far below, if below: both to where its letters stand
    digit: float        # how wide a digit of an address is


ROOMY = Pitch(26, 64, (15, 31), above=5, below=13, digit=7)
COMPACT = Pitch(12, 24, (5, 10), above=3, below=9, digit=6.1)


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
    """A way from one box to another: "follow", "no access", "forward", "back" or "no way back". `points`: its corners."""

    how: str
    row: int
    points: tuple

    @property
    def label(self):
        """(words, x, y, anchor) of what stands along it, between its lane and the boxes; None for what a row says in other words."""
        if self.how not in ("forward", "back"):
            return None
        loop = len(self.points) == 5        # asked with the device's own number
        (x, lane), (_, edge) = self.points[3:5] if loop else self.points[1::-1] if self.how == "forward" else self.points[3:5]
        y = lane + (-3 if lane > edge else 11)
        return self.how, x - 5 if loop else x + 5, y, "end" if loop else ""


@dataclass(frozen=True)
class Number:
    """An address beside its box. `x` and `y` are where its first digit stands."""

    tier: str               # "host" or "device"
    row: int
    x: float
    y: float
    width: float
    words: str
    same: bool              # the device's is the same number as the host's


@dataclass(frozen=True)
class Picture:
    """A Scene with coordinates. `rows` has the y of each row's boxes, `brackets` (Reservation, y from, y to)."""

    width: float
    height: float
    stretched: bool         # is a block drawn longer than it is?
    rows: tuple
    pitch: Pitch
    boxes: tuple
    numbers: tuple
    arrows: tuple
    brackets: tuple

    @property
    def roomy(self):
        return self.pitch == ROOMY


def layout(scene):
    """The Picture of a Scene."""
    pitch = ROOMY if len(scene.blocks) <= MOST_ROOMY else COMPACT
    height, gap = pitch.box, pitch.gap
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
                   for arrow in _arrows(row, block, host.get(row), memories[block.memory], device.get(row), pitch))
    numbers = tuple(_number(one, scene.blocks[one.row], memories.get(scene.blocks[one.row].memory), pitch)
                    for one in (*host.values(), *device.values()))
    brackets = tuple(_brackets(scene, rows, height))
    return Picture(width=RIGHT + (BRACKETS if brackets else 0), height=HEAD + len(rows) * (height + gap) + FOOT,
                   stretched=scale.stretched, rows=rows, pitch=pitch, arrows=arrows, brackets=brackets,
                   boxes=(*host.values(), *memories.values(), *device.values()), numbers=numbers)


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


def _arrows(row, block, host, memory, device, pitch):
    """The ways between a block's boxes; None stands for a box that is not there."""
    if host:
        end = memory.x, memory.middle
        yield Arrow("follow", row, _to_memory((host.right, host.middle), HOST + COLUMN + 6, 34, end))
    if device:
        yield Arrow("follow" if block.access else "no access", row,
                    _to_memory((DEVICE, device.middle), DEVICE - 14, -26, (memory.label_end, memory.middle)))
        yield from _across(row, block, host, memory, device, pitch)


def _across(row, block, host, memory, device, pitch):
    """The ways from one side to the other: the forward call where it answers, the way back or where it ends."""
    above = _memory_is_below(device, memory)        # they run where the ways to the memory do not
    edge, away = (device.y, -1) if above else (device.y + device.height, 1)
    lanes = [edge + away * far for far in pitch.lanes]
    into, turn = device.x + min(device.width / 2, 8), device.right + TURN
    if block.forward is not None:
        lane = lanes.pop(0)
        if host:
            out = host.x + min(host.width / 2, 8)
            yield Arrow("forward", row, ((out, edge), (out, lane), (into, lane), (into, edge)))
        else:               # it was asked with the device's own number
            y, bend = device.middle + away * device.height / 5, device.right + TURN / 2
            yield Arrow("forward", row, ((device.right, y), (bend, y), (bend, lane), (into, lane), (into, edge)))
    lane = lanes[0]
    from_side = (device.right, device.middle), (turn, device.middle), (turn, lane)
    if block.way_back is not None and host:
        around = host.x - TURN
        yield Arrow("back", row, (*from_side, (around, lane), (around, host.middle), (host.x, host.middle)))
    else:
        from_edge = (into, edge), (into, lane)
        start = from_edge if block.forward is None else from_side
        yield Arrow("no way back", row, (*start, (DEVICE - 26, lane)))


def _memory_is_below(view, memory):
    return memory is not None and memory.middle > view.middle + 1


def _number(view, block, memory, pitch):
    """The address of a view, on the side of it where no way across runs."""
    words = address(getattr(block, view.tier))
    y = view.y + view.height + pitch.below if _memory_is_below(view, memory) else view.y - pitch.above
    same = view.tier == "device" and block.device == block.host
    return Number(view.tier, view.row, view.x, y, pitch.digit * len(words), words, same)


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
