"""The steps of one thread: which lines it runs, and which memory it reads and writes there.

A step is what the thread does on one line before it comes to another, or to the same place again. What a header's functions
do belongs to the line that calls them.

Not here: who calls this (follower.py), and names of memory (naming.py).
"""
import numpy as np

from ..ptx.program import Immediate, Register, Vector
from ..ptx.spaces import split, window
from ..ptx.types import TYPES
from .records import Float, LineStep, MemoryAccess, PointerValue


class Thread:
    """Collects the steps. `steps` has at most `limit`."""

    def __init__(self, naming, line_of, limit):
        self.naming, self.line_of, self.limit = naming, line_of, limit      # line_of: 0 for an instruction of no line
        self.steps, self.current = [], None
        self._frame, self._last_place, self._places, self._reached = None, None, set(), []

    def arrives(self, group, instruction):
        """The thread comes to an instruction."""
        place = group.frame, id(instruction)
        if place == self._last_place:   # it has been told of this already: it is here, waits here, or makes an access here
            return
        line = self.line_of(instruction)
        elsewhere = self.current is None or line != self.current.line or group.frame is not self._frame
        if self.current is None or line and (elsewhere or place in self._places):
            self.current, self._frame, self._places = LineStep(line), group.frame, set()
            if len(self.steps) < self.limit:
                self.steps.append(self.current)
        self._places.add(place)
        self._last_place = place

    def reaches(self, instruction, space, address, size, kind):
        """It is about to read or write memory."""
        if space == "generic":
            [(space, _)] = split(address)
            address -= window(space)
        if ".param" in instruction.opcode or space == "local":      # the thread's own
            return
        operands, item_size = _operands(instruction), size
        if len(operands) > 1 and instruction.opcode.split(".")[0] in ("ld", "st"):
            item_size = size // len(operands)
        for offset in range(0, size, item_size):
            where, name, type_ = self.naming.of(space, address + offset, item_size)
            access = MemoryAccess(kind, where, address + offset, name)
            operand = operands[offset // item_size] if offset // item_size < len(operands) else None
            self._reached.append((access, type_, item_size, operand))
            self.current.accesses.append(access)

    def did(self, group, position, instruction):
        """It has done an instruction."""
        for access, type_, size, operand in self._reached:
            bits = _operand(group, position, operand)
            if bits is not None:
                access.value = number(bits, _kind(instruction, type_), size)
        self._reached = []


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


def _kind(instruction, type_):
    """As what memory is read or written: as the type of the variable there has it, where that is known.

    The compiler may store a float constant as .u32. But an instruction for floats, or an atomic one, means its own type: then
    the source has a cast.
    """
    word = next(word for word in reversed(instruction.opcode.split(".")) if word in TYPES)
    own = {"p": "bool", "f": "float", "s": "signed"}.get(TYPES[word].kind, "unsigned")
    if type_ is None or (own == "float" or instruction.opcode.startswith("atom")) and (own == "float") != (type_.kind == "float"):
        return own
    return type_.kind


def _operands(instruction):
    """The registers that a load fills, a store writes, or an atomic operation leaves the old value in."""
    mnemonic = instruction.opcode.split(".")[0]
    place = {"ld": 0, "ldu": 0, "atom": 0, "st": 1}.get(mnemonic)
    if place is None:
        return ()
    operand = instruction.operands[place]
    return operand.items if isinstance(operand, Vector) else (operand,)


def _operand(group, position, operand):
    """The bits of a register or literal; None for neither."""
    slots = group.frame.code.slots
    if isinstance(operand, Register) and operand.name in slots:
        value = group.registers[slots[operand.name]]
        return int(value) if isinstance(value, int) else int(value[position])
    return operand.value if isinstance(operand, Immediate) and isinstance(operand.value, int) else None
