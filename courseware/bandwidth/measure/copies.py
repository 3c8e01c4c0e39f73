"""Copies by the copy engine: how many bytes a second, in each direction.

A batch of asynchronous copies on a non-blocking stream, as nvbandwidth does it. Each sample copies a pattern of its
own, and the target is compared with it afterwards.
"""
import contextlib

from course_lib.core.errors import do

from cuda.bindings import driver as cu

from .buffers import ON_HOST, buffer
from .job import Job, powers

METHOD = {
    "copy sweep": "Each speed comes from a batch of asynchronous copies on a non-blocking stream, timed by two "
                  "events. A batch is 16 copies of 512 MiB (4 in a quick sweep) or up to 256 smaller ones. An "
                  "untimed copy comes first, and a kernel holds the stream until the whole batch is enqueued. "
                  "Batches from pageable memory have a quarter as many copies, and the host times them until the "
                  "stream is done. 1 GB/s is 10^9 bytes a second.",
}
COPY = {"host to device": cu.cuMemcpyHtoDAsync, "device to host": cu.cuMemcpyDtoHAsync,
        "device to device": cu.cuMemcpyDtoDAsync}
SMALLEST = 4


def jobs(effort):
    """The jobs of this module's experiment."""
    sizes = powers(SMALLEST, effort.largest, effort.step)
    for memory in (*ON_HOST, "mapped reservation"):
        for direction in ("host to device", "device to host"):
            yield Job("copy sweep", direction, memory, "copy engine", sizes, sweep, _needs(memory),
                      _seconds(effort, memory))
    yield Job("copy sweep", "device to device", "device", "copy engine", sizes, sweep, lambda x: (0, 2 * x),
              lambda x: 0.01)


def sweep(bench, job, xs):
    """GB/s of each size."""
    with _ends(job, max(xs)) as (source, target):
        for nbytes in xs:
            yield [_copies(bench, job.what, source, target, nbytes) for _ in range(bench.effort.samples)]


@contextlib.contextmanager
def _ends(job, nbytes):
    """(source, target): a buffer of the job's memory, and at the other end ordinary memory."""
    other_kind = "pinned" if job.memory == "mapped reservation" else "device"
    with buffer(job.memory, nbytes) as end, buffer(other_kind, nbytes) as another:
        from_it = (job.what == "host to device") == end.on_host
        yield (end, another) if from_it else (another, end)


def _copies(bench, direction, source, target, nbytes):
    """GB/s of one sample."""
    sample, count = bench.next_sample(), bench.effort.count(nbytes)
    bench.fill(source, nbytes, sample)

    def enqueue():
        _copy(direction, source, target, nbytes, bench.stream)

    if source.reached_by_kernels and target.reached_by_kernels:
        seconds = bench.clock.on_device(bench.stream, bench.gate, enqueue, count)
    else:
        count = max(1, count // 4)

        def batch():
            for _ in range(count):
                enqueue()
            bench.stream.synchronize()
        enqueue()
        bench.stream.synchronize()
        seconds = bench.clock.on_host(batch, warm_up=False)
    bench.check(target, nbytes, sample)
    return nbytes * count / seconds / 1e9


def _copy(direction, source, target, nbytes, stream):
    do(COPY[direction], target.address, source.address, nbytes, stream.handle)


def _needs(memory):
    return lambda x: (0, 2 * x) if memory == "device" else (x, x)


def _seconds(effort, memory):
    rate = 2e9 if memory == "pageable" else 50e9
    return lambda x: effort.samples * (0.002 + effort.count(x) * x / rate)
