"""The picture of a Scene that stands still: for the output of a cell. It needs no script and no other file.

A wide page has the wide picture and a narrow one, such as a phone's, the narrow one (layout.py). JupyterLab shows the outputs of a
notebook that was run elsewhere without its <svg> and <style> elements, but with the words in them; so the frame is hidden, and the
picture's own style shows it, where there is a style. (The attribute has a value because JupyterLab takes away attributes without one.)
"""
from html import escape
from pathlib import Path

from . import layout

STYLE = Path(__file__).with_name("map.css").read_text("utf-8")
NOT_RUN = "The picture appears here when you run this cell."


def html(scene):
    """The picture of a Scene, as HTML."""
    label = "; ".join(f"{block.name}, {block.kind_text}" for block in scene.blocks) or "nothing"
    pictures = "".join(_svg(scene, width, name, label) for width, name in ((layout.WIDE, "wide"), (layout.NARROW, "narrow")))
    return (f'<div hidden="hidden" class="mm-frame"><style>{STYLE}</style>{pictures}</div>'
            f'<p class="mm-not-run">{NOT_RUN}</p>')


def _svg(scene, width, name, label):
    pieces, height = layout.draw(scene, width)
    drawn = "".join(f'<g transform="translate({piece.x:g} {piece.y:g})">{piece.markup}</g>'
                    for piece in sorted(pieces, key=lambda piece: piece.layer))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="mm mm-{name}" role="img" aria-label="{escape(f"Memory map: {label}")}" '
            f'viewBox="-1 0 {width.total + 10} {height:.0f}">{drawn}</svg>')


def notes(scene):
    """What else to know of a picture that is seen for the first time, in sentences."""
    blocks = scene.blocks
    sentences = ["A solid arrow points from an address to its memory. Forward is cuMemHostGetDevicePointer, the runtime's "
                 "cudaHostGetDevicePointer; back is HOST_POINTER of cuPointerGetAttribute, the runtime's cudaPointerGetAttributes."]
    if any(not block.access for block in blocks):
        sentences.append("A dotted line ends at memory that kernels may not use.")
    if any(block.memory for block in blocks):
        sentences.append("Colour and hatching show the kind of memory, and a letter names a piece of physical memory.")
    if any(block.forward is not None and block.host is None for block in blocks):
        sentences.append("A forward call that begins at a device address was asked with that number.")
    return " ".join([*sentences, "The link connects host and device (PCIe or NVLink)."])
