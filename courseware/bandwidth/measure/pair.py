"""Two devices that reach each other's memory: a Bench on each, with peer access both ways. Not here: what is measured.

Devices 0 and 1 of those that the process is shown; with CUDA_VISIBLE_DEVICES others can be chosen.
"""
import contextlib

from course_lib.core.errors import NotSupported, ask
from course_lib.reservation.mapping import finish_work

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .bench import Bench
from .buffers import buffer


def why_not():
    """The sentence on why there are no two devices to measure here; None where there are."""
    cuda.init()
    if cuda.Device.count() < 2:
        return "there is one device, and what one does to another's memory takes two"
    one, other = cuda.Device(0), cuda.Device(1)
    if not (one.can_access_peer(other) and other.can_access_peer(one)):
        return "devices 0 and 1 cannot reach each other's memory (cuDeviceCanAccessPeer answers 0)"
    if one.name() != other.name():
        return f"devices 0 and 1 are not alike ({one.name()} and {other.name()}), and a recording speaks of one kind"
    return None


class Pair:
    """Use it in ``with``; `benches` are those of devices 0 and 1. Measurements get it in place of a Bench."""

    def __init__(self, effort, clock=None):
        """clock: for tests

        Entering raises NotSupported where there are no two such devices, and WrongContext as Bench does.
        """
        self.effort, self._given_clock = effort, clock

    def __enter__(self):
        if why := why_not():
            raise NotSupported(why)
        with contextlib.ExitStack() as until_complete:
            self.benches = [until_complete.enter_context(Bench(self.effort, cuda.Device(number), self._given_clock))
                            for number in (0, 1)]
            self.device, self.clock = self.benches[0].device, self.benches[0].clock
            self.contexts = []
            for bench in self.benches:
                with bench.current():
                    self.contexts.append(ask(cu.cuCtxGetCurrent))
            self._load_kernels()
            self.set_access(True)
            self._held = until_complete.pop_all()
        return self

    def __exit__(self, *exception):
        return self._held.__exit__(*exception)

    def _load_kernels(self):
        """Run the kernels once. The driver loads one when it is first launched, and may then wait for what a gate holds."""
        sample = self.next_sample()
        for number, bench in enumerate(self.benches):
            with self.memory(number, 4096) as memory:
                bench.fill(memory, 4096, sample)
                bench.check(memory, 4096, sample)
                cuda.memcpy_htod(memory.address, np.uint64(memory.address))
                bench.code.chase(memory.address, 1, bench.stream)

    def set_access(self, enabled):
        """Enable peer access both ways, or disable it. (cuCtxEnablePeerAccess, cuCtxDisablePeerAccess)"""
        for number in (0, 1):
            if enabled:
                self.enable(number)
            else:
                self.disable(number)

    def enable(self, number):
        """Let device `number` reach the other's memory."""
        with self.benches[number].current():
            ask(cu.cuCtxEnablePeerAccess, self.contexts[1 - number], 0)

    def disable(self, number):
        """Let it reach it no more."""
        with self.benches[number].current():
            ask(cu.cuCtxDisablePeerAccess, self.contexts[1 - number])

    @contextlib.contextmanager
    def without_access(self):
        """For the length of a ``with`` block neither device reaches the other's memory."""
        self.set_access(False)
        try:
            yield
        finally:
            self.set_access(True)

    def next_sample(self):
        """As Bench's: a number that no sample had before."""
        return self.benches[0].next_sample()

    @contextlib.contextmanager
    def memory(self, number, nbytes):
        """A Buffer on device `number`. At the end of the block neither device works on it any more."""
        with self.benches[number].current(), buffer("device", nbytes) as made:
            try:
                yield made
            finally:
                for bench in self.benches:
                    with bench.current():
                        finish_work()
