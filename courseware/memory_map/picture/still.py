"""The picture of a Scene that stands still: for the output of a cell. It stands in the frame of frame.py."""
from html import escape
from pathlib import Path

from .. import descriptions
from . import frame, layout

STYLE = Path(__file__).with_name("map.css").read_text("utf-8")


def html(scene):
    """The picture of a Scene, as HTML, and below it how much is not drawn."""
    left_out = descriptions.left_out(scene)
    below = f"<p>{escape(left_out)}</p>" if left_out else ""
    return frame.framed(_svg(scene, layout.WIDE), _svg(scene, layout.NARROW), STYLE) + below


def _svg(scene, width):
    label = "; ".join(f"{block.name}, {block.kind_text}" for block in scene.blocks) or "nothing"
    pieces, height = layout.draw(scene, width)
    drawn = "".join(f'<g transform="translate({piece.x:g} {piece.y:g})">{piece.markup}</g>'
                    for piece in sorted(pieces, key=lambda piece: piece.layer))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="mm" role="img" aria-label="Memory map: {escape(label)}" '
            f'viewBox="-1 0 {width.total + 10} {height:.0f}">{drawn}</svg>')


def notes(scene):
    """What else to know of a picture that is seen for the first time, in sentences."""
    blocks = scene.blocks
    sentences = ["A solid arrow points from an address to its memory. Forward is cuMemHostGetDevicePointer, the "
                 "runtime's cudaHostGetDevicePointer; back is HOST_POINTER of cuPointerGetAttribute, the runtime's "
                 "cudaPointerGetAttributes."]
    if any(not block.access for block in blocks):
        sentences.append("A dotted line ends at memory that kernels may not use.")
    if any(block.memory for block in blocks):
        sentences.append("Colour shows where memory is, and hatching of which kind. A letter names a piece of "
                         "physical memory.")
    if any(block.forward is not None and block.host is None for block in blocks):
        sentences.append("A forward call that begins at a device address was asked with that number.")
    return " ".join([*sentences, "The link connects host and device (PCIe or NVLink)."])
