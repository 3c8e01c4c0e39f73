"""A Scene as inline SVG: its style, the columns, the rows, and below them the details of one row at a time.

What a sign means stands at the sign. Where many rows leave no room for that, a legend stands below them.
"""
import functools

from course_lib.core.sizes import size

from ..descriptions import details
from . import frame, layout as place
from .frame import LETTER, LINE
from .rows import cut, look, row
from .shapes import arrow, pattern, text

STYLE = """
#ID .number { font: 11.5px ui-monospace, "DejaVu Sans Mono", monospace }
#ID .small { font-size: 10px }
#ID .head-of { fill: context-stroke }
#ID .back, #ID .no-way-back { stroke: #D55E00; stroke-width: 1.6; stroke-dasharray: 5 3 }
#ID .forward { stroke: #2b8cc4; stroke-width: 1.6; stroke-dasharray: 10 3 2 3 }
#ID .no-access { stroke-dasharray: 1.5 3 }
#ID .reserved { fill: none; stroke: currentColor; stroke-dasharray: 5 3 }
#ID .gone { fill: none; stroke: currentColor; stroke-dasharray: 1.5 3 }
#ID .row:hover .hit, #ID .row:focus .hit { fill: currentColor; fill-opacity: .1 }
#ID .row:hover .line, #ID .row:focus .line { stroke-width: 2.4 }
#ID .told { font-weight: 600 }
#ID .tip { display: none; pointer-events: none }
#ID .row:hover .tip, #ID .row:focus .tip { display: inline }
#ID:has(.row:hover) .row:not(:hover) .tip { display: none }
#ID:not(:has(.row:hover)):not(:has(.row:focus)) .row:not(.row ~ .row) .tip { display: inline }
"""      # All details have one place: while a row is pointed at, those of another that has the focus are not shown. The first row's are
# there from the start.
LEGEND = {"follow": "an address that can be followed", "no access": "mapped, but kernels have no access",
          "forward": "forward", "back": "back", "no way back": "no way back"}
BESIDE = 400        # where the second of two facts on a line begins
SAME, NOTHING = "the same number as the host address", "addresses with nothing behind them"


def svg(scene, identity):
    """The <svg> element of a Scene, as text. identity: a name that nothing else in the page has."""
    picture = place.layout(scene)
    legend, below = _legend(picture, identity)
    told = [_facts(details(scene, block)) for block in scene.blocks]
    height = below + LINE * max((lines for _, lines in told), default=0) + 8
    asked = f"Point at a row, or go to it with Tab. What the {'simulated' if scene.simulated else 'GPU’s'} driver says about it:"
    said = "; ".join(f"{block.name}, {block.kind_text}" for block in scene.blocks) or "nothing"
    head = (f'<marker id="{identity}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'markerUnits="userSpaceOnUse" orient="auto"><path class="head-of" d="M0 0L8 4L0 8Z" fill="currentColor"/></marker>')
    return frame.svg(identity, f"Memory map: {said}", (picture.width, height), STYLE,
                     [*(pattern(identity, name) for name in sorted({look(block) for block in scene.blocks})), head],
                     [*_columns(picture), *_brackets(picture), *legend, text(place.NAMES, below, asked) if scene.blocks else "",
                      *(row(scene, picture, number, identity, _told(facts, below + LINE)) for number, (facts, _) in enumerate(told))])


def _facts(lines):
    """([(text, x, line, style)], how many lines): what the row is, below it two facts beside each other where they fit."""
    name, *rest = (frame.wrapped(line, place.RIGHT - 2 * place.NAMES) for line in lines)
    found = [(piece, place.NAMES, number, "told") for number, piece in enumerate(name)]
    line, x = len(name), place.NAMES
    for fact, pieces in zip(lines[1:], rest):
        if x > place.NAMES and LETTER * len(fact) > place.RIGHT - x:
            line, x = line + 1, place.NAMES
        found += [(piece, x, line + number, "") for number, piece in enumerate(pieces)]
        if x == place.NAMES and LETTER * len(fact) < BESIDE - x - LETTER:
            x = BESIDE
        else:
            line, x = line + len(pieces), place.NAMES
    return found, line + (x > place.NAMES)


def _told(facts, y):
    """The <g> of a row's details: hidden, unless the style shows it."""
    return "".join(['<g class="tip" display="none">',
                    *(text(x, y + LINE * line, words, style) for words, x, line, style in facts), "</g>"])


def _columns(picture):
    left, right = place.HOST_MEMORY - 14, place.DEVICE_MEMORY + place.COLUMN + 16
    yield (f'<rect x="{left}" y="20" width="{right - left}" height="{picture.height - 20:.0f}" rx="6" '
           'fill="currentColor" fill-opacity=".07"/>'
           f'<path class="link" d="M{place.LINK} 26V{picture.height - 16:.0f}"/>')
    for x, title, under in ((place.HOST, "host addresses", "followed by the CPU"),
                            (place.DEVICE, "device addresses", "followed by kernels")):
        yield text(x, 14, title, "head") + text(x, 34, under)
    yield text((left + right) / 2, 14, "physical memory", "head", "middle")
    yield text(place.HOST_MEMORY, 34, "the host's") + text(place.DEVICE_MEMORY, 34, "the device's")
    yield text(place.LINK, picture.height - 4, "link", "", "middle")


def _brackets(picture):
    for reservation, top, bottom in picture.brackets:
        yield f'<path class="line" d="M{place.RESERVATIONS} {top:.1f}h6V{bottom:.1f}h-6"/>'
        for number, words in enumerate((", ".join(reservation.names), size(reservation.nbytes), "reserved")):
            yield text(place.RESERVATIONS + 11, (top + bottom) / 2 - 9 + 14 * number, cut(words, 13))


def _legend(picture, identity):
    """(elements, y of the line below them): the signs that a picture with many rows has, in as many lines as they need."""
    if picture.roomy:
        return [], picture.height + 14

    def sample(how, x, y):
        return arrow(place.Arrow(how, 0, ((x, y), (x + 30, y))), identity, roomy=False)

    entries = [(functools.partial(sample, how), words) for how, words in LEGEND.items()
               if any(one.how == how for one in picture.arrows)]
    if any(one.same for one in picture.numbers):
        entries.append((lambda x, y: text(x + 15, y + 4, "=", "name", "middle"), SAME))
    if any(one.shape == "reserved" for one in picture.boxes):
        entries.append((lambda x, y: f'<path class="reserved" d="M{x:.1f} {y - 6:.1f}h30v12h-30z"/>', NOTHING))
    elements, x, y = [], place.NAMES, picture.height + 24
    for drawn, words in entries:
        width = 38 + LETTER * len(words)
        if x + width > place.RIGHT:
            x, y = place.NAMES, y + LINE
        elements.append(drawn(x, y) + text(x + 38, y + 4, words))
        x += width + 26
    return elements, y + 4 + (LINE + 4 if entries else 0)


def notes(scene):
    """What else to know of a picture that is seen for the first time, in sentences."""
    picture = place.layout(scene)
    said = ["A solid arrow points from an address to its memory. Forward is cuMemHostGetDevicePointer, the runtime's "
            "cudaHostGetDevicePointer; back is HOST_POINTER of cuPointerGetAttribute, the runtime's cudaPointerGetAttributes.",
            "The length of a box shows the size of its block, to scale."]
    if any(one.same for one in picture.numbers):
        said.append(f"= before a device address: {SAME}.")
    if any(one.how == "no access" for one in picture.arrows):
        said.append("A dotted line ends at memory that kernels may not use.")
    if any(one.cuts for one in picture.boxes):
        said.append("A zigzag marks a part that is left out: after it, lengths compare only between boxes with equally "
                    "many zigzags.")
    if picture.stretched:
        said.append("The smallest boxes are drawn longer, so that they can be seen.")
    if any(one.shape == "solid" for one in picture.boxes):
        said.append("Colour and hatching show the kind of memory, and a letter names a piece of physical memory.")
    if any(one.how == "forward" and one.points[0][0] >= place.DEVICE for one in picture.arrows):
        said.append("A forward call that begins at a device address was asked with that number.")
    return " ".join([*said, "The link connects host and device (PCIe or NVLink)."])
