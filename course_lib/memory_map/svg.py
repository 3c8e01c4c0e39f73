"""A Scene as inline SVG: columns, rows, and what shows when a row is pointed at or has the keyboard's focus.

It carries its own style and needs no script and no other file, so it looks the same in JupyterLab, in Colab and in a
page made by nbconvert. Text and lines have the page's own colour (currentColor), for light and dark themes. Every
identifier in it is its own, so that several maps in one page do not disturb each other.
"""
import uuid
from html import escape

from ..facts import Kind
from . import layout as place
from .shapes import arrow, box, pattern, text
from .scene import size
from .words import details, short_kind

LOOK_OF = {Kind.PINNED: "pinned", Kind.REGISTERED: "registered", Kind.MANAGED: "managed", Kind.DEVICE: "device",
           Kind.MAPPED: "mapped reservation", Kind.MAPPED_HOST: "mapped reservation, on the host",
           Kind.KERNEL_HEAP: "kernel heap", Kind.PAGEABLE: "pageable"}

STYLE = """
#ID { width: 100%; min-width: 660px; max-width: 920px; height: auto; font: 12px system-ui, sans-serif; color: inherit }
#ID text { fill: currentColor }
#ID .head { font-weight: 600; font-size: 13px }
#ID .name { font: 600 13px ui-monospace, "DejaVu Sans Mono", monospace }
#ID .small { font-size: 11.5px }
#ID .line { fill: none; stroke: currentColor; stroke-width: 1.3 }
#ID .back, #ID .no-way-back { stroke-dasharray: 5 3 }
#ID .no-access { stroke-dasharray: 1.5 3 }
#ID .link { stroke: currentColor; stroke-width: 3; stroke-opacity: .3 }
#ID .solid { stroke: currentColor; stroke-width: 1 }
#ID .reserved { fill: none; stroke: currentColor; stroke-dasharray: 5 3 }
#ID .gone { fill: none; stroke: currentColor; stroke-dasharray: 1.5 3 }
#ID .row { outline: none }
#ID .hit { fill: transparent }
#ID .row:hover .hit, #ID .row:focus .hit { fill: currentColor; fill-opacity: .08 }
#ID .row:focus-visible .hit { stroke: currentColor; stroke-width: 2 }
#ID .row:hover .line, #ID .row:focus .line { stroke-width: 2.4 }
#ID .tip { pointer-events: none }
#ID .tip rect { fill: #1d2430; stroke: #fff }
#ID .tip text { fill: #fff; font: 11.5px ui-monospace, "DejaVu Sans Mono", monospace }
"""
MARK = {"new": "+ new", "gone": "− gone", "changed": "≠ changed"}
MARGIN = 76     # for these, at the left


def svg(scene):
    """The <svg> element of a Scene, as text."""
    picture = place.layout(scene)
    identity = f"map-{uuid.uuid4().hex[:8]}"
    left = MARGIN if any(block.change for block in scene.blocks) else 0
    show = "".join(f"#{identity}-{row}:hover~#{identity}-tip-{row},#{identity}-{row}:focus~#{identity}-tip-{row}"
                   "{display:inline}" for row in range(len(scene.blocks)))
    said = "; ".join(f"{block.name}, {block.kind_text}" for block in scene.blocks)
    return "".join([
        f'<svg id="{identity}" xmlns="http://www.w3.org/2000/svg" role="group" aria-label="Memory map: {escape(said)}" '
        f'viewBox="{-left} 0 {place.WIDTH + left} {picture.height + 76:.0f}">',
        f"<style>{STYLE.replace('ID', identity)}{show}</style><defs>",
        *(pattern(identity, name) for name in sorted({look(block) for block in scene.blocks})),
        f'<marker id="{identity}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8Z" fill="currentColor"/></marker></defs>',
        *_columns(picture), *_brackets(picture), *_legend(picture, identity, scene.simulated),
        *(part for row, block in enumerate(scene.blocks) for part in _row(scene, picture, row, block, identity)),
        *(part for row, block in enumerate(scene.blocks) for part in _tip(scene, picture, row, block, identity)),
        "</svg>"])


def look(block):
    """The name in palette.LOOKS of how a block is drawn."""
    return "write-combined" if "writecombined" in block.flags else LOOK_OF.get(block.kind, "reserved")


def _columns(picture):
    left, right = place.HOST_MEMORY - 14, place.DEVICE_MEMORY + place.COLUMN + 16
    yield (f'<rect x="{left}" y="20" width="{right - left}" height="{picture.height - 20:.0f}" rx="6" fill="currentColor" '
           f'fill-opacity=".07"/><path class="link" d="M{place.LINK} 26V{picture.height - 16:.0f}"/>')
    for x, title, under in ((place.HOST, "host addresses", "followed by the CPU"),
                            (place.DEVICE, "device addresses", "followed by kernels")):
        yield text(x, 14, title, "head") + text(x, 34, under, "small")
    yield text((left + right) / 2, 14, "physical memory", "head", "middle")
    yield text(place.HOST_MEMORY, 34, "the host's", "small") + text(place.DEVICE_MEMORY, 34, "the device's", "small")
    yield text(place.LINK, picture.height - 4, "link", "small", "middle")


def _row(scene, picture, row, block, identity):
    y, height, gap = picture.rows[row], picture.box_height, picture.gap
    yield (f'<g class="row" id="{identity}-{row}" tabindex="0" role="img" aria-label="{escape("; ".join(details(scene, block)))}">'
           f'<rect class="hit" x="2" y="{y - gap / 2 + 1:.1f}" width="{place.WIDTH - 4}" height="{height + gap - 2:.1f}" rx="4"/>')
    yield from (arrow(one, identity, picture.roomy) for one in picture.arrows if one.row == row)
    yield from (box(one, look(block), identity) for one in picture.boxes if one.row == row)
    if picture.roomy:
        yield from _remarks(block, y)
        for one in picture.boxes:
            if one.row == row and one.tier == "memory":
                yield text(one.x, one.y - 4, cut(", ".join(scene.memory_names.get(block.memory, ())), 20), "small")
    if block.change:
        yield text(-6, y + height / 2 + 4, MARK[block.change], "name", "end")
    if picture.roomy:
        yield text(place.NAMES, y + 4, cut(block.name, 21), "name")
        yield text(place.NAMES, y + 18, short_kind(block), "small") + text(place.NAMES, y + 32, size(block.nbytes), "small")
    else:
        yield text(place.NAMES, y + 10, cut(block.name, 12), "name")
        yield text(place.HOST - 10, y + 10, cut(short_kind(block), 14), "small", "end")
    yield "</g>"


def _remarks(block, y):
    """What is not there to be drawn, in words."""
    if block.host is None:
        yield text(place.HOST, y + 17, "no host address", "small")
    if block.device is None:
        yield text(place.DEVICE, y + 17, "no device address", "small")
    if block.memory is None and block.device is not None:
        yield text(place.DEVICE, y + place.ROOMY[0] + 13, "nothing behind" if block.reservation else "leads nowhere", "small")


def _brackets(picture):
    for reservation, top, bottom in picture.brackets:
        yield f'<path class="line" d="M{place.RESERVATIONS} {top:.1f}h6V{bottom:.1f}h-6"/>'
        for number, words in enumerate((", ".join(reservation.names), size(reservation.nbytes), "reserved")):
            yield text(place.RESERVATIONS + 11, (top + bottom) / 2 - 9 + 14 * number, cut(words, 13), "small")


def _legend(picture, identity, simulated):
    y, x = picture.height + 24, place.NAMES
    lines = {"follow": "can be followed", "no access": "mapped, but no access", "back": "the way back (HOST_POINTER)",
             "no way back": "no way back"}
    for how in (how for how in lines if any(one.how == how for one in picture.arrows)):
        sample = arrow(place.Arrow(how, 0, ((x, y), (x + 30, y))), identity, roomy=False)
        yield sample + text(x + 38, y + 4, lines[how], "small")
        x += 62 + 6.2 * len(lines[how])
    if any(one.shape == "reserved" for one in picture.boxes):
        yield f'<path class="reserved" d="M{x} {y - 6}h30v12h-30z"/>' + text(x + 38, y + 4, "nothing behind", "small")
    said = "Lengths are to scale."
    if any(one.cuts for one in picture.boxes):
        said += " A zigzag leaves a part out; after it, blocks with as many zigzags are to scale."
    if picture.stretched:
        said += " The shortest are drawn longer, to be seen."
    yield text(place.NAMES, y + 26, said, "small")
    yield text(place.NAMES, y + 44, f"Answers of the {'simulated' if simulated else 'GPU’s'} driver.", "small")


def _tip(scene, picture, row, block, identity):
    lines = [cut(line, 116) for line in details(scene, block)]
    width, height = 24 + 7 * max(map(len, lines)), 12 + 16 * len(lines)
    y = picture.rows[row] + picture.box_height + picture.gap / 2
    if y + height > picture.height + 72:
        y = max(picture.rows[row] - picture.gap / 2 - height, 0)
    x = max(min(place.HOST, place.WIDTH - width - 4), 2)
    yield (f'<g class="tip" id="{identity}-tip-{row}" display="none">'
           f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height}" rx="4"/>')
    yield from (text(x + 12, y + 18 + 16 * number, line) for number, line in enumerate(lines))
    yield "</g>"


def cut(words, most):
    """Words, shortened where they have more than `most` letters."""
    return words if len(words) <= most else words[:most - 1] + "…"
