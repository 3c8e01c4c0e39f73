"""The facts of a block in words: for the table, for the picture's details, and for screen readers.

And what no block stands for, in sentences.
"""
from course_lib.core.sizes import size
from course_lib.pointers.address_facts import Kind

from .reserved import WALKED

NOT_WALKED = "not all looked at"


def address(number):
    """An address as text. All are equally long, so that a table's columns stay where they are."""
    return "-" if number is None else f"0x{number:012x}"


def short_kind(block):
    """The kind of memory, short enough for the picture's first column."""
    if block.kind in (Kind.MAPPED, Kind.MAPPED_HOST):
        return "mapped" if block.access else "mapped, not for kernels"
    if block.unregistered:
        return "unregistered"
    return "write-combined" if "writecombined" in block.flags else block.kind.name.lower().replace("_", " ")


def forward_call(block):
    """What the forward call answers, asked with the block's address: a word or two, a number, or an error's name."""
    if block.forward is None:
        return block.no_forward or "-"
    own_address = block.device if block.host is None else block.host
    return "the same number" if block.forward == own_address else address(block.forward)


def way_back(block):
    """The way back from its device address, in a word or two."""
    if block.device is None or block.kind in (Kind.FREED, Kind.UNKNOWN, Kind.NULL):
        return "-"
    if block.way_back is None:
        return "none"
    return "the same number" if block.way_back == block.device else "another number"


def memory(scene, block):
    """Which physical memory is behind it."""
    if not block.walked:
        return NOT_WALKED
    if not block.memory:
        return "-" if block.unregistered else "nothing"
    names = ", ".join(scene.memory_names.get(block.memory, ()))
    where = {"host": "on the host", "device": "on the device", "both": "moves"}[block.memory.where]
    return f"{scene.letters[block.memory]}{f' ({names})' if names else ''}, {where}"


def details(scene, block):
    """Everything about a block: a list of lines."""
    lines = [f"{block.name}: {block.kind_text}, {size(block.nbytes)}"]
    if block.host is not None:
        lines.append(f"host address {address(block.host)}")
    if block.device is not None:
        lines.append(f"device address {address(block.device)}"
                     + (", the same number" if block.device == block.host else ""))
    if forward_call(block) != "-":
        note = "" if block.host is not None else "asked with the device address: "
        lines.append(f"forward call: {note}{forward_call(block)}")
    if way_back(block) != "-":
        answer = f"none, {block.no_way_back}" if block.way_back is None else f"yes, {way_back(block)}"
        lines.append(f"way back: {answer}")
    if block.memory:
        lines.append(f"physical memory: {memory(scene, block)}")
    elif block.unregistered:
        lines.append("the registration was given back; its memory is pageable again")
    elif not block.walked:
        lines.append(f"physical memory: {NOT_WALKED}; none was seen")
    else:
        lines.append(f"nothing behind it: {block.no_way_back or 'it was given back'}")
    if block.flags:
        lines.append("flags: " + ", ".join(block.flags))
    others = [view.name for view in scene.views.get(block.memory, ()) if view is not block]
    if others:
        lines.append("the same memory: " + ", ".join(others))
    return lines


def left_out(scene):
    """What is not drawn, in sentences: items of long lists, and what is far into a reservation; "" if all is."""
    items = items_left_out(scene.left_out)
    if items:
        items += " Name a part to see it, as in look(part=many[-8:])."
    return " ".join(filter(None, [items, not_walked(scene)]))


def items_left_out(counts):
    """A sentence for Scene.left_out; "" where that is empty."""
    items = ", ".join(f"{count} more of {name}" for name, count in counts.items())
    return f"Not looked at, nor drawn: {items}." if items else ""


def not_walked(scene):
    """A sentence that says how far a reservation is looked through; "" where all were to their end."""
    if all(block.walked for block in scene.blocks):
        return ""
    return (f"Only the first {size(WALKED)} of a reservation is looked through; of memory mapped behind that, "
            "what a variable leads to is drawn.")
