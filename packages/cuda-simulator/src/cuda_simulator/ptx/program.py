"""The parts of a PTX program, as the parser leaves them: nothing here runs.

Names are resolved as far as scopes go (two `{ }` blocks may each declare a `temp`); what a symbol stands for
is settled later, by link.py, because the layout of shared memory differs from kernel to kernel.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from .types import Type

# ---- operands ------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Register:
    """%r1, or any name that a .reg declares."""
    name: str


@dataclass(frozen=True)
class Special:
    """A special register: %tid.x, %clock64, ... (PTX ISA 10)."""
    name: str


@dataclass(frozen=True)
class Immediate:
    """A literal: an int, a float (decimal literal), or exact float bits with their width (0f..., 0d...)."""
    value: int | float
    float_bits: int = 0     # 32 or 64 for 0f/0d literals, whose value is then the bit pattern

    @property
    def is_float(self) -> bool:
        return self.float_bits > 0 or isinstance(self.value, float)


@dataclass(frozen=True)
class Symbol:
    """A variable, function or label, by name."""
    name: str
    offset: int = 0


@dataclass(frozen=True)
class Address:
    """[base + offset]; the base is a Register, Symbol or Immediate."""
    base: object
    offset: int


@dataclass(frozen=True)
class Vector:
    """{a, b, c, d}"""
    items: tuple


@dataclass(frozen=True)
class Pair:
    """d|p: a second destination (setp, shfl, match)."""
    first: object
    second: object


@dataclass(frozen=True)
class Not:
    """!p"""
    operand: object


@dataclass(frozen=True)
class Arguments:
    """(a, b, c) of a call."""
    items: tuple


SINK = Register("_")   # a destination whose value nobody wants


# ---- statements ----------------------------------------------------------------------------------------------

@dataclass
class Instruction:
    """One line of a function's body."""
    opcode: str                     # "ld.global.u32"
    operands: list
    line: int
    text: str
    guard: Register | None = None   # @p or @!p
    guard_negated: bool = False
    source: tuple | None = None     # (file, line) of the CUDA C++ text, where .loc tells
    scope: object = None            # where its label operands are looked up

    @property
    def may_wait(self) -> bool:
        """Whether a loop with it may be waiting for another thread."""
        words = self.opcode.split(".")
        return words[0] in ("atom", "mbarrier", "nanosleep", "membar", "fence") or (
            words[0] == "ld" and words[1] in ("volatile", "acquire", "relaxed"))


@dataclass
class Variable:
    """What a .global, .const, .shared, .local or .param directive declares."""
    name: str
    space: str                      # global const shared local param
    type: Type
    size: int                       # bytes; 0 for `extern .shared s[]`
    align: int
    initial: list = field(default_factory=list)    # Immediate or Initialiser, element by element
    external: bool = False
    managed: bool = False           # __managed__: the host may use it directly
    line: int = 0


@dataclass(frozen=True)
class Initialiser:
    """An element that holds an address: `symbol + offset`, perhaps one byte of it (0xFF00(symbol))."""
    symbol: str
    offset: int = 0
    byte_mask: int | None = None


@dataclass
class PtxFunction:
    """A kernel (.entry) or a function (.func)."""
    name: str
    entry: bool
    parameters: list = field(default_factory=list)  # of Variable
    results: list = field(default_factory=list)
    registers: dict = field(default_factory=dict)   # name -> Type
    variables: dict = field(default_factory=dict)   # local, shared and param variables of the body
    body: list = field(default_factory=list)        # Instructions; a str is a label
    tables: dict = field(default_factory=dict)      # .branchtargets: name -> labels
    prototypes: list = field(default_factory=list)  # Symbols of .callprototype and .calltargets
    limits: dict = field(default_factory=dict)      # maxntid, reqntid, ...
    defined: bool = False
    line: int = 0


@dataclass
class PtxProgram:
    """Everything that one PTX text declares, by name."""
    functions: dict = field(default_factory=dict)
    variables: dict = field(default_factory=dict)
    local: set = field(default_factory=set)         # names that are the text's own: declared without .visible and its like
    weak: set = field(default_factory=set)          # .weak and .common: another text of a link may define them too
    files: dict = field(default_factory=dict)       # .file number -> name
    version: str = ""                               # "8.0"
    target: str = ""
    text: str = ""                                  # all of it: debug information is not parsed

    @functools.cached_property
    def shared_order(self) -> dict:
        """{name: place in the text} of the shared variables that are declared outside of functions."""
        return {variable.name: place for place, variable in enumerate(self.variables.values()) if variable.space == "shared"}
