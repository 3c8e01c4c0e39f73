"""Boxes, arrows and texts as SVG elements. Which of them there are, and where, is layout.py's."""
from html import escape

from ...notebook.palette import LOOKS, OKABE_ITO

# The hatchings of palette.py, drawn in a tile of 8 by 8: matplotlib's letter -> path
HATCHES = {"/": "M-2 2L2 -2M0 8L8 0M6 10L10 6", "\\": "M6 -2L10 2M0 0L8 8M-2 6L2 10", "x": "M0 0L8 8M8 0L0 8",
           "+": "M4 0V8M0 4H8", "-": "M0 2H8M0 6H8", "|": "M2 0V8M6 0V8", ".": "M2 2h.01M6 6h.01",
           "o": "M4 2a2 2 0 1 0 .01 0"}
LIGHT = {OKABE_ITO[name] for name in ("orange", "sky blue", "yellow", "reddish purple")}     # black lines show on these
TEETH = 4       # of a zigzag, for the height of a box


def pattern(identity, name):
    """The <pattern> of a kind of memory, by its name in palette.LOOKS; nothing for one that is plain."""
    return hatching(_pattern_id(identity, name), LOOKS[name])


def hatching(identity, look):
    """The <pattern> of a palette.Look, under a name; nothing for one that is plain."""
    if not look.hatch:
        return ""
    line, width = ("#000" if look.colour in LIGHT else "#fff"), (2.6 if look.hatch.startswith(".") else 1)
    return (f'<pattern id="{identity}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<path d="{HATCHES[look.hatch[0]]}" fill="none" stroke="{line}" stroke-width="{width}" '
            'stroke-linecap="round"/>'
            "</pattern>")


def box(one, name, identity):
    """A layout.Box, coloured and hatched as a kind of memory of palette.LOOKS."""
    path = outline(one)
    drawn = f'<path class="{one.shape}" d="{path}"/>'
    if one.shape == "solid":
        drawn = f'<path class="solid" fill="{LOOKS[name].colour}" d="{path}"/>'
        if LOOKS[name].hatch:
            drawn += f'<path fill="url(#{_pattern_id(identity, name)})" d="{path}"/>'
    return drawn + text(one.right + 4, one.middle + 4.5, one.label, "name")


def arrow(one, identity, roomy=True):
    """A layout.Arrow, with what is written at its end."""
    points = one.points
    if one.how in ("follow", "no access") and len(points) == 4:
        start, (x1, y1), (x2, y2), end = points
        half = (x1 + x2) / 2
        path = f"M{_at(start)}H{x1:.1f}C{_at((half, y1))} {_at((half, y2))} {_at((x2, y2))}L{_at(end)}"
    else:
        path = "M" + "L".join(map(_at, points))
    name = one.how.replace(" ", "-")
    head = f' marker-end="url(#{identity}-head)"' if one.how in ("follow", "forward", "back") else ""
    drawn = f'<path class="line {name}" d="{path}"{head}/>'
    if roomy and one.label:
        words, x, y, anchor = one.label
        drawn += text(x, y, words, "", anchor)
    x, y = points[-1]
    if one.how == "no way back":
        drawn += f'<path class="line" d="M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"/>'
        if roomy:
            drawn += text(x - 8, y + 4, "no way back", "", "end")
    return drawn


def digits(one, roomy):
    """A layout.Number, with an equals sign before it where it is the host's number too."""
    style = "number" if roomy else "small number"
    equals = text(one.x - 3, one.y, "=", "name" if roomy else style, "end") if one.same else ""
    return text(one.x, one.y, one.words, style) + equals


def text(x, y, words, style="", anchor=""):
    """A line of text; nothing for no words."""
    if not words:
        return ""
    how = (f' class="{style}"' if style else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{how}>{escape(words)}</text>'


def _pattern_id(identity, name):
    return f"{identity}-look-{list(LOOKS).index(name)}"


def outline(one):
    """The path of a layout.Box: in one piece, or in several with zigzags between them."""
    edges = [one.x, *one.cuts, one.right]
    return "".join("M" + "L".join(map(_at, [*_edge(one, left, 1), *reversed(_edge(one, right, -1))])) + "Z"
                   for left, right in zip(edges, edges[1:]))


def _edge(one, x, side):
    """The corners of one end of a piece, from the top down: straight at the ends of the box, a zigzag at a cut."""
    if x in (one.x, one.right):
        return [(x, one.y), (x, one.y + one.height)]
    tooth = one.height / TEETH
    return [(x + 2 * side + (2 if number % 2 else -2), one.y + number * tooth) for number in range(TEETH + 1)]


def _at(point):
    return f"{point[0]:.1f} {point[1]:.1f}"
