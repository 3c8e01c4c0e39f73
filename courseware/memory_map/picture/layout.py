"""A Scene as pieces of a picture, for a wide page or for a narrow one: what stands where.

From left to right: host addresses, physical memory (in a wide picture the host's beside the device's), device
addresses. A range of addresses is a *pill*, a piece of memory a *card* with its letter and the first numbers in it, if
they are known. A line leads from an address to its memory; below it run the forward call and the way back.

A `Piece` has a name that stays the same from one Scene to the next as long as what it stands for does. So a page can
draw it (still.py), and a player can move it to its next place. Sizes are in pixels of CSS. Not here: colours (map.css),
which say where memory is; of which kind it is, its hatching says.
"""
import math
from dataclasses import dataclass
from html import escape

from course_lib.core.sizes import size
from course_lib.pointers.address_facts import Kind

from ..descriptions import NOT_WALKED, address, details, short_kind
from ..scene import PhysicalMemory

LOOK_OF = {Kind.PINNED: "pinned", Kind.HOST_POOL: "pinned", Kind.REGISTERED: "registered", Kind.MANAGED: "managed",
           Kind.DEVICE: "device", Kind.MAPPED: "mapped", Kind.MAPPED_HOST: "mapped-host", Kind.KERNEL_HEAP: "heap",
           Kind.PAGEABLE: "pageable"}
PILL = 42                   # its height
LANES, STUB, GAP = 44, 20, 14   # below a row: for the two ways across; for "no way back" alone; for none
FOOT = 22
BADGE = 9                   # radius of the number of work that is not done
DOTS = 16                   # room for the sign that memory has more numbers than are shown


@dataclass(frozen=True)
class Width:
    """Where the columns of a picture are."""

    total: int
    pill: int
    host_card: int          # x of the host's memory
    device_card: int
    card: int               # how wide a card is
    header: int             # height of what stands above a card's numbers
    top: int                # y of the first row
    cell: int               # height of a number in a card
    digits: int             # size of its letters
    heads: tuple            # above the columns; "" where there is none

    @property
    def device(self):
        """x of the column of device addresses."""
        return self.total - self.pill

    @property
    def middle(self):
        """x of the middle of the memory's columns."""
        return (self.host_card + self.device_card + self.card) / 2

    @property
    def one_column(self):
        """Does all memory stand in one column?"""
        return self.host_card == self.device_card

    @property
    def margin(self):
        """From a pill's border to its words: an address fits between two of them."""
        return 9 if self.pill > 105 else 6

    @property
    def has_host(self):
        """Is there a column of host addresses?"""
        return bool(self.heads[0])


WIDE = Width(660, 130, 156, 344, 160, 28, 48, 30, 14, ("host addresses", "physical memory", "device addresses"))
NARROW = Width(358, 102, 122, 122, 114, 42, 32, 28, 13, ("host addresses", "memory", "device addresses"))
# The same without the host, which makes the numbers larger.
WIDE_DEVICE = Width(480, 158, 10, 10, 246, 30, 36, 42, 21, ("", "memory", "device addresses"))
NARROW_DEVICE = Width(358, 108, 10, 10, 200, 30, 34, 38, 18, ("", "memory", "device addresses"))


def widths(scenes):
    """(a wide Width, a narrow one) for pictures of these Scenes: without the host, if nothing in any of them is its."""
    blocks = [block for scene in scenes for block in scene.blocks]
    device = all(block.host is None and block.device is not None for block in blocks) and not any(
        block.memory and block.memory.where != "device" for block in blocks)
    return (WIDE_DEVICE, NARROW_DEVICE) if blocks and device else (WIDE, NARROW)


@dataclass(frozen=True)
class Piece:
    """Part of a picture: SVG around its own origin, and where that is."""

    name: str
    x: float
    y: float
    markup: str
    layer: int = 2          # 0 the ground, 1 lines, 2 pills, cards and words, 3 numbers: a higher one covers a lower


@dataclass(frozen=True)
class Card:
    """Where the card of a piece of memory stands."""

    memory: PhysicalMemory
    x: float
    y: float
    height: float
    rows: list              # of the Scene's blocks, those that show this memory: their numbers

    @property
    def foot(self):
        """y of its lower edge."""
        return self.y + self.height


class PieceNames:
    """Names for things that are the same in several pictures."""

    def __init__(self):
        self._numbers = {}

    def of(self, *identity):
        """A short name; equal for equal things."""
        return f"p{self._numbers.setdefault(identity, len(self._numbers))}"


@dataclass(frozen=True)
class Details:
    """What a picture shows beside a Scene: the first numbers in memory, which of them are new, who will use what."""

    letters: dict           # Memory -> letter
    contents: dict          # letter -> list of texts, None for a number that nobody has written
    marked: frozenset = frozenset()     # (letter, number) of those that changed
    badges: tuple = ()      # (number, address) of work that is not done
    complete: bool = False      # does each pill say all that the driver says of it?
    ways: bool = True           # are the ways across drawn?
    longer: frozenset = frozenset()     # letters of memory with more numbers than these


def draw(scene, width, names=None, more=None):
    """(pieces, height) of a Scene's picture."""
    names, more = names or PieceNames(), more or Details(scene.letters, {}, complete=True)
    return _Picture(scene, width, names, more).drawn()


class _Picture:
    def __init__(self, scene, width, names, more):
        self.scene, self.width, self.names, self.more = scene, width, names, more
        self.pieces, self.lines, self.cards = [], [], {}

    def drawn(self):
        rows, y = [], self.width.top
        shown = {}          # Memory -> its rows
        for number, block in enumerate(self.scene.blocks):
            if block.memory:
                shown.setdefault(block.memory, []).append(number)
        reserved = [block.reservation for block in self.scene.blocks]
        for number, block in enumerate(self.scene.blocks):
            begins = number and block.reservation and block.reservation not in reserved[:number]
            if begins and block.reservation in reserved[number + 1:]:
                y += GAP        # its bracket's words stand above it
            rows.append(y)
            alone = block.memory and len(shown[block.memory]) == 1
            y += max(self._hollow_height(block), self._card_height(block.memory) if alone else 0) + self._below(block)
        for memory, numbers in shown.items():
            self.cards[memory] = self._placed(memory, numbers, [rows[number] for number in numbers])
        y = max([y, *(card.foot + GAP for card in self.cards.values())])
        for number, block in enumerate(self.scene.blocks):
            self._row(block, rows[number])
        for card in self.cards.values():
            self._card(card)
        self._brackets(rows)
        height = y + FOOT
        return [self._ground(height), *self.lines, *self.pieces], height

    # -- rows ------------------------------------------------------------------------------------------------------

    def _below(self, block):
        if block.memory is None:
            return GAP if (block.host, block.device) == (None, None) or self._hollow_height(block) > PILL else STUB
        if block.device is None or not self.more.ways:
            return GAP
        return LANES if block.host is not None else STUB + (GAP if block.forward is not None else 0)

    def _row(self, block, y):
        card = self.cards.get(block.memory)
        foot = y + PILL
        if card and len(card.rows) == 1:
            foot = max(foot, card.foot)
        for side in ("host", "device"):
            number = getattr(block, side)
            x = 0 if side == "host" else self.width.device
            if number is not None:
                self._pill(block, side, number, x, y)
                self._follow(block, side, y + PILL / 2, card)
            elif (block.host, block.device) != (None, None) and self.width.has_host:
                where = x + self.width.pill / 2
                self._piece(("none", side, block.device, block.host), where, y + PILL / 2 + 4,
                            text(0, 0, f"no {side} address", "faint", "middle"))
        if self.more.ways and block.device is not None and block.memory:
            self._across(block, y, foot)
        if (block.host, block.device, block.memory) == (None, None, None):
            title = f"<title>{escape('; '.join(details(self.scene, block)))}</title>"
            label = text(0, 0, block.name, "name") + text(0, 16, short_kind(block), "faint")
            self._piece(("nothing", block.names), 9, y + 17, title + label)

    def _pill(self, block, side, number, x, y):
        name = block.name_at(side)
        same = not name
        if same:
            name = "the same" if self.width is NARROW else "the same number"
        badges = [work for work, work_address in self.more.badges if self._holds(block, number, work_address)]
        margin = self.width.margin
        fits = int((self.width.pill - 2 * margin) / 7.3)
        name = name if len(name) <= fits else name.strip("()")      # (no variable)
        digits = address(number)
        style = f"pill {_place(block)} {_outline(block)}"
        shapes = [f'<rect class="{style}" width="{self.width.pill}" height="{PILL}" rx="8"/>',
                  text(margin, 17, cut(name, fits), "name" if not same else "same"),
                  text(margin, 33, digits, "number")]
        for place, work in enumerate(reversed(badges)):
            badge_x = self.width.pill - 5 - 20 * place       # on the corner, where no name is
            shapes += [f'<circle class="badge" cx="{badge_x}" cy="-1" r="{BADGE}"/>',
                       text(badge_x, 3, str(work), "on-badge", "middle")]
        if self.more.complete:
            shapes.insert(0, f"<title>{escape('; '.join(details(self.scene, block)))}</title>")
        self._piece(("pill", side, number), x, y, "".join(shapes))

    @staticmethod
    def _holds(block, number, work_address):
        return number <= work_address < number + (block.nbytes or 1)

    def _follow(self, block, side, y, card):
        """The line from a pill to its memory, or to where there is none."""
        start = self.width.pill if side == "host" else self.width.device
        away = 1 if side == "host" else -1
        if card is None and self._hollow(block, side, start, y, away):
            return
        if card is None:
            x, foot = (0 if side == "host" else start) + 10, y + PILL / 2
            self._line(("follow", side, getattr(block, side)), "way no-access nowhere", f"M{x} {foot:g}v8h8",
                       f"M{x + 7} {foot + 4:g}l8 8m0 -8l-8 8")
            self._label(("nowhere", side, getattr(block, side)), x + 19, foot + 12, _behind(block))
            return
        end = card.x if side == "host" else card.x + self.width.card
        target = card.y + (card.height if len(card.rows) > 1 else min(card.height, PILL)) / 2
        half = (end - start) / 2
        curve = f"C{start + half:g} {y:g} {end - half:g} {target:g} {end - away * 9} {target:g}"
        style = f"way {_place(block)}" if block.access or side == "host" else "way no-access"
        self._line(("follow", side, getattr(block, side)), style, f"M{start} {y:g}{curve}", _head(end, target, away))

    def _hollow(self, block, side, start, y, away):
        """Where memory was or could be, if there is room for it: an outline, before which the line ends."""
        card_x = self.width.host_card if side == "host" else self.width.device_card
        top, number, tall = y - PILL / 2, getattr(block, side), self._hollow_height(block)
        in_column = (card for card in self.cards.values() if abs(card.x - card_x) < self.width.card)
        if any(card.y < top + tall and top < card.foot for card in in_column):
            return False
        end = card_x if side == "host" else card_x + self.width.card
        if side == "device" or block.device is None or not self.width.one_column:       # one for both sides
            self._piece(("hollow", side, number), card_x, top,
                        f'<rect class="hollow" width="{self.width.card}" height="{tall}" rx="8"/>'
                        + text(self.width.card / 2, tall / 2 + 4, _behind(block), "label", "middle"))
        self._line(("follow", side, number), "way no-access nowhere", f"M{start} {y:g}H{end - away * 9}",
                   f"M{end - away * 9 - 4} {y - 4:g}l8 8m0 -8l-8 8")
        return True

    def _hollow_height(self, block):
        """A row whose memory was freed stays as tall as it was with a line of numbers."""
        return self._height(1 if _outline(block) == "gone" and not self.more.complete else 0)

    def _across(self, block, y, foot):
        """The forward call, if it answers, and the way back or where it ends."""
        left, right, below = self.width.pill, self.width.device, y + PILL
        if block.host is not None:
            if block.forward is not None:
                self._way("forward", "forward: a function", block.device, left - 34, right + 22, below, foot + 14)
            if block.way_back is not None:
                self._way("back", "back: a query", block.device, right + 40, left - 52, below, foot + 31)
                return
        cross_y = foot + (30 if block.host is not None and block.forward is not None else 12)
        self._line(("back", block.device), "back", f"M{right + 10} {below}V{cross_y - 4:g}H{right + 18}",
                   f"M{right + 17} {cross_y - 8:g}l8 8m0 -8l-8 8")
        self._label(("no way", block.device), right + 29, cross_y, "no way back")
        if block.forward is not None and block.host is None:
            self._label(("itself", block.device), right + 29, cross_y + 13, "forward: itself")

    def _way(self, style, words, device, start, end, below, lane):
        """A line from one pill down to its lane and up to the other; its words stand in it, below the host's memory."""
        middle = self.width.host_card + self.width.card / 2
        half = math.copysign(3 * len(words) + 5, end - start)
        to_words, from_words = f"V{lane:g}H{middle - half:g}", f"M{middle + half:g} {lane:g}H{end}V{below + 7}"
        self._line((style, device), style, f"M{start} {below}{to_words}{from_words}", _head(end, below, 0))
        self._label((style, device), middle, lane + 4, words, "middle")

    # -- memory ----------------------------------------------------------------------------------------------------

    def _cells(self, memory):
        """(texts of the numbers that are shown, how many stand in a row, the room for the sign that there are more)."""
        letter = self.more.letters.get(memory)
        numbers = self.more.contents.get(letter, ())
        if not numbers:
            return [], 1, 0
        dots = DOTS if letter in self.more.longer else 0
        longest = max(len(number or "?") for number in numbers) * self.width.digits * .61 + 6       # and a margin
        across = next((count for count in (4, 2, 1) if longest <= (self.width.card - 15 - dots) / count), 1)
        if dots and not any(number is not None for number in numbers[across:]):     # one row shows that there are more
            numbers = numbers[:across]
        return list(numbers[:2 * across]), across, dots

    def _card_height(self, memory):
        numbers, across, _ = self._cells(memory)
        return self._height(-(-len(numbers) // across))

    def _height(self, lines):
        """Of a card with so many lines of numbers."""
        return max(PILL, self.width.header + (self.width.cell * lines + 6 if lines else 0))

    def _card_x(self, memory):
        if self.width.one_column:
            return self.width.host_card
        return {"host": self.width.host_card, "device": self.width.device_card,
                "both": self.width.middle - self.width.card / 2}[memory.where]

    def _placed(self, memory, numbers, tops):
        """The Card of a memory: beside its row, or amid its rows, below what it could overlap. tops: y of its rows"""
        height = self._card_height(memory)
        top = tops[0] if len(tops) == 1 else (tops[0] + tops[-1] + PILL - height) / 2
        free = max((card.foot + GAP for card in self.cards.values() if self._beside(card.memory, memory)), default=0)
        return Card(memory, self._card_x(memory), max(top, free), height, numbers)

    def _beside(self, neighbour, memory):
        """Could two cards overlap?"""
        return self.width.one_column or "both" in (neighbour.where, memory.where) or neighbour.where == memory.where

    def _card(self, card):
        memory, width = card.memory, self.width.card
        block = self.scene.blocks[card.rows[0]]
        letter, place = self.more.letters.get(memory, ""), _place(block)
        label, nbytes = self._variables(memory, block) or short_kind(block), size(memory.nbytes)
        shapes = [f'<rect class="card {place}" width="{width}" height="{card.height}" rx="8"/>',
                  f'<rect class="strip {place}" width="7" height="{card.height}" rx="3"/>'
                  f'<path class="hatch" d="{_hatch(_look(block), card.height)}"/>',
                  text(14, 17, letter, "letter")]
        if self.width is NARROW:
            where = _where(memory)
            below = nbytes if label == where or len(nbytes) > 9 else f"{nbytes}, {where}"
            shapes += [text(30, 17, cut(label, 12), "kind"), text(12, 34, below, "kind")]
        else:
            fits = min(16, int((width - 43 - 5.8 * len(nbytes)) / 6.1))
            shapes += [text(32, 17, cut(label, fits), "kind"), text(width - 7, 17, nbytes, "kind", "end")]
        name = self.names.of("card", letter, self.more.letters is self.scene.letters and memory.key)
        self.pieces.append(Piece(name, card.x, card.y, "".join(shapes)))
        self._numbers(card, letter, place)

    def _variables(self, memory, block):
        """The variables that hold a piece of memory, where no pill has their names."""
        names = ", ".join(self.scene.memory_names.get(memory, ()))
        if names or block.host is not None or block.device is not None:
            return names
        return block.name

    def _numbers(self, card, letter, where):
        """The first numbers in a piece of memory, each in a cell of its card."""
        numbers, across, dots = self._cells(card.memory)
        cell, tall, digits = (self.width.card - 15 - dots) / across, self.width.cell, self.width.digits
        for place, number in enumerate(numbers):
            style = "cell" if number is not None else "cell unwritten"
            if (letter, place) in self.more.marked:
                style = "cell marked"
            down, right = divmod(place, across)
            x, y = card.x + 11 + cell * right, card.y + self.width.header + tall * down
            rect = f'<rect class="{style} {where}" width="{cell - 2:g}" height="{tall - 2}" rx="4"/>'
            words = cut(number or "?", int(cell / (digits * .57)))
            self.pieces.append(Piece(f"{letter}-{place}", x, y, rect + text(
                cell / 2 - 1, tall / 2 - 1 + digits * .36, words, f"value d{digits} {style}", "middle"), 3))
        if dots:
            x, y = card.x + self.width.card - 5, card.foot - 6 - tall / 2 + digits * .36
            self.pieces.append(Piece(f"{letter}-more", x, y, text(0, 0, "…", f"value d{digits}", "end"), 3))

    # -- the rest --------------------------------------------------------------------------------------------------

    def _brackets(self, rows):
        spans = {}
        for block, y in zip(self.scene.blocks, rows):
            if block.reservation:
                spans.setdefault(block.reservation, []).append(y)
        for reservation, ys in spans.items():
            if len(ys) > 1:
                x = self.width.total + 2
                self._line(("bracket", reservation.start), "way", f"M{x} {ys[0]}h5V{ys[-1] + PILL}h-5", "")
                words = f"{', '.join(reservation.names)}: {size(reservation.nbytes)} reserved"
                self._piece(("bracket of", reservation.start), self.width.total, ys[0] - 4,
                            text(0, 0, words.removeprefix(": "), "label", "end"))

    def _ground(self, height):
        width = self.width
        left, right = width.host_card - 8, width.device_card + width.card + 8
        shapes = [f'<rect class="ground" x="{left}" y="20" width="{right - left}" height="{height - 34:g}" rx="8"/>']
        for words, x, anchor in zip(width.heads, (0, width.middle, width.total), ("", "middle", "end")):
            shapes.append(text(x, 13, words, "head", anchor))
        if width is WIDE:       # host and device have columns of their own
            shapes += [f'<path class="link" d="M{width.middle:g} 42V{height - 20:g}"/>',
                       text(left + 8, 36, "the host’s", "faint"),
                       text(right - 8, 36, "the device’s", "faint", "end"),
                       text(width.middle, height - 2, "link", "faint", "middle")]
        return Piece("ground", 0, 0, "".join(shapes), 0)

    def _piece(self, identity, x, y, markup):
        self.pieces.append(Piece(self.names.of(*identity), x, y, markup))

    def _label(self, identity, x, y, words, anchor=""):
        self._piece(("label", *identity), x, y, text(0, 0, words, "label", anchor))

    def _line(self, identity, style, path, head):
        ends = f'<path class="{style} end" d="{head}"/>' if head else ""
        self.lines.append(Piece(self.names.of("line", *identity), 0, 0, f'<path class="{style}" d="{path}"/>{ends}', 1))


def _look(block):
    return "write-combined" if "writecombined" in block.flags else LOOK_OF.get(block.kind, "none")


def _place(block):
    """The colour of an address and of its memory: where that is."""
    return f"at-{block.memory.where}" if block.memory else "at-none"


def _outline(block):
    """How a pill is outlined: "" where its address leads to memory."""
    if block.memory:
        return ""
    return "reserved" if block.reservation else "gone"


def _behind(block):
    """What is to be said where an address has no memory."""
    if not block.reservation:
        return {Kind.FREED: "freed", Kind.NULL: "null"}.get(block.kind, "unknown")
    return "nothing behind it" if block.walked else NOT_WALKED


def _where(memory):
    return {"host": "host", "device": "device", "both": "moves"}[memory.where]


HATCH_OF = {"pageable": "/", "write-combined": "x", "registered": "\\", "managed": "+", "device": ".", "mapped": "-",
            "mapped-host": "|", "heap": "o"}
# y of a stroke's upper end (a), its lower end (b) and its middle (m) differ from one stroke to the next.
STROKES = {"/": "M0 {b}l7 -7", "\\": "M0 {a}l7 7", "x": "M0 {a}l7 7m-7 0l7 -7", "+": "M0 {m}h7M3.5 {a}v7",
           "-": "M0 {m}h7", "|": "M3.5 {a}v7", ".": "M3.5 {m}h.01",
           "o": "M3.5 {m}m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0"}


def _hatch(look, height):
    """Lines over a card's strip, that tell its kind without colour."""
    if look not in HATCH_OF:
        return ""
    stroke, step = STROKES[HATCH_OF[look]], 7
    return "".join(stroke.format(a=y, b=y + step, m=y + step / 2) for y in range(2, int(height) - step, step))


def _head(x, y, away):
    """An arrow's head at a point: away 1 comes from the left, -1 from the right, 0 from below."""
    if away:
        return f"M{x} {y:g}l{-10 * away} -5.5v11z"
    return f"M{x} {y:g}l-4 8h8z"


def text(x, y, words, style="", anchor=""):
    """A line of text; nothing for no words."""
    how = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text class="{style}" x="{x:g}" y="{y:g}"{how}>{escape(words)}</text>' if words else ""


def cut(words, most):
    """Words, shortened where they have more than `most` letters: a list of names between two of them, if one fits."""
    if len(words) <= most:
        return words
    names, comma, _ = words[:most - 1].rpartition(", ")
    return f"{names}{comma}…" if names else words[:most - 1] + "…"
