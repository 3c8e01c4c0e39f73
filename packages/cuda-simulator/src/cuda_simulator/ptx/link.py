"""One kernel with the functions that it can call, and where its parameters and shared variables lie.

Each kernel is linked on its own, because the layout of shared memory, and so the addresses in the code, depend
on which variables it uses. What becomes of a single function is code.py's.
"""

from __future__ import annotations

import functools
from collections import defaultdict

from .code import Code
from .instructions.builtins import BUILTINS
from .program import Address, Symbol
from .spaces import FUNCTION_WINDOW

FUNCTION_SPACING = 16
A_FUNCTION = 50     # instructions, whose translation takes as long as what else is done for a function


def function_addresses(program) -> dict:
    """An address for each function that the module defines, so that there can be pointers to it."""
    defined = [name for name, function in program.functions.items() if function.defined]
    return {name: FUNCTION_WINDOW + FUNCTION_SPACING * number for number, name in enumerate(defined)}


class KernelLinker:
    """One kernel with everything that it can reach."""

    def __init__(self, program, kernel, addresses):
        self.program, self.kernel = program, kernel
        self.functions = addresses      # of the program's functions
        self.codes = {}
        self.parameters, self.parameter_bytes = {}, 0
        for parameter in kernel.parameters:
            start = -(-self.parameter_bytes // parameter.align) * parameter.align
            self.parameters[parameter.name] = start
            self.parameter_bytes = start + parameter.size
        self._lay_out_shared()

    @property
    def instructions_reached(self) -> int:
        """Of the functions that the kernel calls, directly or not; each function counts as some more."""
        return sum(len(self.program.functions[name].body) + A_FUNCTION for name in self.functions_reached if name != self.kernel.name)

    def function_at(self, address: int):
        """The code that a pointer to a function points to, or None."""
        for name, code in self.codes.items():
            if self.functions[name] == address and not code.entry:
                return code
        return None

    def code(self, name: str) -> Code:
        """The code of a function that this kernel can reach."""
        return self.codes[name]

    def translate(self):
        """Make every function that can be reached ready to run, before the first launch: launches share them."""
        from .flow import translate  # flow.py knows code.py
        self.codes = {name: Code(self, self.program.functions[name]) for name in self.functions_reached}
        for code in self.codes.values():
            translate(code)

    @functools.cached_property
    def waiting_functions(self) -> set:
        """The names of those that may wait for another thread, themselves or in what they call."""
        callers, waiting = defaultdict(set), set()
        for name in self.functions_reached:
            for instruction in self.program.functions[name].body:
                if not isinstance(instruction, str):
                    if instruction.may_wait:
                        waiting.add(name)
                    for called in self.functions_called(instruction):
                        callers[called].add(name)
        to_do = list(waiting)
        while to_do:
            new_names = callers[to_do.pop()] - waiting
            waiting |= new_names
            to_do += new_names
        return waiting

    def functions_called(self, instruction) -> set:
        """The names of the functions that a call may name; none of another instruction."""
        if not instruction.opcode.startswith("call"):
            return set()
        return {operand.name for operand in instruction.operands if isinstance(operand, Symbol)} & self.functions.keys()

    def _lay_out_shared(self):
        """Static shared variables one after another, and behind them the `extern` ones, which share one place."""
        used = self._symbols_used()
        self.builtins = used & BUILTINS.keys()
        # In the order of the text. Not by looking through all of it: a module may have thousands of kernels and of variables.
        order = self.program.shared_order
        shared = {name: self.program.variables[name] for name in sorted(used & order.keys(), key=order.get)}
        for name in self.functions_reached:
            shared.update({variable.name: variable for variable in self.program.functions[name].variables.values()
                           if variable.space == "shared" and variable.name in used})
        self.shared, end, dynamic = {}, 0, []
        for name, variable in shared.items():
            if variable.external:
                dynamic.append(variable)
                continue
            end = -(-end // variable.align) * variable.align
            self.shared[name] = end
            end += variable.size
        align = max([16, *(variable.align for variable in dynamic)])
        start = -(-end // align) * align if dynamic else end
        self.static_shared_bytes = start    # what lies between counts, as an H200 tells
        for variable in dynamic:
            self.shared[variable.name] = start
        self.dynamic_start = start

    def _symbols_used(self) -> set:
        """Every symbol that the kernel, or a function that it may call, mentions."""
        used, todo = set(), [self.kernel.name]
        self.functions_reached = {}     # as keys, in the order in which they were found
        while todo:
            name = todo.pop()
            if name in self.functions_reached:
                continue
            self.functions_reached[name] = True
            symbols = set()
            for instruction in self.program.functions[name].body:
                if isinstance(instruction, str):
                    continue                    # a label
                symbols.update(*map(_symbols, instruction.operands))
                if _calls_through_pointer(instruction):
                    symbols.update(n for n in self.functions if not self.program.functions[n].entry)
            used |= symbols
            todo += [n for n in symbols if n in self.functions]
        return used


def _calls_through_pointer(instruction) -> bool:
    """Whether it may call any function: the callee, behind the results if there are any, is not a name."""
    return instruction.opcode.startswith("call") and not any(
        isinstance(operand, Symbol) for operand in instruction.operands[:2])


def _symbols(operand) -> set:
    """The names of the symbols in an operand."""
    if isinstance(operand, Symbol):
        return {operand.name}
    if isinstance(operand, Address):
        return _symbols(operand.base)
    return set()
