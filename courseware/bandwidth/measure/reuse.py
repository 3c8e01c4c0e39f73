"""Read in place or copy first? Time against how often a kernel reads the same data.

In place, every read crosses the link. Copied first, the link is crossed once, and each read is one of device memory.
"""
from course_lib.core.errors import do

from cuda.bindings import driver as cu

from ..recording import PATTERNS
from .buffers import buffer
from .job import Job, powers

METHOD = {
    "reuse": "Pinned memory of nbytes bytes, written by a kernel before each sample. Read in place: x kernels read it,"
             " one after the other. Copied first: one copy to device memory, then x kernels read that. All on one"
             " stream between two events, behind the kernel that holds the stream.",
}
SIZES = (64 << 10, 512 << 10, 4 << 20, 16 << 20)
MOST_TIMES = 16


def jobs(effort):
    """The jobs of this module's experiment."""
    for nbytes in SIZES if effort.step == 2 else SIZES[1:3]:
        for pattern in PATTERNS:
            for what in ("read in place", "copied first"):
                yield Job("reuse", f"{what}, {pattern}", "pinned", "kernel", powers(1, MOST_TIMES, 2), reuse,
                          _needs(nbytes), _seconds(effort, nbytes, pattern), nbytes=nbytes)


def reuse(bench, job, xs):
    """Milliseconds for each number of times."""
    with buffer("pinned", job.nbytes) as host, buffer("device", job.nbytes) as device:
        for times in xs:
            yield [_milliseconds(bench, job, host, device, times) for _ in range(bench.effort.samples)]


def _milliseconds(bench, job, host, device, times):
    how, pattern = job.what.split(", ")
    stream, code, sample = bench.stream, bench.code, bench.next_sample()

    def work():
        if how == "copied first":
            do(cu.cuMemcpyHtoDAsync, device.address, host.address, job.nbytes, stream.handle)
        for _ in range(times):
            code.read((device if how == "copied first" else host).address, job.nbytes, sample, pattern, stream)
    bench.fill(host, job.nbytes, sample)
    code.forget()
    seconds = bench.clock.on_device(stream, bench.gate, work, 1)
    code.require_right()
    return 1e3 * seconds


def _needs(nbytes):
    return lambda x: (nbytes, nbytes)


def _seconds(effort, nbytes, pattern):
    rate = 50e9 if pattern == "coalesced" else 3e9
    return lambda x: effort.samples * (0.002 + 2 * x * nbytes / rate)
