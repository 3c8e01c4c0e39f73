"""The table beside a plot: the same curves as numbers, as text and as HTML.

    >>> from course_lib.bandwidth import tables
    >>> print(tables.Table(("size", "pinned (GB/s)"), (("4 B", "0.0014"), ("512 MiB", "55.4"))))
       size  pinned (GB/s)
        4 B         0.0014
    512 MiB           55.4

Not here: what a plot shows (curves.py), and what follows from it (summaries.py).
"""
import html
from dataclasses import dataclass

from . import words

X_HEADS = {"bytes": "size", "times read": "times read", "blocks": "blocks"}
MISSING = "-"


@dataclass(frozen=True)
class Table:
    """`head`, one text for each column, and `rows` of texts. Prints itself; a notebook shows it as HTML."""

    head: tuple
    rows: tuple
    caption: str = ""

    def __str__(self):
        columns = [_aligned(column) for column in zip(self.head, *self.rows)]
        return "\n".join([self.caption] * bool(self.caption) + ["  ".join(cells).rstrip() for cells in zip(*columns)])

    __repr__ = __str__

    def _repr_html_(self):
        sides = ["right" if _numeric(column) else "left" for column in zip(*self.rows)] or ["left"] * len(self.head)
        head = "".join(f'<th scope="col" style="text-align:{side}">{html.escape(cell)}</th>'
                       for cell, side in zip(self.head, sides))
        body = "".join("<tr>" + "".join(f'<td style="text-align:{side}">{html.escape(cell)}</td>'
                                        for cell, side in zip(row, sides)) + "</tr>" for row in self.rows)
        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        content = f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        # No cell is broken into lines: where the page is narrow, the table is scrolled.
        return f'<div style="overflow-x:auto"><table style="white-space:nowrap">{content}</table></div>'


def _numeric(cells):
    return all(cell[0].isdigit() or cell == MISSING for cell in cells)


def _aligned(column):
    """The cells of one column, padded to one width: numbers to the right, texts to the left."""
    width = max(map(len, column))
    return [cell.rjust(width) if _numeric(column[1:]) else cell.ljust(width) for cell in column]


def of_curves(curves):
    """A table for each source: a row for each x, a column for each curve.

    A cell has the median, and in brackets the quartiles where they differ from it.
    """
    return tuple(_of_source([curve for curve in curves if curve.source is source], source)
                 for source in dict.fromkeys(curve.source for curve in curves))


def _of_source(curves, source):
    x_unit = curves[0].series.x_unit
    xs = sorted({x for curve in curves for x in curve.medians})
    points = [{point.x: point for point in curve.series.points} for curve in curves]
    rows = [(words.size(x) if x_unit == "bytes" else words.number(x, 12), *(_cell(by_x.get(x)) for by_x in points))
            for x in xs]
    labels = [curve.label for curve in curves]
    heads = [one.label if labels.count(one.label) == 1 else f"{one.series.what}, {one.label}" for one in curves]
    return Table((X_HEADS[x_unit], *heads), tuple(rows), _caption(source, curves[0].series.unit))


def of_kinds(panels, x):
    """A table for each source: a row for each kind of memory, a column for each thing measured, at one x.

    panels: {what: its curves}
    """
    everything = [curve for own in panels.values() for curve in own]
    tables = []
    for source in dict.fromkeys(curve.source for curve in everything):
        columns = [{curve.label: point for curve in own if curve.source is source
                    for point in curve.series.points if point.x == x} for own in panels.values()]
        rows = [(label, *(_cell(column.get(label)) for column in columns))
                for label in dict.fromkeys(label for column in columns for label in column)]
        tables.append(Table(("memory", *panels), tuple(rows), _caption(source, everything[0].series.unit)))
    return tuple(tables)


def of_intervals(timelines):
    """What ran when: a row for each interval of some timelines, in order of their beginning."""
    rows = [(timeline.memory, one.stream, one.what, words.number(one.start_ms), words.number(one.end_ms))
            for timeline in timelines for one in sorted(timeline.intervals, key=lambda one: (one.start_ms, one.end_ms))]
    return (Table(("memory", "stream", "what", "from (ms)", "to (ms)"), tuple(rows)),)


def _caption(source, unit):
    return f"{words.UNITS.get(unit, unit)}, median (quartiles); {source.title}"


def _cell(point):
    if point is None:
        return MISSING
    median, low, high = map(words.number, (point.median, point.low, point.high))
    return median if low == median == high else f"{median} ({low} to {high})"
