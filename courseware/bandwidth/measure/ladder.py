"""How long one read takes that waits for the one before, by how much memory the reads are spread over: the ladder of
latencies.

As long as all of it fits into a cache, every read finds it there; beyond that, the next cache or the memory itself
answers. So the times make steps, and each step is one of these. Not here: where the steps are (bandwidth/steps.py), and
how far the translation of addresses reaches (translation.py).
"""
from ..recording import EXPERIMENTS
from .buffers import buffer
from .chase_code import CONSTANT, SHARED, ChaseCode
from .job import Job, one_buffer, powers

METHOD = {
    "latency ladder": "One thread follows a chain of addresses that fills x bytes: one in each line of 128 bytes (64 "
                      "in constant memory), in random order. Beforehand, 1,024 threads of its block read the whole "
                      "chain in the same way, and the thread follows it for as many steps as will be timed, but not "
                      "more than once around. Then 8,192 steps (1,024 in pinned memory) are timed. Their cycles, from "
                      "%clock64, are divided by the number of steps, and then by the cycles in a nanosecond, which "
                      "come from reading %clock64 and %globaltimer around the same steps. Through L1: ld.global; past "
                      "L1: ld.global.cg. Pinned memory is read in place, shared memory by ld.shared, constant memory "
                      "by LDC. Where the chain leads to is compared.",
    "clock rate": "Cycles of %clock64 in a nanosecond of %globaltimer: of one thread that follows a chain of x bytes "
                  "of device memory past L1, and of the first block of the kernel of \"working set\", through L1.",
}
STEPS, HOST_STEPS = 1 << 13, 1 << 10
SMALLEST, LARGEST, LARGEST_ON_HOST = 1 << 10, 1 << 30, 64 << 20
CLOCK_SIZES = 32 << 10, 4 << 20, 256 << 20


def jobs(effort):
    """The jobs of this module's experiments."""
    for path in ("read through L1", "read past L1"):
        for memory, largest in (("device", LARGEST), ("pinned", LARGEST_ON_HOST)):
            yield Job("latency ladder", path, memory, "kernel", sizes(SMALLEST, largest, effort), followed,
                      one_buffer(memory), _seconds(effort, memory))
    for memory, largest in (("shared", SHARED), ("constant", CONSTANT)):
        yield Job("latency ladder", "read", memory, "kernel", sizes(SMALLEST, largest, effort), in_kernel,
                  lambda x: (0, x), lambda x: effort.samples * 0.002)
    clock, _ = EXPERIMENTS["clock rate"].whats
    yield Job("clock rate", clock, "device", "kernel", CLOCK_SIZES, followed, one_buffer("device"),
              _seconds(effort, "device"))


def sizes(least, most, effort):
    """Sizes from `least` to `most`, four to an octave, for a step that is short to be seen; of a quick measurement
    one."""
    quarters = (4, 5, 6, 7) if effort.step == 2 else (4,)
    candidates = {size * quarter // 4 for size in powers(least, most, 2) for quarter in quarters}
    return tuple(sorted(size for size in candidates if size <= most))


def followed(bench, job, xs):
    """Of device memory, or of the host's in place, for each size: nanoseconds of a read, or GHz for the clock rate."""
    ladder = job.experiment == "latency ladder"
    path, steps = (job.what if ladder else "read past L1"), (HOST_STEPS if job.memory == "pinned" else STEPS)
    with ChaseCode(bench.stream) as code, buffer(job.memory, max(xs)) as memory:
        for nbytes in xs:
            chain = code.lay(memory.address, nbytes)
            nanoseconds, gigahertz = samples(bench, code, chain, path, steps)
            yield nanoseconds if ladder else gigahertz


def samples(bench, code, chain, path, steps):
    """([nanoseconds of a read], [GHz]) of the samples of a chain. Each begins where the last one ended."""
    measured = [code.follow(chain, path, 2 * steps * number, steps) for number in range(bench.effort.samples)]
    return tuple(map(list, zip(*measured)))


def in_kernel(bench, job, xs):
    """Nanoseconds of a read of shared or of constant memory, for each size."""
    with ChaseCode(bench.stream) as code:
        follow = code.follow_shared if job.memory == "shared" else code.follow_constant
        for nbytes in xs:
            yield [follow(nbytes, STEPS)[0] for _ in range(bench.effort.samples)]


def _seconds(effort, memory):
    per_read = 1.1e-6 * HOST_STEPS if memory == "pinned" else 0.2e-6 * STEPS
    return lambda x: effort.samples * 2 * per_read + x * 1e-10
