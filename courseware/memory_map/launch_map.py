"""The map of one launch's inside: which numbers its threads see, and how many memories stand behind each.

    >>> import numpy as np, pycuda.driver as cuda
    >>> from course_lib import kernels
    >>> from courseware import memory_map
    >>> code = kernels.compile('''
    ...     __global__ void where(unsigned long long *seen) {
    ...         __shared__ int tile[8];
    ...         seen[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned long long)tile;
    ...     }''')
    >>> seen, memory = np.zeros((2, 4), np.uint64), cuda.mem_alloc(64)
    >>> code.where(2, 4, memory)
    >>> cuda.memcpy_dtoh(seen, memory)
    >>> rows = memory_map.inside(code.where, {"tile": seen}).rows
    >>> [(row.name, row.space, len(row.numbers), row.memories) for row in rows]
    [('tile', 'shared', 1, 2), ('(registers)', 'none', 0, 8)]

In which space a number lies a kernel of this module asks (isspacep). It can tell shared and local memory, whose windows
are the same for all kernels. Constants are those of a module, and parameters those of a launch: elsewhere isspacep
takes their addresses for global ones (recorded on an H200), and so does the map. How many memories stand behind a
number is the rule of its space (PTX ISA, "State Spaces"). How it is drawn: picture/inside.py.
"""
import dataclasses
import html

from course_lib import kernels
from course_lib.core import tables
from course_lib.core.errors import WrongArgument
from course_lib.core.sizes import size

import numpy as np
import pycuda.driver as cuda

from .picture import inside as picture

REGISTERS = "(registers)"
ALL = "all launches"    # global memory outlives the launch
SCOPES = {"shared": "block", "local": "thread", "none": "thread", "global": ALL}
SPACES = ("shared", "local", "global")
ASK = r"""
__global__ void ask(const unsigned long long *numbers, int *spaces, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, shared, local;
    if (i >= n) return;
    asm volatile("{ .reg .pred p; isspacep.shared p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(shared) : "l"(numbers[i]));
    asm volatile("{ .reg .pred p; isspacep.local p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(local) : "l"(numbers[i]));
    spaces[i] = shared ? 0 : local ? 1 : 2;     // places in SPACES
}"""


@dataclasses.dataclass(frozen=True)
class InsideRow:
    """One thing of a kernel: the numbers that threads see as its address, and what is behind them."""

    name: str
    space: str          # "shared", "local", "global", or "none": no address
    numbers: tuple      # different ones
    memories: int       # that the numbers stand for in this launch
    scope: str          # "block", "thread" or "all launches": who has one of its own

    @property
    def one_for(self):
        """Who has one, as in "each block"."""
        return self.scope if self.scope == ALL else f"each {self.scope}"

    @property
    def words(self):
        """As in "1 number, 2 pieces"."""
        if not self.numbers:
            return f"no number, {self.memories} set{'s'[:self.memories != 1]}"
        numbers = "1 number" if len(self.numbers) == 1 else f"{len(self.numbers)} numbers"
        memories = "1 piece" if self.memories == 1 else f"{self.memories} pieces"
        return f"{numbers}, {memories}"

    @property
    def shown_number(self):
        """The number, if there is a single one; else how many there are, "" for none."""
        if len(self.numbers) == 1:
            return f"{self.numbers[0]:#x}"
        return f"{len(self.numbers)} numbers" if self.numbers else ""


class InsideMap:
    """What `inside` found. `rows` is a list of InsideRow; `needs` says what the driver tells of the kernel."""

    def __init__(self, name, blocks, threads, rows, needs):
        self.name, self.blocks, self.threads, self.rows, self.needs = name, blocks, threads, rows, needs

    @property
    def title(self):
        """Of which launch it is: the kernel, its blocks and threads."""
        return (f"Inside {self.name}: {self.blocks} block{'s'[:self.blocks != 1]} of {self.threads} "
                f"thread{'s'[:self.threads != 1]}")

    def _lines(self):
        yield "name", "space", "number", "pieces behind it", "one for"
        for row in self.rows:
            yield row.name, row.space, row.shown_number or "-", str(row.memories), row.one_for

    def __repr__(self):
        head, *lines = self._lines()
        return f"{self.title}\n{tables.text(lines, head)}\n{self.needs}"

    def _repr_html_(self):
        head, *lines = self._lines()
        table = tables.html(lines, head, sections=True)
        return (f"{picture.html(self)}<details><summary>The same as a table</summary>"
                f"{table}<p>The threads reported the numbers; how many pieces of memory there are "
                f"is the rule of the space. "
                f"{html.escape(self.needs)}</p></details>")


def inside(kernel, addresses, shared=0):
    """A map of what is inside a launch: an InsideMap, which shows itself as the last line of a cell.

    kernel:    a kernel of kernels.compile, such as ``code.where``
    addresses: {name: numbers}, which the threads of the launch reported: arrays ``numbers[block, thread]``
    shared:    the dynamic shared memory of the launch, in bytes

    Raises WrongArgument for what is no kernel, and for numbers of another shape or of several spaces.

    CUDA calls: cuFuncGetAttribute, and a kernel of its own with the instruction isspacep.
    """
    if not isinstance(kernel, kernels.Kernel):
        raise WrongArgument("inside takes a kernel of kernels.compile first, such as code.where, not "
                            f"{type(kernel).__name__}")
    arrays = {name: np.asarray(numbers, np.uint64) for name, numbers in dict(addresses).items()}
    blocks, threads = _shape(arrays)
    rows = [_row(name, array, blocks, threads) for name, array in arrays.items()]
    rows.append(InsideRow(REGISTERS, "none", (), blocks * threads, "thread"))
    return InsideMap(kernel.name, blocks, threads, rows, _needs(kernel, shared))


def _shape(arrays):
    """(blocks, threads) of arrays that all have this shape. Raises WrongArgument where they have not."""
    shapes = {array.shape for array in arrays.values()}
    if len(shapes) == 1:
        [shape] = shapes
        if len(shape) == 2 and all(shape):
            return shape
    described = ", ".join(f"{name}: {array.shape}" for name, array in arrays.items()) or "here is none"
    raise WrongArgument(f"inside takes numbers[block, thread] of each name, of one shape for all: {described}")


def _row(name, array, blocks, threads):
    numbers = tuple(int(number) for number in np.unique(array))
    spaces = _spaces(numbers)
    if len(spaces) != 1:
        raise WrongArgument(f"the numbers of {name!r} lie in several spaces ({', '.join(spaces)}): give each its own "
                            "name")
    [space] = spaces
    scope = SCOPES[space]
    memories = {"block": blocks, "thread": blocks * threads}.get(scope, len(numbers))
    return InsideRow(name, space, numbers, memories, scope)


def _spaces(numbers):
    """The names of the spaces in which numbers lie, in the order of SPACES."""
    spaces, addresses = np.zeros(len(numbers), np.int32), np.array(numbers, np.uint64)
    with kernels.compile(ASK) as code:
        put, out = cuda.to_device(addresses), cuda.mem_alloc(spaces.nbytes)
        code.ask(-(-len(numbers) // 64), 64, put, out, len(numbers))
        cuda.memcpy_dtoh(spaces, out)
    return [SPACES[number] for number in np.unique(spaces)]


def _needs(kernel, shared):
    """What the driver says that a launch of the kernel takes, in a sentence."""
    local, registers = kernel.attribute("LOCAL_SIZE_BYTES"), kernel.attribute("NUM_REGS")
    dynamic = f" and {size(shared)} dynamic" if shared else " and no dynamic"
    static = kernel.attribute("SHARED_SIZE_BYTES")
    return (f"The driver says: for each block {size(static)} of static{dynamic} shared memory; for each thread "
            f"{size(local)} of local memory and {registers} registers.")
