"""The parameters of the kernels in a source, read from the source.

The driver knows how many parameters a kernel has and how large each is; their names and types are
in the source alone. This reads declarations as people write them, and no more: no macros, no
templates. A type that it does not know is no error: then only the size is checked. Not here: where
the parameters lie (layout.py), and what may be passed for them (arguments.py).

    >>> [kernel] = declared("__global__ void f(const float *x, unsigned int n) { }").values()
    >>> [(parameter.name, parameter.dtype, parameter.pointee) for parameter in kernel]
    [('x', None, dtype('float32')), ('n', dtype('uint32'), None)]
"""
import dataclasses
import re
from collections.abc import Iterable

import numpy as np

# The basic types of C++ as CUDA has them on 64-bit Linux, and the names that <cstdint> gives them.
TYPES = {
    "bool": "?", "char": "i1", "signed char": "i1", "unsigned char": "u1", "short": "i2", "unsigned short": "u2",
    "int": "i4", "unsigned": "u4", "unsigned int": "u4", "long": "i8", "unsigned long": "u8", "long long": "i8",
    "unsigned long long": "u8", "size_t": "u8", "float": "f4", "double": "f8", "__half": "f2", "half": "f2",
    "ptrdiff_t": "i8", "intptr_t": "i8", "uintptr_t": "u8", "CUdeviceptr": "u8", "uint": "u4", "uchar": "u1",
    "ushort": "u2",
    **{f"{sign}int{8 * size}_t": f"{sign[:1] or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)},
}

# Types through which a kernel sees plain bytes: a pointer to these goes with data of any type.
BYTES = {"void", "char", "signed char", "unsigned char", "uint8_t", "int8_t", "uchar"}

QUALIFIERS = re.compile(r"\b(const|volatile|__restrict__|__restrict|__grid_constant__|struct)\b|std::")
KERNEL = re.compile(r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?"
                    r"(\w+)\s*\(([^)]*)\)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
C_NAME = 'extern "C" '
# A kernel that may have a C name, as the last group; what comes before: comments, texts, and
# kernels that have one or cannot.
NAMED = re.compile("|".join([
    COMMENT.pattern, r"\btemplate\s*<[^;{]*?__global__", r'(?:extern\s+"C"|static)\s+__global__', r'"(?:\\.|[^"\\\n])*"',
    r"(\b__global__\b)"]), re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: `text` as declared, and where it is in the block of parameters, in
    bytes."""

    name: str
    text: str
    offset: int = 0
    nbytes: int = 0
    is_pointer: bool = False
    dtype: np.dtype | None = None      # of a number; None for a pointer, or a type that is not known
    pointee: np.dtype | None = None    # of what a pointer points at; None where anything goes

    def placed(self, offset: int, nbytes: int) -> "Parameter":
        """The same parameter, where the driver has it. Where the sizes disagree the type was
        misread: forget it."""
        fits = nbytes == (8 if self.is_pointer else self.dtype.itemsize if self.dtype else nbytes)
        parameter = self if fits else dataclasses.replace(self, dtype=None, is_pointer=False)
        return dataclasses.replace(parameter, offset=offset, nbytes=nbytes)

    def __str__(self) -> str:
        return self.text or f"{self.nbytes} bytes"


def shown(name: str, parameters: Iterable[Parameter]) -> str:
    """A kernel with its parameters, such as "<kernel scale(float *data, int n)>"."""
    return f"<kernel {name}({', '.join(map(str, parameters))})>"


def with_c_names(source: str) -> str:
    """The source, with each kernel that is no template declared extern "C": it is found by the name
    that it was given."""
    return NAMED.sub(lambda match: C_NAME + match[0] if match[1] else match[0], source)


def as_written(messages: str) -> str:
    """A compiler's messages about such a source: columns, lines and the carets below them as in
    what was written."""
    def corrected(match: re.Match[str]) -> str:
        head, column, tail, before, line, caret = match.groups()
        moved = len(C_NAME) if len(caret) > len(before) else 0
        return f"{head}{int(column) - moved}{tail}\n{before}{line}\n{caret[moved:]}^"
    return re.sub(rf"(?m)^(.*?:\d+:)(\d+)(:.*)\n(.*?){C_NAME}(__global__.*)\n( *)\^", corrected, messages)


def declared(source: str) -> dict[str, list[Parameter]]:
    """{kernel's name: its Parameters}, in the order of the source."""
    return {name: [_parameter(text) for text in _split(inside)]
            for name, inside in KERNEL.findall(COMMENT.sub(" ", source))}


def _split(inside: str) -> list[str]:
    texts = [" ".join(text.partition("=")[0].split()) for text in inside.split(",")]
    return [] if texts in ([""], ["void"]) else texts


def _parameter(text: str) -> Parameter:
    match = re.search(r"(\w+)\s*(\[\w*\])?$", text)
    if not match:
        return Parameter(text, text)
    name, kind = match[1], " ".join(QUALIFIERS.sub(" ", text[:match.start()]).replace("*", " * ").split())
    if match[2]:
        kind += " *"
    base, star, more = kind.partition(" *")
    dtype = np.dtype(TYPES[base]) if base in TYPES else None
    if not star:
        return Parameter(name, text, dtype=dtype)
    return Parameter(name, text, is_pointer=True, pointee=None if more or base in BYTES else dtype)
