"""What it costs that pages of managed memory move to the device that touches them, and what the other ways cost.

Data that the host wrote are read by a kernel. Its touch moves the pages (page faults), or a prefetch has
moved them before; against that stand a copy from pinned memory, and reading pinned memory in place.

Here pages are touched one after the other, from the first to the last. Not here: memory that does not fit on the
device.
"""
from course_lib.core.device import location, prefetch
from course_lib.core.errors import do

from cuda.bindings import driver as cu

from .buffers import buffer
from .job import Job, powers

METHOD = {
    "managed to device": "A kernel reads x bytes once, coalesced; GB/s are x over the time. Managed memory is "
                         "allocated and written by the host anew for each sample. On demand: the kernel reads it, "
                         "between two events, behind the kernel that holds the stream. Prefetch: cuMemPrefetchAsync on "
                         "an idle stream and cuStreamSynchronize, by the host's clock; then the kernel between two "
                         "events; prefetch and read is the sum of the two. Read again: the same kernel a second time. "
                         "Pinned memory, written by the host, too: one copy and the kernel, or the kernel in place, "
                         "between two events.",
}
BY = {"first touch": "kernel", "prefetch": "driver", "read after a prefetch": "kernel",
      "prefetch and read": "kernel", "read again": "kernel"}
SMALLEST, LARGEST, LARGEST_QUICK = 64 << 10, 1 << 30, 64 << 20


def jobs(effort):
    """The jobs of this module's experiment."""
    largest = LARGEST if effort.step == 2 else LARGEST_QUICK
    sizes = powers(SMALLEST, largest, max(4, effort.step))
    for way, by in BY.items():
        yield Job("managed to device", way, "managed", by, sizes, managed_to_device, _both, _seconds(effort, 0.65e-9))
    for way in ("copy and read", "read in place"):
        seconds = _seconds(effort, 0.06e-9)
        yield Job("managed to device", way, "pinned", "kernel", sizes, pinned_to_device, _both, seconds)


def managed_to_device(bench, job, xs):
    """GB/s of each size, of a kernel that reads managed memory that the host wrote."""
    _load_kernels(bench)
    for nbytes in xs:
        yield [_rate(nbytes, _managed_to_device(bench, job.what, nbytes)) for _ in range(bench.effort.samples)]


def _managed_to_device(bench, way, nbytes):
    """Seconds of one sample."""
    with buffer("managed", nbytes) as memory:
        sample = _written_by_host(bench, memory, nbytes)
        if way in ("first touch", "read again"):
            return _kernel_reads(bench, memory, nbytes, sample, warm_up=way == "read again")
        moving = bench.clock.on_host(lambda: _move(bench, memory, nbytes), warm_up=False)
        reading = _kernel_reads(bench, memory, nbytes, sample)
        return {"prefetch": moving, "read after a prefetch": reading, "prefetch and read": moving + reading}[way]


def pinned_to_device(bench, job, xs):
    """GB/s of each size, of a kernel that reads pinned memory in place, or a copy of it."""
    _load_kernels(bench)
    for nbytes in xs:
        with buffer("pinned", nbytes) as host, buffer("device", nbytes) as device:
            yield [_rate(nbytes, _pinned_to_device(bench, job.what, host, device, nbytes))
                   for _ in range(bench.effort.samples)]


def _pinned_to_device(bench, way, host, device, nbytes):
    """Seconds of one sample."""
    sample = _written_by_host(bench, host, nbytes)
    if way == "read in place":
        return _kernel_reads(bench, host, nbytes, sample)
    return _kernel_reads(bench, device, nbytes, sample, lambda: do(
        cu.cuMemcpyHtoDAsync, device.address, host.address, nbytes, bench.stream.handle))


def _load_kernels(bench):
    """Run the kernels once: the driver gets it ready at its first launch, and a sample would pay for that."""
    with buffer("device", 4096) as memory:
        sample = bench.next_sample()
        bench.fill(memory, 4096, sample)
        bench.check(memory, 4096, sample)


def _written_by_host(bench, memory, nbytes):
    """Have the host write a sample's pattern; returns the sample."""
    sample = bench.next_sample()
    bench.fill(memory, nbytes, sample, by_host=True)
    return sample


def _kernel_reads(bench, memory, nbytes, sample, before=None, warm_up=False):
    """Seconds until a kernel has read a Buffer, and found a sample's pattern; `before` puts other work before it."""
    def work():
        if before:
            before()
        bench.code.read(memory.address, nbytes, sample, stream=bench.stream)

    bench.code.forget()
    seconds = bench.clock.on_device(bench.stream, bench.gate, work, 1, warm_up)
    bench.code.require_right()
    return seconds


def _move(bench, memory, nbytes):
    """Move the pages of a Buffer to the device, and wait until they are there.

    Not behind the gate: on an H200 a prefetch of 64 KiB on a stream that is busy took 100 to 400 us, on an idle one 60.
    """
    prefetch(memory.address, nbytes, location("device"), bench.stream)
    bench.stream.synchronize()


def _rate(nbytes, seconds):
    """GB/s of so many bytes in so many seconds."""
    return nbytes / seconds / 1e9


def _both(x):
    """Bytes of the host's and the device's memory: the pages are here or there."""
    return x, x


def _seconds(effort, per_byte):
    return lambda x: effort.samples * (0.002 + x * per_byte)
