"""What is told of a kernel's threads: plain values, which another process may be given."""
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
    """The thread reads or writes memory that other threads see as well."""

    kind: str               # "read", "write" or "atomic"
    space: str              # "global", "shared" or "const"
    address: int            # within the space
    name: str               # "x[2]", as far as the compiler and the source tell; else ""
    value: object = None    # read or written; of an atomic operation, what was there before; None where nobody can say


@dataclasses.dataclass
class LineStep:
    """The thread is at one line of the source."""

    line: int               # 0 where the compiler tells no line
    accesses: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class LaunchTrace:
    """What was seen of a launch."""

    kernel: str
    source: str             # its CUDA C++; "" where this process did not compile it
    block: int              # how many threads a block has
    threads: list           # for each thread of the first block, a list of its LineSteps; empty where they are too many
