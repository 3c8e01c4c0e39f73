"""An InsideMap as inline SVG: a row for each name, its number on the left, and on the right the memories behind it.

The columns on the right (on a narrow page, below the number) are the blocks of the launch, and in each its threads. A
box lies over those that share one memory: over a block, over a thread, or over all. Colour and hatching tell the space,
and so does a word.

Not here: what is known (../launch_map.py).
"""
from html import escape

from ...notebook.palette import OKABE_ITO, Look
from . import frame
from .frame import LINE
from .shapes import hatching, text

WIDE, NARROW = (330, 800), (8, 358)                 # x of the boxes; where the picture ends
NAMES, NUMBERS = 8, 134                             # x of the names, and of the numbers
HEAD, ROW, BOX = 66, 40, 24                         # above the first row; height of a row, and of a box
MOST_BLOCKS, MOST_THREADS = 4, 4                    # of which columns are drawn
GAP = 6

LOOKS = {"shared": Look(OKABE_ITO["bluish green"], "s", "\\"), "local": Look(OKABE_ITO["orange"], "o", "/"),
         "global": Look(OKABE_ITO["black"], "X", "."), "none": None}
WORDS = {"none": "no address"}

STYLE = """
#ID .number { font: 12px ui-monospace, "DejaVu Sans Mono", monospace }
#ID .none { fill: none; stroke: currentColor; stroke-dasharray: 1.5 3 }
"""


def html(inside):
    """The picture of an InsideMap, as HTML."""
    return frame.framed(svg(inside, frame.new_id()), svg(inside, frame.new_id(), NARROW))


def svg(inside, identity, room=WIDE):
    """The <svg> element of an InsideMap, as text. identity: from frame.new_id"""
    columns = BlockColumns(inside.blocks, inside.threads, *room)
    tops = [HEAD + columns.row * number for number in range(len(inside.rows))]
    end, right = HEAD + columns.row * len(tops), columns.right
    notes = frame.wrapped(_notes(inside, columns), right - 2 * NAMES)
    label = "; ".join(f"{row.name}, {row.space}: {row.words}" for row in inside.rows)
    hatchings = [hatching(f"{identity}-{space}", look) for space, look in LOOKS.items() if look]
    return frame.svg(identity, f"{inside.title}: {label}", (right, end + 14 + LINE * len(notes)), STYLE, hatchings, [
        text(NAMES, 14, inside.title, "head"), *columns.heads(tops, end),
        *(_row(row, top, columns, identity) for row, top in zip(inside.rows, tops)),
        *(text(NAMES, end + 20 + LINE * number, line) for number, line in enumerate(notes))])


class BlockColumns:
    """Where the blocks and threads are, from left to right."""

    def __init__(self, blocks, threads, left=WIDE[0], right=WIDE[1]):
        self.left, self.right, self.below = left, right, left < NUMBERS      # are the boxes below the number?
        # Height of a row; where its boxes begin
        self.row, self.down = (ROW + BOX + 12, ROW) if self.below else (ROW, (ROW - BOX) / 2)
        self.blocks, self.threads = min(blocks, MOST_BLOCKS), min(threads, MOST_THREADS)
        left_out = (blocks - self.blocks, "more blocks"), (threads - self.threads, "more threads in each")
        self.more = [f"{count} {columns}" for count, columns in left_out if count]
        self.wide = (right - NAMES - left - GAP * (self.blocks - 1)) / self.blocks

    def spans(self, scope):
        """(x, width) of each box."""
        if scope not in ("block", "thread"):
            return [(self.left, self.right - NAMES - self.left)]
        starts = [self.left + block * (self.wide + GAP) for block in range(self.blocks)]
        if scope == "block":
            return [(x, self.wide) for x in starts]
        width = (self.wide - GAP / 2 * (self.threads - 1)) / self.threads
        return [(x + thread * (width + GAP / 2), width) for x in starts for thread in range(self.threads)]

    def heads(self, tops, end):
        """The names of the columns, and the ground of each block.

        It goes from top to end, or where the words are above, there is one in each row.
        """
        if not self.below:
            yield text(NAMES, HEAD - 10, "name") + text(NUMBERS, HEAD - 10, "number")
        grounds = [(24, 38), *((top + self.down - 2, BOX + 4) for top in tops)] if self.below else [(24, end - 22)]
        for number, (x, width) in enumerate(self.spans("block")):
            for y, height in grounds:
                yield (f'<rect x="{x - 2:.1f}" y="{y}" width="{width + 4:.1f}" height="{height}" rx="5" '
                       'fill="currentColor" fill-opacity=".07"/>')
            yield text(x + width / 2, 40, f"block {number}", "head", "middle")
        for number, (x, width) in enumerate(self.spans("thread")):
            name = f"{number % self.threads}"
            yield text(x + width / 2, HEAD - 10, f"thread {name}" if width > 48 else name, "", "middle")


def facts(row):
    """The facts of a row, as a list of lines."""
    lines = row.name, WORDS.get(row.space, row.space), row.shown_number, row.words, f"one for {row.one_for}"
    return list(filter(None, lines))


def _row(row, y, columns, identity):
    """The <g> of a row, which takes the keyboard's focus and says its facts to a screen reader."""
    label = "; ".join(facts(row))
    return "".join([
        f'<g class="row" tabindex="0" role="img" aria-label="{escape(label)}">',
        f'<rect class="hit" x="2" y="{y + 1}" width="{columns.right - 4}" height="{columns.row - 2}" rx="4"/>',
        text(NAMES, y + 16, row.name, "name"), text(NAMES, y + 32, WORDS.get(row.space, row.space)),
        text(NUMBERS, y + 16, row.shown_number, "number"), text(NUMBERS, y + 32, row.words),
        *(_box(row.space, x, y + columns.down, width, identity) for x, width in columns.spans(row.scope)), "</g>"])


def _box(space, x, y, width, identity):
    shape = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BOX}"'
    if not LOOKS[space]:
        return f'<rect class="none" {shape}/>'
    return f'<rect class="solid" fill="{LOOKS[space].colour}" {shape}/><rect fill="url(#{identity}-{space})" {shape}/>'


def _notes(inside, columns):
    sentences = ["A box is one memory, and lies over the blocks and threads that share it."]
    if columns.more:
        sentences.append(f"Not drawn: {' and '.join(columns.more)}.")
    return " ".join([*sentences, inside.needs])
