"""What a step says: what has happened since the step before, in a sentence or two.

Not here: which steps there are (steps.py).
"""
import re
import sys
from collections import Counter

from course_lib.core.sizes import size
from course_lib.pointers.address_facts import Kind

from ..sandbox import SIGNALS

MOST_PRINTED = 160      # letters of what a program prints
POISON = 0xA5           # the byte with which looking.py fills what nobody has written
# What a program prints of such memory, if it takes it for integers.
UNWRITTEN = {str(int.from_bytes(bytes([POISON]) * nbytes, sys.byteorder, signed=signed))
             for nbytes in (4, 8) for signed in (True, False)}
NOTHING = "Nothing changes in memory."
UNKNOWN = "What this changes in memory is not known: nothing can be asked any more."


def sentence(step, before):
    """The sentences of a Step after another one, as one text."""
    parts = [*_done(step), *_new(step, before), *_moves(step), *_given(step, before), *_changed(step, before),
             *_gone(step, before), *_holds(step, before), *_refused(step)]
    if step.asked and not parts:
        parts.append(f"The driver is asked about memory {' and '.join(step.asked)}.")
    parts += _printed(step)
    if step.line == 0:
        parts.insert(0, "The program has ended, and the GPU does what is left.")
    return " ".join(parts) or (UNKNOWN if step.broken else NOTHING)


def ending(outcome):
    """How a program has ended, if not well, in a sentence."""
    if outcome.timed_out:
        return "It did not end, so it was stopped here."
    if outcome.signal:
        return f"Here the program ends with {outcome.signal}: {SIGNALS.get(outcome.signal, 'a signal')}."
    if outcome.error:
        return f"Here the program ends with the CUDA error {outcome.error}."
    if outcome.exception:
        return f"Here the program ends with {outcome.exception.rstrip('.')}."
    if outcome.status is not None:
        return f"Here the program ends its process with exit status {outcome.status}."
    return ""


def work(what):
    """A piece of work, for a label: "copy of 16 bytes"."""
    if what["what"] == "kernel":
        return f"kernel {what.get('name', '')}".rstrip()
    if what["what"] == "free":
        return "free"
    return f"{what['what']} of {size(what['bytes'])}" if "bytes" in what else what["what"]


def _place(step, address, side):
    """Where an address leads: "memory A"."""
    letter = step.letter_at(address)
    return f"memory {letter}" if letter else "the host" if side == "host" else "memory without a name"


def _move(step, what):
    """What a piece of work does to memory that is seen, in a sentence.

    An empty one for what the program's names do not lead to.
    """
    if what["what"] == "copy":
        if not step.letter_at(what["from"]) and not step.letter_at(what["to"]):
            return ""
        from_side, to_side = what["sides"]
        source, target = _place(step, what["from"], from_side), _place(step, what["to"], to_side)
        return f"{size(what['bytes'])} go from {source} to {target}."
    if what["what"] == "fill" and step.letter_at(what["to"]):
        return f"{size(what['bytes'])} of {_place(step, what['to'], '')} are filled."
    return ""


def _done(step):
    if step.meanwhile:
        times = Counter(map(work, step.meanwhile))
        works = " and the ".join(f"{label}, {count} times" if count > 1 else label for label, count in times.items())
        yield f"The host does not wait, and meanwhile the GPU has done what it was given: the {works}."
    if not step.done:
        return
    failed = ", and breaks CUDA for this process: nothing can be asked any more" if step.broken else ""
    if step.done["what"] == "kernel":
        yield f"Now the {work(step.done)} runs{failed}."
    elif step.done["what"] == "free":
        yield "Now the memory is given back."
    else:
        yield f"Now the {work(step.done)} is done{failed}. {_move(step, step.done)}".rstrip()


def _refused(step):
    refused = list(dict.fromkeys(tuple(call) for call in step.calls if call[1]))
    kind, _, message = step.raised.partition(": ")
    for name, error in refused:
        raises = f", and the line raises {_a(kind)}" if message.startswith(name) else ""
        yield f"{name} is refused with {error}{raises}."
    if step.raised and not any(message.startswith(name) for name, _ in refused):
        yield f"The line raises {step.raised.rstrip('.')}."


def _a(word):
    return f"{'an' if word[:1] in 'AEIOU' else 'a'} {word}"


def _moves(step):
    yield from filter(None, (_move(step, what) for what in step.moves))


def _given(step, before):
    known = {pending["number"] for pending in before.pending}
    for pending in step.pending:
        if pending["number"] not in known:
            yield f"The {work(pending)} is given to the GPU, and is not done yet."


def _new(step, before):
    known = set(before.letters.values())
    for letter, blocks in _by_letter(step).items():
        if letter not in known:
            memory = blocks[0].memory
            yield f"Memory {letter} is new: {size(memory.nbytes)} of {_kind(blocks[0])}{_sides(blocks[0])}."
            if letter in step.replaced:
                yield f"It is at the address that memory {step.replaced[letter]} had."
    for block in _reserved(step):
        if not any(_overlap(block, other) for other in before.scene.blocks):
            seen = "" if block.walked else " in the part that was looked at"
            yield (f"{_names(block)} {_has(block, 'is', 'are')} {size(block.nbytes)} of reserved addresses, with no "
                   f"memory behind them{seen}.")


def _by_letter(step):
    """{letter: the blocks that lead to that memory}, in the order of letters."""
    by_letter = {}
    for block in step.scene.blocks:
        if block.memory:
            by_letter.setdefault(step.letters[block.memory], []).append(block)
    return {letter: by_letter[letter] for letter in sorted(by_letter, key=lambda letter: (len(letter), letter))}


def _reserved(step):
    return [block for block in step.scene.blocks if block.kind is Kind.RESERVED]


def _overlap(block, other):
    if other.device is None or other.kind is Kind.FREED:
        return False
    end, other_end = block.device + block.nbytes, other.device + other.nbytes
    return other.device < end and block.device < other_end


def _kind(block):
    return "physical memory" if block.host is None and block.device is None else block.kind_text


def _sides(block):
    if block.host is None and block.device is None:
        return ", and no address leads to it"
    if block.device is None or block.host is None:
        return f", with an address for the {'host' if block.device is None else 'device'} only"
    if block.host == block.device:
        return ", with the same address for host and device"
    return ", with one address for the host and another for the device"


def _names(block):
    return _code(block.names) or "A range without a name"


def _code(names):
    """Names of the program, marked as such."""
    return " and ".join(f"`{name}`" for name in names)


def _has(block, single, several):
    """The verb's form for the names of a block."""
    return several if len(block.names) > 1 else single


def _gone(step, before):
    for letter, blocks in _by_letter(before).items():
        if letter not in step.letters.values():
            yield _memory_gone(step, letter, blocks)
    for block in _reserved(before):
        if any(_overlap(block, other) for other in step.scene.blocks):
            continue
        if ("cuMemAddressFree", "") in step.calls:
            yield f"The reservation at {_names(block)} is given back."
        else:
            yield f"No name leads to the earlier addresses of {_names(block)} any more, but they are still reserved."


def _memory_gone(step, letter, blocks):
    """The sentence for memory that is there no more. blocks: those that led to it before"""
    being_freed = {pending["to"] for pending in step.pending if pending["what"] == "free"}
    if being_freed.intersection(block.device for block in blocks):
        return f"To the host, memory {letter} is gone at once."
    names = {name for block in blocks for name in block.names}
    for block in step.scene.blocks:
        if block.memory or block.reservation or block.unregistered or names.isdisjoint(block.names):
            continue
        what, hold = "freed" if block.kind is Kind.FREED else "gone", _has(block, "holds", "hold")
        return f"Memory {letter} is {what}, and no allocation has the address that {_names(block)} still {hold}."
    return f"Memory {letter} is gone."


def _changed(step, before):
    """What has become of memory that was there before."""
    earlier = _by_letter(before)
    for letter, blocks in _by_letter(step).items():
        then = earlier.get(letter, ())
        if not then:
            continue
        known = {_addresses(block): block for block in then}
        for block in blocks:
            was = known.pop(_addresses(block), None) or _of_same_host_address(block, then)
            if was is None and (block.host, block.device) == (None, None):
                continue
            if was is None:
                but = "" if block.access else ", but no kernel may use it there"
                yield f"{_names(block)} {_has(block, 'leads', 'lead')} to memory {letter} now{but}."
            elif was.kind is not block.kind:
                gained = "" if block.device is None else " The device has an address for it now."
                yield f"Memory {letter} was {was.kind_text}, and is {block.kind_text} now.{gained}"
            elif block.access and not was.access:
                yield f"Kernels may use memory {letter} at {_names(block)} now."
            else:
                yield from _gained(block, letter, [name for name in block.names if name not in was.names])
        for block in known.values():
            if (block.host, block.device) != (None, None) and not _of_same_host_address(block, blocks):
                yield (f"{_names(block)} {_has(block, 'does', 'do')} not lead to memory {letter} any more, but the "
                       "memory is still there.")


def _of_same_host_address(block, others):
    """The first of other blocks that begins at the same host address; None where there is none."""
    if block.host is None:
        return None
    return next((other for other in others if other.host == block.host), None)


def _gained(block, letter, names):
    """New names of memory that was there before: of objects that lead there, and of numbers, the addresses."""
    whose = {}
    for name in names:
        side = block.sides.get(name, "")
        if side and None in (block.host, block.device):
            side = "device" if block.host is None else "host"
        whose.setdefault(side, []).append(name)
    for side, of_side in whose.items():
        several, called = len(of_side) > 1, _code(of_side)
        if not side:
            yield f"{called} {'lead' if several else 'leads'} to memory {letter}."
            continue
        same = ", the same number as the host's" if side == "device" and block.host == block.device else ""
        what = "an address" if side == "either" else f"the {side}'s address"
        yield f"{called} {'are' if several else 'is'} {what} of memory {letter}{same}."


def _addresses(block):
    return block.host, block.device


def _holds(step, before):
    for letter, (_, numbers) in sorted(step.contents.items()):
        known = any(number is not None for number in numbers)
        if known and before.contents.get(letter, ("", [None]))[1] != numbers:
            yield f"Memory {letter} holds {_shown(numbers)}."


def _shown(numbers):
    """Numbers in a row, ? for one that nobody has written."""
    known = len(numbers)
    while numbers[known - 1] is None:
        known -= 1
    words = " ".join("?" if number is None else number for number in numbers[:known])
    return words if known == len(numbers) else f"{words}, and nobody has written the rest"


def _printed(step):
    text = " ".join(step.printed.split())
    if text:
        yield f"It prints: {text if len(text) <= MOST_PRINTED else text[:MOST_PRINTED - 1] + '…'}"
        unwritten = next((number for number in re.findall(r"-?\d+", text) if number in UNWRITTEN), "")
        if unwritten:
            yield f"`{unwritten}` stands for memory that nobody has written: on a GPU it may be any number."
