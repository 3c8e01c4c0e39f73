"""A Picture as inline SVG: colours, hatchings, texts, and what shows when a row is pointed at or has the keyboard's focus.

It carries its own style and needs no script and no other file, so it looks the same in JupyterLab, in Colab and in a
page made by nbconvert. Text and lines have the page's own colour (currentColor), for light and for dark themes. Names in
it are unique, so that several maps in one page do not disturb each other.
"""
import uuid
from html import escape

from ..facts import Kind
from ..palette import LOOKS, OKABE_ITO
from . import layout
from .hatching import pattern
from .scene import size
from .words import facts_of, short_kind

LOOK_OF = {Kind.PINNED: "pinned", Kind.REGISTERED: "registered", Kind.MANAGED: "managed", Kind.DEVICE: "device",
           Kind.MAPPED: "mapped reservation", Kind.MAPPED_HOST: "mapped reservation, on the host",
           Kind.RESERVED: "reserved", Kind.KERNEL_HEAP: "kernel heap", Kind.PAGEABLE: "pageable"}
DARK = {OKABE_ITO[name] for name in ("black", "blue", "vermillion", "bluish green")}    # white lines show on these

STYLE = """
#{id} {{ width: 100%; min-width: 640px; max-width: 900px; height: auto; font: 12px system-ui, sans-serif; color: inherit }}
#{id} text {{ fill: currentColor }}
#{id} .name {{ font: 600 13px ui-monospace, monospace }}
#{id} .small {{ font-size: 11px }}
#{id} .line {{ fill: none; stroke: currentColor; stroke-width: 1.3 }}
#{id} .back, #{id} .no-way-back {{ stroke-dasharray: 5 3 }}
#{id} .no-access {{ stroke-dasharray: 1.5 3 }}
#{id} .box {{ stroke: currentColor; stroke-width: 1 }}
#{id} .empty {{ fill: none; stroke: currentColor; stroke-dasharray: 4 3 }}
#{id} .row {{ outline: none }}
#{id} .row:hover .line, #{id} .row:focus .line {{ stroke-width: 2.6 }}
#{id} .row:hover .hit, #{id} .row:focus .hit {{ fill: currentColor; fill-opacity: .08 }}
#{id} .row:focus-visible .hit {{ stroke: currentColor; stroke-width: 2 }}
#{id} .hit {{ fill: transparent }}
#{id} .tip {{ display: none; pointer-events: none }}
#{id} .tip rect {{ fill: #1d2430; stroke: #ffffff }}
#{id} .tip text {{ fill: #ffffff; font-size: 12px }}
"""


def svg(scene):
    """The SVG element of a Scene, as text."""
    picture = layout.layout(scene)
    identity = f"map-{uuid.uuid4().hex[:8]}"
    shown = sorted({_look(block) for block in scene.blocks if block.kind in LOOK_OF})
    style = STYLE.format(id=identity) + "".join(f"#{identity} .row:nth-of-type({0}) {{}}" for _ in ())
    rules = "".join(f"#{identity}-{row}:hover~#{identity}-tip-{row},#{identity}-{row}:focus~#{identity}-tip-{row}"
                    "{display:block}" for row in range(len(scene.blocks)))
    parts = [f'<svg id="{identity}" xmlns="http://www.w3.org/2000/svg" role="group" aria-label="{escape(title(scene))}" '
             f'viewBox="0 0 {layout.WIDTH} {picture.height + 66:.0f}">',
             f"<style>{style}{rules}</style><defs>",
             *(pattern(f"{identity}-{list(LOOKS).index(name)}", LOOKS[name].hatch,
                       "#fff" if LOOKS[name].colour in DARK else "#000") for name in shown if LOOKS[name].hatch),
             f'<marker id="{identity}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
             'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8Z" fill="currentColor"/></marker></defs>',
             *_columns(picture)]
    for row, block in enumerate(scene.blocks):
        parts += _row(scene, picture, row, block, identity)
    parts += _brackets(picture)
    parts += _legend(picture, identity)
    for row, block in enumerate(scene.blocks):
        parts += _tip(scene, picture, row, block, identity)
    return "".join([*parts, "</svg>"])


def title(scene):
    return f"Memory map of {len(scene.blocks)} ranges: " + "; ".join(f"{block.name}, {block.kind_text}" for block in scene.blocks)


def _columns(picture):
    bottom = picture.height
    wide = 2 * layout.COLUMN + layout.DEVICE_MEMORY - layout.HOST_MEMORY - layout.COLUMN
    yield (f'<rect x="{layout.HOST_MEMORY - 8}" y="22" width="{wide + 16}" height="{bottom - 18}" rx="6" fill="currentColor" '
           'fill-opacity=".06"/>')
    yield _text(layout.HOST_MEMORY - 8 + (wide + 16) / 2, 14, "physical memory", "name", "middle")
    yield _text(layout.HOST, 14, "host addresses", "name") + _text(layout.HOST, 34, "used by the CPU", "small")
    yield _text(layout.DEVICE, 14, "device addresses", "name") + _text(layout.DEVICE, 34, "used by kernels", "small")
    yield _text(layout.HOST_MEMORY, 38, "the host's", "small") + _text(layout.DEVICE_MEMORY, 38, "the device's", "small")
    yield (f'<path class="line" stroke-dasharray="2 4" d="M{layout.LINK} 28V{bottom}"/>'
           + _text(layout.LINK, bottom + 16, "link", "small", "middle"))


def _row(scene, picture, row, block, identity):
    y, height = picture.rows[row], picture.box_height
    half = picture.gap / 2
    label = "; ".join(facts_of(scene, block))
    yield (f'<g class="row" id="{identity}-{row}" tabindex="0" role="img" aria-label="{escape(label)}">'
           f'<title>{escape(label)}</title>'
           f'<rect class="hit" x="2" y="{y - half + 2:.1f}" width="{layout.WIDTH - 4}" height="{height + 2 * half - 4:.1f}" rx="4"/>')
    for arrow in picture.arrows:
        if arrow.row == row:
            yield _arrow(arrow, identity)
    for box in picture.boxes:
        if box.row == row:
            yield _box(scene, block, box, identity)
    if picture.roomy:
        yield _text(layout.NAMES, y + 6, _cut(block.name, 19), "name")
        yield _text(layout.NAMES, y + 20, short_kind(block), "small") + _text(layout.NAMES, y + 33, size(block.nbytes), "small")
    else:
        yield _text(layout.NAMES, y + 10, _cut(block.name, 10), "name")
        yield _text(layout.HOST - 12, y + 10, short_kind(block)[:11], "small", "end")
    yield "</g>"


def _box(scene, block, box, identity):
    outline = _outline(box)
    if box.shape != "solid":
        return f'<path class="empty" d="{outline}"/>'
    name = _look(block)
    look = LOOKS[name]
    drawn = f'<path class="box" fill="{look.colour}" d="{outline}"/>'
    if look.hatch:
        drawn += f'<path fill="url(#{identity}-{list(LOOKS).index(name)})" d="{outline}"/>'
    if box.tier == "memory":
        letter = scene.letters[block.memory]
        names = ", ".join(scene.memory_names.get(block.memory, ()))
        drawn += _text(box.right + 4, box.middle + 4, f"{letter} {names}".strip(), "name")
    return drawn


def _outline(box):
    """The path of a box, in as many pieces as its breaks make of it, with zigzags between."""
    edges = [box.x, *box.breaks, box.right]
    steps = 4
    step = box.height / steps

    def edge(x, at_end, up):
        if (at_end and x == box.right) or (not at_end and x == box.x):
            points = [(x, box.y), (x, box.y + box.height)]
        else:
            shift = -2 if at_end else 2
            points = [(x + shift + (2 if number % 2 else -2), box.y + number * step) for number in range(steps + 1)]
        return points[::-1] if up else points
    pieces = []
    for left, right in zip(edges, edges[1:]):
        points = edge(right, True, False) + edge(left, False, True)
        pieces.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z")
    return "".join(pieces)


def _arrow(arrow, identity):
    points = arrow.points
    if arrow.how in ("follow", "no access") and len(points) == 4:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points
        path = f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}C{(x1 + x2) / 2:.1f} {y1:.1f} {(x1 + x2) / 2:.1f} {y2:.1f} {x2:.1f} {y2:.1f}L{x3:.1f} {y3:.1f}"
    else:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    name = arrow.how.replace(" ", "-")
    head = f' marker-end="url(#{identity}-head)"' if arrow.how in ("follow", "back") else ""
    drawn = f'<path class="line {name}" d="{path}"{head}/>'
    x, y = points[-1]
    if arrow.how == "no way back":
        drawn += (f'<path class="line" d="M{x - 4} {y - 4}L{x + 4} {y + 4}M{x + 4} {y - 4}L{x - 4} {y + 4}"/>'
                  + _text(x - 8, y + 4, "no way back", "small", "end"))
    if arrow.how == "no access":
        drawn += _text(points[0][0] - 4, points[0][1] - 4, "no access", "small", "end")
    return drawn


def _brackets(picture):
    for reservation, top, bottom in picture.brackets:
        x = layout.RIGHT + 2
        yield f'<path class="line" d="M{x} {top}h6V{bottom}h-6"/>'
        lines = [", ".join(reservation.names), "reserved", size(reservation.nbytes)]
        for number, line in enumerate(lines):
            yield _text(x + 12, (top + bottom) / 2 - 8 + 13 * number, _cut(line, 13), "small")


def _legend(picture, identity):
    y = picture.height + 40
    yield f'<path class="line" d="M10 {y}h34" marker-end="url(#{identity}-head)"/>' + _text(50, y + 4, "can be followed", "small")
    yield (f'<path class="line back" d="M150 {y}h34" marker-end="url(#{identity}-head)"/>'
           + _text(190, y + 4, "the way back: the driver answers HOST_POINTER", "small"))
    yield f'<path class="empty" d="M450 {y - 6}h24v12h-24z"/>' + _text(480, y + 4, "addresses, nothing behind them", "small")
    if any(box.breaks for box in picture.boxes):
        yield _text(10, y + 22, "Lengths are to scale; after a zigzag, with others cut as often.", "small")


def _tip(scene, picture, row, block, identity):
    lines = facts_of(scene, block)
    width, height = 26 + 6.6 * max(map(len, lines)), 12 + 16 * len(lines)
    y = picture.rows[row] + picture.box_height + picture.gap / 2
    if y + height > picture.height + 60:
        y = max(picture.rows[row] - picture.gap / 2 - height, 0)
    x = min(layout.HOST, layout.WIDTH - width - 4)
    yield f'<g class="tip" id="{identity}-tip-{row}"><rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height}" rx="4"/>'
    for number, line in enumerate(lines):
        yield _text(x + 10, y + 18 + 16 * number, line)
    yield "</g>"


def _look(block):
    return "write-combined" if "writecombined" in block.flags else LOOK_OF[block.kind]


def _text(x, y, words, style="", anchor=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}"' + f' class="{style}"' * bool(style) + f' text-anchor="{anchor}"' * bool(anchor)
            + f">{escape(words)}</text>")


def _cut(words, most):
    return words if len(words) <= most else words[:most - 1] + "…"
