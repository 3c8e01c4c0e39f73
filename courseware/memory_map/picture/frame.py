"""What every picture of the memory map stands in: the frame of a notebook's output, its <svg> element, and lines of text that fit.

It carries its own style and needs no script and no other file, so it looks the same in JupyterLab, in Colab and in a page made
by nbconvert. Text and lines have the page's own colour (currentColor), for light and dark themes. Every identifier in it is its
own, so that several pictures in one page do not disturb each other.
"""
import textwrap
import uuid
from html import escape

from .still import NOT_RUN

FRAME = """
.ID { display: block !important; container-type: inline-size }
.ID-not-run, .ID > .narrow { display: none }
@container (max-width: 620px) { .ID > .wide { display: none } .ID > .narrow { display: block } }
"""
STYLE = """
#ID { width: 100%; max-width: MOSTpx; height: auto; font: 12px system-ui, sans-serif; color: inherit }
#ID text { fill: currentColor }
#ID .head { font-weight: 600; font-size: 13px }
#ID .name { font: 600 13px ui-monospace, "DejaVu Sans Mono", monospace }
#ID .line { fill: none; stroke: currentColor; stroke-width: 1.3 }
#ID .link { stroke: currentColor; stroke-width: 3; stroke-opacity: .3 }
#ID .solid { stroke: currentColor; stroke-width: 1 }
#ID .row { outline: none }
#ID .hit { fill: transparent }
#ID .marked .hit { fill: currentColor; fill-opacity: .06 }
#ID .row:focus-visible .hit { stroke: currentColor; stroke-width: 2 }
"""
LINE, LETTER = 17, 6.4      # of text below a picture: from one line to the next, and how wide a letter is


def framed(draw, thing, wide, narrow):
    """A picture for a notebook's output, as HTML: a wide page shows the wide one and a narrow page, such as a phone's, the other.

    draw(thing, identity, columns) gives an <svg> element, which `svg` made; wide and narrow are the columns of the two.

    JupyterLab shows the outputs of a notebook that was run elsewhere without its <svg> and <style> elements, but with
    the words in them. So the frame is hidden, and the picture's own style shows it, where there is a style. (The
    attribute's value is there because JupyterLab takes away attributes without one.)
    """
    identity = f"map-{uuid.uuid4().hex[:8]}"
    pictures = "".join(f'<div class="{name}">{draw(thing, f"{identity}-{name}", columns)}</div>'
                       for name, columns in (("wide", wide), ("narrow", narrow)))
    return (f'<div hidden="hidden" class="{identity}"><style>{FRAME.replace("ID", identity)}</style>{pictures}</div>'
            f'<p class="{identity}-not-run">{NOT_RUN}</p>')


def svg(identity, label, size, style, defs, parts):
    """An <svg> element, as text.

    identity: a name that nothing else in the page has; `style`, its rules, has ID in its place
    label:    what a screen reader says of it
    size:     (width, height)
    """
    width, height = size
    rules = (STYLE + style).replace("ID", identity).replace("MOST", str(width))
    return "".join([f'<svg id="{identity}" xmlns="http://www.w3.org/2000/svg" role="group" aria-label="{escape(label)}" '
                    f'viewBox="0 0 {width} {height:.0f}"><style>{rules}</style><defs>', *defs, "</defs>", *parts, "</svg>"])


def wrapped(words, width):
    """Text in lines of `width` units."""
    return textwrap.wrap(words, int(width / LETTER))
