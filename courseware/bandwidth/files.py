"""Recordings as JSON files: written, read back with every field checked, and those that come with the course.

A file that is damaged, or of another version of the schema, is refused with the field named: a plot of it would be
wrong without anybody noticing. Not here: what a recording consists of (recording.py).
"""
import dataclasses
import functools
import importlib.resources
import json
import re
from pathlib import Path

from course_lib.core.errors import WrongArgument

from course_files import write_whole

from .json_fields import BadRecording, one_of, read
from .recording import EXPERIMENTS, SCHEMA, Recording

# In indented JSON: a list of numbers, and an object at the depth of points and intervals. A text has no line break.
SHORT = (re.compile(r'\[\n[^][{}"]*?\]'), re.compile(r"(?<=\n {4})\{\n[^{}]*?\n {4}\}"))


def to_json(recording):
    """The text of the file of a Recording, each point on one line: a file of 7,000 lines is read by nobody."""
    indented = json.dumps(dataclasses.asdict(recording), indent=1, allow_nan=False)
    for pattern in SHORT:
        indented = pattern.sub(lambda match: re.sub(r"\n\s*", " ", match[0]), indented)
    return indented + "\n"


def save(recording, path):
    """Write a Recording to a file."""
    write_whole(path, to_json(recording))


def from_json(content):
    """The Recording in a text. Raises BadRecording, with the field named, for what `to_json` would not write."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadRecording(f"the file: not JSON ({error})") from None
    schema = parsed.get("schema") if isinstance(parsed, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:     # before any field of another version is looked at
        raise BadRecording(f"schema: version {schema}, and this version of the course reads version {SCHEMA}")
    recording = read(Recording, parsed, "")
    for number, series in enumerate(recording.series):
        _check_series(series, f"series[{number}]")
    for number, timeline in enumerate(recording.timelines):
        for place, interval in enumerate(timeline.intervals):
            if interval.end_ms < interval.start_ms:
                raise BadRecording(f"timelines[{number}].intervals[{place}].end_ms: before start_ms")
    return recording


def _check_series(series, path):
    """Raise BadRecording unless a series fits its experiment."""
    experiment = EXPERIMENTS[series.experiment]
    for field in ("unit", "x_unit"):
        if getattr(series, field) != getattr(experiment, field):
            raise BadRecording(f"{path}.{field}: {getattr(series, field)!r}, and a {series.experiment} is in "
                               f"{getattr(experiment, field)!r}")
    one_of(experiment.whats)(series.what, f"{path}.what")
    for number, (point, following) in enumerate(zip(series.points, series.points[1:])):
        if following.x <= point.x:
            raise BadRecording(f"{path}.points[{number + 1}].x: not above the x of the point before")


def added(recording, part):
    """A Recording with the series of a part that was measured on a machine like its own at another time.

    Its `later` says when. The size of the L2 cache is the part's where the recording does not know it: it was not
    always asked. Raises WrongArgument where the machine differs in anything, the driver included, and where both have
    the same experiment. Where the number of CPUs matters to no experiment of the part, the host may have more or fewer,
    and more memory or less.
    """
    names = list(dict.fromkeys(series.experiment for series in part.series))
    ours, theirs = (dataclasses.asdict(side.machine) for side in (recording, part))
    may_differ = set() if any(EXPERIMENTS[name].cpus for name in names) else {"cpu_count", "host_memory_bytes"}
    if None in (ours["l2_bytes"], theirs["l2_bytes"]):
        may_differ.add("l2_bytes")
    differing = [f"{name} {ours[name]} and {theirs[name]}" for name in ours
                 if ours[name] != theirs[name] and name not in may_differ]
    if differing:
        raise WrongArgument(f"these were not recorded on machines that are alike ({'; '.join(differing)}): record all "
                            "of it")
    machine = dataclasses.replace(recording.machine, l2_bytes=ours["l2_bytes"] or theirs["l2_bytes"])
    there_are = {series.experiment for series in recording.series}
    if twice := [name for name in names if name in there_are]:
        raise WrongArgument(f"the recording has {', '.join(twice)} already: measure what it lacks, or record all of it")
    return dataclasses.replace(recording, machine=machine, series=recording.series + part.series,
                               method=recording.method | part.method,
                               later=recording.later | dict.fromkeys(names, part.date))


def load(path):
    """The Recording in a file. Raises BadRecording, with file and field named, for an unknown or damaged one."""
    try:
        return from_json(Path(path).read_bytes())
    except OSError as error:
        raise BadRecording(f"{path}: cannot be read ({error.strerror})") from None
    except BadRecording as error:
        raise BadRecording(f"{path}: {error}") from None


@functools.cache
def _all():
    """Every recording that comes with the course, the newest first."""
    folder = importlib.resources.files(__package__) / "recordings"
    with importlib.resources.as_file(folder) as there:
        loaded = [load(path) for path in sorted(there.glob("*.json"))]
    return tuple(sorted(loaded, key=lambda recording: recording.date, reverse=True))


def recordings():
    """The recordings of one device that come with the course, the newest first: a tuple of Recording."""
    return tuple(recording for recording in _all() if recording.machine.devices == 1)


def peer_recordings():
    """The recordings of what two devices do to each other that come with the course, the newest first: a tuple."""
    return tuple(recording for recording in _all() if recording.machine.devices > 1)


def devices():
    """The names of all devices that the course has recordings of, each once, as `recordings` has them: a list."""
    return list(dict.fromkeys(recording.machine.device for recording in recordings()))


def recorded(device):
    """The newest recording of a device whose name has `device` in it: ``recorded("H200")``.

    Raises WrongArgument, with the devices there are, where there is none.
    """
    for recording in recordings():
        if device.lower() in recording.machine.device.lower():
            return recording
    raise WrongArgument(f"no recording comes from a {device}: there is {', '.join(devices())}")


def noted(name):
    """What was measured on a device beside its recording: a dict with the values under their unit, and `how`."""
    return json.loads((importlib.resources.files(__package__) / "noted.json").read_text("utf-8"))[name]
