"""A job: one series to be measured, before it is. What it takes is known beforehand, so that it can be left out."""
import dataclasses
from collections.abc import Callable

from ..recording import EXPERIMENTS, Series
from .buffers import ON_HOST


@dataclasses.dataclass(frozen=True)
class Job:
    """One series of one experiment (recording.py), and how its points are measured."""

    experiment: str
    what: str
    memory: str
    by: str
    xs: tuple               # in ascending order
    measure: Callable       # measure(bench, job, xs): yields the samples of each x in turn
    needs: Callable         # needs(x): bytes of (the host's, the device's) memory
    seconds: Callable       # seconds(x): about what an H200 takes; only for the time left
    nbytes: int | None = None

    def series(self, points, left_out):
        """The Series of what came of it."""
        experiment = EXPERIMENTS[self.experiment]
        return Series(self.experiment, self.what, self.memory, self.by, self.nbytes, experiment.unit, experiment.x_unit,
                      tuple(points), tuple(left_out))

    def __str__(self):
        return f"{self.experiment}, {self.memory}, {self.what}"


def one_buffer(memory):
    """`needs` of a job with one buffer of `memory`, as large as x."""
    return lambda x: (x, 0) if memory in ON_HOST else (0, x)


def powers(least, most, step):
    """The powers of `step` times `least`, up to `most`, which is always the last."""
    values = []
    while least < most:
        values.append(least)
        least *= step
    return (*values, most)
