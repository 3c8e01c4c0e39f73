"""What two devices do with each other's memory: copies by the engines, kernels that reach across, how long one read takes.

Data go from one device to the other, and either may do the work: the one that gets the data *reads*, the one that has them
*writes*. nvbandwidth tells them apart in the same way (its README, "device_to_device_memcpy_read_ce" and so on).
Not here: what it costs to come into reach of memory (sharing.py).
"""
import contextlib
import dataclasses
import itertools

from course_lib.core.errors import ask

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ..recording import EXPERIMENTS
from .bench import Bench
from .buffers import Buffer
from .job import Job, powers
from .patterns import WrongData

METHOD = {
    "peer bandwidth": "Two devices, each with access to the other's memory (cuCtxEnablePeerAccess). Data go from device 0 "
                      "to device 1 (0 to 1) or back; read: on a stream of the device that gets them, write: on a stream of "
                      "the device that has them. By copy engine: cuMemcpyDtoDAsync in a batch as in the copy sweep. By "
                      "kernel: one kernel reads or writes the other device's memory, coalesced, in a batch as in kernel "
                      "access. Both ways: each device does the same at once, from when both are warm until both are done; "
                      "the bytes of both over the time. Without access: cuMemcpyPeerAsync on a stream of device 0 while "
                      "neither device may reach the other's memory, a quarter as many, by the host's clock.",
    "peer latency": "One thread follows a chain of addresses, each in a line of 128 bytes of its own, in random order "
                    "through all of the memory and past the L1 cache (volatile); the time of the kernel between two "
                    "events over its 16,384 reads, the next of the chain; as many before are not timed. Where they lead to is "
                    "compared.",
}
WAYS = {"0 to 1": ((0, 1),), "1 to 0": ((1, 0),), "both ways": ((0, 1), (1, 0))}
SMALLEST = {"copy engine": 4, "kernel": 64}
LINE, STEPS = 128, 1 << 14
SMALLEST_CHAIN, LARGEST_CHAIN = 64 << 10, 1 << 30
WITHOUT = "without access"


def jobs(effort):
    """The jobs of this module's experiments."""
    for what in EXPERIMENTS["peer bandwidth"].whats:
        for by in ("copy engine", "kernel") if not what.startswith(WITHOUT) else ("copy engine",):
            yield Job("peer bandwidth", what, "device", by, powers(SMALLEST[by], effort.largest, effort.step), bandwidth,
                      lambda x: (0, 2 * x), lambda x: effort.samples * (0.005 + effort.count(x) * x / 3e11))
    for what in EXPERIMENTS["peer latency"].whats:
        yield Job("peer latency", what, "device", "kernel", powers(SMALLEST_CHAIN, LARGEST_CHAIN, max(4, effort.step)), latency,
                  lambda x: (2 * x, x), lambda x: effort.samples * 0.03 + x / 2e8)


@dataclasses.dataclass(frozen=True)
class Flow:
    """Data that go from one device to the other: what is enqueued for them, and what must have come of it."""

    by: str             # "copy engine" or "kernel"
    action: str         # "read", "write" or "without access"
    source: Buffer      # and its Bench
    target: Buffer
    owner: Bench        # of the source
    receiver: Bench     # the target's

    @property
    def worker(self):
        """The Bench of the device that does the work."""
        return self.receiver if self.action == "read" else self.owner

    def prepare(self, nbytes, sample):
        """Have a sample's pattern where it comes from; a kernel that writes makes it itself."""
        if self.by == "copy engine" or self.action == "read":
            with self.owner.current():
                self.owner.fill(self.source, nbytes, sample)
        if self.by == "kernel":
            self.worker.code.forget()

    def enqueue(self, nbytes, sample, contexts):
        """Put the work on the worker's stream; its context is current."""
        worker = self.worker
        if self.by == "kernel" and self.action == "read":
            worker.code.read(self.source.address, nbytes, sample, stream=worker.stream)
        elif self.by == "kernel":
            worker.code.write(self.target.address, nbytes, sample, stream=worker.stream)
        elif self.action == WITHOUT:
            ask(cu.cuMemcpyPeerAsync, self.target.address, contexts[1], self.source.address, contexts[0], nbytes,
                worker.stream.handle)
        else:
            ask(cu.cuMemcpyDtoDAsync, self.target.address, self.source.address, nbytes, worker.stream.handle)

    def check(self, nbytes, sample):
        """Raise WrongData unless the sample's pattern arrived."""
        if self.by == "kernel" and self.action == "read":
            self.worker.code.require_right()
        else:
            with self.receiver.current():
                self.receiver.check(self.target, nbytes, sample)


def bandwidth(pair, job, xs):
    """GB/s of each size, of both directions together where there are two."""
    action, way = job.what.split(", ")
    with contextlib.ExitStack() as held:
        flows = [Flow(job.by, action, held.enter_context(pair.memory(source, max(xs))),
                      held.enter_context(pair.memory(target, max(xs))), pair.benches[source], pair.benches[target])
                 for source, target in WAYS[way]]
        if action == WITHOUT:
            held.enter_context(pair.without_access())
        for nbytes in xs:
            yield [_rate(pair, flows, nbytes) for _ in range(pair.effort.samples)]


def _rate(pair, flows, nbytes):
    """GB/s of one sample."""
    sample, count = pair.next_sample(), pair.effort.count(nbytes)
    for flow in flows:
        flow.prepare(nbytes, sample)
    by_worker = {flow.worker: flow for flow in flows}

    def enqueue(bench):
        by_worker[bench].enqueue(nbytes, sample, pair.contexts)
    if flows[0].action == WITHOUT:
        seconds, count = _by_the_host(flows[0].worker, enqueue, count)
    elif len(flows) == 2:
        seconds = pair.clock.on_two_devices(*by_worker, enqueue, count)
    else:
        worker, = by_worker
        with worker.current():
            seconds = pair.clock.on_device(worker.stream, worker.gate, lambda: enqueue(worker), count)
    for flow in flows:
        flow.check(nbytes, sample)
    return len(flows) * nbytes * count / seconds / 1e9


def _by_the_host(worker, enqueue, count):
    """(seconds, copies) without a gate: such a copy may go by way of the host, which then would wait for ever."""
    count = max(1, count // 4)

    def batch(copies=count):
        for _ in range(copies):
            enqueue(worker)
        worker.stream.synchronize()
    with worker.current():
        batch(1)
        return worker.clock.on_host(batch, warm_up=False), count


def latency(pair, job, xs):
    """Microseconds of one read, for each size of the memory."""
    words = job.what.split()        # "device 0 reads device 1"
    reader, owner = (pair.benches[int(words[place])] for place in (1, 4))
    for nbytes in xs:
        with pair.memory(pair.benches.index(owner), nbytes) as memory:
            order = chain(memory.address, nbytes)
            places = itertools.cycle(range(0, order.size, STEPS))
            with reader.current():
                yield [_read_time(reader, order, places) for _ in range(pair.effort.samples)]


def chain(address, nbytes):
    """Write a chain of addresses to memory, one in each line, in random order; returns the order of the addresses.

    Always the same order: what differs between two measurements is not the chain.
    """
    order = np.random.default_rng(0).permutation(nbytes // LINE)
    lines = np.zeros((nbytes // LINE, LINE // 8), np.uint64)
    addresses = np.uint64(address) + order.astype(np.uint64) * np.uint64(LINE)
    lines[order, 0] = np.roll(addresses, -1)
    cuda.memcpy_htod(address, lines)
    return addresses


def _read_time(reader, order, places):
    """One sample. Each kernel begins where the last ended, so that a cache has what it reads only where it has all of it."""
    begun = []

    def follow():
        begun.append(next(places))
        reader.code.chase(int(order[begun[-1]]), STEPS, reader.stream)
    seconds = reader.clock.on_device(reader.stream, reader.gate, follow, 1)
    if reader.code.chased() != int(order[(begun[-1] + STEPS) % order.size]):
        raise WrongData("the chain of addresses led elsewhere than it was laid")
    return 1e6 * seconds / STEPS
