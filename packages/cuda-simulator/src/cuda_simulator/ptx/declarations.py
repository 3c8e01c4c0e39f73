"""What a declaration may say: the sizes and values that a driver's assembler takes (PTX ISA 5 and 11).

What is refused here an H200's driver refuses, too (tests/ptx/refusals), but for two bounds of the simulation's own: how many registers
a function declares, and how far a variable is aligned.
"""

from __future__ import annotations

from .program import Initialiser

MOST_REGISTERS = 1 << 20        # of a function
MOST_ALIGNMENT = 1 << 20        # bytes
MOST_PARAMETERS, BEFORE_8_1 = 32764, 4352       # bytes of a kernel
MOST_STATIC_SHARED = 227 * 1024                 # bytes of a block: what an H200's driver takes; ptxas takes 48 KiB


def check(variable, program, fail):
    """A variable of a module or a function: `fail(why, line)` if it cannot be."""
    name, space, line = variable.name, variable.space, variable.line
    if variable.initial and space not in ("global", "const"):
        fail(f"{name}: no initial value is possible in .{space}", line)
    if name in program.functions:
        fail(f"{name} is a function, and a variable", line)
    if space in ("global", "const", "shared") and not variable.size and not variable.external:
        fail(f"{name} has no size", line)
    for value in variable.initial:
        if isinstance(value, Initialiser):
            if value.symbol not in program.variables and value.symbol not in program.functions:
                fail(f"{name}: the initial value {value.symbol} was not declared before", line)
        elif variable.type.kind != "b" and value.is_float != (variable.type.kind == "f"):
            fail(f"{name}: an initial value that is no .{variable.type.name}", line)


def limit_fits(name, values, function) -> bool:
    """May a kernel have this directive (.maxntid 128, 1, 1) beside those it has?"""
    if name == "noreturn":
        return not values and not function.entry
    most = 3 if name in ("maxntid", "reqntid") else 1
    if {name, *function.limits} >= {"maxntid", "reqntid"} or not 0 < len(values) <= most:
        return False
    return all(value.isdigit() and 0 < int(value) < 1 << 32 for value in values)


def check_parameters(function, version, fail):
    """Those of a kernel, in PTX of that version."""
    size = 0
    for parameter in function.parameters:
        if not parameter.size:
            fail(f"the parameter {parameter.name} has no size")
        size = -(-size // parameter.align) * parameter.align + parameter.size
    most = BEFORE_8_1 if [int(part) for part in version.split(".")] < [8, 1] else MOST_PARAMETERS
    if size > most:
        fail(f"{size} bytes of parameters; a kernel takes {most}")
