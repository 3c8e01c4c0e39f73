"""What an address is called in the source: x[2], p.y. No name is better than one that may be wrong.

Names and types are the compiler's (variables.py). Of shared variables it tells none: their names stand in PTX, and their types
are read from the source, and believed where the size is the one that PTX has.

Not here: what is there.
"""
import re

import numpy as np

from ..memory.allocations import memory
from ..memory.heap import blocks
from .variables import SourceType

SHARED = re.compile(r"__shared__\s+(?:volatile\s+)?((?:unsigned\s+|signed\s+)?\w+(?:\s+long)?)\s+([^;]*);")
DECLARED = re.compile(r"(\w+)\s*((?:\[[^]]*\]\s*)*)(?:,|$)")
TYPES = {"char": ("signed", 1), "signed char": ("signed", 1),
         "short": ("signed", 2), "int": ("signed", 4), "long long": ("signed", 8), "float": ("float", 4),
         "double": ("float", 8), "bool": ("bool", 1), "unsigned": ("unsigned", 4), "unsigned int": ("unsigned", 4),
         "unsigned char": ("unsigned", 1), "unsigned short": ("unsigned", 2), "unsigned long long": ("unsigned", 8)}
VECTOR = re.compile(r"(u?)(char|short|int|longlong|float|double)([1-4])$")     # CUDA's own: float4 has x, y, z, w


class Naming:
    """The names in one launch."""

    def __init__(self, launch, variables, source):
        linker = launch.kernel.linker
        self.shared = []        # (start, end, name, type)
        sizes = {variable.name: variable for name in linker.codes for variable in launch.kernel.program.functions[name].variables.values()}
        sizes |= launch.kernel.program.variables
        for symbol, start in linker.shared.items():
            name, size = readable(symbol), sizes[symbol].size or launch.dynamic_shared
            self.shared.append((start, start + size, name, shared_type(source, name, size)))
        symbols = launch.machine.symbols
        self.globals = [(symbols[variable.symbol], variable.name, variable.type, sizes[variable.symbol].space)
                        for variable in variables.get("", ()) if variable.symbol in symbols]
        self.pointers = []      # (value, name, type) of parameters
        for variable, parameter in zip(variables.get(launch.kernel.name, ()), launch.kernel.parameters):
            if variable.type.kind == "pointer":
                value = int(np.frombuffer(launch.parameters, np.uint64, 1, parameter.offset)[0])
                self.pointers.append((value, variable.name, SourceType("array", 0, variable.type.of)))

    def of(self, space, address, size):
        """(space, name, SourceType) of the bytes at an address within a space; "" and None where nobody can say.

        A generic address of constant memory is a global one here, and is found to be constant by its variable.
        """
        if space == "shared":
            candidates = [(name, type_, address - start) for start, end, name, type_ in self.shared if start <= address < end]
        else:
            candidates = self._pointed_at(address)
            for start, name, type_, its_space in self.globals:
                if start <= address < start + type_.size:
                    space, candidates = its_space, [(name, type_, address - start)]
        for name, type_, offset in candidates[:1]:
            part = type_ and type_.part(offset, size)
            if part:
                return space, name + part[0], part[1]
            return space, f"{name} + {offset} bytes" if offset else name, None
        return space, "", None

    def _pointed_at(self, address):
        """The parameter that points into the same allocation, at the last place before the address."""
        allocation = memory.at(address) or blocks.at(address)
        inside = [pointer for pointer in self.pointers if allocation is not None and allocation.start <= pointer[0] <= address]
        if not inside:
            return []
        value, name, type_ = max(inside, key=lambda pointer: pointer[0])
        return [(name, type_ if type_.of is not None else None, address - value)]


def shared_type(source, name, size):
    """The SourceType of a shared variable of so many bytes, by its declaration in the source; None where that is not plain."""
    for base, declarators in SHARED.findall(source):
        for declared, brackets in DECLARED.findall(declarators):
            if declared == name and (type_ := _type(base)):
                return _array(type_, re.findall(r"\[\s*(\w*)\s*\]", brackets), size) if brackets else type_
    return None


def _type(name):
    """One of CUDA C++'s own types, by its name; None for any other."""
    if name in TYPES:
        return SourceType(*TYPES[name])
    if vector := VECTOR.match(name):
        unsigned, base, count = vector.groups()
        element = SourceType(*TYPES[("unsigned " if unsigned else "") + base.replace("longlong", "long long")])
        return SourceType("struct", element.size * int(count), None, tuple((axis, number * element.size, element)
                                                                     for number, axis in enumerate("xyzw"[:int(count)])))
    return None


def _array(of, counts, size):
    """An array of `size` bytes in all; None where its inner counts are no numbers, or do not come to that size."""
    for count in reversed(counts[1:]):
        if not count.isdigit():
            return None
        of = SourceType("array", of.size * int(count), of)
    if size % of.size or (counts[0].isdigit() and of.size * int(counts[0]) != size):
        return None
    return SourceType("array", size, of)


def readable(name):
    """_ZZ1kPiE4tile -> tile; a name that is not mangled stays as it is."""
    for length in re.finditer(r"\d+", name) if name.startswith("_Z") else ():
        identifier = name[length.end():]
        if len(identifier) == int(length[0]) and identifier.isidentifier():
            return identifier
    return name
