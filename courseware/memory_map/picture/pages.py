"""A PageMap as inline SVG: a strip with all its pages, and below it a row for each run of pages, drawn where they are.

The rows have the physical tier of the memory map: the host's memory, the link, the device's memory. A run that is on both sides
has a box on each. What nobody has used yet is dotted, and what nobody can say is dashed with a question mark, both across the
link. Colour and hatching tell the same as the place.

Not here: what is known of the pages (residency.py).
"""
from collections import Counter
from html import escape

from course_lib.core.sizes import size

from ...notebook.palette import OKABE_ITO, Look
from . import frame
from .frame import LETTER, LINE
from .scale import Scale
from .shapes import hatching, outline, text

NAMES, HOST, LINK, DEVICE, WORDS, RIGHT = 8, 158, 284, 298, 426, 800   # columns; where the picture ends
COLUMN = 112                            # how wide the longest box is
STRIP, STRIP_HEIGHT, LEAST = 24, 22, 12 # y of the strip, and its height; how wide one page is at least
HEAD = 110                              # above the first row
BOX, WORD = 26, 14                      # height of a box, and of a line of words beside it
MOST_ROWS = 16                          # more runs are told together in the last row

# What the boxes of a place look like
LOOKS = {"host": Look(OKABE_ITO["sky blue"], "s", "\\"), "device": Look(OKABE_ITO["orange"], "o", "/"),
         "both": Look(OKABE_ITO["reddish purple"], "D", "x")}
LEGEND = {"host": "on the host", "device": "on a device", "both": "on both, as copies", "nowhere": "nowhere yet", "unknown": "unknown"}

STYLE = """
#ID .nowhere { fill: none; stroke: currentColor; stroke-dasharray: 1.5 3 }
#ID .unknown { fill: none; stroke: currentColor; stroke-dasharray: 5 3 }
"""


def state(place):
    """What a residency.Place looks like: a key of LEGEND."""
    if not place.at:
        return "unknown" if place.at is None else "nowhere"
    return "both" if len(place.at) > 1 else "host" if "host" in place.at else "device"


def svg(page_map, identity):
    """The <svg> element of a PageMap, as text. identity: a name that nothing else in the page has."""
    runs = page_map.runs
    shown, rest = _shown(runs)
    scale, words = Scale([run.nbytes for run in shown], COLUMN), [_words(page_map, run) for run in shown]
    height = max(BOX, WORD * max(map(len, words))) + 10         # of a row
    end = HEAD + height * (len(shown) + bool(rest))
    legend, below = _legend(shown, rest, end + 18, identity)
    label = "; ".join(f"{run.pages} {run.page.place.words}" for run in shown) + (f"; {_together(rest)}" if rest else "")
    hatchings = [hatching(_look_id(identity, name), look) for name, look in LOOKS.items()]
    return frame.svg(identity, f"{page_map.title}: {label}", (RIGHT, below), STYLE, hatchings, [
        text(NAMES, 14, page_map.title, "head"), *_strip(runs, identity), *_columns(end), text(WORDS, HEAD - 12, page_map.source[0]),
        *(_row(run, words[number], HEAD + height * number, height, scale, identity) for number, run in enumerate(shown)),
        *([_rest(rest, end - height / 2)] if rest else []), *legend])


def facts(page_map):
    """The facts of each row, as lists of lines."""
    shown, rest = _shown(page_map.runs)
    return [*([f"{run.pages}, {size(run.nbytes)}", *_words(page_map, run)] for run in shown),
            *([[f"{len(rest)} more runs", _together(rest)]] if rest else [])]


def _shown(runs):
    """(the runs that have a row each, the rest)"""
    shown = runs if len(runs) <= MOST_ROWS else runs[:MOST_ROWS - 1]
    return shown, runs[len(shown):]


def _strip(runs, identity):
    """All pages side by side: what LEAST leaves over is shared to scale."""
    whole, width, x = runs[-1].last + 1, RIGHT - 2 * NAMES, NAMES
    least = min(LEAST, width / len(runs))
    for run in runs:
        wide = least + (width - least * len(runs)) * run.count / whole
        yield _filled(state(run.page.place), f'd="M{x:.2f} {STRIP}h{wide:.2f}v{STRIP_HEIGHT}h-{wide:.2f}z"', identity, thin=wide < 6)
        if wide > 20 and state(run.page.place) == "unknown":
            yield text(x + wide / 2, STRIP + STRIP_HEIGHT / 2 + 4.5, "?", "name", "middle")
        x += wide
    yield text(NAMES, STRIP + STRIP_HEIGHT + 13, "page 0")
    if whole > 1:
        yield text(RIGHT - NAMES, STRIP + STRIP_HEIGHT + 13, f"page {whole - 1}", "", "end")


def _columns(end):
    left, right = HOST - 8, DEVICE + COLUMN + 8
    yield (f'<rect x="{left}" y="{HEAD - 26}" width="{right - left}" height="{end - HEAD + 30}" rx="6" fill="currentColor" '
           f'fill-opacity=".07"/><path class="link" d="M{LINK} {HEAD - 22}V{end}"/>')
    yield text(LINK, HEAD - 34, "physical memory", "head", "middle")
    yield text(LINK - 14, HEAD - 12, "the host's", "", "end") + text(DEVICE, HEAD - 12, "the device's")


def _words(page_map, run):
    """What stands beside a run: lines of text, where its pages are first."""
    facts, moved = run.page.attributes, page_map.moved(run)
    lines = [("≠ " if moved else "") + run.page.place.words, f"before: {run.before.place.words}" if moved else "",
             run.page.place.since, f"last prefetch: {facts.last_prefetch}" if facts.last_prefetch else "", facts.advice]
    return [line for line in lines if line]


def _row(run, words, y, height, scale, identity):
    """The <g> of a run, which takes the keyboard's focus and says its facts to a screen reader."""
    facts, middle = "; ".join([run.pages, size(run.nbytes), *words]), y + height / 2
    first = middle + 4 - WORD / 2 * (len(words) - 1)
    return "".join([
        f'<g class="{"row marked" if words[0].startswith("≠") else "row"}" tabindex="0" role="img" aria-label="{escape(facts)}">'
        f'<rect class="hit" x="2" y="{y + 1}" width="{RIGHT - 4}" height="{height - 2}" rx="4"/>',
        text(NAMES, middle - 3, run.pages, "name"), text(NAMES, middle + 12, size(run.nbytes)),
        *_boxes(run.page.place, run.nbytes, middle - BOX / 2, scale, identity),
        *(text(WORDS, first + WORD * number, line, "" if number else "name") for number, line in enumerate(words)), "</g>"])


def _boxes(place, nbytes, y, scale, identity):
    """The boxes of a run, each where the pages are."""
    length = scale.length(nbytes)

    def drawn(look, x):
        return _filled(look, f'd="{outline(x, y, length, BOX, [x + cut for cut in scale.cuts(nbytes)])}"', identity)
    look, sides = state(place), {"host": LINK - 14 - length, "device": DEVICE}
    if look in ("nowhere", "unknown"):
        yield drawn(look, LINK - length / 2) + (_doubt(LINK + length / 2, y) if look == "unknown" else "")
        return
    if look == "both":
        yield f'<path class="line" d="M{LINK - 14} {y + BOX / 2}H{DEVICE}"/>'
    yield from (drawn(look, sides[side]) for side in (("host", "device") if look == "both" else (look,)))
    if place.perhaps:
        yield drawn("unknown", DEVICE) + _doubt(DEVICE + length, y)


def _doubt(x, y):
    """A question mark at the right end of a box."""
    return text(x + 4, y + BOX / 2 + 4.5, "?", "name")


def _filled(look, shape, identity, thin=False):
    """A path as a place looks; a thin one without an outline, which would hide it."""
    if look not in LOOKS:
        return f'<path class="{look}" {shape}/>'
    style = "" if thin else ' class="solid"'
    return f'<path{style} fill="{LOOKS[look].colour}" {shape}/><path fill="url(#{_look_id(identity, look)})" {shape}/>'


def _rest(runs, y):
    return text(NAMES, y + 4, f"and {len(runs)} more runs: {_together(runs)}")


def _together(runs):
    """Several runs in a few words."""
    counted = Counter()
    for run in runs:
        counted[run.page.place.words] += run.count
    return ", ".join(f"{count} page{'s'[:count > 1]} {words}" for words, count in counted.items())


def _legend(shown, rest, y, identity):
    """(elements, y of the line below them): what the looks of the strip mean that are in no row. In a row words stand beside its look."""
    here, elements, x = {state(run.page.place) for run in rest} - {state(run.page.place) for run in shown}, [], NAMES
    for look, words in LEGEND.items():
        if look in here:
            width = 38 + LETTER * len(words)
            if x + width > RIGHT:
                x, y = NAMES, y + LINE
            elements.append(_filled(look, f'd="M{x:.1f} {y - 4}h30v12h-30z"', identity) + text(x + 38, y + 6, words))
            x += width + 22
    return elements, y + (LINE + 4 if elements else -6)


def _look_id(identity, look):
    return f"{identity}-look-{look}"
