"""The steps of a program: what was recorded of it, as facts that are compared from one step to the next.

A piece of memory keeps its letter as long as it is seen; what is new gets a new one, also at an address that was used
before. A line that comes again and changes nothing is no step again. Not here: recording (tracer.py), the words
(sentences.py), and how a FollowedProgram is shown (page.py).
"""
import dataclasses
from dataclasses import dataclass, field

from course_lib.pointers.address_facts import Kind

import numpy as np
from cuda.bindings import driver as cu

from ..memory_map.scene import Scene, letter
from . import sentences

MOST_ALIKE = 6      # steps of one line that say the same
ENDLESS = "It has run 400 lines and not ended, so it is stopped here."


@dataclass
class Step:
    """What there is after a statement, or after a piece of work that it waited for, and what happened since."""

    line: int                   # of the source; 0: after its end
    scene: Scene = Scene()
    letters: dict = field(default_factory=dict)         # PhysicalMemory -> its letter
    contents: dict = field(default_factory=dict)        # letter -> (type, [number as text, None if nobody wrote it])
    calls: list = field(default_factory=list)           # (name in cuda.h, name of its error or "")
    asked_about: list = field(default_factory=list)     # letters of the memory that the driver was asked about
    moves: list = field(default_factory=list)           # dicts of looking.about: what was copied and filled at once
    pending: list = field(default_factory=list)         # likewise, with a number: given to the GPU, and not yet done
    done: dict | None = None    # the one of them that was done in this step
    meanwhile: list = field(default_factory=list)       # those of them that the GPU did while the host did not wait
    printed: str = ""
    raised: str = ""
    broken: bool = False        # does the driver answer no more?
    ending: str = ""            # how the program ended here, if not well
    replaced: dict = field(default_factory=dict)        # letter -> that of the memory with its device address before
    sentence: str = ""
    again: int = 0              # how often the same has happened later, which is no step

    @property
    def wrong(self):
        """Was something refused, or did it go wrong?"""
        return bool(self.raised or self.ending or self.done and self.broken or any(error for _, error in self.calls))

    def shows(self, move):
        """Is there memory that is seen where a copy begins or ends, or where something was filled?"""
        return any(self.letter_at(move[end]) for end in ("from", "to") if end in move)

    def letter_at(self, address):
        """The letter of the memory that an address leads into, of what is seen; or None."""
        return self.place_at(address)[0]

    def place_at(self, address):
        """The same letter, and which of the memory's numbers the address is the one of."""
        for block in self.scene.blocks:
            for start in (block.host, block.device):
                if block.memory and start is not None and start <= address < start + block.nbytes:
                    letter = self.letters[block.memory]
                    return letter, (address - start) // self.item_size(letter)
        return None, 0

    def item_size(self, letter):
        """How many bytes a number has in a piece of memory; 1 if what it holds is not known."""
        return np.dtype(self.contents[letter][0]).itemsize if letter in self.contents else 1


def steps(records, outcome):
    """The Steps of the records that tracer.py wrote, and of the sandbox's Outcome."""
    shown, letters, previous, under_way, endless = [], _Letters(), Step(0), 0, False
    for record in records:
        if "begins" in record:
            under_way = record["begins"]
        elif "endless" in record:
            endless = True
        else:
            step = _step(record, previous, letters)
            step.sentence = sentences.sentence(step, previous)
            no_step = record["plain"] or record.get("within") or not shown      # the first step has something to show
            if not (no_step and _quiet(step, previous)) and not _repeats(step, previous, shown):
                alike = [earlier for earlier in shown if (earlier.line, earlier.sentence) == (step.line, step.sentence)]
                if len(alike) < MOST_ALIKE:
                    shown.append(step)
                else:
                    alike[-1].again += 1
            previous = step
    for step in shown:
        if step.again:
            step.sentence += f" The same happens {step.again} more times, and is left out here."
    ending = ENDLESS if endless else sentences.ending(outcome)
    if ending:
        _end(shown, under_way, ending, outcome.exception)
    return shown or [previous]


def _step(record, previous, letters):
    scene = record["scene"]
    broken = bool(scene.trouble)
    if broken:                  # the driver answers no more: what was known before is shown
        scene, letter_of, contents = previous.scene, previous.letters, previous.contents
    else:
        letter_of = letters.of(scene)
        contents = {letter_of[memory]: numbers for memory, numbers in record["contents"].items()}
    calls = [(name, _error(answer)) for name, answer in record["calls"]]
    same = {key: record[key] for key in ("moves", "pending", "meanwhile", "printed", "raised")}
    step = Step(record["line"], scene, letter_of, contents, calls, done=record.get("done"), broken=broken, **same)
    step.asked_about = sorted({letter for letter in map(step.letter_at, record["questions"]) if letter})
    step.replaced = letters.replaced(scene, letter_of)
    step.moves = [move for move in step.moves if step.shows(move)]
    return step


def _error(answer):
    return cu.CUresult(answer).name.removeprefix("CUDA_ERROR_") if answer else ""


class _Letters:
    """Which letter each piece of memory has."""

    def __init__(self):
        self.by_identity, self.count = {}, 0
        self.by_address = {}        # device address -> the letter of the memory that began there last

    def of(self, scene):
        """{PhysicalMemory: letter} of a Scene."""
        identities = {}
        for block in scene.blocks:
            if block.memory:
                # else pages, or a handle: registering has a BUFFER_ID, too
                allocated = isinstance(block.memory.key[0], Kind)
                identities.setdefault(block.memory, (block.memory.key, block.buffer_id if allocated else None))
        letter_of = {}
        for memory, identity in identities.items():
            if identity not in self.by_identity:
                self.by_identity[identity], self.count = letter(self.count), self.count + 1
            letter_of[memory] = self.by_identity[identity]
        self.by_identity = {identity: self.by_identity[identity] for identity in identities.values()}
        return letter_of

    def replaced(self, scene, letter_of):
        """{letter: that of the memory which had its device address before}, of a Scene with these letters."""
        present = {block.device: letter_of[block.memory] for block in scene.blocks
                   if block.memory and block.device is not None}
        replaced = {letter: self.by_address[address] for address, letter in present.items()
                    if self.by_address.get(address, letter) != letter}
        self.by_address |= present
        return replaced


def _repeats(step, previous, shown):
    """Is it a line that was shown before, and nothing has changed? Or the same exception, one function further out?"""
    if step.raised and step.sentence == previous.sentence:
        return True
    return _quiet(step, previous) and any(earlier.line == step.line for earlier in shown)


def _quiet(step, previous):
    """Has nothing happened since the step before?"""
    same = (step.contents, step.pending) == (previous.contents, previous.pending) and _rows(step) == _rows(previous)
    return same and not (step.moves or step.done or step.meanwhile or step.printed or step.wrong)


def _rows(step):
    """What is compared of the blocks of a step."""
    return [(block.names, block.kind, block.host, block.device, step.letters.get(block.memory), block.access)
            for block in step.scene.blocks]


def _end(shown, line, words, exception=None):
    """Mark the step in which the program has ended: the last one, if it raised what ended it, else one of its own."""
    if shown and shown[-1].raised == exception:
        shown[-1].ending = words
        return
    previous = shown[-1] if shown else Step(line)
    shown.append(dataclasses.replace(previous, line=line or previous.line, calls=[], moves=[], done=None, printed="",
                                     raised="", ending=words, sentence=words))
