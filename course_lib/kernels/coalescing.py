"""How the accesses of a warp coalesce: the sectors of memory that each line of a kernel touches. Counts, and no times.

Device memory is moved in sectors of 32 bytes. The 32 threads of a warp that read neighbouring numbers of 4 bytes touch 4 of
them; threads that read far apart touch 32. (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".)

    >>> from course_lib import kernels
    >>> def copies():
    ...     import pycuda.driver as cuda
    ...     code = kernels.compile('''
    ...         __global__ void copies(const int *x, int *y) {
    ...             y[threadIdx.x] = x[8 * threadIdx.x];
    ...         }''')
    ...     code.copies(1, 32, cuda.mem_alloc(1024), cuda.mem_alloc(128))
    >>> kernels.sectors(copies)
    line  access  warps  sectors for each  bytes used of those moved
    3     read    1      32                12 %
    3     write   1      4                 100 %

Only a simulation sees every access, so the function runs over the simulated driver, in the sandbox, on every machine. Not here:
how it counts (cuda_simulator/watch.py).
"""
import dataclasses

from .. import sandbox
from ..core import tables
from ..core.errors import WrongArgument

HEAD = ("line", "access", "warps", "sectors for each", "bytes used of those moved")


@dataclasses.dataclass(frozen=True)
class Access:
    """What one line of a kernel does to global memory, summed over the warps that do it."""

    line: int           # of the source; 0 where the compiler did not tell
    access: str         # "read", "write" or "atomic"
    warps: int          # how many times a warp did it
    sectors: int        # of 32 bytes, touched by all of them
    nbytes: int         # that their threads asked for


@dataclasses.dataclass(frozen=True, repr=False)
class Sectors:
    """The accesses of some kernels, as `sectors` counted them. Shown as a table."""

    accesses: tuple

    def rows(self):
        """The table's rows, as texts, in the order of the lines."""
        return [(str(one.line), one.access, str(one.warps), f"{one.sectors / one.warps:.3g}",
                 f"{100 * one.nbytes // (32 * one.sectors)} %") for one in self.accesses]

    def __repr__(self):
        return tables.text(self.rows(), head=HEAD)

    def _repr_html_(self):
        return tables.html(self.rows(), head=HEAD)


def sectors(function, *arguments, timeout=60):
    """Run a function that launches kernels, and count the sectors that they touch; returns Sectors.

    function:  runs in the sandbox over the simulated driver, with a context; it compiles and launches its kernels itself
    arguments: of the function
    timeout:   in seconds

    Counted is what the lanes of a warp ask for together. What a cache saves between two accesses is not in it. Raises
    WrongArgument for what is not a function, or for one that does not end well.
    """
    if not callable(function):
        raise WrongArgument(f"sectors takes a function that launches kernels, not {type(function).__name__}: pass the function "
                            "itself, and its arguments after it")
    outcome = sandbox.run(_counted, function, arguments, timeout=timeout, simulated=True)
    if not outcome.ok:
        raise WrongArgument(f"there is nothing to count: the function {outcome.ending}")
    return Sectors(tuple(Access(*one) for one in outcome.value))


def _counted(function, arguments):
    """In the sandbox: the fields of each Access."""
    from cuda_simulator.watch import Transactions, watching

    import pycuda.driver as cuda
    with watching(Transactions()) as seen:
        function(*arguments)
        cuda.Context.synchronize()
    return sorted((one.instruction.source[1] if one.instruction.source else 0, one.access, one.requests, one.transactions,
                   one.bytes_wanted) for one in seen.counts.values())
