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
    expressions = {}
    for node in ast.walk(ast.parse(source)):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else ()
            pairs = zip(names, values) if len(names) == len(values) else ((name, node.value) for name in names)
            of_line = expressions.setdefault(node.lineno, {})
            of_line.update((name.id, value) for name, value in pairs if isinstance(name, ast.Name))
    return expressions


class Sides:
    """The sides of the numbers that a program's names stand for."""

    def __init__(self, source):
        self.assigned = assigned(source)
        self.side_of_number = {}    # as the driver gave the number in the statement that is under way
        self.by_name = {}           # name -> (its number, its side)

    def answered(self, name, arguments):
        """A call of the driver has succeeded."""
        if name in GIVE:
            number = ctypes.c_size_t.from_address(arguments[0]).value
            earlier = self.side_of_number.get(number, GIVE[name])
            self.side_of_number[number] = GIVE[name] if earlier == GIVE[name] else "either"

    def look(self, names, line):
        """The statement that begins on a line has ended, and these are the names: note whose the new numbers are."""
        expressions = self.assigned.get(line, {})
        numbers = {name: value for name, value in names.items() if type(value) is int}
        self.by_name = {name: (number, side) for name, (number, side) in self.by_name.items()
                        if numbers.get(name) == number}
        for name, number in numbers.items():
            if name not in self.by_name:
                self.by_name[name] = number, self._side(expressions.get(name), number, names)
        self.side_of_number.clear()

    def of(self, name, value):
        """The side of what a name stands for: see gather.AskedPlace."""
        if type(value) is int:
            return self.by_name.get(name, (value, "either"))[1]
        return "device" if isinstance(value, cu.CUdeviceptr) else ""

    def _side(self, expression, number, names):
        while _is_int_of(expression):
            [expression] = expression.args
        if isinstance(expression, ast.Attribute) and expression.attr in OURS:
            return OURS[expression.attr]
        if isinstance(expression, ast.Call):
            return self.side_of_number.get(number, "either")
        while isinstance(expression, ast.Attribute):
            expression = expression.value
        value = names.get(expression.id) if isinstance(expression, ast.Name) else None
        if isinstance(value, (np.ndarray, cuda.PagelockedHostAllocation)):
            return "host"
        return self.of(expression.id, value) or "either" if value is not None else "either"


def _is_int_of(expression):
    """Is it a call ``int(x)``?"""
    return (isinstance(expression, ast.Call) and getattr(expression.func, "id", "") == "int"
            and len(expression.args) == 1)
