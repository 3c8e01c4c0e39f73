"""The picture of the explorer "copy or zero-copy": two curves, of one size and one pattern, and the point chosen.

The axes are the same for everything that can be chosen, so that what a press changes is seen. SVG of its own, and not
a plot as those of bandwidth.plots: it is drawn anew at each press of a button, which takes a
millisecond. matplotlib takes a quarter of a second for its picture, and more on a busy machine.

Text and lines take the colour of the text around them, so that they are read on light and on dark ground. Only measured
points are drawn; the lines between them only join them. Not here: what is measured and said (copy_or_zero_copy.py).
"""
import html
import math

from ..bandwidth import wording
from ..bandwidth.plots.curves import OTHER_LOOKS

WIDTH, LEFT, RIGHT = 620, 80, 40
TOP, BOTTOM, BASE = 56, 326, 402        # of the curves' area; and of the whole
COLOURS = [look.colour for look in OTHER_LOOKS[:2]]     # as in the plot


def picture(title, curves, times, everything):
    """The SVG, as text, for {name: Curve} of two and the number of reads that is chosen. everything: all curves"""
    shared = sorted(set.intersection(*(set(curve.medians) for curve in curves.values())))
    counts, values = ([of for curve in everything for of in part(curve.medians)] for part in (dict.keys, dict.values))
    across = _scale(min(counts), max(counts), LEFT + 40, WIDTH - RIGHT)
    up = _scale(min(values), max(values), BOTTOM, TOP)
    shapes = [*_grid(sorted(set(counts)), values, across, up, times)]
    above = max(curves.values(), key=lambda curve: curve.medians[times])
    for number, (name, colour, mark) in enumerate(zip(curves, COLOURS, (_square, _circle))):
        curve, x_of_name = curves[name], LEFT + 240 * number
        shapes += [mark(x_of_name, 14, 5, colour), f'<text x="{x_of_name + 12}" y="19">{html.escape(name)}</text>']
        places = [(across(x), up(curve.medians[x])) for x in shared]
        shapes.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}" fill="none" '
                      f'stroke="{colour}" stroke-width="2.5"/>')
        shapes += [mark(x, y, 5, colour) for x, y in places]
        x, y = across(times), up(curve.medians[times])
        shapes.append(mark(x, y, 8, colour))
        baseline = y - 14 if curve is above else y + 24
        shapes.append(f'<text x="{x:.1f}" y="{baseline:.1f}" text-anchor="middle" font-weight="bold">'
                      f'{wording.quantity(curve.medians[times], "ms")}</text>')
    return (f'<svg role="img" aria-label="{html.escape(title)}" viewBox="0 0 {WIDTH} {BASE}" '
            f'style="width:100%; max-width:{WIDTH}px; display:block; font-size:13px" fill="currentColor">'
            f'<title>{html.escape(title)}</title>{"".join(shapes)}</svg>')


def _grid(counts, values, across, up, times):
    """Lines and numbers of both axes, and a line where the chosen number of reads is."""
    for value in wording.round_numbers(min(values), max(values)):
        y = up(value)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" opacity="0.25"/>'
        yield f'<text x="{LEFT - 12}" y="{y + 5:.1f}" text-anchor="end">{wording.quantity(value, "ms")}</text>'
    for x in counts:
        yield f'<text x="{across(x):.1f}" y="{BOTTOM + 46}" text-anchor="middle">{wording.number(x)}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{BASE - 2}" text-anchor="middle">times read</text>'
    yield (f'<line x1="{across(times):.1f}" x2="{across(times):.1f}" y1="{TOP - 8}" y2="{BOTTOM + 26}" '
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
