"""The facts of a memory map as a table: as plain text, and as HTML. (The picture: svg.py.)"""
from html import escape

from . import words
from .scene import size


def lines(scene):
    """The table as a list of lines, the first one its head: {column: text}."""
    compared = any(block.change for block in scene.blocks)
    return [{**({"change": words.change(block)} if compared else {}),
             "name": block.name, "kind": block.kind_text, "size": size(block.nbytes),
             "host address": words.address(block.host), "device address": words.address(block.device),
             "way back": words.way_back(block), "physical memory": words.memory(scene, block)}
            for block in scene.blocks]


def text(scene):
    """The table as plain text. On every driver it is the same, but for the digits of the addresses."""
    found = lines(scene)
    table = [tuple(found[0]), *(tuple(line.values()) for line in found)]
    widths = [max(map(len, column)) for column in zip(*table)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table)


def html(scene):
    """The table as HTML. Its addresses are the only digits that differ from one driver to another."""
    found = lines(scene)
    body = "".join(_line("td", line.values()) for line in found)
    return f"<table><thead>{_line('th', found[0])}</thead><tbody>{body}</tbody></table>"


def _line(element, cells):
    found = "".join(f"<{element} style='text-align:left'>{escape(cell)}</{element}>" for cell in cells)
    return f"<tr>{found}</tr>"
