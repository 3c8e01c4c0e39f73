"""What predictions, exercises and progress put under a cell: a widget or HTML, and the same in text.

The text is what a terminal shows, what a notebook keeps, and what its checks compare. A widget's own text differs from
one version of ipywidgets to the next, and names objects; so a widget is shown with a text given to it.
"""
import html
import itertools
import re
import textwrap
from pathlib import Path

from .progress_file import is_off

# Jupyter's own name for the reference to a widget (ipywidgets, "widget-view" mime type).
WIDGET = "application/vnd.jupyter.widget-view+json"
# JupyterLab takes a link's looks away within a widget.
UNDERLINED = "text-decoration:underline"
LINK = re.compile(r"\[([^\]\n]+)\]\(([\w./-]+\.ipynb(?:#[^\s()]+)?)\)")
# Lines stay whole, for the carets below them; a long one is scrolled to, by keys too: Tab leads to it.
CODE = ("tabindex='0' role='group' aria-label='Code' "
        "style='margin:6px 0 6px 16px; line-height:1.35; white-space:pre; overflow-x:auto; background:transparent'")

# Stands in the HTML of every widget, and holds for the page. `make lab` gives it to JupyterLab from the start.
STYLE = f"<style>\n{Path(__file__).with_name('style.css').read_text('utf-8')}</style>"

# A card's label -> the colour of its edge, and of its ground, which lies as a breath over a light page and over a dark
# one.
CARDS = {"Predict": ("#0072B2", "rgba(86,180,233,.10)"), "Exercise": ("#009E73", "rgba(0,158,115,.08)"),
         "Exam": ("#009E73", "rgba(0,158,115,.08)"), "Explore": ("#B07A00", "rgba(230,159,0,.08)")}
RUN = "Run this cell (Shift+Enter), and its buttons appear."
STATUS = "<div style='margin:4px 0; line-height:1.5'><i>{}</i></div>"      # a line below controls


def bundle(text, html=None, widget=None):
    """{mime type: content} of something to display: text for everybody, and HTML or a widget for those who can show it.

    Where there is no learner, the widget is left out: a notebook that is kept has the HTML, for a widget does not
    outlive its kernel.
    """
    contents = {"text/plain": text.rstrip()}
    if html is not None:
        contents["text/html"] = html
    if widget is not None and not is_off():
        contents[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
    return contents


class Displayable:
    """Something to display, of which there is text, and maybe HTML or a widget."""

    def __init__(self, text, html=None, widget=None):
        self.text, self.html, self.widget = text.rstrip(), html, widget

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, **kwargs):
        return bundle(self.text, self.html, self.widget)


def show(text, html=None, widget=None):
    """Display text, with HTML or a widget for the frontends that can show it."""
    from IPython.display import display  # here: see widgets.py
    display(Displayable(text, html, widget))


def say(text, good=None):
    """Display a message: `good` is True for a success, False for a failure, None for neither."""
    show(text, message(text, good))


def message(text, good=None, announced=False, verdict=""):
    """A message as HTML, with a mark and a line at its side. The words and the mark say what the colour says.

    announced: a screen reader says it by itself when it appears: for what a widget answers to the press of a button
    verdict:   a line to begin with, bold
    """
    # Not role='status': that has to be there before its text is, and a widget of HTML is replaced whole.
    role = "role='alert' " if announced else ""
    colour, mark = {True: ("#009E73", "&#10003; "), False: ("#D55E00", "&#10007; "), None: ("#56B4E9", "")}[good]
    return (f"<div {role}style='border-left:4px solid {colour}; padding:2px 0 2px 10px; margin:4px 0; line-height:1.5'>"
            f"{paragraphs(text, first=mark + (f'<b>{html.escape(verdict)}</b><br>' if verdict else ''))}</div>")


def card(label, body, note="", title=""):
    """HTML in a frame, below a label: what a learner is asked. label: a key of CARDS; note: text for the last line

    title: goes on after the label, and makes both a heading
    """
    colour, ground = CARDS[label]
    head = heading(f"{label} {title}") if title else f"<b>{label}</b>"
    note = f"<p style='margin:6px 0 0 0'><i>{html.escape(note)}</i></p>" if note else ""
    return (f"<div style='border:1px solid {colour}; border-left:6px solid {colour}; border-radius:4px; "
            f"background:{ground}; padding:6px 14px 8px 12px; margin:4px 0; line-height:1.5'>{head}{body}{note}</div>")


def heading(text):
    """The heading of an exercise or a listing in a widget, as HTML: a screen reader leads from one to the next."""
    return f"<div role='heading' aria-level='3' style='font-weight:bold; margin:4px 0'>{html.escape(text)}</div>"


def paragraphs(text, first="", wrapped=False):
    """Plain text as HTML. A blank line parts paragraphs, one indented by four blanks is code, `so` is code too, *so* is
    stressed.

    [So](02_pinned_memory.ipynb#Heading) is a link to a notebook; it opens beside this one.

    first:   HTML to begin with
    wrapped: the text's lines were broken to fit a page, and may be joined

    No colours of its own: it is read on light and on dark ground.
    """
    blocks = [block for block in re.split(r"\n\s*\n", text.strip("\n")) if block.strip()]
    elements = []
    for is_code, group in itertools.groupby(blocks, key=_is_code):
        if is_code:
            listing = html.escape(textwrap.dedent("\n\n".join(group)))
            elements.append(f"<pre {CODE}>{listing}</pre>")
        for block in () if is_code else group:
            # Joined first: a piece of code may go over the end of a line.
            words = html.escape(block.replace("\n", " ") if wrapped else block)
            words = code(words)
            words = re.sub(r"(?<![\w*/])\*([a-z](?:[a-z ]*[a-z])?)\*(?![\w*/])(?![^<]*</code>)", r"<em>\1</em>", words)
            words = linked(words)
            words = words.replace("\n", "<br>")
            elements.append(f"<p style='margin:4px 0'>{'' if elements else first}{words}</p>")
    return "".join(elements)


def code(html):
    """HTML with `so` as code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", html)


def linked(html, style=UNDERLINED):
    """HTML with a link for each [so](02_pinned_memory.ipynb) in it. style: of the links, CSS"""
    return LINK.sub(rf"<a href='\2' target='_blank' style='{style}'>\1</a>", html)


def _is_code(block):
    return all(line.startswith("    ") for line in block.splitlines())
