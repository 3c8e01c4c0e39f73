"""Whose address a number is, the host's or the device's, where both have the same one: what a program's lines tell.

A number does not say where it came from. But a line such as ``device = data.base.get_device_pointer()`` had it from a
call that was seen, and ``number = data.ctypes.data`` has it from an array, which is the host's. A number that came
another way is either's.
"""
import ast
import ctypes

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

# calls -> whose address they give
GIVE = {"cuMemHostGetDevicePointer": "device", "cuMemHostAlloc": "host", "cuMemAllocHost": "host"}
OURS = {"host_address": "host", "device_address": "device"}     # attributes of this course's objects


def assigned(source):
    """{line on which a statement begins: {name: the expression that it gets}} of a program."""
    given = {}
    for node in ast.walk(ast.parse(source)):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else ()
            pairs = zip(names, values) if len(names) == len(values) else ((name, node.value) for name in names)
            of_line = given.setdefault(node.lineno, {})
            of_line.update((name.id, value) for name, value in pairs if isinstance(name, ast.Name))
    return given


class Sides:
    """The sides of the numbers that a program's names stand for."""

    def __init__(self, source):
        self.assigned = assigned(source)
        self.given = {}     # number -> whose address it is, as the driver gave it in the statement that is under way
        self.known = {}             # name -> (its number, its side)

    def answered(self, name, arguments):
        """A call of the driver has succeeded."""
        if name in GIVE:
            number = ctypes.c_size_t.from_address(arguments[0]).value
            self.given[number] = GIVE[name] if self.given.get(number, GIVE[name]) == GIVE[name] else "either"

    def look(self, names, line):
        """The statement that begins on a line has ended, and these are the names: note whose the new numbers are."""
        expressions = self.assigned.get(line, {})
        numbers = {name: thing for name, thing in names.items() if type(thing) is int}
        self.known = {name: (number, side) for name, (number, side) in self.known.items()
                      if numbers.get(name) == number}
        for name, number in numbers.items():
            if name not in self.known:
                self.known[name] = number, self._side(expressions.get(name), number, names)
        self.given.clear()

    def of(self, name, thing):
        """The side of what a name stands for: see gather.AskedPlace."""
        if type(thing) is int:
            return self.known.get(name, (thing, "either"))[1]
        return "device" if isinstance(thing, cu.CUdeviceptr) else ""

    def _side(self, expression, number, names):
        while _is_int_of(expression):
            [expression] = expression.args
        if isinstance(expression, ast.Attribute) and expression.attr in OURS:
            return OURS[expression.attr]
        if isinstance(expression, ast.Call):
            return self.given.get(number, "either")
        while isinstance(expression, ast.Attribute):
            expression = expression.value
        thing = names.get(expression.id) if isinstance(expression, ast.Name) else None
        if isinstance(thing, (np.ndarray, cuda.PagelockedHostAllocation)):
            return "host"
        return self.of(expression.id, thing) or "either" if thing is not None else "either"


def _is_int_of(expression):
    """Is it a call ``int(x)``?"""
    return (isinstance(expression, ast.Call) and getattr(expression.func, "id", "") == "int"
            and len(expression.args) == 1)
