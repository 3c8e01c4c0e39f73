"""The steps of a ladder: where a curve is level, and what answers there. Found in the samples; no size of a cache is
known here.

    >>> from courseware.bandwidth import steps
    >>> steps.find([(1, 20.0), (2, 20.1), (4, 20.2), (8, 90.0), (16, 150.0), (32, 151.0), (64, 149.0)])
    ((1, 4, 20.1), (16, 64, 150.0))

A step is a run of neighbouring sizes, at least three of them and from one to its double or more, that are within 6 % of
each other. Of two runs that overlap the longer counts, of two as long the later. Two are one step where they and what
is between them are within 10 %.

Its name says what answered, by what was read and how: the first step through L1 is L1 if it is faster than past L1;
past L1 a step is L2 as long as its middle is less than the L2 cache that the driver tells of (Machine.l2_bytes), and
device memory beyond. Not here: how they are drawn (plots/).
"""
import dataclasses
import math
import statistics

from .wording import size

LEAST, OCTAVE, WITHIN, ONE_STEP = 3, 2, 1.06, 1.1
FASTER = 0.9        # of the time, or the bandwidth, past L1
THROUGH, PAST = "read through L1", "read past L1"
HOST, SHARED, CONSTANT = "host memory", "shared memory", "constant memory"


@dataclasses.dataclass(frozen=True)
class LadderStep:
    """A level part of a curve: from the size `smallest` to `largest`, in bytes, the median is about `level`, in the
    curve's unit."""

    kind: str           # what answered: "L2"
    name: str           # the same, told from other steps of its kind: "L2 from 40 MiB on"
    series: object      # a recording.Series
    smallest: float
    largest: float
    level: float


def find(points):
    """((first x, last x, median of the values), ...) of the steps of points, which are in order of x.

    points: of (x, value); or of (x, value, low, high), the quartiles, where the samples of a point differ: then points
            are within 6 % of each other where their quartiles are
    """
    points = [(x, value, *(spread or (value, value))) for x, value, *spread in points]
    joined = []
    for start, end in _runs(points):
        if joined and _near(points, joined[-1], (start, end)):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return tuple((points[start][0], points[end - 1][0], _median(points[start:end])) for start, end in joined)


def _runs(points, offset=0):
    """[(start, end)] of the longest run of points that are alike, and of those before and after it."""
    best = 0, 0
    for start in range(len(points)):
        end, most, least = start, 0, math.inf
        while end < len(points):
            _, _, low, high = points[end]
            most, least = max(most, low), min(least, high)
            if most > WITHIN * least:
                break
            end += 1
        if end - start >= max(best[1] - best[0], LEAST) and points[end - 1][0] >= OCTAVE * points[start][0]:
            best = start, end
    start, end = best
    if start == end:
        return []
    return [*_runs(points[:start], offset), (offset + start, offset + end), *_runs(points[end:], offset + end)]


def _near(points, run, next_run):
    """Are two runs, and the points between them, one step?"""
    between = [value for _, value, *_ in points[run[1]:next_run[0]]]
    values = [_median(points[slice(*run)]), _median(points[slice(*next_run)]), *between]
    return max(values) <= ONE_STEP * min(values)


def _median(points):
    return statistics.median(value for _, value, *_ in points)


def of_series(series):
    """The same of the points of a recording.Series."""
    return find([(point.x, point.median, point.low, point.high) for point in series.points])


def ladder(recording):
    """The steps of the latency ladder, the fastest first: a tuple of LadderStep, with levels in nanoseconds."""
    steps = of_levels(recording, "latency ladder")
    for memory, name in (("pinned", HOST), ("shared", SHARED), ("constant", CONSTANT)):
        steps += _of_memory(recording, name, memory)
    return tuple(sorted(steps, key=lambda step: step.level))


def of_levels(recording, experiment):
    """The steps of L1, L2 and device memory of an experiment that reads device memory through and past L1, by size."""
    through, past = (_series(recording, experiment, "device", what) for what in (THROUGH, PAST))
    levels = _steps(past)
    steps = _named(["L2" if _in_l2(recording, step, levels) else "device memory" for step in levels], past, levels)
    first_through = _steps(through)[:1]
    if first_through and levels and _is_faster(experiment, first_through[0][2], levels[0][2]):
        steps = _named(["L1"], through, first_through) + steps
    return steps


def _of_memory(recording, name, memory):
    """The steps of memory of another kind: past L1, where it is read both ways."""
    series = next(filter(None, (_series(recording, "latency ladder", memory, what) for what in (PAST, "read"))), None)
    steps = _steps(series)
    return _named([name] * len(steps), series, steps)


def named(recording):
    """{name: LadderStep} of the latency ladder."""
    return {step.name: step for step in ladder(recording)}


def gigahertz(recording, what="one thread reads"):
    """The clock rate of a multiprocessor in a recording, the median of all samples; None where it was not measured."""
    points = [point for series in recording.find("clock rate", what=what) for point in series.points]
    samples = [sample for point in points for sample in point.samples]
    return statistics.median(samples) if samples else None


def cycles(recording, step):
    """The level of a step of the latency ladder in cycles of the multiprocessor's clock; None where that was not
    measured."""
    clock = gigahertz(recording)
    return clock and step.level * clock


def _series(recording, experiment, memory, what):
    return next(iter(recording.find(experiment, memory, what)), None)


def _steps(series):
    return of_series(series) if series else ()


def _is_faster(experiment, value, past):
    return value < FASTER * past if experiment == "latency ladder" else FASTER * value > past


def _in_l2(recording, step, levels):
    """Is L2 what answers at a step? Where its size is not known, all but the last step are."""
    if recording.machine.l2_bytes is None:
        return step != levels[-1]
    return math.sqrt(step[0] * step[1]) < recording.machine.l2_bytes


def _named(kinds, series, steps):
    """The steps of a series. Of those of a kind that comes again, the name says where they begin."""
    return [LadderStep(kind, kind if kind not in kinds[:place] else f"{kind} from {size(step[0])} on", series, *step)
            for place, (kind, step) in enumerate(zip(kinds, steps))]
