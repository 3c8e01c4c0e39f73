"""Kernels that read and write each kind of memory in place, in three patterns of access (device_code.py).

Of host memory every access crosses the link: that is *zero-copy*. GB/s count the bytes that the kernel asked for,
not those that a strided access moves in vain.
"""
from ..recording import PATTERNS
from .buffers import ON_DEVICE, ON_HOST, buffer
from .job import Job, one_buffer, powers

METHOD = {
    "kernel access": "One kernel reads or writes the whole buffer, and is repeated in a batch as in the copy sweep "
                     "(strided and random: a quarter as often). Coalesced: 16 bytes a thread; strided: 4 bytes at a "
                     "distance of 132; random: 4 bytes anywhere. Each word is touched once. Only bytes that the "
                     "kernel uses are counted.",
}
SMALLEST, LARGEST_SCATTERED = 64, 64 << 20
REACHED = (*(memory for memory in ON_HOST if memory != "pageable"), *ON_DEVICE)


def jobs(effort):
    """The jobs of this module's experiment."""
    for memory in REACHED:
        for action in ("read", "write"):
            for pattern in PATTERNS:
                sizes = (powers(SMALLEST, effort.largest, effort.step) if pattern == "coalesced" else
                         powers(1 << 20, LARGEST_SCATTERED, 8))
                yield Job("kernel access", f"{action}, {pattern}", memory, "kernel", sizes, access, one_buffer(memory),
                          _seconds(effort, memory, pattern))


def access(bench, job, xs):
    """GB/s of each size."""
    action, pattern = job.what.split(", ")
    measure = {"read": _read, "write": _write}[action]
    with buffer(job.memory, max(xs)) as memory:
        for nbytes in xs:
            yield [measure(bench, memory, nbytes, pattern) for _ in range(bench.effort.samples)]


def _read(bench, memory, nbytes, pattern):
    sample = bench.next_sample()
    bench.fill(memory, nbytes, sample)
    bench.code.forget()
    rate = _rate(bench, nbytes, pattern,
                 lambda: bench.code.read(memory.address, nbytes, sample, pattern, bench.stream))
    bench.code.require_right()
    return rate


def _write(bench, memory, nbytes, pattern):
    sample = bench.next_sample()
    rate = _rate(bench, nbytes, pattern,
                 lambda: bench.code.write(memory.address, nbytes, sample, pattern, bench.stream))
    bench.check(memory, nbytes, sample)
    return rate


def _rate(bench, nbytes, pattern, enqueue):
    count = bench.effort.count(nbytes)
    if pattern != "coalesced":
        count = max(1, count // 4)
    return nbytes * count / bench.clock.on_device(bench.stream, bench.gate, enqueue, count) / 1e9


def _seconds(effort, memory, pattern):
    rate = (2e12 if memory in ON_DEVICE else 45e9) if pattern == "coalesced" else 3e9
    return lambda x: effort.samples * (0.005 + effort.count(x) * x / rate / (1 if pattern == "coalesced" else 4))
