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
WAITS = "From here on a stream waits for an event. The host does not wait."
UNKNOWN = "What this changes in memory is not known: nothing can be asked any more."


def sentence(step, previous):
    """The sentences of a Step after another one, as one text."""
    sentences = [*_done(step, previous), *_new(step, previous), *_moves(step), *_given(step, previous),
                 *_changed(step, previous), *_gone(step, previous), *_holds(step, previous), *_refused(step)]
    if step.asked_about and not sentences:
        sentences.append(f"The driver is asked about memory {' and '.join(step.asked_about)}.")
    if ("cuStreamWaitEvent", "") in step.calls and not sentences:
        sentences.append(WAITS)
    sentences += _printed(step)
    if step.line == 0:
        sentences.insert(0, "The program has ended, and the GPU does what is left.")
    return " ".join(sentences) or (UNKNOWN if step.broken else NOTHING)


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


def work(operation):
    """A piece of work, for a label: "copy of 16 bytes"."""
    if operation["kind"] == "kernel":
        return f"kernel {operation.get('name', '')}".rstrip()
    if operation["kind"] == "free":
        return "free"
    return f"{operation['kind']} of {size(operation['bytes'])}" if "bytes" in operation else operation["kind"]


def _place(step, address, side):
    """Where an address leads: "memory A"."""
    letter = step.letter_at(address)
    return f"memory {letter}" if letter else "the host" if side == "host" else "memory without a name"


def _move(step, operation):
    """What a piece of work does to memory that is seen, in a sentence.

    An empty one for what the program's names do not lead to.
    """
    if operation["kind"] == "copy":
        if not step.letter_at(operation["from"]) and not step.letter_at(operation["to"]):
            return ""
        from_side, to_side = operation["sides"]
        source, target = _place(step, operation["from"], from_side), _place(step, operation["to"], to_side)
        return f"{size(operation['bytes'])} go from {source} to {target}."
    if operation["kind"] == "fill" and step.letter_at(operation["to"]):
        return f"{size(operation['bytes'])} of {_place(step, operation['to'], '')} are filled."
    return ""


def _done(step, previous):
    if step.meanwhile:
        times = Counter(map(work, step.meanwhile))
        works = " and the ".join(f"{label}, {count} times" if count > 1 else label for label, count in times.items())
        yield f"The host does not wait, and meanwhile the GPU has done what it was given: the {works}."
    if not step.done:
        return
    failed = ", and breaks CUDA for this process: nothing can be asked any more" if step.broken else ""
    if step.done["kind"] == "kernel":
        yield f"Now the {work(step.done)} runs{failed}."
    elif step.done["kind"] == "free":
        yield "Now the memory is given back."
    else:
        filled = step.done["kind"] == "fill" and any(_holds(step, previous))      # which tells it
        yield f"Now the {work(step.done)} is done{failed}. {'' if filled else _move(step, step.done)}".rstrip()


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
    yield from filter(None, (_move(step, operation) for operation in step.moves))


def _given(step, previous):
    known_numbers = {pending["number"] for pending in previous.pending}
    for pending in step.pending:
        if pending["number"] not in known_numbers:
            yield f"The {work(pending)} is given to the GPU, and is not done yet."


def _new(step, previous):
    known_letters = set(previous.letters.values())
    for letter, blocks in _by_letter(step).items():
        if letter not in known_letters:
            memory = blocks[0].memory
            yield f"Memory {letter} is new: {size(memory.nbytes)} of {_kind(blocks[0])}{_sides(blocks[0])}."
            if letter in step.replaced:
                yield f"It is at the address that memory {step.replaced[letter]} had."
    for block in _reserved(step):
        if not any(_overlap(block, other) for other in previous.scene.blocks):
            scope = "" if block.walked else " in the part that was looked at"
            yield (f"{_names(block)} {_has(block, 'is', 'are')} {size(block.nbytes)} of reserved addresses, with no "
                   f"memory behind them{scope}.")


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


def _gone(step, previous):
    for letter, blocks in _by_letter(previous).items():
        if letter not in step.letters.values():
            yield _memory_gone(step, letter, blocks)
    for block in _reserved(previous):
        if any(_overlap(block, other) for other in step.scene.blocks):
            continue
        if ("cuMemAddressFree", "") in step.calls:
            yield f"The reservation at {_names(block)} is given back."
        else:
            yield f"No name leads to the earlier addresses of {_names(block)} any more, but they are still reserved."


def _memory_gone(step, letter, blocks):
    """The sentence for memory that is there no more. blocks: those that led to it before"""
    being_freed = {pending["to"] for pending in step.pending if pending["kind"] == "free"}
    if being_freed.intersection(block.device for block in blocks):
        return f"To the host, memory {letter} is gone at once."
    names = {name for block in blocks for name in block.names}
    for block in step.scene.blocks:
        if block.memory or block.reservation or block.unregistered or names.isdisjoint(block.names):
            continue
        state, hold = "freed" if block.kind is Kind.FREED else "gone", _has(block, "holds", "hold")
        return f"Memory {letter} is {state}, but {_names(block)} still {hold} its address."
    return f"Memory {letter} is gone."


def _changed(step, previous):
    """What has become of memory that was there before."""
    earlier = _by_letter(previous)
    for letter, blocks in _by_letter(step).items():
        earlier_blocks = earlier.get(letter, ())
        if not earlier_blocks:
            continue
        unmatched = {_addresses(block): block for block in earlier_blocks}
        for block in blocks:
            earlier_block = unmatched.pop(_addresses(block), None) or _of_same_host_address(block, earlier_blocks)
            if earlier_block is None and (block.host, block.device) == (None, None):
                continue
            if earlier_block is None:
                but = "" if block.access else ", but no kernel may use it there"
                yield f"{_names(block)} {_has(block, 'leads', 'lead')} to memory {letter} now{but}."
            elif earlier_block.kind is not block.kind:
                gained = "" if block.device is None else " The device has an address for it now."
                yield f"Memory {letter} was {earlier_block.kind_text}, and is {block.kind_text} now.{gained}"
            elif block.access and not earlier_block.access:
                yield f"Kernels may use memory {letter} at {_names(block)} now."
            else:
                yield from _gained(block, letter, [name for name in block.names if name not in earlier_block.names])
                if step.line:       # at the program's end all names go
                    yield from _lost(block, letter, [name for name in earlier_block.names if name not in block.names])
        for block in unmatched.values():
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
        role = "an address" if side == "either" else f"the {side}'s address"
        yield f"{called} {'are' if several else 'is'} {role} of memory {letter}{same}."


def _lost(block, letter, names):
    """Names that led to memory which is still there: they were deleted, or stand for something else."""
    if names:
        nameless = "" if block.names else ", but the memory is still there"
        yield f"{_code(names)} {'do' if len(names) > 1 else 'does'} not lead to memory {letter} any more{nameless}."


def _addresses(block):
    return block.host, block.device


def _holds(step, previous):
    for letter, (_, numbers) in sorted(step.contents.items()):
        if any(number is not None for number in numbers) and previous.contents.get(letter, ("", [None]))[1] != numbers:
            yield f"Memory {letter} holds {_shown(numbers)}."


def _shown(numbers):
    """Numbers in a row, ? for one that nobody has written."""
    count = len(numbers)
    while numbers[count - 1] is None:
        count -= 1
    words = " ".join("?" if number is None else number for number in numbers[:count])
    return words if count == len(numbers) else f"{words}, and nobody has written the rest"


def _printed(step):
    text = " ".join(step.printed.split())
    if text:
        yield f"It prints: {text if len(text) <= MOST_PRINTED else text[:MOST_PRINTED - 1] + '…'}"
        unwritten = next((number for number in re.findall(r"-?\d+", text) if number in UNWRITTEN), "")
        if unwritten:
            yield f"`{unwritten}` stands for memory that nobody has written: on a GPU it may be any number."
