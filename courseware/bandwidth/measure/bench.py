"""What every measurement needs: a context of its own, a stream, the kernels, a clock, and a fill and a check.

The context is another than the learner's, and destroyed at the end: whatever stops a measurement, Ctrl-C included,
nothing of it is left. Not here: the measurements (copies.py, access.py, costs.py, ...).
"""
import contextlib
import dataclasses
import itertools

from course_lib.core.errors import WrongContext

import pycuda.driver as cuda

from . import patterns
from .device_code import DeviceCode
from .timing import Clock, StreamGate

NON_BLOCKING = 1        # CU_STREAM_NON_BLOCKING: it does not wait for the default stream


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much trouble is taken."""

    samples: int        # of each point
    step: int           # sizes are powers of this number
    largest: int        # size of a copy, in bytes
    repeats: int        # of the largest copy in one sample; of small ones more

    def count(self, nbytes):
        """How often something of `nbytes` bytes is repeated in one sample."""
        return max(self.repeats, min(256, (16 * self.repeats << 20) // nbytes))


FULL = Effort(samples=7, step=2, largest=512 << 20, repeats=16)
QUICK = Effort(samples=5, step=8, largest=512 << 20, repeats=4)


class Bench:
    """Use it in ``with``: the context is current inside."""

    def __init__(self, effort, device=None, clock=None):
        """device: a cuda.Device, or None for the current context's, else the first; clock: for tests"""
        self.effort, self.clock = effort, clock or Clock()
        self.device = device
        self._samples = itertools.count(1)

    def __enter__(self):
        cuda.init()
        if self.device is None:
            self.device = cuda.Context.get_device() if cuda.Context.get_current() else cuda.Device(0)
        try:
            self._context = self.device.make_context()
        except cuda.Error as error:
            raise WrongContext(f"no context can be made to measure in ({error}). If a kernel broke a context, only a "
                               "new process helps: restart this one (in Jupyter: Kernel > Restart)") from error
        self._held = contextlib.ExitStack()
        self._held.callback(self._end_context)
        with contextlib.ExitStack() as until_complete:
            until_complete.push(self._held)
            self.code = self._held.enter_context(DeviceCode(self.device.multiprocessor_count))
            self.gate = self._held.enter_context(StreamGate(self.code))
            self.streams = [cuda.Stream(NON_BLOCKING) for _ in range(3)]
            until_complete.pop_all()
        return self

    def __exit__(self, *exception):
        self.streams = None
        return self._held.__exit__(*exception)

    def _end_context(self):
        self._context.pop()
        self._context.detach()

    @property
    def stream(self):
        """The stream of measurements that need only one."""
        return self.streams[0]

    def next_sample(self):
        """A number that no sample had before; `fill` and `check` make their pattern of it."""
        return next(self._samples)

    def fill(self, buffer, nbytes, sample, by_host=False):
        """Write a sample's pattern to the first `nbytes` of a Buffer, and wait until it is there.

        by_host: have the host write it where a kernel could, too. It leaves pages of managed memory on the host.
        """
        if buffer.reached_by_kernels and not by_host:
            self.code.write(buffer.address, nbytes, sample, stream=self.stream)
            self.stream.synchronize()
        else:
            patterns.fill(buffer.words[:nbytes // 4], sample)

    def check(self, buffer, nbytes, sample):
        """Raise WrongData unless the first `nbytes` of a Buffer hold a sample's pattern."""
        if not buffer.reached_by_kernels:
            patterns.check(buffer.words[:nbytes // 4], sample)
            return
        self.code.forget()
        self.code.read(buffer.address, nbytes, sample, stream=self.stream)
        self.stream.synchronize()
        self.code.require_right()
