"""Measuring: `measure` for a part, `record` for all of it, `measured_here` for a cell that runs on every machine.

What is measured is chosen in plan.py; here it is run, one job after the other. Ctrl-C, or the stop button, ends it:
what was measured is returned, what was not is left out with that reason, and all memory is freed.
"""
import contextlib
import datetime

import course_lib
from course_lib import driver
from course_lib.core.errors import CudaError, NotSupported

import pycuda.driver as cuda

from .. import files
from ..json_fields import DATE
from ..recording import SCHEMA, LeftOut, Point, Recording
from . import machine, overlap, plan
from .bench import FULL, QUICK, Bench
from .how_far import Progress

STOPPED = "It was stopped before this was measured."
TIMELINE_SECONDS = 0.5      # about what one takes


class NotMeasured:
    """What `measured_here` gives where nothing can be measured. It counts as false; its text says why."""

    def __init__(self, why, instead=""):
        self.why, self.instead = why, instead

    def __bool__(self):
        return False

    def __str__(self):
        return "; ".join(filter(None, (self.why, self.instead)))

    __repr__ = __str__


def measure(experiment="copy sweep", memory=None, what=None, quick=True):
    """Measure on this machine's GPU; returns a Recording of it.

    experiment: "copy sweep" or another of EXPERIMENTS, "overlap", or several of them; None for all. Some were recorded
                and are not measured any more: the message of WrongArgument lists those that are
    memory:     kinds of memory, as in palette.LOOKS: one, several, or None for all
    what:       "host to device", ... as in EXPERIMENTS: one, several, or None for all
    quick:      True for fewer sizes and samples: a copy sweep takes less than ten seconds

    Raises NotSupported on the simulated driver, which has no times; WrongArgument for names that there are not;
    WrongData where what arrived is not what was sent.
    """
    if (refused := _not_here()) is not None:
        raise NotSupported(str(refused))
    effort = QUICK if quick else FULL
    # Looked at before a context is made for it.
    chosen = plan.jobs(effort, experiment, memory, what)
    timelines = plan.timelines(experiment, memory)
    with Bench(effort) as bench:
        return run(bench, chosen, timelines)


def measured_here(experiment="copy sweep", memory=None, what=None):
    """As `measure`; a NotMeasured, which counts as false and says what to look at instead, on the simulated driver."""
    refused = _not_here()
    return measure(experiment, memory, what) if refused is None else refused


def record(quick=False):
    """Measure everything; returns a Recording. It takes up to five minutes, a quick one about one and a half.

    Raises as `measure` does.
    """
    return measure(None, quick=quick)


def run(bench, jobs, timelines=(), room=None):
    """Run jobs on a Bench; returns the Recording. `room` is a plan.Room, for tests."""
    room = room or plan.Room.here(cuda.mem_get_info()[0])
    when = datetime.datetime.now(datetime.timezone.utc).strftime(DATE)
    split = [(job, *plan.fitting(job, room)) for job in jobs]
    expected = sum(job.seconds(x) for job, xs, _ in split for x in xs) + TIMELINE_SECONDS * len(timelines)
    series, drawn, stopped = [], [], False
    with Progress(expected) as progress:
        for job, xs, left_out in split:
            points = []
            if not stopped:
                stopped = _run_job(bench, job, xs, points, left_out, progress)
            measured = {point.x for point in (*points, *left_out)}
            left_out += [LeftOut(x, STOPPED) for x in job.xs if x not in measured]
            series.append(job.series(points, sorted(left_out, key=lambda point: point.x)))
        for memory in timelines:
            if not stopped:
                stopped = _run_timeline(bench, memory, room, drawn, progress)
    experiments = {measured_series.experiment for measured_series in series} | ({"overlap"} if drawn else set())
    return Recording(SCHEMA, course_lib.__version__, when, machine.describe(bench.device), plan.method(experiments),
                     tuple(series), tuple(drawn))


def _run_job(bench, job, xs, points, left_out, progress):
    """Append to `points` what is measured, to `left_out` what the driver refuses. True if the user stopped it."""
    if not xs:
        return False
    try:
        progress.at(str(job))
        with contextlib.closing(job.measure(bench, job, xs)) as measurements:      # closed, it frees its memory
            for x, samples in zip(xs, measurements):
                points.append(Point(x, tuple(_rounded(sample) for sample in samples)))
                progress.done(job.seconds(x))
                progress.at(str(job))
    except KeyboardInterrupt:
        return True
    except (MemoryError, cuda.MemoryError, NotSupported, CudaError) as error:
        if isinstance(error, CudaError) and error.name not in ("CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_NOT_SUPPORTED"):
            raise
        left_out += [LeftOut(x, f"The driver refused it: {error}.") for x in xs[len(points):]]
    return False


def _run_timeline(bench, memory, room, drawn, progress):
    """Append to `drawn` the Timeline, of smaller slices where there is little room. True if the user stopped it."""
    slice_bytes = min(overlap.SLICE, min(room.host, room.device) // overlap.SLICES // overlap.UNIT * overlap.UNIT)
    try:
        progress.at(f"overlap, {memory}")
        if slice_bytes:
            drawn.append(overlap.timeline(bench, memory, slice_bytes))
        progress.done(TIMELINE_SECONDS)
    except KeyboardInterrupt:
        return True
    return False


def _rounded(value):
    """To five digits that count: a clock gives no more."""
    return float(f"{value:.5g}")


def _not_here():
    """A NotMeasured where nothing can be measured; None where it can be."""
    if not driver.attached.simulated:
        return None
    return NotMeasured("no measurement here: the simulated driver has no times",
                       f"bandwidth.recordings() has what was recorded on {' and '.join(files.devices())}")
