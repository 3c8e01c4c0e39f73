"""Which argument of a Numba kernel a parameter in PTX belongs to: an array becomes several parameters, and one is its elements' address.

The kernel's name tells the types of its arguments, in the mangling of C++ (`numba.core.itanium_mangler`). Their names are in the
Python file that the PTX names. Nothing is guessed: if the kernel has not as many parameters as its types make, there are no names.
"""
import ast
import functools
import linecache
import re

# (parameters of an array, besides two for each dimension, its shape and strides; parameters of a complex number):
# in numba 0.68 and numba-cuda 0.30, and in numba-cuda-mlir 0.6.
LAYOUTS = (5, 2), (3, 1)
AN_ARRAY = "5ArrayI"        # in a mangled name


@functools.lru_cache(maxsize=256)
def argument_names(ptx, kernel, many):
    """For each of the kernel's `many` parameters what to call the argument that it is a part of; none if that is not known.

    `x`, or `the 2nd argument` if its name is not known; `the array x` if its elements have several dimensions, or are not numbers side by
    side.
    """
    try:
        function, types = _function(kernel)
        ways = [[_parameters(type_, *layout) for type_ in types] for layout in LAYOUTS]
    except (ValueError, IndexError):
        return ()
    widths = next((way for way in ways if sum(way) == many), ())
    names, of = _names_in_source(ptx, kernel, function), "the array "
    if len(names) != len(types):
        names, of = [_ordinal(number) for number in range(1, len(types) + 1)], "the array that is "
    return tuple(name if _plain(type_) else of + name for name, type_, width in zip(names, types, widths) for _ in range(width))


class _Mangled:
    """A mangled name, taken apart from its beginning."""

    def __init__(self, text):
        self.rest = text

    def take(self, form):
        match = re.match(form, self.rest)
        self.rest = self.rest[match.end():] if match else self.rest
        return match

    def identifier(self):
        length = self.take(r"\d+")
        if length is None:
            raise ValueError(self.rest)
        name, self.rest = self.rest[:int(length[0])], self.rest[int(length[0]):]
        return name

    def type(self):
        """(name, (types or numbers that it is made of, ...))"""
        short = self.take(r"Li(-?\d+)E|(Dh|[a-z])")     # a number, or a type that has a letter
        if short:
            return short[1] or short[2], ()
        name, arguments = self.identifier(), []
        if self.take("I"):
            while not self.take("E"):
                arguments.append(self.type())
        return name, tuple(arguments)


def _function(kernel):
    """(name, [type of each argument]) of a mangled name; ValueError if it is not one of Numba's."""
    if AN_ARRAY not in kernel:
        raise ValueError(kernel)
    mangled = _Mangled(kernel.removeprefix("_Z"))
    nested = mangled.take("N")
    name = mangled.identifier()
    while nested and mangled.rest[:1].isdigit():
        name = mangled.identifier()
    while mangled.take("B"):
        mangled.identifier()
    mangled.take("E")
    types = []
    while mangled.rest:
        types.append(mangled.type())
    return name, types


def _parameters(type_, beside, of_complex):
    """How many parameters an argument becomes."""
    name, arguments = type_
    if name == "Array":
        return beside + 2 * int(arguments[1][0])
    if name == "Tuple":
        return sum(_parameters(element, beside, of_complex) for element in arguments)
    if name == "UniTuple":
        return int(arguments[1][0]) * _parameters(arguments[0], beside, of_complex)
    if name in ("complex64", "complex128"):
        return of_complex
    if len(name) > 2:
        raise ValueError(name)
    return 1


def _plain(type_):
    """Whether an element is as large as what is read of it, and has one index; of what is no array it is never asked."""
    name, arguments = type_
    return name != "Array" or not arguments[0][1] and len(arguments[0][0]) <= 2 and [number for number, _ in arguments[1:3]] == ["1", "C"]


def _names_in_source(ptx, kernel, function):
    """The names of the arguments in the Python file that the PTX names; none where it is not to be had."""
    place = re.search(rf"\.entry\s+{kernel}\b.*?\.loc\s+(\d+)\s+(\d+)", ptx, re.S)
    path = place and re.search(rf'^\s*\.file\s+{place[1]}\s+"([^"]*)"', ptx, re.M)
    if not path:
        return ()
    try:
        tree = ast.parse("".join(linecache.getlines(path[1])))
    except SyntaxError:
        return ()
    return next(([argument.arg for argument in node.args.args] for node in ast.walk(tree)
                 if isinstance(node, ast.FunctionDef) and node.name == function
                 and min(part.lineno for part in (node, *node.decorator_list)) <= int(place[2]) <= node.end_lineno), ())


def _ordinal(number):
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"the {number}{ending} argument"
