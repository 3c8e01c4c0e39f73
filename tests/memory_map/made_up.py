"""Blocks made up for tests: no driver is asked. And which words of a picture would leave it."""
from course_lib.pointers.address_facts import Kind
from courseware.memory_map.picture.frame import LETTER
from courseware.memory_map.scene import Block, PhysicalMemory

HOST_KINDS = (Kind.PINNED, Kind.REGISTERED, Kind.PAGEABLE)


def block(number, kind=Kind.DEVICE, nbytes=64, memory=None, **more):
    """A block with plausible addresses; of memory of its own, unless another's is given."""
    where = "host" if kind in HOST_KINDS else "both" if kind is Kind.MANAGED else "device"
    address = 0x10000000 * (number + 1)
    host = address if where != "device" else None
    device = None if kind is Kind.PAGEABLE else address
    return Block(**{"names": (f"b{number}",), "kind": kind, "nbytes": nbytes, "host": host, "device": device,
                    "memory": memory or PhysicalMemory((number,), where, nbytes), "way_back": host if device else None,
                    "forward": host if kind in (Kind.PINNED, Kind.REGISTERED) else None, **more})


def text_past(root, right):
    """The lines of text of an <svg> element that begin before its left edge or end after `right`, by a letter's usual width."""
    past = []
    for line in root.iter("{http://www.w3.org/2000/svg}text"):
        x, length = float(line.get("x")), LETTER * len(line.text)
        start = {"end": x - length, "middle": x - length / 2}.get(line.get("text-anchor"), x)
        if start < 0 or start + length > right:
            past.append(line.text)
    return past
