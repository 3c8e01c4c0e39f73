"""A PageMap as inline SVG: a strip with all its pages, and below it a row for each run of pages, drawn where they are.

On a wide page what is known of a run stands beside its boxes, and on a narrow one above and below them.

The rows have the physical tier of the memory map: the host's memory, the link, the device's memory. A run that is on
both sides has a box on each. What nobody has used yet is dotted, and what nobody can say is dashed with a question
mark, both across the link. Colour and hatching tell the same as the place.

Not here: what is known of the pages (residency.py).
"""
import itertools
from collections import Counter
from dataclasses import dataclass
from html import escape

from course_lib.core.sizes import size

from ...notebook.palette import OKABE_ITO, Look
from . import frame
from .frame import LETTER, LINE
from .scale import Scale
from .shapes import hatching, outline, text

NAMES, COLUMN, NEAR = 8, 112, 14        # x of the names; how wide the longest box is, how far from the link it begins
STRIP, STRIP_HEIGHT, LEAST = 24, 22, 12 # y of the strip, and its height; how wide one page is at least
BOX, WORD = 26, 14                      # height of a box, and of a line of words beside it
MOST_ROWS = 16                          # more runs are told together in the last row


@dataclass(frozen=True)
class Columns:
    """Where things stand, in pixels."""

    link: int               # x of the link
    words: int              # x of the words
    right: int              # where the picture ends
    head: int               # y of the first row
    down: int = None        # how far below a row's upper edge its boxes begin; None: they stand in its middle


WIDE = Columns(284, 426, 800, 110)
NARROW = Columns(179, NAMES, 358, 130, 20)

# What the boxes of a place look like
LOOKS = {"host": Look(OKABE_ITO["sky blue"], "s", "\\"), "device": Look(OKABE_ITO["orange"], "o", "/"),
         "both": Look(OKABE_ITO["reddish purple"], "D", "x")}
LEGEND = {"host": "on the host", "device": "on a device", "both": "on both, as copies", "nowhere": "nowhere yet",
          "unknown": "unknown"}

STYLE = """
#ID .nowhere { fill: none; stroke: currentColor; stroke-dasharray: 1.5 3 }
#ID .unknown { fill: none; stroke: currentColor; stroke-dasharray: 5 3 }
"""


def state(place):
    """What a residency.Place looks like: a key of LEGEND."""
    if not place.locations:
        return "unknown" if place.locations is None else "nowhere"
    return "both" if len(place.locations) > 1 else "host" if "host" in place.locations else "device"


def html(page_map):
    """The picture of a PageMap, as HTML."""
    return frame.framed(svg(page_map, frame.new_id()), svg(page_map, frame.new_id(), NARROW))


def svg(page_map, identity, columns=WIDE):
    """The <svg> element of a PageMap, as text. identity: from frame.new_id"""
    runs = page_map.runs
    shown, beyond = _shown(runs)
    scale, words = Scale([run.nbytes for run in shown], COLUMN), [_words(page_map, run, columns) for run in shown]
    lines = WORD * max(map(len, words))
    height = (columns.down + BOX + 4 + lines if columns.down else max(BOX, lines)) + 10         # of a row
    end = columns.head + height * len(shown)
    summary = _together(beyond)
    others = frame.wrapped(f"and {len(beyond)} more runs: {summary}", columns.right - 2 * NAMES) if beyond else []
    legend, below = _legend(shown, beyond, end + 18 + LINE * len(others), identity, columns)
    label = "; ".join(f"{run.pages} {run.page.place.words}" for run in shown) + (f"; {summary}" if beyond else "")
    hatchings = [hatching(_look_id(identity, name), look) for name, look in LOOKS.items()]
    tops = [columns.head + height * number for number in range(len(shown))]
    return frame.svg(identity, f"{page_map.title}: {label}", (columns.right, below), STYLE, hatchings, [
        text(NAMES, 14, page_map.title, "head"), *_strip(runs, identity, columns), *_heads(tops, height, columns),
        text(columns.words, columns.head - (56 if columns.down else 12), page_map.source[0]),
        *(_row(run, *rest_of, height, scale, columns, identity) for run, *rest_of in zip(shown, words, tops)),
        *(text(NAMES, end + 14 + LINE * number, line) for number, line in enumerate(others)), *legend])


def _shown(runs):
    """(the runs that have a row each, the rest)"""
    shown = runs if len(runs) <= MOST_ROWS else runs[:MOST_ROWS - 1]
    return shown, runs[len(shown):]


def _strip(runs, identity, columns):
    """All pages side by side: what LEAST leaves over is shared to scale."""
    whole, width, x = runs[-1].last_page + 1, columns.right - 2 * NAMES, NAMES
    least = min(LEAST, width / len(runs))
    for run in runs:
        wide = least + (width - least * len(runs)) * run.count / whole
        look, shape = state(run.page.place), f'd="M{x:.2f} {STRIP}h{wide:.2f}v{STRIP_HEIGHT}h-{wide:.2f}z"'
        yield _filled(look, shape, identity, thin=wide < 6)
        if wide > 20 and look == "unknown":
            yield text(x + wide / 2, STRIP + STRIP_HEIGHT / 2 + 4.5, "?", "name", "middle")
        x += wide
    yield text(NAMES, STRIP + STRIP_HEIGHT + 13, "page 0")
    if whole > 1:
        yield text(columns.right - NAMES, STRIP + STRIP_HEIGHT + 13, f"page {whole - 1}", "", "end")


def _heads(tops, height, columns):
    """What stands over the boxes, and the ground and the link behind them.

    On a narrow page each row has its own ground, which leaves its words free.
    """
    link, head = columns.link, columns.head
    left, right = link - NEAR - COLUMN - 8, link + NEAR + COLUMN + 8
    grounds = [(head - 26, height * len(tops) + 30)]
    if columns.down:
        grounds = [(top + columns.down - 4, BOX + 8) for top in tops]
    for y, high in grounds:
        yield (f'<rect x="{left}" y="{y}" width="{right - left}" height="{high}" rx="6" '
               'fill="currentColor" fill-opacity=".07"/>'
               f'<path class="link" d="M{link} {y + 4}V{y + high - 4}"/>')
    yield text(link, head - 34, "physical memory", "head", "middle")
    yield text(link - NEAR, head - 12, "the host's", "", "end") + text(link + NEAR, head - 12, "the device's")


def _words(page_map, run, columns):
    """What stands beside a run: lines of text, where its pages are first."""
    facts, moved = run.page.attributes, page_map.moved(run)
    lines = [("≠ " if moved else "") + run.page.place.words, f"before: {run.before.place.words}" if moved else "",
             run.page.place.since, f"last prefetch: {facts.last_prefetch}" if facts.last_prefetch else "", facts.advice]
    width = columns.right - NAMES - columns.words
    return list(itertools.chain.from_iterable(frame.wrapped(line, width) for line in lines))


def _row(run, words, y, height, scale, columns, identity):
    """The <g> of a run, which takes the keyboard's focus and says its facts to a screen reader."""
    facts, middle = "; ".join([run.pages, size(run.nbytes), *words]), y + height / 2
    if columns.down:
        box, words_y = y + columns.down, y + columns.down + BOX + 18
        names = text(NAMES, y + 13, run.pages, "name"), text(columns.right - NAMES, y + 13, size(run.nbytes), "", "end")
    else:
        box, words_y = middle - BOX / 2, middle + 4 - WORD / 2 * (len(words) - 1)
        names = text(NAMES, middle - 3, run.pages, "name"), text(NAMES, middle + 12, size(run.nbytes))
    style = "row marked" if words[0].startswith("≠") else "row"
    lines = [text(columns.words, words_y + WORD * number, line, "" if number else "name")
             for number, line in enumerate(words)]
    return "".join([
        f'<g class="{style}" tabindex="0" role="img" aria-label="{escape(facts)}">'
        f'<rect class="hit" x="2" y="{y + 1}" width="{columns.right - 4}" height="{height - 2}" rx="4"/>',
        *names, *_boxes(run.page.place, run.nbytes, box, scale, columns.link, identity), *lines, "</g>"])


def _boxes(place, nbytes, y, scale, link, identity):
    """The boxes of a run, each where the pages are. link: x of the link"""
    length = scale.length(nbytes)

    def drawn(look, x):
        return _filled(look, f'd="{outline(x, y, length, BOX, [x + cut for cut in scale.cuts(nbytes)])}"', identity)
    look, sides = state(place), {"host": link - NEAR - length, "device": link + NEAR}
    if look in ("nowhere", "unknown"):
        yield drawn(look, link - length / 2) + (_doubt(link + length / 2, y) if look == "unknown" else "")
        return
    if look == "both":
        yield f'<path class="line" d="M{link - NEAR} {y + BOX / 2}H{link + NEAR}"/>'
    yield from (drawn(look, sides[side]) for side in (("host", "device") if look == "both" else (look,)))
    if place.perhaps:
        yield drawn("unknown", link + NEAR) + _doubt(link + NEAR + length, y)


def _doubt(x, y):
    """A question mark at the right end of a box."""
    return text(x + 4, y + BOX / 2 + 4.5, "?", "name")


def _filled(look, shape, identity, thin=False):
    """A path as a place looks; a thin one without an outline, which would hide it."""
    if look not in LOOKS:
        return f'<path class="{look}" {shape}/>'
    style = "" if thin else ' class="solid"'
    return f'<path{style} fill="{LOOKS[look].colour}" {shape}/><path fill="url(#{_look_id(identity, look)})" {shape}/>'


def _together(runs):
    """Several runs in a few words."""
    counted = Counter()
    for run in runs:
        counted[run.page.place.words] += run.count
    return ", ".join(f"{count} page{'s'[:count > 1]} {words}" for words, count in counted.items())


def _legend(shown, beyond, y, identity, columns):
    """(elements, y of the line below them): what the looks of the strip mean that are in no row.

    In a row words stand beside its look.
    """
    in_rows = {state(run.page.place) for run in shown}
    unexplained = {state(run.page.place) for run in beyond} - in_rows
    elements, x = [], NAMES
    for look, words in LEGEND.items():
        if look in unexplained:
            width = 38 + LETTER * len(words)
            if x + width > columns.right:
                x, y = NAMES, y + LINE
            elements.append(_filled(look, f'd="M{x:.1f} {y - 4}h30v12h-30z"', identity) + text(x + 38, y + 6, words))
            x += width + 22
    return elements, y + (LINE + 4 if elements else -6)


def _look_id(identity, look):
    return f"{identity}-look-{look}"
