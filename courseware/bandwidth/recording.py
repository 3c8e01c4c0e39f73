"""A recording: what was measured, on which machine, when and how.

    >>> from courseware.bandwidth import recording
    >>> point = recording.Point(512 << 20, (55.3, 55.4, 55.1))
    >>> point.median, point.low, point.high       # the middle one, and the quartiles
    (55.3, 55.2, 55.35)

A Recording has `series`, each a curve of points with all their samples, and `timelines`, what ran when. Nothing in it
is computed from a model. Not here: its file (files.py), how one is measured, and how it is drawn (plots/).
"""
import dataclasses
import statistics

from ..notebook.palette import LOOKS
from .json_fields import (
    checked,
    count,
    date,
    dates_of,
    instance_of,
    list_of,
    not_negative,
    one_of,
    optional,
    positive,
    samples,
    sentences,
    text,
)

SCHEMA = 1      # of the file; raised whenever an older reader would misunderstand a newer file

PATTERNS = ("coalesced", "strided", "random")


@dataclasses.dataclass(frozen=True)
class Experiment:
    """What the series of one experiment may hold."""

    unit: str       # of samples
    x_unit: str
    whats: tuple
    devices: int = 1        # how many it takes
    cpus: bool = True       # it matters how many CPUs the host has


def _each(*actions):
    return tuple(f"{action}, {pattern}" for action in actions for pattern in PATTERNS)


EXPERIMENTS = {
    "copy sweep": Experiment("GB/s", "bytes", ("host to device", "device to host", "device to device")),
    "kernel access": Experiment("GB/s", "bytes", _each("read", "write")),
    # One copy, from the call until the host knows that it is done. Recorded, and not measured any more.
    "latency": Experiment("us", "bytes", ("host to device", "device to host")),
    "host memory cost": Experiment("ms", "bytes", ("allocate", "register", "unregister", "free")),
    # x is the size that results; each step adds as much again.
    "growth": Experiment("ms", "bytes", ("in place", "reallocate and copy")),
    "kernel heap": Experiment("million/s", "blocks", ("malloc", "free")),   # one block for each thread; as "latency"
    "reuse": Experiment("ms", "times read", _each("read in place", "copied first")),
    # From the moment that the data are complete on one side until the other side has read them.
    "managed to device": Experiment("GB/s", "bytes", (
        "first touch", "prefetch", "read after a prefetch", "prefetch and read", "copy and read", "read in place",
        "read again")),
    # One read of a thread that waits for each before the next; x is the size of what the reads are spread over.
    "latency ladder": Experiment("ns", "bytes", ("read through L1", "read past L1", "read"), cpus=False),
    "clock rate": Experiment("GHz", "bytes", ("one thread reads", "all multiprocessors read"), cpus=False),
    # x percent of the lines take at most so long; nbytes are read in turn.
    "L2 lines": Experiment("ns", "percent", ("read past L1",), cpus=False),
    # All multiprocessors together, each of which reads all of x bytes.
    "working set": Experiment("GB/s", "bytes", ("read through L1", "read past L1"), cpus=False),
    "translation reach": Experiment(
        "ns", "bytes", tuple(f"one read in {size}" for size in ("64 KiB", "2 MiB", "32 MiB")), cpus=False),
    # Devices 0 and 1, each with access to the other's memory. Who gets the data reads, who has them writes; x bytes
    # each way.
    "peer bandwidth": Experiment("GB/s", "bytes", (*(f"{action}, {way}" for way in ("0 to 1", "1 to 0", "both ways")
                                                     for action in ("read", "write")), "without access, 0 to 1"), 2),
    # The latency ladder of device 1's memory, read by device 0.
    "peer ladder": Experiment("ns", "bytes", ("read through L1", "read past L1"), 2, cpus=False),
}


@dataclasses.dataclass(frozen=True)
class Point:
    """Repeated measurements of one thing: `samples`, in the unit of the series, at `x`."""

    x: float = checked(positive)
    samples: tuple = checked(samples)

    @property
    def median(self):
        """The median of the samples."""
        return statistics.median(self.samples)

    @property
    def low(self):
        """The lower quartile: a quarter of the samples are below it."""
        return self._quartile(0)

    @property
    def high(self):
        """The upper quartile."""
        return self._quartile(2)

    def _quartile(self, which):
        if len(self.samples) == 1:
            return self.samples[0]
        return round(statistics.quantiles(self.samples, method="inclusive")[which], 12)


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A point that was not measured, and why: a sentence."""

    x: float = checked(positive)
    why: str = checked(text)


@dataclasses.dataclass(frozen=True)
class Series:
    """One curve. `points` are in order of x, and may be none where all were left out."""

    experiment: str = checked(one_of(EXPERIMENTS))
    what: str = checked(text)               # one of the experiment's `whats`
    memory: str = checked(one_of(LOOKS))    # the kind whose access is measured; the other end of a copy is ordinary
    by: str = checked(one_of(("copy engine", "kernel", "CPU", "driver")))
    nbytes: int | None = checked(optional(count))   # of the data, or of a block, where x does not tell
    unit: str = checked(text)
    x_unit: str = checked(text)
    points: tuple = checked(list_of(instance_of(Point)))
    left_out: tuple = checked(list_of(instance_of(LeftOut)))


@dataclasses.dataclass(frozen=True)
class Interval:
    """Something that ran on a stream, from `start_ms` to `end_ms` after the first of its timeline began."""

    stream: str = checked(text)
    what: str = checked(text)           # "host to device", "kernel", "device to host"
    start_ms: float = checked(not_negative)
    end_ms: float = checked(not_negative)


@dataclasses.dataclass(frozen=True)
class Timeline:
    """The same work in pieces on several streams, from and to one kind of host memory."""

    memory: str = checked(one_of(LOOKS))
    intervals: tuple = checked(list_of(instance_of(Interval)))


@dataclasses.dataclass(frozen=True)
class Machine:
    """Where it was measured. None for what could not be found out."""

    device: str = checked(text)
    memory_bytes: int = checked(count)              # of the device
    compute_capability: str = checked(text)         # "9.0"
    driver: str | None = checked(optional(text))    # "580.159.04"
    cuda: str = checked(text)                       # newest CUDA version that the driver speaks: "13.0"
    nvrtc: str = checked(text)                      # which compiled the kernels
    link: str | None = checked(optional(text))      # "PCIe 5.0 x16"
    link_limit: float | None = checked(optional(positive))      # GB/s, each way
    cpu: str | None = checked(optional(text))
    cpu_count: int = checked(count)
    host_memory_bytes: int = checked(count)
    system: str = checked(text)
    python: str = checked(text)
    # Of a recording of two devices that are alike: how they are linked, and the limit of that link each way, in GB/s.
    devices: int = checked(count, default_factory=lambda: 1)
    peer_link: str | None = checked(optional(text), default_factory=lambda: None)       # "NVLink, 18 links"
    peer_limit: float | None = checked(optional(positive), default_factory=lambda: None)
    l2_bytes: int | None = checked(optional(count), default_factory=lambda: None)      # of the device's L2 cache

    @property
    def names(self):
        """The device, and how many of it where there are several: "2 NVIDIA H200"."""
        return self.device if self.devices == 1 else f"{self.devices} {self.device}"


@dataclasses.dataclass(frozen=True)
class Recording:
    """What was measured on one machine at one time, but for what was added `later`. `find` picks series."""

    schema: int = checked(count)
    course: str = checked(text)             # version of course_lib
    date: str = checked(date)               # UTC, as 2026-11-21T07:32:00Z
    machine: Machine = checked(instance_of(Machine))
    method: dict = checked(sentences)       # {experiment: how it was measured}
    series: tuple = checked(list_of(instance_of(Series)))
    timelines: tuple = checked(list_of(instance_of(Timeline)))
    # {experiment: when}, of those that were measured at another time than the rest (files.added)
    later: dict = checked(dates_of(EXPERIMENTS), default_factory=dict)

    @property
    def title(self):
        """Where and when: "NVIDIA H200, 2026-11-21", or "2 NVIDIA H200, 2026-11-21"."""
        return f"{self.machine.names}, {self.date[:10]}"

    def dated(self, experiment):
        """The same Recording with the date of one of its experiments."""
        return dataclasses.replace(self, date=self.later.get(experiment, self.date))

    def find(self, experiment=None, memory=None, what=None, by=None, nbytes=None):
        """The series that fit all of what is given: a tuple, perhaps empty."""
        fields = {"experiment": experiment, "memory": memory, "what": what, "by": by, "nbytes": nbytes}
        return tuple(series for series in self.series
                     if all(value in (None, getattr(series, name)) for name, value in fields.items()))

    def median(self, experiment, memory, what, x, nbytes=None, by=None):
        """The median at the point x (bytes, or times read) of the one series that fits, to three digits, in its
        unit."""
        series, = self.find(experiment, memory, what, by, nbytes)
        return float(f"{next(point.median for point in series.points if point.x == x):.3g}")

    def timeline(self, memory):
        """The timeline of one kind of memory, or None."""
        return next((timeline for timeline in self.timelines if timeline.memory == memory), None)

    def __repr__(self):
        left_out = sum(len(series.left_out) for series in self.series)
        return (f"<recording of {self.title}: {len(self.series)} series, {len(self.timelines)} timelines"
                + (f", {left_out} points left out>" if left_out else ">"))
