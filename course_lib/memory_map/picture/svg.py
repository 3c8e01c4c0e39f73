"""A Scene as inline SVG: its style, the columns, the rows, and a legend.

It carries its own style and needs no script and no other file, so it looks the same in JupyterLab, in Colab and in a
page made by nbconvert. Text and lines have the page's own colour (currentColor), for light and dark themes. Every
identifier in it is its own, so that several maps in one page do not disturb each other.
"""
import textwrap
import uuid
from html import escape

from ...core.sizes import size
from . import layout as place
from .rows import cut, look, row, tip
from .shapes import arrow, pattern, text

STYLE = """
.ID { display: block !important; overflow-x: auto }
.ID-not-run { display: none }
#ID { width: 100%; min-width: 660px; max-width: MOSTpx; height: auto; font: 12px system-ui, sans-serif; color: inherit }
#ID text { fill: currentColor }
#ID .head { font-weight: 600; font-size: 13px }
#ID .name { font: 600 13px ui-monospace, "DejaVu Sans Mono", monospace }
#ID .line { fill: none; stroke: currentColor; stroke-width: 1.3 }
#ID .back, #ID .no-way-back { stroke-dasharray: 5 3 }
#ID .no-access { stroke-dasharray: 1.5 3 }
#ID .link { stroke: currentColor; stroke-width: 3; stroke-opacity: .3 }
#ID .solid { stroke: currentColor; stroke-width: 1 }
#ID .reserved { fill: none; stroke: currentColor; stroke-dasharray: 5 3 }
#ID .gone { fill: none; stroke: currentColor; stroke-dasharray: 1.5 3 }
#ID .row { outline: none }
#ID .hit { fill: transparent }
#ID .marked .hit { fill: currentColor; fill-opacity: .05 }
#ID .row:hover .hit, #ID .row:focus .hit { fill: currentColor; fill-opacity: .1 }
#ID .row:focus-visible .hit { stroke: currentColor; stroke-width: 2 }
#ID .row:hover .line, #ID .row:focus .line { stroke-width: 2.4 }
#ID .tip { pointer-events: none }
#ID .tip rect { fill: #1d2430; stroke: #fff }
#ID .tip text { fill: #fff; font: 11.5px ui-monospace, "DejaVu Sans Mono", monospace }
"""
LEGEND = {"follow": "can be followed", "no access": "no access", "back": "way back (HOST_POINTER)",
          "no way back": "no way back"}


def framed(scene):
    """The picture for a notebook's output, as HTML.

    JupyterLab shows the outputs of a notebook that was run elsewhere without its <svg> and <style> elements, but with
    the words in them. So the frame is hidden, and the picture's own style shows it, where there is a style. (The
    attribute's value is there because JupyterLab takes away attributes without one.)
    """
    identity = f"map-{uuid.uuid4().hex[:8]}"
    return (f'<div hidden="hidden" class="{identity}">{svg(scene, identity)}</div>'
            f'<p class="{identity}-not-run">The picture appears here when you run this cell.</p>')


def svg(scene, identity):
    """The <svg> element of a Scene, as text. identity: a name that nothing else in the page has."""
    picture, numbers = place.layout(scene), range(len(scene.blocks))
    notes = textwrap.wrap(_notes(scene, picture), 118)
    height = picture.height + 44 + 17 * len(notes)
    said = "; ".join(f"{block.name}, {block.kind_text}" for block in scene.blocks)
    return "".join([
        f'<svg id="{identity}" xmlns="http://www.w3.org/2000/svg" role="group" aria-label="Memory map: {escape(said)}" '
        f'viewBox="0 0 {picture.width} {height:.0f}">',
        f"<style>{_style(identity, picture.width, numbers)}</style><defs>",
        *(pattern(identity, name) for name in sorted({look(block) for block in scene.blocks})),
        f'<marker id="{identity}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8Z" fill="currentColor"/></marker></defs>',
        *_columns(picture), *_brackets(picture), *_legend(picture, identity, notes),
        *(row(scene, picture, number, identity) for number in numbers),
        *(tip(scene, picture, number, identity, height) for number in numbers),     # last, and so above all else
        "</svg>"])


def _style(identity, width, numbers):
    # A row and its details are children of the same element, the details later: that is what "~" asks for.
    shown = ",".join(f"#{identity}-{number}:{state}~#{identity}-tip-{number}"
                     for number in numbers for state in ("hover", "focus"))
    return STYLE.replace("ID", identity).replace("MOST", str(width)) + shown + "{display:inline}"


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


def _legend(picture, identity, notes):
    x, y = place.NAMES, picture.height + 24
    for how in (how for how in LEGEND if any(one.how == how for one in picture.arrows)):
        sample = arrow(place.Arrow(how, 0, ((x, y), (x + 30, y))), identity, roomy=False)
        yield sample + text(x + 38, y + 4, LEGEND[how])
        x += 64 + 6.4 * len(LEGEND[how])
    if any(one.shape == "reserved" for one in picture.boxes):
        yield f'<path class="reserved" d="M{x} {y - 6}h30v12h-30z"/>' + text(x + 38, y + 4, "nothing behind")
    yield from (text(place.NAMES, y + 25 + 17 * number, line) for number, line in enumerate(notes))


def _notes(scene, picture):
    """What to know about the lengths, and who answered."""
    said = "Lengths are to scale."
    if any(one.cuts for one in picture.boxes):
        said += " A zigzag leaves a part out; after it, blocks with as many zigzags are to scale."
    if picture.stretched:
        said += " The shortest are drawn longer, to be seen."
    return f"{said} These are the {'simulated' if scene.simulated else 'GPU’s'} driver's answers."
