"""A loaded module: its kernels and variables, as the driver asks for them.

Where variables lie and when kernels run is the driver's business; here is how large they are, what they start
with, and what a launch needs.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from . import instructions  # noqa: F401 - fills the table of forms
from .absent import not_simulated
from .declarations import MOST_STATIC_SHARED
from .errors import PtxError
from .instructions.forms import find
from .link import KernelLinker, function_addresses
from .program import Immediate
from .syntax import parse
from .types import bits_of


@dataclass(frozen=True)
class KernelParameter:
    """Where one argument of a kernel lies in the buffer that a launch fills."""
    name: str
    offset: int
    size: int
    align: int


class PtxKernel:
    """One __global__ function."""

    def __init__(self, program, function, linker):
        self.program, self.name, self.linker = program, function.name, linker
        self.parameters = [KernelParameter(declared.name, self.linker.parameters[declared.name], declared.size, declared.align)
                           for declared in function.parameters]
        self.parameter_bytes = self.linker.parameter_bytes
        self.static_shared_bytes = self.linker.static_shared_bytes
        # What the kernel needs set up of the device runtime: malloc and free need the same heap.
        self.builtins = {"malloc" if name == "free" else name for name in self.linker.builtins} - {"__assertfail"}
        if self.static_shared_bytes > MOST_STATIC_SHARED:
            raise PtxError(function.line, function.name, f"{self.static_shared_bytes} bytes of static shared memory; a block has "
                           f"{MOST_STATIC_SHARED}")
        self.linker.translate()
        self.code = self.linker.code(function.name)
        self.local_bytes = self.code.frame_bytes
        self.max_threads_per_block = _most_threads(function.limits)
        self.registers = _registers(function)


def _most_threads(limits: dict) -> int:
    """__launch_bounds__ arrives as .maxntid x, y, z."""
    product = 1
    for number in limits.get("maxntid") or limits.get("reqntid") or ["1024"]:
        product *= int(number)
    return product


def _registers(function) -> int:
    """An estimate: ptxas would assign real ones; PTX has as many as it likes, and .maxnreg says how many it may be."""
    wide = sum(max(type_.bits, 32) // 32 for type_ in function.registers.values() if type_.kind != "p")
    return max(8, min(int(*function.limits.get("maxnreg") or ["255"]), wide // 2))


# Bytes of constant memory of a module (CUDA Programming Guide, compute capabilities).
MOST_CONSTANT = 64 * 1024
MOST_REACHED = 1 << 18      # instructions of functions that a module's kernels call, counted for each kernel


class ModuleVariable:
    """A __device__ or __constant__ variable."""

    def __init__(self, module, variable):
        self.module, self.variable = module, variable
        self.name, self.space = variable.name, variable.space
        self.size, self.align, self.managed = variable.size, variable.align, variable.managed

    def image(self, symbols: dict) -> bytes:
        """The initial contents; `symbols` gives the addresses of the module's variables."""
        type_ = self.variable.type
        image = bytearray()
        for element in self.variable.initial:
            image += self._element(element, type_, symbols).to_bytes(type_.size, "little")
        return bytes(image.ljust(self.size, b"\0"))

    def _element(self, element, type_, symbols) -> int:
        if isinstance(element, Immediate):
            return element.value & type_.mask if element.float_bits else bits_of(element.value, type_.dtype)
        if element.symbol in symbols:
            address = symbols[element.symbol] + element.offset
        elif element.symbol in self.module.functions:
            address = self.module.functions[element.symbol]
        else:
            raise PtxError(self.variable.line, self.name, f"unknown symbol {element.symbol}")
        if element.byte_mask is not None:   # 0xFF00(symbol): its second byte
            lowest = (element.byte_mask & -element.byte_mask).bit_length() - 1
            address = (address & element.byte_mask) >> lowest
        return address & type_.mask


class PtxModule:
    """PTX that has been read, checked and made ready to run."""

    def __init__(self, text: str):
        self.program = program = parse(text)
        for function in program.functions.values():
            for instruction in function.body:
                if not isinstance(instruction, str) and find(instruction.opcode) is None:
                    raise PtxError(instruction.line, instruction.text, "the simulation does not know the instruction "
                                   f"{instruction.opcode}{not_simulated(instruction.opcode)}")
        constants = [variable for variable in program.variables.values() if variable.space == "const"]
        if sum(constant.size for constant in constants) > MOST_CONSTANT:
            raise PtxError(constants[-1].line, constants[-1].name, f"more than {MOST_CONSTANT} bytes of constants")
        self.functions = function_addresses(program)
        self.kernels, reached = {}, 0
        for name, function in program.functions.items():
            if function.entry and function.defined:
                linker = KernelLinker(program, function, self.functions)
                reached += linker.instructions_reached
                if reached > MOST_REACHED:
                    raise PtxError(function.line, name, f"the kernels up to this one call functions of more than {MOST_REACHED} "
                                   "instructions, each of which is made ready for each kernel: load the kernels in several modules")
                self.kernels[name] = PtxKernel(program, function, linker)
        self.variables = {name: ModuleVariable(self, variable) for name, variable in program.variables.items()
                          if variable.space in ("global", "const")}


@functools.lru_cache(maxsize=64)
def load(text: str) -> PtxModule:
    """PTX text -> PtxModule; PtxError names the line of what is wrong or not known.

    A program loads the same text again and again (a cell that is run twice, a check that tries many answers), and
    what is made of it does not change once it is made: it is kept.
    """
    return PtxModule(text)
