"""Follow one thread of a kernel from line to line.

    >>> from course_lib import kernels
    >>> from courseware import kernel_views
    >>> def halved():
    ...     import numpy as np, pycuda.driver as cuda
    ...     code = kernels.compile('''__global__ void halve(int *x) {
    ...         int i = threadIdx.x;
    ...         if (i < 2)
    ...             x[i] = x[i] / 2;
    ...     }''')
    ...     code.halve(1, 4, cuda.to_device(np.array([10, 20, 30, 40], np.int32)))
    >>> trace = kernel_views.trace(halved, thread=1)
    >>> [(step.line, [(access.kind, access.name, access.value) for access in step.accesses]) for step in trace.steps]
    [(1, []), (2, []), (3, []), (4, [('read', 'x[1]', 20), ('write', 'x[1]', 10)]), (5, [])]

Only a simulation can be stopped at each line, so the function runs over the simulated driver, in the sandbox, on every machine.
Kernels are compiled for it with -G, as for a debugger: lines keep instructions of their own. What a GPU usually runs is the
optimised code that `source` shows.

Not here: how a thread is followed (cuda_simulator/stepping/), and what comes of several threads' accesses in another order
(courseware/follow/orders.py).
"""
from collections.abc import Iterable

from course_lib.core import tables
from course_lib.core.errors import WrongArgument

from .. import sandbox

WIDTH = 60          # of the source in the text form
MOST_REGISTERS = 4  # told of a line that assigns no variable
HEAD = ("step", "line", "CUDA C++", "what happened")
DONE = {"read": "reads", "write": "writes", "atomic": "changes"}
TRIED = {"read": "tries to read", "write": "tries to write", "atomic": "tries to change"}
VALUE = {"read": " = ", "write": " = ", "atomic": ", before: "}


def trace(function, *arguments, thread=0, block=0, launch=1, limit=60, timeout=60):
    """Run a function that launches kernels, and follow one thread of one launch; returns a Trace.

    function:  runs in the sandbox over the simulated driver, with a context; it compiles and launches its kernels itself
    arguments: of the function
    thread:    of the block: threadIdx.x, or (x, y, z)
    block:     of the grid: blockIdx.x, or (x, y, z)
    launch:    which of the function's launches; the first is 1
    limit:     how many steps are shown; those after them are counted
    timeout:   in seconds

    A kernel that ends in an error is followed up to there. Names of variables are the compiler's; one that it keeps nowhere
    is not shown, and a line on which nothing else happened tells the registers that it wrote. An assignment is not shown
    where the compiler does not tell which register has the new value, and may not be where the value stays the same. A line
    may have no step if nothing reads what it assigns. An address is told within its space; in shared and local memory it is
    the simulated driver's, which begins at 0. A kernel that uses cooperative groups cannot be followed: -G makes it ask for a
    register that the simulated driver does not have. Raises WrongArgument where there is no such thread, block or launch,
    DriverError where the simulated driver is not built.
    """
    if not callable(function):
        raise WrongArgument(f"trace takes a function that launches kernels, not {type(function).__name__}: pass the "
                            "function itself, and its arguments after it")
    thread, block = _position(thread, "thread"), _position(block, "block")
    for name, number in (("launch", launch), ("limit", limit)):
        if not isinstance(number, int) or number < 1:
            raise WrongArgument(f"{name}={number!r} is not a whole number from 1 on")
    # Without a context of the sandbox's: it would report a fault in the place of what was seen.
    outcome = sandbox.run(_followed, function, arguments, thread, block, launch, limit,
                          timeout=timeout, context=False, simulated=True)
    if outcome.value is None:
        raise WrongArgument(f"there is nothing to follow: the function {outcome.ending}")
    record, failed = outcome.value
    if record.launches < launch:
        ended = f". It ended by {failed}" if failed else ""
        raise WrongArgument(f"launch={launch}, and the function's launches that began to run are "
                            f"{record.launches}{ended}")
    for name, position, extent in (("thread", thread, record.block), ("block", block, record.grid)):
        if any(place >= most for place, most in zip(position, extent)):
            raise WrongArgument(f"{name}={position} is not one of {record.kernel}'s: the launch has {name}s "
                                f"(0, 0, 0) to {tuple(most - 1 for most in extent)}")
    return Trace(record, thread, block, failed)


def _position(position, name):
    """An int or up to three of them as (x, y, z)."""
    axes = tuple(position) if isinstance(position, Iterable) and not isinstance(position, str) else (position,)
    if not 1 <= len(axes) <= 3 or not all(isinstance(axis, int) and axis >= 0 for axis in axes):
        raise WrongArgument(f"{name}={position!r} is not one to three whole numbers from 0 on: pass {name}=3, or "
                            f"{name}=(3, 0, 0)")
    return axes + (0,) * (3 - len(axes))


def _followed(function, arguments, thread, block, launch, limit):
    """In the sandbox: (the Record, how the function failed or "")."""
    from cuda_simulator.stepping.follower import Follower
    from cuda_simulator.watch import watching
    from cuda_without_toolkit import pycuda_without_nvcc

    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as cuda
    failed = ""
    with watching(Follower(thread, block, launch, limit)) as seen, pycuda_without_nvcc.debugging():
        try:
            function(*arguments)
            cuda.Context.synchronize()
        except Exception as error:      # what was seen until then is worth telling all the same
            failed = f"{type(error).__name__}: {error}"
    return seen.record, failed


class Trace:
    """The steps of one thread. It prints itself as a table."""

    def __init__(self, record, thread, block, failed=""):
        self.kernel, self.thread, self.block = record.kernel, thread, block
        self.steps = tuple(record.steps)        # cuda_simulator.stepping.records.LineStep
        self.failed = failed                    # how the function ended, where it did not end well
        self.source = record.source             # CUDA C++
        self._record, self._lines = record, record.source.splitlines()

    def _rows(self):
        for number, step in enumerate(self.steps, 1):
            text = self._lines[step.line - 1] if 0 < step.line <= len(self._lines) else step.text
            yield str(number), str(step.line or ""), step.depth * "> " + text, happened(step)

    def _notes(self):
        """The lines under the table."""
        record, notes = self._record, []
        if record.more_steps:
            notes.append(f"... {record.more_steps} more steps.")
        if self.failed:
            notes.append(f"The function did not end well: {self.failed}")
        if not record.named:
            notes.append("The compiler told no names of variables: registers are shown.")
        notes.append(f"Thread {self.thread} of block {self.block} of {record.kernel}, on the simulated driver, "
                     "compiled with -G.")
        return notes

    def __repr__(self):
        rows = [(number, line, _shortened(text), "; ".join(events)) for number, line, text, events in self._rows()]
        return "\n".join([tables.text(rows, head=HEAD, right={0, 1}), *self._notes()])


def _shortened(text):
    return text if len(text) <= WIDTH else text[:WIDTH - 4] + " ..."


def happened(step):
    """What happened in a step, in a few words each: accesses and variables; else registers."""
    events = list(map(_access, step.accesses)) + _assignments(step.variables)
    if events:
        return events
    registers = _assignments(step.registers)
    return registers if len(registers) <= MOST_REGISTERS else [*registers[:MOST_REGISTERS], "..."]


def _access(access):
    """Such as "reads x[1] = 20 (global 0x302000004)"."""
    verb = (DONE if access.done else TRIED)[access.kind]
    value = "" if access.value is None else f"{VALUE[access.kind]}{access.value!r}"
    place = f"{access.space} {access.address:#x}"
    return f"{verb} {access.name}{value} ({place})" if access.name else f"{verb} {place}{value}"


def _assignments(values):
    return [f"{name} = {value!r}" for name, value in values.items()]
