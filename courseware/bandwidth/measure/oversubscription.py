"""How fast a kernel sweeps managed memory that is half, nearly all, or more than all of what the device has free.

The memory is filled by the kernel's own first touch, or by a prefetch, and swept again. What fits stays on the device,
and the second sweep finds it there. More than fits is *oversubscription*: pages go to the host to make room for others.
That is measured only where the caller asks for it. A GPU that others use stands still for them meanwhile, and the host
needs room for what does not fit.

Not here: memory that fits with ease, whose pages come from the host (managed_memory.py).
"""
import contextlib
import functools

import pycuda.driver as cuda

from .buffers import PAGE, buffer
from .job import Job
from .managed_memory import kernel_reads, load_kernels, prefetch, rate

METHOD = {
    "oversubscription": "Managed memory, so much of what the device has free before it is allocated. First touch: "
                        "allocated anew for each sample, and written by a kernel, coalesced, between two events behind "
                        "the kernel that holds the stream. Prefetch: allocated anew for each sample; "
                        "cuMemPrefetchAsync to the device on an idle stream and cuStreamSynchronize, by the host's "
                        "clock. Sweep again: prefetched and written once, then read by a kernel for each sample, "
                        "between two events. Samples are taken for two seconds, one of them at least. GB/s are the "
                        "bytes over the time.",
}
FITTING, BEYOND = (50, 90), (110, 150)      # percent of what is free
ENOUGH = 2          # seconds after which no further sample is begun; one may take longer
REFUSED = ("It is more than the device has free. Where nobody else uses the GPU, this measures it: "
           'bandwidth.measure("oversubscription", oversubscribe=True).')


def jobs(effort):
    """The jobs of this module's experiment."""
    ways = {"first touch": ("kernel", _touches), "prefetch": ("driver", _prefetches),
            "sweep again": ("kernel", _sweeps)}
    for what, (by, samples_of) in ways.items():
        yield Job("oversubscription", what, "managed", by, FITTING + BEYOND, functools.partial(_measured, samples_of),
                  _beside, lambda x: 3 + x / 20,
                  refuse=lambda x: REFUSED if x > 100 and not effort.oversubscribe else None)


def _measured(samples_of, bench, job, xs):
    """GB/s of each share of what is free, as many samples as there is time for."""
    load_kernels(bench)
    for x in xs:
        found, begun = [], bench.clock.now()
        with contextlib.closing(samples_of(bench, x)) as samples:       # closed, it frees its memory
            while len(found) < bench.effort.samples and (not found or bench.clock.now() - begun < ENOUGH):
                found.append(next(samples))
        yield found


def _touches(bench, x):
    while True:
        yield _touch(bench, x)


def _touch(bench, x):
    with _share(x) as memory:
        sample = bench.next_sample()
        seconds = bench.clock.on_device(bench.stream, bench.gate, lambda: bench.code.write(
            memory.address, memory.nbytes, sample, stream=bench.stream), 1, warm_up=False)
        bench.check(memory, memory.nbytes, sample)
        return rate(memory.nbytes, seconds)


def _prefetches(bench, x):
    while True:
        with _share(x) as memory:
            nbytes = memory.nbytes
            seconds = bench.clock.on_host(functools.partial(prefetch, bench, memory, nbytes, "device"), warm_up=False)
        yield rate(nbytes, seconds)


def _sweeps(bench, x):
    with _share(x) as memory:
        prefetch(bench, memory, memory.nbytes, "device")
        sample = bench.next_sample()
        bench.fill(memory, memory.nbytes, sample)
        while True:
            yield rate(memory.nbytes, kernel_reads(bench, memory, memory.nbytes, sample))


def _share(x):
    """A Buffer of managed memory, as much as x percent of what the device has free."""
    return buffer("managed", max(PAGE, _percent(x) // PAGE * PAGE))


def _beside(x):
    """Bytes of the host's memory for what does not fit. What is taken of the device is what x says."""
    return max(0, _percent(x - 100)), 0


def _percent(x):
    return int(cuda.mem_get_info()[0] * x / 100)
