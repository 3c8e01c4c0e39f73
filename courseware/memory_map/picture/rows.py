"""One row of the picture as SVG: name, boxes, arrows, and its facts for a screen reader."""
from html import escape

from course_lib.core.sizes import size
from course_lib.pointers.address_facts import Kind

from ..descriptions import details, short_kind
from . import layout as place
from .shapes import arrow, box, digits, text

LOOK_OF = {Kind.PINNED: "pinned", Kind.HOST_POOL: "pinned", Kind.REGISTERED: "registered", Kind.MANAGED: "managed", Kind.DEVICE: "device",
           Kind.MAPPED: "mapped reservation", Kind.MAPPED_HOST: "mapped reservation, on the host",
           Kind.KERNEL_HEAP: "kernel heap", Kind.PAGEABLE: "pageable"}
MARKS = {"": "", "new": "+ new", "gone": "− gone", "changed": "≠ changed"}


def look(block):
    """The name in palette.LOOKS of how a block is drawn."""
    return "write-combined" if "writecombined" in block.flags else LOOK_OF.get(block.kind, "reserved")


def row(scene, picture, number, identity, told):
    """The <g> of a row, which takes the keyboard's focus and says its facts to a screen reader.

    identity: of the whole picture
    told:     the element that shows the facts
    """
    block, y, height, gap = scene.blocks[number], picture.rows[number], picture.pitch.box, picture.pitch.gap
    style, facts = "row marked" if block.change else "row", escape("; ".join(details(scene, block)))
    return "".join([
        f'<g class="{style}" tabindex="0" role="img" aria-label="{facts}">'
        f'<rect class="hit" x="2" y="{y - gap / 2 + 1:.1f}" width="{picture.width - 4}" '
        f'height="{height + gap - 2:.1f}" rx="4"/>',
        *(arrow(one, identity, picture.roomy) for one in picture.arrows if one.row == number),
        *(box(one, look(block), identity) for one in picture.boxes if one.row == number),
        *(digits(one, picture.roomy) for one in picture.numbers if one.row == number),
        *(_roomy(scene, picture, number) if picture.roomy else _compact(block, y)), told, "</g>"])


def _roomy(scene, picture, number):
    """Name, kind and size below each other, and words where something is missing."""
    block, y = scene.blocks[number], picture.rows[number]
    lines = [(MARKS[block.change], "head"), (cut(block.name, 20), "name"), (short_kind(block), ""),
             (size(block.nbytes), "")]
    lines = [line for line in lines if line[0]]
    for position, (words, style) in enumerate(lines):
        yield text(place.NAMES, y + 17 - 7 * (len(lines) - 1) + 14 * position, words, style)
    if block.host is None:
        yield text(place.HOST, y + 17, "no host address")
    if block.device is None:
        yield text(place.DEVICE, y + 17, "no device address")
    elif block.memory is None:
        below = y + picture.pitch.box + 13
        yield text(place.DEVICE, below, "nothing behind" if block.reservation else "points nowhere")
    for one in picture.boxes:
        if one.row == number and one.tier == "memory":
            yield text(one.x, one.y - 4, cut(", ".join(scene.memory_names.get(block.memory, ())), 20))


def _compact(block, y):
    """Name and kind side by side."""
    yield text(place.NAMES, y + 10, cut(f"{MARKS[block.change][:1]} {block.name}".strip(), 12), "name")
    yield text(place.HOST - 2 * place.TURN, y + 10, cut(short_kind(block), 13), "", "end")


def cut(words, most):
    """Words, shortened where they have more than `most` letters."""
    return words if len(words) <= most else words[:most - 1] + "…"
