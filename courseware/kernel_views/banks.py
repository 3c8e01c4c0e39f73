"""Where a warp has to wait at shared memory: bank conflicts. Counts, and no times.

Shared memory has 32 banks, and word after word of 4 bytes lies in bank after bank. Where threads of a warp want
different words of one bank, the request is split into as many conflict-free ones as it takes. (CUDA C++ Best Practices
Guide, "Shared Memory and Memory Banks".) On an H200 that is kept busy, a conflict-free request takes one cycle: of 714
patterns, each took as many cycles as are counted here (tests/ptx/test_banks.py).

    >>> from course_lib import kernels
    >>> from courseware import kernel_views
    >>> def column():
    ...     import pycuda.driver as cuda
    ...     code = kernels.compile('''
    ...         __global__ void column(int *x) {
    ...             __shared__ int tile[32][32];
    ...             for (int row = 0; row < 32; row++) tile[row][threadIdx.x] = row;
    ...             __syncthreads();
    ...             x[threadIdx.x] = tile[threadIdx.x][7];
    ...         }''')
    ...     code.column(1, 32, cuda.mem_alloc(128))
    >>> kernel_views.bank_conflicts(column)
    line  access  warps  requests per warp  without conflicts
    4     write   32     1                  1
    6     read    1      32                 1

The function runs over the simulated driver, in the sandbox, on every machine. Not here: how it counts
(cuda_simulator/watch.py).
"""
import dataclasses

from .counting import Counts, count


@dataclasses.dataclass(frozen=True)
class SharedCount:
    """What one line of a kernel does to shared memory, summed over the warps that do it."""

    line: int           # of the source; 0 where the compiler did not tell
    access: str         # "read", "write" or "atomic"
    warps: int          # how many times a warp did it
    requests: int       # conflict-free ones that it took
    fewest: int         # it would take without conflicts


class BankCounts(Counts):
    """The accesses of some kernels to shared memory, as `bank_conflicts` counted them."""

    HEAD = ("line", "access", "warps", "requests per warp", "without conflicts")

    def _row(self, access):
        return (str(access.line), access.access, str(access.warps),
                f"{access.requests / access.warps:.3g}", f"{access.fewest / access.warps:.3g}")


def bank_conflicts(function, *arguments):
    """Run a function that launches kernels, and count the requests that each access to shared memory takes; returns
    BankCounts.

    function:  runs in the sandbox over the simulated driver, with a context; it compiles and launches its kernels
               itself
    arguments: of the function

    An access of 8 bytes for each thread takes two requests without conflicts, one of 16 bytes four; a read takes half
    as many where each thread wants what its neighbour wants. Atomics of one word wait for each other, as those of one
    bank do, unless they add 1 and do not use what was there; a compare-and-swap takes two requests. Sums of floats and
    of 64 bits are left out: an H200 makes a loop of them.

    Raises WrongArgument for what is not a function, or for one that does not end well.
    """
    fields = ("access", "warps", "requests", "fewest")
    return BankCounts(tuple(SharedCount(*values) for values in
                            count("bank_conflicts", "BankConflicts", fields, 3, function, arguments, timeout=60)))
