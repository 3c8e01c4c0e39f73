"""What every picture of the memory map stands in: the frame of a notebook's output, and lines of text that fit."""
import textwrap

STYLE = """
.ID { display: block !important; overflow-x: auto }
.ID-not-run { display: none }
#ID { width: 100%; min-width: 700px; max-width: MOSTpx; height: auto; font: 12px system-ui, sans-serif; color: inherit }
#ID text { fill: currentColor }
"""


def style(identity, width):
    """The rules of the frame: for a picture called `identity`, at most `width` units wide."""
    return STYLE.replace("ID", identity).replace("MOST", str(width))


def framed(drawn, identity):
    """A picture for a notebook's output, as HTML. drawn: its <svg> element, whose style begins with `style`.

    JupyterLab shows the outputs of a notebook that was run elsewhere without its <svg> and <style> elements, but with
    the words in them. So the frame is hidden, and the picture's own style shows it, where there is a style. (The
    attribute's value is there because JupyterLab takes away attributes without one.)
    """
    return (f'<div hidden="hidden" class="{identity}">{drawn}</div>'
            f'<p class="{identity}-not-run">The picture appears here when you run this cell.</p>')


def wrapped(words, width, letter):
    """Text in lines of `width` units, where one letter takes `letter`."""
    return textwrap.wrap(words, int(width / letter))
