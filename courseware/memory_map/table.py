"""The facts of a memory map as a table: as plain text, and as HTML. (The picture: picture/.)"""
from course_lib.core import tables
from course_lib.core.sizes import size

from . import descriptions


def lines(scene):
    """The table as a list of lines, each {column: text}."""
    return [{"name": block.name, "kind": block.kind_text, "size": size(block.nbytes),
             "host address": descriptions.address(block.host), "device address": descriptions.address(block.device),
             "forward call": descriptions.forward_call(block), "way back": descriptions.way_back(block),
             "physical memory": descriptions.memory(scene, block)}
            for block in scene.blocks]


def text(scene):
    """The table as plain text. On every driver it is the same, but for the digits of the addresses."""
    rows = lines(scene)
    return tables.text([tuple(line.values()) for line in rows], head=tuple(rows[0]))


def html(scene):
    """The table as HTML. Its addresses are the only digits that differ from one driver to another."""
    rows = lines(scene)
    return tables.html([tuple(line.values()) for line in rows], head=tuple(rows[0]), sections=True)
