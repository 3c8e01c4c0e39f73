"""What is the same for all counts of a kernel's accesses: the function runs over the simulated driver, and a table
comes of it.

Not here: what is counted (banks.py).
"""
import dataclasses

from course_lib.core import tables
from course_lib.core.errors import WrongArgument

from .. import sandbox


@dataclasses.dataclass(frozen=True, repr=False)
class Counts:
    """What was counted of some kernels, an access a line. Shown as a table; the subclasses say what its columns are."""

    accesses: tuple

    HEAD = ()

    def rows(self):
        """The table's rows, as texts, in the order of the lines."""
        return [self._row(access) for access in self.accesses]

    def __repr__(self):
        return tables.text(self.rows(), head=self.HEAD)

    def _repr_html_(self):
        return tables.html(self.rows(), head=self.HEAD)


def count(caller, observer, fields, numbers, function, arguments, timeout):
    """Run a function that launches kernels, and watch it; returns [(line of the source, *fields)] of its accesses, in
    order.

    caller:   the name of the helper that a learner called
    observer: the name of a class of cuda_simulator.watch
    fields:   of what its `counts` hold
    numbers:  how many of them, the last ones, are summed: of one line the compiler may have made many instructions

    Raises WrongArgument for what is not a function, or for one that does not end well.
    """
    if not callable(function):
        raise WrongArgument(f"{caller} takes a function that launches kernels, not {type(function).__name__}: pass the "
                            "function itself, and its arguments after it")
    outcome = sandbox.run(watched, observer, fields, numbers, function, arguments, timeout=timeout, simulated=True)
    if not outcome.ok:
        raise WrongArgument(f"there is nothing to count: the function {outcome.ending}")
    return summed(outcome.value)


def summed(counts):
    """[(line, *fields)] in order, where each line and access is one, of what `watched` returned."""
    sums = {}
    for key, numbers in counts:
        sums[key] = [total + more for total, more in zip(sums.get(key, (0,) * len(numbers)), numbers)]
    return [(*key, *numbers) for key, numbers in sorted(sums.items())]


def watched(observer, fields, numbers, function, arguments):
    """In a process that has the simulated driver: run the function, and return [(what an access is, its numbers)]."""
    from cuda_simulator import watch

    import pycuda.driver as cuda
    with watch.watching(getattr(watch, observer)()) as counter:
        function(*arguments)
        cuda.Context.synchronize()
    keys, counts = fields[:-numbers], fields[-numbers:]
    return [((_line(access), *(getattr(access, name) for name in keys)), [getattr(access, name) for name in counts])
            for access in counter.counts.values()]


def _line(access):
    """The line of the source on which an access stands; 0 where that is not known."""
    source = access.instruction.source
    return source[1] if source else 0
