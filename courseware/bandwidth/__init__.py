"""How fast each kind of memory is reached: measured on a GPU, or recorded on one.

    >>> from courseware import bandwidth
    >>> pinned, = bandwidth.recordings()[0].find("copy sweep", memory="pinned", what="host to device")
    >>> pinned.unit, pinned.points[-1].x == 512 << 20
    ('GB/s', True)

- `recordings` gives what comes with the course, `recorded` the one of a device, `peer_recordings` what two devices do
  to each other, `load` and `save` are for files; `noted` gives the few figures that were measured beside a recording;
- `measure` measures a part on this machine, in seconds, and `record` all that is measured of one device;
- `measured_here` does so where there is a GPU, and elsewhere gives a sentence that counts as false.

The simulated driver has no times: on it nothing is measured, and nothing is estimated. The plots are in
``courseware.bandwidth.plots``; ``courseware.bandwidth.steps`` finds the caches and memories in a ladder of latencies.
"""
from .files import load, noted, peer_recordings, recorded, recordings, save
from .json_fields import BadRecording
from .measure.measuring import NotMeasured, measure, measured_here, record
from .measure.patterns import WrongData
from .recording import EXPERIMENTS, PATTERNS, Interval, LeftOut, Machine, Point, Recording, Series, Timeline

__all__ = ["BadRecording", "EXPERIMENTS", "Interval", "LeftOut", "Machine", "NotMeasured", "PATTERNS", "Point",
           "Recording", "Series", "Timeline", "WrongData", "load", "measure", "measured_here", "noted",
           "peer_recordings", "record", "recorded", "recordings", "save"]
