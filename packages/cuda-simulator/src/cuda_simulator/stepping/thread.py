"""The steps of one thread: which lines it runs, what is assigned on them, which memory it reads and writes.

A step is what the thread does on one line before it comes to another, or to the same place again. What a header's functions
do belongs to the line that calls them.

A variable is assigned when a line that names it writes the register where the compiler has it. (Two variables of the same
value may be in one register, and the compiler moves a variable to another register where nothing is assigned: neither is
shown.) Those that the compiler has in memory show as accesses.

The compiler says where a variable is from one place of the text to another. Such a stretch may run on into a branch in which
the register has yet to be filled. So it counts from where the thread passes its beginning, or writes the register within it.

Not here: who calls this (follower.py), and names of memory (naming.py).
"""
import dataclasses

import numpy as np

from ..ptx.program import Immediate, Register, Vector
from ..ptx.spaces import split, window
from ..ptx.types import TYPES
from .records import Float, LineStep, MemoryAccess, PointerValue


class Layout:
    """One function's instructions by their places, what they write, and where its variables are."""

    def __init__(self, code, variables):
        body = code.function.body
        self.index = {id(instruction): number for number, instruction in enumerate(body)}
        labels = {label: number for number, label in enumerate(body) if isinstance(label, str)} | {None: None}
        self.writes = {id(step.instruction): step.writes for block in code.blocks for step in (*block.steps, block.end)}
        self.names = {slot: name for name, slot in code.slots.items() if isinstance(name, str)}
        self.places = []        # (variable, index of the first instruction, index after the last, slot)
        for variable in variables:
            for place in variable.places:
                bounds = [labels[label] for label in (place.low, place.high, *variable.block)]
                if variable.name and place.register in code.slots:
                    first, end = max(bounds[0] or 0, bounds[2] or 0), min(len(body) if bound is None else bound for bound in bounds[1::2])
                    while first < end and isinstance(body[first], str):     # a label
                        first += 1
                    self.places.append((variable, first, end, code.slots[place.register]))


@dataclasses.dataclass
class Known:
    """What is known of the thread's registers in one call of a function."""

    values: dict = dataclasses.field(default_factory=dict)      # slot -> bits
    changed: set = dataclasses.field(default_factory=set)       # slots, since variables were looked at
    held: dict = dataclasses.field(default_factory=dict)        # id of a variable -> (slot, bits)
    awaited: tuple = ()                                         # slots that a barrier will write


class Thread:
    """Collects the steps. `steps` has at most `limit`, and `count` is how many there were."""

    def __init__(self, naming, variables, in_source, words_of, limit):
        self.naming, self.variables, self.limit = naming, variables, limit
        self.words_of = words_of        # line -> the words of the statement that begins there; None where nobody knows
        self.in_source = in_source      # instruction -> its line in the source; 0 for one of a header, None if there are none
        self.steps, self.count, self.current = [], 0, None
        self._layouts, self._known = {}, {}
        self._frame, self._last, self._seen, self._reached = None, None, set(), []

    def arrives(self, group, position, instruction):
        """The thread comes to an instruction, and has done the one before."""
        layout, known = self._of(group.frame)
        index = layout.index[id(instruction)]
        place = group.frame, index
        if place == self._last:     # it has been told of this already: it is here, waits here, or makes an access here
            return
        if self.count <= self.limit:
            self._receive(group, position, known)
            self._assign(layout, known, index)
        line = self.in_source(instruction)
        elsewhere = self.current is None or line is None or line != self.current.line or group.frame is not self._frame
        if self.current is None or line != 0 and (elsewhere or place in self._seen):
            self._begin(LineStep(line or 0, instruction.text, group.frame.depth), group.frame)
        self._seen.add(place)
        self._last = place

    def reaches(self, group, instruction, space, address, size, kind):
        """It is about to read or write memory."""
        if ".param" in instruction.opcode or self.count > self.limit:   # parameters show as variables
            return
        if space == "generic":
            [(space, _)] = split(address)
            address -= window(space)
        of, each = _operands(instruction), size
        if len(of) > 1 and instruction.opcode.split(".")[0] in ("ld", "st"):
            each = size // len(of)
        for offset in range(0, size, each):
            where, name, type_ = self.naming.of(space, address + offset, each, group.frame)
            access = MemoryAccess(kind, where, address + offset, name)
            self._reached.append((access, type_, each, of[offset // each] if offset // each < len(of) else None))
            self.current.accesses.append(access)

    def did(self, group, position, instruction):
        """It has done an instruction."""
        if self.count > self.limit:
            return
        layout, known = self._of(group.frame)
        declared = group.frame.code.function.registers
        for slot in layout.writes.get(id(instruction), ()):
            if slot in layout.names:
                bits = known.values[slot] = _bits(group.registers[slot], position)
                known.changed.add(slot)
                self.current.registers[layout.names[slot]] = number(bits, *kind_of(declared[layout.names[slot]]))
        for access, type_, size, operand in self._reached:
            bits, access.done = _operand(group, position, operand), True
            if bits is not None:
                access.value = number(bits, _kind(instruction, type_), size)
        self._reached = []

    def ends_block(self, group, end):
        """It is about to branch, wait, call or return."""
        self._of(group.frame)[1].awaited = end.writes
        if end.instruction.opcode.startswith("ret"):
            del self._known[group.frame]

    def _of(self, frame):
        if frame.code not in self._layouts:
            self._layouts[frame.code] = Layout(frame.code, self.variables.get(frame.code.name, ()))
        return self._layouts[frame.code], self._known.setdefault(frame, Known())

    def _begin(self, step, frame):
        self.current, self._frame, self._seen = step, frame, set()
        self.count += 1
        if self.count <= self.limit:
            self.steps.append(step)

    def _receive(self, group, position, known):
        """What a barrier wrote while the thread waited (bar.red), if somebody still needs it."""
        for slot in known.awaited:
            if slot in group.frame.code.blocks[group.pc].live_in:
                value = group.registers[slot]
                place = position if value is not None else int(group.lanes[position])
                known.values[slot] = _bits(group.frame.registers[slot] if value is None else value, place)
                known.changed.add(slot)
        known.awaited = ()

    def _assign(self, layout, known, index):
        """The variables that have a new value now that the thread is at this place."""
        words = self.words_of(self.current.line) if known.changed else None
        for variable, first, end, slot in layout.places:
            if first <= index < end and slot in known.values and (slot in known.changed or index == first):
                bits, before = known.values[slot], known.held.get(id(variable))
                if slot in known.changed and (before is None or before[0] == slot or before[1] != bits):
                    if variable.is_parameter or words is None or variable.name in words:
                        self.current.variables[variable.name] = number(bits, variable.type.kind, variable.type.size)
                known.held[id(variable)] = slot, bits
        known.changed.clear()


def number(bits, kind, size):
    """Bits as a number of a kind (variables.Type) and of so many bytes."""
    bits &= (1 << 8 * size) - 1
    if kind == "bool":
        return bool(bits)
    if kind == "float" and size in (2, 4, 8):
        return Float(np.array(bits, f"u{size}").view(f"f{size}")[()])
    if kind == "signed" and bits >> 8 * size - 1:
        return bits - (1 << 8 * size)
    return PointerValue(bits) if kind == "pointer" else bits


def kind_of(type_):
    """(kind, bytes) of a PTX type."""
    return {"p": "bool", "f": "float", "s": "signed"}.get(type_.kind, "unsigned"), max(type_.size, 1)


def _kind(instruction, type_):
    """As what memory is read or written: as the type of the variable there has it, where that is known.

    The compiler may store a float constant as .u32. But an instruction for floats, or an atomic one, means its own type: then
    the source has a cast.
    """
    word = next(word for word in reversed(instruction.opcode.split(".")) if word in TYPES)
    own = kind_of(TYPES[word])[0]
    if type_ is None or (own == "float" or instruction.opcode.startswith("atom")) and (own == "float") != (type_.kind == "float"):
        return own
    return type_.kind


def _operands(instruction):
    """The registers that a load fills, a store writes, or an atomic operation leaves the old value in."""
    first = instruction.opcode.split(".")[0]
    place = {"ld": 0, "ldu": 0, "atom": 0, "st": 1}.get(first)
    if place is None:
        return ()
    operand = instruction.operands[place]
    return operand.items if isinstance(operand, Vector) else (operand,)


def _operand(group, position, operand):
    """The bits of a register or literal; None for neither."""
    slots = group.frame.code.slots
    if isinstance(operand, Register) and operand.name in slots:
        return _bits(group.registers[slots[operand.name]], position)
    return operand.value if isinstance(operand, Immediate) and isinstance(operand.value, int) else None


def _bits(value, position):
    return int(value) if isinstance(value, int) else int(value[position])
