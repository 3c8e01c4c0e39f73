"""The ladder of latencies in another device's memory, which a kernel of device 0 reads in place. As ladder.py, on two
devices."""
from .chase_code import ChaseCode
from .job import Job
from .ladder import LARGEST, SMALLEST, samples, sizes

METHOD = {
    "peer ladder": "As the latency ladder: one thread of device 0 follows a chain that fills x bytes of device 1's "
                   "memory, to which it has access (cuCtxEnablePeerAccess). 1,024 steps.",
}
STEPS = 1 << 10


def jobs(effort):
    """The jobs of this module's experiment."""
    for what in ("read through L1", "read past L1"):
        yield Job("peer ladder", what, "device", "kernel", sizes(SMALLEST, LARGEST, effort), followed, lambda x: (0, x),
                  lambda x: effort.samples * 0.002 + x * 1e-10)


def followed(pair, job, xs):
    """Nanoseconds of a read, for each size."""
    with pair.memory(1, max(xs)) as memory, pair.benches[0].current(), ChaseCode(pair.benches[0].stream) as code:
        for nbytes in xs:
            yield samples(pair, code, code.lay(memory.address, nbytes), job.what, STEPS)[0]
