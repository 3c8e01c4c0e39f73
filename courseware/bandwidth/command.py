"""``python -m courseware record``: measure everything on this machine's GPU, into a file that can be contributed."""
import itertools
import os
import re
from pathlib import Path

from course_lib import driver

from . import files
from .measure import measuring

FOLDER = "courseware/bandwidth/recordings"
CONTRIBUTE = f"""To contribute it: copy it to {FOLDER}/ in a checkout of the course, run
`make test ARGS="-k recording"`, and open a pull request that says what the machine is (a laptop, a server, a virtual
machine). The file names the GPU, the CPU and the system, and nothing else of the machine."""


def record(quick=False, output=None):
    """Measure, write the file, and say what to do with it; returns the exit status.

    output: the file's path, or None for one named after the device and the day, in the current folder
    """
    if driver.attached.simulated:
        print("Nothing is recorded: the simulated driver has no times. This needs an NVIDIA GPU and its driver 535 or "
              f"newer ({driver.attached.why}).")
        return 1
    if output and not Path(output).absolute().parent.is_dir():
        print(f"Nothing is recorded: there is no folder {Path(output).absolute().parent} to put {output} in.")
        return 1
    if output and os.path.lexists(output):
        print(f"Nothing is recorded: there is {output} already, and it stays. Choose another name.")
        return 1
    recording = measuring.record(quick)
    path = Path(output) if output else _unused(re.sub("[^a-z0-9]+", "-", recording.title.lower()))
    files.save(recording, path)
    print(f"{path}: {recording.title}, {len(recording.series)} series, {len(recording.timelines)} timelines")
    if left_out := [point for series in recording.series for point in series.left_out]:
        print(f"{len(left_out)} points were left out:")
        for why in dict.fromkeys(point.why for point in left_out):
            print(f"  {why}")
    if any(point.why == measuring.STOPPED for point in left_out):
        print("It was stopped before its end: good enough to look at, but not to contribute.")
    elif quick:
        print("A quick recording is only to look at. To contribute one, leave out --quick: "
              "it takes up to five minutes.")
    else:
        print(CONTRIBUTE)
    return 0


def _unused(name):
    """The path of a file that is not there yet: an earlier recording of the day stays."""
    paths = (Path(f"{name}{number}.json") for number in itertools.chain([""], map("-{}".format, itertools.count(2))))
    return next(path for path in paths if not os.path.lexists(path))
