"""Boxes, hatchings and texts as SVG elements, for the pictures of pages and of the inside of a launch."""
from html import escape

from ...notebook.palette import OKABE_ITO

# The hatchings of palette.py, drawn in a tile of 8 by 8: matplotlib's letter -> path
HATCHES = {"/": "M-2 2L2 -2M0 8L8 0M6 10L10 6", "\\": "M6 -2L10 2M0 0L8 8M-2 6L2 10", "x": "M0 0L8 8M8 0L0 8",
           ".": "M2 2h.01M6 6h.01"}
LIGHT = {OKABE_ITO[name] for name in ("orange", "sky blue", "yellow", "reddish purple")}     # black lines show on these
TEETH = 4       # of a zigzag, for the height of a box


def hatching(identity, look):
    """The <pattern> of a palette.Look, under a name."""
    line, width = ("#000" if look.colour in LIGHT else "#fff"), (2.6 if look.hatch.startswith(".") else 1)
    return (f'<pattern id="{identity}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<path d="{HATCHES[look.hatch[0]]}" fill="none" stroke="{line}" stroke-width="{width}" '
            'stroke-linecap="round"/>'
            "</pattern>")


def text(x, y, words, style="", anchor=""):
    """A line of text; nothing for no words."""
    if not words:
        return ""
    how = (f' class="{style}"' if style else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{how}>{escape(words)}</text>'


def outline(x, y, width, height, cuts):
    """The path of a box: in one piece, or in several with zigzags between them. cuts: x of each zigzag"""
    edges = [x, *cuts, x + width]

    def edge(end, side):    # the corners of one end of a piece, from the top down: straight at the ends of the box
        if end in (edges[0], edges[-1]):
            return [(end, y), (end, y + height)]
        return [(end + 2 * side + (2 if number % 2 else -2), y + number * height / TEETH)
                for number in range(TEETH + 1)]
    return "".join("M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in [*edge(left, 1), *reversed(edge(right, -1))]) + "Z"
                   for left, right in zip(edges, edges[1:]))
