"""What a step says: what has happened since the step before, in a sentence or two.

Not here: which steps there are (steps.py).
"""
from course_lib.core.sizes import size
from course_lib.pointers.address_facts import Kind

from ..sandbox import SIGNALS

MOST_PRINTED = 60       # letters of what a program prints


def sentence(step, before):
    """The sentences of a Step after another one, as one text."""
    parts = [*_done(step), *_refused(step), *_moves(step), *_given(step, before), *_new(step, before), *_gone(step, before),
             *_changed(step, before), *_holds(step, before), *_printed(step)]
    if step.raised:
        parts.append(f"The line raises {step.raised.rstrip('.')}.")
    if step.line == 0:
        parts.insert(0, "The program has ended, and the GPU does what is left.")
    return " ".join(parts) or "Nothing changes in memory."


def ending(outcome):
    """How a program has ended, if not well, in a sentence."""
    if outcome.timed_out:
        return "It did not end, so it was stopped here."
    if outcome.signal:
        return f"Here the program ends by {outcome.signal}: {SIGNALS.get(outcome.signal, 'a signal')}."
    if outcome.error:
        return f"Here the program ends by the CUDA error {outcome.error}."
    if outcome.exception:
        return f"Here the program ends by {outcome.exception.rstrip('.')}."
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


def place(step, address):
    """Where an address leads: "memory A"."""
    letter = step.letter_at(address)
    return f"memory {letter}" if letter else "memory without a name"


def _move(step, what):
    if what["what"] == "copy":
        source = place(step, what["from"]) if step.letter_at(what["from"]) else "memory without a name"
        return f"{size(what['bytes'])} go from {source} to {place(step, what['to'])}."
    if what["what"] == "fill":
        return f"{size(what['bytes'])} of {place(step, what['to'])} are filled."
    return ""


def _done(step):
    if step.done:
        yield {"kernel": f"Now the {work(step.done)} runs.", "free": "Now the memory is given back."}.get(
            step.done["what"], f"Now the {work(step.done)} is done. {_move(step, step.done)}".rstrip())


def _refused(step):
    for name, error in dict.fromkeys(tuple(one) for one in step.calls if one[1]):
        yield f"{name} is refused: {error}."


def _moves(step):
    for what in step.moves:
        if told := _move(step, what):
            yield told


def _given(step, before):
    known = {one["number"] for one in before.pending}
    for one in step.pending:
        if one["number"] not in known:
            yield f"The {work(one)} is given to the GPU, and is not done yet."


def _new(step, before):
    known = set(before.letters.values())
    told = set()
    for block in step.scene.blocks:
        letter = block.memory and step.letters[block.memory]
        if letter and letter not in known and letter not in told:
            told.add(letter)
            yield f"Memory {letter} is new: {size(block.memory.nbytes)} of {_kind(block)}. {_sides(block)}"
    there = {(block.names, block.device) for block in before.scene.blocks}
    for block in step.scene.blocks:
        if block.memory is None and block.kind is Kind.RESERVED and (block.names, block.device) not in there \
                and not any(_overlap(block, other) for other in before.scene.blocks):
            yield f"{_names(block)} is {size(block.nbytes)} of reserved addresses, with no memory behind them."


def _overlap(block, other):
    return other.device is not None and other.device < block.device + block.nbytes and block.device < other.device + (other.nbytes or 1)


def _kind(block):
    return "physical memory, with no address" if block.host is None and block.device is None else block.kind_text


def _sides(block):
    if block.host is not None and block.device is not None:
        same = "the same address" if block.host == block.device else "an address each"
        return f"Host and device have {same} for it."
    if block.device is not None:
        return "The device has an address for it, the host has none."
    return "The host has an address for it, the device has none." if block.host is not None else ""


def _names(block):
    return " and ".join(block.names) or "A range without a name"


def _gone(step, before):
    for letter in sorted(set(before.letters.values()) - set(step.letters.values())):
        names = [block.name for block in before.scene.blocks if block.memory and before.letters[block.memory] == letter and block.names]
        still = [block for block in step.scene.blocks if block.memory is None and set(block.names) & set(names)]
        yield f"Memory {letter} is gone" + (f", and {still[0].name} still has its address." if still else ".")


def _changed(step, before):
    earlier = {(block.names, block.device if block.host is None else block.host): block for block in before.scene.blocks}
    for block in step.scene.blocks:
        then = earlier.get((block.names, block.device if block.host is None else block.host))
        if then is None:
            continue
        if then.memory and block.memory and then.kind_text != block.kind_text:
            yield f"Memory {step.letters[block.memory]}: {then.kind_text} becomes {block.kind_text}."
        elif block.memory and not then.memory and step.letters[block.memory] in before.letters.values():
            yield f"{_names(block)} leads to memory {step.letters[block.memory]} now."
        elif then.memory and not block.memory and before.letters[then.memory] in step.letters.values():
            yield f"{_names(block)} leads nowhere now, and memory {before.letters[then.memory]} is still there."


def _holds(step, before):
    for letter, (_, numbers) in sorted(step.contents.items()):
        known = any(one is not None for one in numbers)
        if known and before.contents.get(letter, ("", [None]))[1] != numbers:
            shown = " ".join("?" if one is None else one for one in numbers)
            yield f"Memory {letter} holds {shown}."


def _printed(step):
    text = " ".join(step.printed.split())
    if text:
        yield f"It prints: {text if len(text) <= MOST_PRINTED else text[:MOST_PRINTED - 1] + '…'}"
