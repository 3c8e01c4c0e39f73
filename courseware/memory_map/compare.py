"""Two moments of memory: what is new, what is gone, what changed.

An allocation is known again by its address and by its BUFFER_ID, which the driver never uses twice: memory that was
freed and given out again at the same address is gone, and new. Not here: how it is shown (picture/, table.py).
"""
import dataclasses

from course_lib.core.sizes import size
from course_lib.pointers.address_facts import Kind

from .observe import NOWHERE


def compare(before, after):
    """The Scene `after`, with a mark on each block that changed since `before`, and with the blocks that are gone."""
    then, pieces_then = {_key(block): block for block in before.blocks}, _pieces(before)
    shown, found_again = [], set()
    for block in after.blocks:
        earlier = then.get(_key(block))
        if block.reservation in pieces_then:
            earlier = _piece_before(block, pieces_then[block.reservation])
        elif earlier is None and block.kind in NOWHERE:
            earlier = next((candidate for candidate in before.blocks if _same_variable(candidate, block)), None)
        elif earlier is None and _lone(block):      # it may have had an address
            earlier = next(iter(before.views.get(block.memory, ())), None)
        shown.append(_marked(block, earlier))
        found_again.add(id(earlier))
    pieces_now = _pieces(after)
    for number, block in enumerate(before.blocks):
        mapped_now = _lone(block) and block.memory in after.letters
        if id(block) not in found_again and block.reservation not in pieces_now and not mapped_now:
            shown.insert(_place(before.blocks[:number], shown), dataclasses.replace(block, change="gone"))
    return dataclasses.replace(after, blocks=tuple(shown), memory_names={**before.memory_names, **after.memory_names})


def sentence(scene):
    """What changed, in one or two sentences."""
    parts = []
    for mark in ("new", "gone"):
        names = [block.name for block in scene.blocks if block.change == mark]
        if names:
            parts.append(f"{mark.capitalize()}: {_few(names)}.")
    changed = [f"{block.name} ({block.difference})" for block in scene.blocks if block.change == "changed"]
    same = sum(not block.change for block in scene.blocks)
    parts += [f"Changed: {_few(changed)}."] if changed else []
    if not parts:
        return "Nothing changed."
    return " ".join(parts) + (f" {same} as before." if same else "")


def _key(block):
    """What the same block has at both moments."""
    if block.reservation:
        return "reserved", block.device
    if _lone(block):
        return "memory", block.memory
    if block.kind in (Kind.PAGEABLE, Kind.REGISTERED):      # registering changes neither the pages nor their address
        return "pages", block.host
    return block.kind, block.host, block.device, block.buffer_id, block.names if block.kind is Kind.FREED else ()


def _same_variable(then, other):
    """Does a variable that leads nowhere now stand for what it led to then?"""
    return then.device == other.device if other.device is not None else bool(set(then.names) & set(other.names))


def _lone(block):
    return block.host is None and block.device is None and block.memory is not None


def _marked(block, then):
    if then is None:
        return dataclasses.replace(block, change="new")
    difference = _difference(then, block)
    return dataclasses.replace(block, change="changed", difference=difference) if difference else block


def _piece_before(block, pieces):
    """The piece that was where a piece of a reservation is now: for addresses without memory, one that had some."""
    there = [piece for piece in pieces if _overlap(piece, block)]
    return next((piece for piece in there if piece.memory and not block.memory), there[0] if there else None)


def _difference(then, now):
    """What changed about a block: "pageable memory → registered memory"; empty where nothing did."""
    pairs = [(then.kind_text, now.kind_text)]
    if then.memory and now.memory:
        pairs += [(size(then.nbytes), size(now.nbytes)), (_has("host", then), _has("host", now))]
        if not _lone(then) and not _lone(now):
            pairs += [(_has("device", then), _has("device", now)), (_forward(then), _forward(now))]
        if now.reservation and then.memory != now.memory:
            pairs.append(("other memory", "this memory"))
    return " → ".join(map(", ".join, zip(*(pair for pair in pairs if pair[0] != pair[1]))))


def _has(side, block):
    return f"{'no' if getattr(block, side) is None else 'a'} {side} address"


def _forward(block):
    return "forward call refused" if block.forward is None else "forward call answered"


def _overlap(block, other):
    return all(first.nbytes is None or second.device < first.device + first.nbytes
               for first, second in ((block, other), (other, block)))


def _pieces(scene):
    """{Reservation: its blocks}, in order of address."""
    pieces = {}
    for block in scene.blocks:
        if block.reservation:
            pieces.setdefault(block.reservation, []).append(block)
    return pieces


def _place(earlier, shown):
    """Where a block that is gone belongs: behind the last of its former predecessors that is shown."""
    keys = {_key(block) for block in earlier}
    return max((number + 1 for number, block in enumerate(shown) if _key(block) in keys), default=0)


def _few(words, between=", ", most=6):
    rest = len(words) - most
    return between.join(words[:most]) + (f"{between}and {rest} more" if rest > 0 else "")
