"""The picture of the explorer "copy or zero-copy": two bars for one point, and below them the two curves it is from.

SVG of its own, and not the plot of the same data (bandwidth.plots.reuse): it is drawn anew at each press of a button,
which takes a millisecond. matplotlib takes a quarter of a second for its picture, and more on a busy machine.

Text and lines take the colour of the text around them, so that they are read on light and on dark ground. Only measured
points are drawn; the lines between them only join them. Not here: what is measured and said (copy_or_zero_copy.py).
"""
import html
import math

from ..bandwidth import wording
from ..bandwidth.plots.curves import OTHER_LOOKS

WIDTH, BAR, LEFT, RIGHT = 620, 26, 130, 20
TOP, BOTTOM, BASE = 100, 300, 346       # of the curves' area; and of the whole
COLOURS = [look.colour for look in OTHER_LOOKS[:2]]     # as in the plot


def picture(title, curves, times):
    """The SVG, as text, for {name: Curve} of two and the number of reads that is chosen."""
    shared = sorted(set.intersection(*(set(curve.medians) for curve in curves.values())))
    values = [curve.medians[x] for curve in curves.values() for x in shared]
    across = _scale(shared[0], shared[-1], LEFT, WIDTH - RIGHT - 20)
    up = _scale(min(values), max(values), BOTTOM, TOP)
    parts = [*_bars(curves, times), *_grid(shared, values, across, up, times)]
    for colour, curve, mark in zip(COLOURS, curves.values(), (_square, _circle)):
        places = [(across(x), up(curve.medians[x])) for x in shared]
        parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}" fill="none" '
                     f'stroke="{colour}" stroke-width="2.5"/>')
        parts += [mark(x, y, 5, colour) for x, y in places]
        parts.append(mark(across(times), up(curve.medians[times]), 8, colour))
    return (f'<svg role="img" aria-label="{html.escape(title)}" viewBox="0 0 {WIDTH} {BASE}" '
            f'style="width:100%; max-width:{WIDTH}px; display:block; font-size:13px" fill="currentColor">'
            f'<title>{html.escape(title)}</title>{"".join(parts)}</svg>')


def _bars(curves, times):
    """A bar for each curve at the chosen number of reads, with its name and its time; the longer one is full."""
    longest = max(curve.medians[times] for curve in curves.values())
    full = WIDTH - LEFT - RIGHT - 80
    for place, (name, curve, colour, mark) in enumerate(zip(curves, curves.values(), COLOURS, (_square, _circle))):
        y, length = 6 + place * (BAR + 8), full * curve.medians[times] / longest
        yield mark(8, y + BAR / 2, 5, colour)
        yield f'<text x="20" y="{y + BAR / 2 + 5}">{html.escape(name)}</text>'
        yield (f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}" stroke="currentColor"/>')
        yield (f'<text x="{LEFT + length + 6:.1f}" y="{y + BAR / 2 + 5}">'
               f'{wording.quantity(curve.medians[times], "ms")}</text>')


def _grid(shared, values, across, up, times):
    """Lines and numbers of both axes, and a line where the chosen number of reads is."""
    for value in wording.round_numbers(min(values), max(values)):
        y = up(value)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" opacity="0.25"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end">{wording.quantity(value, "ms")}</text>'
    for x in shared:
        yield f'<text x="{across(x):.1f}" y="{BOTTOM + 24}" text-anchor="middle">{wording.number(x)}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{BASE - 2}" text-anchor="middle">times read</text>'
    yield (f'<line x1="{across(times):.1f}" x2="{across(times):.1f}" y1="{TOP - 8}" y2="{BOTTOM + 4}" '
           f'stroke="currentColor" stroke-dasharray="6 4"/>')


def _scale(low, high, start, end):
    """The function that gives a number its place on a logarithmic axis."""
    if low == high:
        return lambda value: (start + end) / 2
    return lambda value: start + (end - start) * math.log(value / low) / math.log(high / low)


def _circle(x, y, size, colour):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}" stroke="currentColor"/>'


def _square(x, y, size, colour):
    return (f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size}" height="{2 * size}" fill="{colour}" '
            f'stroke="currentColor"/>')
