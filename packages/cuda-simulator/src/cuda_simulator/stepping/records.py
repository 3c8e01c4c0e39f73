"""What is told of a thread: plain values, which another process may be given."""
import dataclasses


class PointerValue(int):
    """The value of a pointer, which shows itself in hexadecimal digits."""

    def __repr__(self):
        return hex(self)


class Float(float):
    """A float of 16 or 32 bits, which shows itself with no more digits than tell it from its neighbours."""

    def __new__(cls, value, digits=None):
        number = super().__new__(cls, value)
        number.digits = digits or str(value)    # of a NumPy scalar
        return number

    def __getnewargs__(self):
        return float(self), self.digits

    def __repr__(self):
        return self.digits


@dataclasses.dataclass
class MemoryAccess:
    """The thread reads or writes memory."""

    kind: str               # "read", "write" or "atomic"
    space: str              # "global", "shared", "local" or "const"
    address: int            # as the instruction has it: of the space, or generic
    name: str               # "x[2]", as far as the compiler and the source tell; else ""
    value: object = None    # read or written; of an atomic operation, what was there before; None where nobody can say
    done: bool = False      # False where it ended the kernel


@dataclasses.dataclass
class LineStep:
    """The thread is at one line of the source."""

    line: int               # 0 where the compiler tells no line
    text: str               # its first instruction
    depth: int              # how many calls deep
    variables: dict = dataclasses.field(default_factory=dict)   # name -> value: what was assigned
    accesses: list = dataclasses.field(default_factory=list)
    registers: dict = dataclasses.field(default_factory=dict)   # name in PTX -> value


@dataclasses.dataclass
class LaunchTrace:
    """What was seen of a launch. Steps above the limit are only counted."""

    launches: int = 0
    kernel: str = ""
    source: str = ""        # its CUDA C++, where this process compiled it
    grid: tuple = ()
    block: tuple = ()       # its size
    named: bool = False     # the compiler told the names of variables
    steps: list = dataclasses.field(default_factory=list)
    more_steps: int = 0
