"""Tables: rows of texts, as plain text, HTML or Markdown. Every table that is shown is made here.

    >>> print(text([("4 B", "0.0014"), ("512 MiB", "55.4")], head=("size", "GB/s"), right={1}))
    size       GB/s
    4 B      0.0014
    512 MiB    55.4

Not here: what stands in them.
"""
import html as _html
from collections.abc import Container, Iterable, Sequence

LEFT = "style='text-align:left'"


def text(rows: Iterable[Sequence[str]], head: Sequence[str] = (), right: Container[int] = (), least: int = 0,
         gap: int = 2) -> str:
    """Lines of text with the columns below each other.

    right: numbers of the columns that are aligned on the right
    least: width of the first column, if no cell of it is wider
    gap:   blanks between two columns
    """
    lines = [line for line in (head, *rows) if line]
    widths = [max(map(len, column)) for column in zip(*lines)]
    if widths:
        widths[0] = max(widths[0], least)

    def aligned(line: Sequence[str]) -> str:
        cells = (cell.rjust(width) if number in right else cell.ljust(width)
                 for number, (cell, width) in enumerate(zip(line, widths)))
        return (gap * " ").join(cells).rstrip()
    return "\n".join(map(aligned, lines))


def html(rows: Iterable[Sequence[str]], head: Sequence[str] = (), cells: str | Sequence[str] = LEFT,
         head_cells: str | Sequence[str] | None = None, table: str = "", caption: str = "", sections: bool = False,
         labels: bool = False) -> str:
    """A <table>. It has no colours of its own: it is read on light and on dark ground.

    cells:      attributes of every cell, or a list of one for each column
    head_cells: those of the head's cells, if they are others
    table:      attributes of the table
    sections:   put head and rows into <thead> and <tbody>
    labels:     the first cell of each row is a heading of it
    """
    head_line = _line("th", "th", head, cells if head_cells is None else head_cells) if head else ""
    lines = "".join(_line("th" if labels else "td", "td", row, cells) for row in rows)
    content = f"<thead>{head_line}</thead><tbody>{lines}</tbody>" if sections else head_line + lines
    caption = f"<caption>{_html.escape(caption)}</caption>" if caption else ""
    return f"<{_opened('table', table)}>{caption}{content}</table>"


def scrolled(table: str) -> str:
    """An HTML table that is scrolled to the side where the page is too narrow for it; by keys too,
    as Tab leads to it."""
    return f'<div style="overflow-x:auto" tabindex="0" role="group" aria-label="Table">{table}</div>'


def _line(first_tag: str, other_tags: str, row: Sequence[str], attributes: str | Sequence[str]) -> str:
    attributes = [attributes] * len(row) if isinstance(attributes, str) else attributes
    # An empty cell is a heading of nothing.
    tags = [tag if cell else "td" for tag, cell in zip([first_tag] + [other_tags] * (len(row) - 1), row)]
    cells = (f"<{_opened(tag, its)}>{_html.escape(cell)}</{tag}>" for tag, its, cell in zip(tags, attributes, row))
    return f"<tr>{''.join(cells)}</tr>"


def _opened(tag: str, attributes: str) -> str:
    return f"{tag} {attributes}" if attributes else tag


def markdown(rows: Iterable[Sequence[object]], head: Sequence[object], aligned: bool = True) -> str:
    """A table in Markdown. aligned: its columns stand below each other in a terminal, too."""
    lines = [tuple(map(str, line)) for line in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines)] if aligned else [3] * len(head)
    lines.insert(1, tuple("-" * width for width in widths))
    if aligned:
        lines = [tuple(cell.ljust(width) for cell, width in zip(line, widths)) for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
