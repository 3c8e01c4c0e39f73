"""A warp as time goes on: which lanes are at which line together. Rows go downward in time, lanes across.

In the text # is a lane that runs the line, . one that waits, and a blank one whose thread has ended. In a notebook these are
full squares, empty squares and blanks. They are letters of the page's own colour, and so are seen in any theme, and in a
notebook that is not trusted too.

Which of several parted groups a GPU runs first, and when it brings them together, CUDA leaves open (CUDA C++ Programming Guide,
"SIMT Architecture", Independent Thread Scheduling).

Not here: how a warp is followed (cuda_simulator/stepping/warp.py).
"""
import html

from course_lib.core import tables

WIDTH = 60          # of the source in the text form
NOTE = ("{} runs the line, {} waits, and where there is nothing the thread has ended. The simulated driver runs lanes that have "
        "parted one group after the other, the earliest in the program first. A GPU may do it otherwise.")
CELL = "style='text-align:left; white-space:pre; font-family:monospace; line-height:1.2; padding:0 8px'"
SIGNS = "#."
SQUARES = str.maketrans(SIGNS, "\u25a0\u25a1")


class WarpView:
    """The rows of one warp, as trace saw them. Shown as a table."""

    def __init__(self, record):
        self.rows = tuple(record.rows)          # cuda_simulator.stepping.records.Row
        self.lanes = record.lanes
        self._more, self._lines = record.more_rows, record.source.splitlines()

    def _texts(self):
        """(line, lanes as signs, lanes in words, source) of each row."""
        for row in self.rows:
            text = self._lines[row.line - 1] if 0 < row.line <= len(self._lines) else row.text
            signs = "".join("#" if row.lanes >> lane & 1 else " " if row.ended >> lane & 1 else "." for lane in range(self.lanes))
            words = said(row.lanes, self.lanes)
            yield str(row.line or ""), signs, f"{words}: barrier" if row.barrier else words, text

    def _head(self):
        return "line", f"lanes 0 to {self.lanes - 1}", "", ""

    def _notes(self, signs):
        return [f"... {self._more} more rows."] * bool(self._more) + [NOTE.format(*signs)]

    def __repr__(self):
        rows = [(line, signs, words, text if len(text) <= WIDTH else text[:WIDTH - 4] + " ...")
                for line, signs, words, text in self._texts()]
        return "\n".join([tables.text(rows, head=self._head()), *self._notes(SIGNS)])

    def _repr_html_(self):
        head = "".join(f"<th {CELL}>{word}</th>" if word else "<td></td>" for word in self._head())
        rows = "".join(f"<tr><td {CELL}>{line}</td><td {CELL}>{signs.translate(SQUARES)}</td><td {CELL}>{words}</td>"
                       f"<td {CELL}>{html.escape(text)}</td></tr>" for line, signs, words, text in self._texts())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._notes(SIGNS.translate(SQUARES)))
        return tables.scrolled(f"<table><tr>{head}</tr>{rows}</table>") + notes


def said(mask, count):
    """Lanes in words: ``all``, ``0 to 3``, ``1, 3, ... 31``, ``0, 7, 9``."""
    lanes = [lane for lane in range(count) if mask >> lane & 1]
    if len(lanes) == count:
        return "all"
    gaps = {after - before for before, after in zip(lanes, lanes[1:])}
    if gaps == {1}:
        return f"{lanes[0]} to {lanes[-1]}"
    if len(gaps) == 1 and len(lanes) > 3:
        return f"{lanes[0]}, {lanes[1]}, ... {lanes[-1]}"
    return ", ".join(map(str, lanes)) if len(lanes) <= 6 else f"{len(lanes)} lanes"
