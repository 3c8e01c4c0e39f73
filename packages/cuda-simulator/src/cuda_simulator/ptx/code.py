"""One function ready to run: operands become register numbers, symbols become addresses.

Registers are numbered ("slots"). A constant is a register that holds its value from the start and that nobody
writes, so instructions need not tell the two apart. The cutting into basic blocks is flow.py's.
"""

from __future__ import annotations

import numpy as np

from .errors import PtxError
from .program import SINK, Address, Immediate, Not, Register, Special, Symbol
from .types import TYPES, bits_of


class Code:
    """One function of one kernel: its register slots, its piece of local memory, its basic blocks."""

    def __init__(self, linker, function):
        self.linker, self.function = linker, function
        self.name, self.entry = function.name, function.entry
        self.slots = {}             # register name or constant -> slot
        self.template = []          # what a new frame's registers hold
        self.types = []             # slot -> Type
        self.symbol_slots = []      # (slot, name, offset): module variables, known at launch
        self.local_slots = []       # (slot, offset): addresses in local memory, known at each call
        self.fixed = set()          # slots of constants and addresses: never written
        self.literals = {}          # slot of a constant -> its bits
        self.sink = self._new_slot(TYPES["pred"])
        self.carry = self._new_slot(TYPES["pred"])
        self._lay_out()
        self.blocks = []            # filled in by flow.py
        self.next_block = None      # while translating: the block after the current one
        self.labels = {}

    def _lay_out(self):
        """Give local and param variables their offsets in the function's frame."""
        self.offsets, end = {}, 0
        variables = list(self.function.variables.values())
        if not self.entry:
            variables += self.function.parameters + self.function.results
        for variable in variables:
            if variable.space in ("local", "param"):
                align = max(variable.align, 8)
                end = -(-end // align) * align
                self.offsets[variable.name] = (end, variable.size)
                end += variable.size
        self.frame_bytes = -(-end // 16) * 16
        self.parameters = [] if self.entry else [self.offsets[parameter.name] for parameter in self.function.parameters]
        self.results = [] if self.entry else [self.offsets[result.name] for result in self.function.results]

    # ---- slots -----------------------------------------------------------------------------------------------

    def _new_slot(self, type_, value=0) -> int:
        self.template.append(value)
        self.types.append(type_)
        return len(self.template) - 1

    def storage(self, slot: int) -> np.dtype:
        return self.types[slot].storage

    def wider(self, slot: int, type_) -> bool:
        """Whether the register has more bits than the instruction's type."""
        return self.types[slot].storage.itemsize > type_.storage.itemsize

    def register(self, operand) -> int:
        slot = self.slots.get(operand.name)
        if slot is None:
            slot = self.slots[operand.name] = self._new_slot(self.function.registers[operand.name])
        return slot

    def constant(self, bits: int, type_) -> int:
        key = (bits, type_.bits)
        if key not in self.slots:
            self.slots[key] = slot = self._new_slot(type_, bits)
            self.fixed.add(slot)
            self.literals[slot] = bits
        return self.slots[key]

    def destination(self, operand, type_) -> int:
        if operand == SINK:
            return self.sink if type_.bits == 1 else self._new_slot(type_)
        if not isinstance(operand, Register):
            self.refuse(self.instruction, "the destination is not a register")
        slot = self.register(operand)
        self._check(slot, type_)
        return slot

    def source(self, operand, type_) -> int:
        """The slot of a source operand: a register, a literal, or the address of a symbol."""
        if isinstance(operand, Register):
            slot = self.register(operand)
            self._check(slot, type_)
            return slot
        if isinstance(operand, Immediate):
            return self.constant(self._bits(operand, type_), type_)
        if isinstance(operand, Symbol):
            return self.address_slot(operand.name, operand.offset)
        if isinstance(operand, Special):
            self.refuse(self.instruction, f"{operand.name} can only be read with mov")
        self.refuse(self.instruction, f"unexpected operand {operand}")

    def predicate(self, operand) -> tuple[int, bool]:
        """p or !p -> its slot, and whether it is negated."""
        negated = isinstance(operand, Not)
        return self.source(operand.operand if negated else operand, TYPES["pred"]), negated

    def _check(self, slot, type_):
        """Refuse a register of another size or kind (PTX ISA 9.4): untyped bits fit all of their size. Loads, stores and conversions
        take wider registers, too."""
        own = self.types[slot]
        fits = own.kind == type_.kind or "p" not in (own.kind, type_.kind) and (
            "b" in (own.kind, type_.kind) or (own.kind == "f") == (type_.kind == "f"))
        if self.instruction.opcode.startswith(("ld", "st", "cvt.")) and (own.kind, type_.kind) != ("f", "f"):
            fits = fits and own.bits >= type_.bits
        else:
            fits = fits and own.bits == type_.bits
        if not fits:
            self.refuse(self.instruction, f"a register of type .{own.name} does not fit .{type_.name}")

    def _bits(self, operand: Immediate, type_) -> int:
        if operand.is_float != (type_.kind == "f") and not (
                type_.kind == "b" and operand.float_bits in (0, type_.bits)):
            self.refuse(self.instruction, f"the constant does not fit .{type_.name}")
        if operand.float_bits:
            if operand.float_bits == type_.bits:
                return operand.value
            value = np.array(operand.value, f"u{operand.float_bits // 8}").view(f"f{operand.float_bits // 8}")
            return bits_of(value, type_.dtype)
        if type_.kind == "f":
            return bits_of(float(operand.value), type_.dtype)
        if type_.kind == "p":
            return int(bool(operand.value))
        return int(operand.value) & type_.mask

    def python_operand(self, slot: int, type_) -> str:
        """A source operand in the source text for one lane; a wider register's upper bits are cut off."""
        if slot in self.literals:
            return str(self.literals[slot])
        return f"(R[{slot}] & {type_.mask})" if self.wider(slot, type_) else f"R[{slot}]"

    # ---- symbols ---------------------------------------------------------------------------------------------

    def address_slot(self, name: str, offset: int = 0) -> int:
        """A slot that holds the address of a symbol, in its own space."""
        key = ("address", name, offset)
        if key in self.slots:
            return self.slots[key]
        if name in self.offsets:
            slot = self._new_slot(TYPES["u64"])
            self.local_slots.append((slot, self.offsets[name][0] + offset))
        elif name in self.linker.shared:
            slot = self._new_slot(TYPES["u64"], self.linker.shared[name] + offset)
        elif self.entry and name in self.linker.parameters:
            slot = self._new_slot(TYPES["u64"], self.linker.parameters[name] + offset)
        elif name in self.linker.functions:
            slot = self._new_slot(TYPES["u64"], self.linker.functions[name])
        elif name in self.linker.program.variables:
            slot = self._new_slot(TYPES["u64"])
            self.symbol_slots.append((slot, name, offset))
        else:
            self.refuse(self.instruction, f"unknown symbol {name}")
        self.slots[key] = slot
        self.fixed.add(slot)
        return slot

    def space_of_symbol(self, name: str):
        """The space that a variable or a parameter is in; None for a function."""
        if name in self.offsets:
            return "local"          # .param variables of a call, too (parameter_space)
        if name in self.linker.shared:
            return "shared"
        if self.entry and name in self.linker.parameters:
            return "param"
        variable = self.linker.program.variables.get(name)
        return variable and variable.space

    def address(self, operand: Address, space=None) -> tuple[int, int]:
        """[base + offset] -> the base's slot and the offset; `space` is what the instruction names."""
        if not isinstance(operand, Address):
            self.refuse(self.instruction, "expected an address in brackets")
        if isinstance(operand.base, Immediate) and space not in ("local", "generic", None):
            self.refuse(self.instruction, f"a number as an address of .{space} memory: only .local takes one")
        if isinstance(operand.base, Symbol):
            if space not in ("generic", None) and self.space_of_symbol(operand.base.name) not in (space, None):
                self.refuse(self.instruction, f"{operand.base.name} is not in .{space} memory")
            return self.address_slot(operand.base.name, operand.offset), 0
        type_ = self.function.registers[operand.base.name] if isinstance(operand.base, Register) else TYPES["b64"]
        if type_.kind == "f" or type_.bits != 64 and (type_.bits != 32 or space in ("global", "generic")):
            self.refuse(self.instruction, f"a register of type .{type_.name} as an address of {space} memory")
        return self.source(operand.base, type_), operand.offset

    def parameter_space(self, operand) -> str:
        """.param is the kernel's parameters in a kernel, else a variable of a call, kept in local memory."""
        base = operand.base if isinstance(operand, Address) else None
        if isinstance(base, Symbol):
            return "local" if base.name in self.offsets else "param"
        return "param" if self.entry else "local"

    def call_variable(self, operand, instruction) -> tuple[int, int]:
        """An argument or result of a call -> (offset, size) in the frame."""
        if isinstance(operand, Symbol) and operand.name in self.offsets:
            return self.offsets[operand.name]
        self.refuse(instruction, "an argument of a call must be a .param variable")

    # ---- functions and labels --------------------------------------------------------------------------------

    def is_function(self, name: str) -> bool:
        return name in self.linker.functions

    def callee(self, name: str):
        return self.linker.code(name)

    def function_at(self, address: int):
        return self.linker.function_at(address)

    def label(self, instruction, operand, scope=None) -> int:
        """A label operand -> the number of its block."""
        name = operand.name if isinstance(operand, Symbol) else None
        symbol = (scope or instruction.scope).find(name)
        name = symbol.name if isinstance(symbol, Symbol) else name
        if name not in self.labels:
            self.refuse(instruction, f"unknown label {name}")
        return self.labels[name]

    def label_table(self, instruction, operand) -> list[int]:
        targets, scope = self.function.tables[operand.name]
        return [self.label(instruction, Symbol(name), scope) for name in targets]

    def refuse(self, instruction, why: str):
        raise PtxError(instruction.line, instruction.text, why)

    # ---- frames ----------------------------------------------------------------------------------------------

    def new_registers(self, wave, local_base: int) -> list:
        """The registers of a new call: constants and addresses in place, the others 0."""
        registers = list(self.template)
        symbols = wave.launch.machine.symbols
        for slot, name, offset in self.symbol_slots:
            registers[slot] = symbols[name] + offset
        for slot, offset in self.local_slots:
            registers[slot] = local_base + offset
        return registers

    def no_registers(self, registers: list) -> list:
        """The registers of a group that has loaded none yet: only constants and addresses are there."""
        return [value if slot in self.fixed else None for slot, value in enumerate(registers)]
