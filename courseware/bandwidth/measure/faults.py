"""What a page fault of a kernel costs: managed memory whose pages are on the host is read at one word in every x bytes.

A fault brings more than the page that was touched, so most reads that are close together find their page there already.
What one read costs on average depends on how far apart the reads are, and in what order. Not here: the number of
faults, which a profiler counts.
"""
from ..recording import EXPERIMENTS
from .buffers import buffer
from .job import Job, powers

METHOD = {
    "page faults": "Managed memory of nbytes bytes, allocated and written by the host anew for each sample. A kernel reads "
                   "4 bytes at the beginning of every x bytes, once. One by one: with one thread, which waits for each "
                   "before the next. At once: with a thread for each. In order: from the first to the last. The time of "
                   "the kernel, between two events behind the kernel that holds the stream, over the number of "
                   "reads.",
}
NBYTES, NEAREST, FARTHEST = 32 << 20, 4 << 10, 2 << 20


def jobs(effort):
    """The jobs of this module's experiment."""
    distances = powers(NEAREST, FARTHEST, max(4, effort.step))
    for what in EXPERIMENTS["page faults"].whats:
        yield Job("page faults", what, "managed", "kernel", distances, faults, lambda x: (NBYTES, NBYTES),
                  lambda x: effort.samples * 0.05, nbytes=NBYTES)


def faults(bench, job, xs):
    """Microseconds for one read, for each distance between reads."""
    with buffer("device", job.nbytes) as memory:        # the driver loads a kernel when it is first launched
        sample = bench.next_sample()
        bench.fill(memory, job.nbytes, sample)
        bench.code.forget()
        _read(bench, job, memory, xs[-1], sample)
        bench.stream.synchronize()
        bench.code.require_right()
    for distance in xs:
        yield [_microseconds(bench, job, distance) for _ in range(bench.effort.samples)]


def _microseconds(bench, job, distance):
    """One sample."""
    with buffer("managed", job.nbytes) as memory:
        sample = bench.next_sample()
        bench.fill(memory, job.nbytes, sample, by_host=True)
        bench.code.forget()
        seconds = bench.clock.on_device(bench.stream, bench.gate, lambda: _read(bench, job, memory, distance, sample), 1,
                                        warm_up=False)
        bench.code.require_right()
    return 1e6 * seconds / (job.nbytes // distance)


def _read(bench, job, memory, distance, sample):
    threads, order = job.what.split(", ")
    bench.code.read_apart(memory.address, job.nbytes, distance, sample, order == "random", threads == "one by one",
                          bench.stream)
