"""The table beside a plot: the same curves as numbers, as text and as HTML.

    >>> print(PlotTable(("size", "pinned (GB/s)"), (("4 B", "0.0014"), ("512 MiB", "55.4"))))
       size  pinned (GB/s)
        4 B         0.0014
    512 MiB           55.4

Not here: what a plot shows (curves.py), and what follows from it (summaries.py).
"""
from dataclasses import dataclass

from course_lib.core import tables

from .. import wording

MISSING = "-"
MOST_ROWS = 24      # of more nobody reads each, and a screen reader has to
FIRST = 6           # of a timeline's intervals


@dataclass(frozen=True)
class PlotTable:
    """`head`, one text for each column, and `rows` of texts. Prints itself; a notebook shows it as HTML."""

    head: tuple
    rows: tuple
    caption: str = ""

    def __str__(self):
        lines = tables.text(self.rows, self.head, right=self._numbers)
        return f"{self.caption}\n{lines}" if self.caption else lines

    __repr__ = __str__

    def _repr_html_(self):
        sides = [f'style="text-align:{"right" if number in self._numbers else "left"}"'
                 for number in range(len(self.head))]
        # No cell is broken into lines: where the page is narrow, the table is scrolled.
        table = tables.html(self.rows, self.head, sides, [f'scope="col" {side}' for side in sides],
                            'style="white-space:nowrap"', self.caption, sections=True)
        return tables.scrolled(table)

    @property
    def _numbers(self):
        """Which columns hold numbers, and are aligned on the right."""
        return {number for number, column in enumerate(zip(*self.rows))
                if all(cell[0].isdigit() or cell == MISSING for cell in column)}


def of_curves(curves, sizes=None):
    """A table for each source: a row for each x, or for some if there are many; a column for each curve.

    A cell has the median, and in brackets the quartiles where they differ from it.

    sizes: the rows, as wording.size writes them, if they are not to be chosen here
    """
    return tuple(_of_source([curve for curve in curves if curve.source is source], source, sizes)
                 for source in dict.fromkeys(curve.source for curve in curves))


def _of_source(curves, source, sizes):
    xs = sorted({x for curve in curves for x in curve.medians})
    points = [{point.x: point for point in curve.series.points} for curve in curves]
    shown = [x for x in xs if wording.size(x) in sizes] if sizes else _spread(xs)
    rows = [(wording.size(x), *(_cell(by_x.get(x)) for by_x in points)) for x in shown]
    some = f" ({len(shown)} of {len(xs)} points)" if len(shown) < len(xs) else ""
    return PlotTable(("size", *(curve.label for curve in curves)), tuple(rows),
                     _caption(source, curves[0].series.unit) + some)


def _spread(xs):
    """All of a few. Of many, from the last down, each that is at most half of the one before it, or a quarter, and so
    on."""
    shown, apart = xs, 1
    while len(shown) > MOST_ROWS:
        apart *= 2
        shown = xs[-1:]
        for x in reversed(xs):
            if x * apart <= shown[0]:
                shown.insert(0, x)
    return shown


def of_intervals(timelines):
    """What ran first: a row for each of the first intervals of some timelines, in order of their beginning."""
    rows = []
    for timeline in timelines:
        for interval in sorted(timeline.intervals, key=lambda interval: (interval.start_ms, interval.end_ms))[:FIRST]:
            rows.append((timeline.memory, interval.stream, interval.what,
                         wording.number(interval.start_ms), wording.number(interval.end_ms)))
    caption = f"The first {FIRST} of each" if any(len(timeline.intervals) > FIRST for timeline in timelines) else ""
    return (PlotTable(("memory", "stream", "what", "from (ms)", "to (ms)"), tuple(rows), caption),)


def _caption(source, unit):
    return f"{unit}, median (quartiles); {source.title}"


def _cell(point):
    if point is None:
        return MISSING
    median, low, high = map(wording.number, (point.median, point.low, point.high))
    return median if low == median == high else f"{median} ({low} to {high})"
