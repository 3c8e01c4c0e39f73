"""How the accesses of a warp coalesce: the sectors of memory that each line of a kernel touches. Counts, and no times.

Device memory is moved in sectors of 32 bytes. The 32 threads of a warp that read neighbouring numbers of 4 bytes touch
4 of them; threads that read far apart touch 32. (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".)

    >>> from course_lib import kernels
    >>> from courseware import kernel_views
    >>> def copies():
    ...     import pycuda.driver as cuda
    ...     code = kernels.compile('''
    ...         __global__ void copies(const int *x, int *y) {
    ...             y[threadIdx.x] = x[8 * threadIdx.x];
    ...         }''')
    ...     code.copies(1, 32, cuda.mem_alloc(1024), cuda.mem_alloc(128))
    >>> kernel_views.sectors(copies)
    line  access  warps  sectors per warp  bytes used of those moved
    3     read    1      32                12 %
    3     write   1      4                 100 %

Only a simulation sees every access, so the function runs over the simulated driver, in the sandbox, on every machine.
Not here: how it counts (cuda_simulator/watch.py).
"""
import dataclasses

from .counting import Counts, count


@dataclasses.dataclass(frozen=True)
class GlobalAccess:
    """What one line of a kernel does to global memory, summed over the warps that do it."""

    line: int           # of the source; 0 where the compiler did not tell
    access: str         # "read", "write" or "atomic"
    warps: int          # how many times a warp did it
    sectors: int        # of 32 bytes, touched by all of them
    nbytes: int         # that their threads asked for


class Sectors(Counts):
    """The accesses of some kernels to global memory, as `sectors` counted them."""

    HEAD = ("line", "access", "warps", "sectors per warp", "bytes used of those moved")

    def _row(self, access):
        return (str(access.line), access.access, str(access.warps),
                f"{access.sectors / access.warps:.3g}", f"{100 * access.nbytes // (32 * access.sectors)} %")


def sectors(function, *arguments, timeout=60):
    """Run a function that launches kernels, and count the sectors that they touch; returns Sectors.

    function:  runs in the sandbox over the simulated driver, with a context; it compiles and launches its kernels
               itself
    arguments: of the function
    timeout:   in seconds

    Counted is what the lanes of a warp ask for together. What a cache saves between two accesses is not in it. Raises
    WrongArgument for what is not a function, or for one that does not end well.
    """
    fields = ("access", "requests", "transactions", "bytes_wanted")
    accesses = count("sectors", "Transactions", fields, 3, function, arguments, timeout)
    return Sectors(tuple(GlobalAccess(*values) for values in accesses))
