"""How fast all multiprocessors together read the same memory again and again, by how much of it there is.

As long as all of it fits into the L1 cache of each multiprocessor, each reads its own copy; as long as it fits into L2,
that answers; beyond, device memory. Not here: how long a single read takes (ladder.py).
"""
import contextlib

import numpy as np
import pycuda.driver as cuda

from ..recording import EXPERIMENTS
from .buffers import buffer
from .chase_code import PATHS, ChaseCode, times
from .job import Job
from .ladder import sizes
from .patterns import STEP, WrongData, seed_of

METHOD = {
    "working set": "One kernel with a block of 1,024 threads for each multiprocessor. Each block reads all of x bytes "
                   "of device memory, 16 bytes a thread, each block from another place on, again and again until it "
                   "has read about 64 MiB, at least once. GB/s: the bytes that all blocks read over the kernel's time "
                   "between two events behind the gate of the copy sweep. Through L1: ld.global; past L1: "
                   "ld.global.cg. The sum of all words that were read is compared, and afterwards the data.",
}
SMALLEST, LARGEST = 1 << 10, 512 << 20
READ = 64 << 20             # bytes that a block reads, about
CLOCK_SIZES = 32 << 10, 4 << 20, 256 << 20


def jobs(effort):
    """The jobs of this module's experiment, and of the clock rate meanwhile."""
    for path in PATHS:
        yield Job("working set", path, "device", "kernel", sizes(SMALLEST, LARGEST, effort), bandwidth,
                  lambda x: (0, x), lambda x: effort.samples * 2 * max(x, READ) * 132 / 5e12)
    _, all_of_them = EXPERIMENTS["clock rate"].whats
    yield Job("clock rate", all_of_them, "device", "kernel", CLOCK_SIZES, clock_rate, lambda x: (0, x), lambda x: 0.02)


def bandwidth(bench, job, xs):
    """GB/s of all multiprocessors together, for each size."""
    with Readers(bench, max(xs)) as readers:
        # The driver loads a kernel when it is first asked for, and may wait for a gate.
        readers.clock_rate(job.what, xs[0])
        for nbytes in xs:
            yield [readers.rate(job.what, nbytes) for _ in range(bench.effort.samples)]


def clock_rate(bench, job, xs):
    """GHz while all multiprocessors read, for each size."""
    with Readers(bench, max(xs)) as readers:
        for nbytes in xs:
            yield [readers.clock_rate("read through L1", nbytes) for _ in range(bench.effort.samples)]


def blocks(device):
    """One for each multiprocessor of a cuda.Device."""
    return device.multiprocessor_count


class Readers:
    """The kernel that reads again and again, and the memory that it reads. Use it in ``with``."""

    def __init__(self, bench, nbytes):
        """nbytes: the most to be read"""
        self._bench, self._nbytes, self._blocks = bench, nbytes, blocks(bench.device)

    def __enter__(self):
        with contextlib.ExitStack() as until_complete:
            self._memory = until_complete.enter_context(buffer("device", self._nbytes))
            self._total = until_complete.enter_context(buffer("device", 4))
            self._code = until_complete.enter_context(ChaseCode(self._bench.stream))
            self._held = until_complete.pop_all()
        return self

    def __exit__(self, *exception):
        return self._held.__exit__(*exception)

    def rate(self, path, nbytes):
        """GB/s of one sample."""
        with self._summed(nbytes) as read:
            seconds = self._bench.clock.on_device(self._bench.stream, self._bench.gate, lambda: read(path), 1)
        return self._blocks * times(nbytes, READ) * nbytes / seconds / 1e9

    def clock_rate(self, path, nbytes):
        """GHz of one sample."""
        with self._summed(nbytes) as read:
            read(path, report=True)
            return self._code.clock_rate()

    @contextlib.contextmanager
    def _summed(self, nbytes):
        """Gives ``read(path, report)``, which puts the kernel on the stream. At the end the sum of what it read must be
        right, and the data: in a sum of words that were read an even number of times, their highest bits do not
        count."""
        sample, kernels = self._bench.next_sample(), []
        self._bench.fill(self._memory, nbytes, sample)
        cuda.memset_d32(self._total.address, 0, 1)
        cuda.Context.synchronize()

        def read(path, report=False):
            self._code.read_again(self._memory.address, nbytes, path, self._blocks, READ, self._total.address, report)
            kernels.append(path)
        yield read
        total = np.empty(1, np.uint32)
        cuda.memcpy_dtoh(total, self._total.address)
        words = nbytes // 4
        once = STEP * (words * (words - 1) // 2) + words * seed_of(sample)
        if int(total[0]) != len(kernels) * self._blocks * times(nbytes, READ) * once % 2**32:
            raise WrongData(f"the words that were read of {nbytes} bytes have another sum than those that were written")
        self._bench.check(self._memory, nbytes, sample)
