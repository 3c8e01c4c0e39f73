"""The facts of a memory map as a table: plain text, and HTML."""
from html import escape

from . import words
from .scene import size

COLUMNS = ("name", "kind", "size", "host address", "device address", "way back", "physical memory")


def rows(scene):
    """A tuple of texts for each block, as COLUMNS names them."""
    return [(block.name, block.kind_text, size(block.nbytes), words.address(block.host),
             words.address(block.device), words.way_back(block), words.memory(scene, block)) for block in scene.blocks]


def text(scene):
    """The table as plain text. It is the same on every driver, but for the addresses' digits."""
    lines = [COLUMNS, *rows(scene)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def html(scene):
    """The table as HTML."""
    head = "".join(f"<th style='text-align:left'>{column}</th>" for column in COLUMNS)
    body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) + "</tr>"
                   for row in rows(scene))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
