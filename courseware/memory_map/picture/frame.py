"""What every picture of memory stands in, and what those of pages and of the inside of a launch share.

That is an <svg> element's style, and lines of text that fit.

A picture for a notebook's output needs no script and no other file, so it looks the same in JupyterLab, in Colab and in
a page made by nbconvert. Text and lines have the page's own colour (currentColor), for light and dark themes. A wide
page has the wide picture and a narrow one, such as a phone's, the narrow one.

JupyterLab shows the outputs of a notebook that was run elsewhere without its <svg> and <style> elements, but with the
words in them. So the frame is hidden, and the pictures' own style shows it, if there is a style. (The attribute has a
value because JupyterLab takes away attributes without one.)
"""
import textwrap
import uuid
from html import escape

NOT_RUN = "The picture appears here when you run this cell."
FRAME = """
.mm-frame { display: block !important; container-type: inline-size }
.mm-not-run, .mm-frame > .mm-narrow { display: none }
.mm-frame > .mm-wide { max-width: 800px } .mm-frame > .mm-narrow { max-width: 430px }
@container (max-width: 620px) { .mm-frame > .mm-wide { display: none } .mm-frame > .mm-narrow { display: block } }
"""
STYLE = """
#ID { width: 100%; height: auto; font: 12px system-ui, sans-serif; color: inherit }
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


def framed(wide, narrow, style=""):
    """A wide and a narrow picture, two <svg> elements, for a notebook's output, as HTML. style: rules that both need"""
    return (f'<div hidden="hidden" class="mm-frame"><style>{FRAME}{style}</style><div class="mm-wide">{wide}</div>'
            f'<div class="mm-narrow">{narrow}</div></div><p class="mm-not-run">{NOT_RUN}</p>')


def new_id():
    """A name that nothing else in the page has."""
    return f"map-{uuid.uuid4().hex[:8]}"


def svg(identity, label, size, style, defs, elements):
    """An <svg> element, as text.

    identity: from `new_id`; `style`, its rules, has ID in its place
    label:    what a screen reader says of it
    size:     (width, height)
    """
    width, height = size
    rules = (STYLE + style).replace("ID", identity)
    return "".join([
        f'<svg id="{identity}" xmlns="http://www.w3.org/2000/svg" role="group" aria-label="{escape(label)}" '
        f'viewBox="0 0 {width} {height:.0f}">',
        f"<style>{rules}</style><defs>", *defs, "</defs>", *elements, "</svg>"])


def wrapped(words, width):
    """Text in lines of `width` units."""
    return textwrap.wrap(words, int(width / LETTER))
