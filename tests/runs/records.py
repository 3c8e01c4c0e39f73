"""A record of one run: when, what, on which machine, with which versions, and what came of it. records.jsonl has them all.

Nothing in it tells a person or a place: no path, no name of a host, no address of an index.
"""
import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("records.jsonl")
# The packages that CUDA is called by, under the names that they have for CUDA 13 or CUDA 12.
NAMED = re.compile(r"pycuda|cuda-bindings|cuda-core|numba|numba-cuda|pyopencl|nvidia-cuda-nvrtc(-cu12)?")
MOST_FAILURES = 20      # that are named in a record
# Run in a process of its own: this one may have initialised CUDA, or must not.
DESCRIBE = "import json; from tests.conformance import drivers; print(json.dumps(drivers.describe_in_child(drivers.course)))"


def made(command, counts, seconds, failures=(), machine=None):
    """The record of a run that has just ended.

    command:  what a reader would type
    counts:   {"passed": 3, "failed": 1}, in the command's own words
    seconds:  that it took
    failures: names of what failed
    machine:  what tests.conformance.drivers describes; without it, the driver that the course uses here is asked
    """
    here = installed()
    return {"date": datetime.date.today().isoformat(), "command": without_places(command), **(machine or described()),
            "python": platform.python_version(), "system": f"{system()}, {platform.machine()}",
            "packages": {name: here[name] for name in sorted(here) if NAMED.fullmatch(name)},
            "not of the lock": {name: here[name] for name, version in sorted(locked().items())
                                if here.get(name, version) != version},
            "counts": {name: count for name, count in counts.items() if count}, "seconds": round(seconds),
            "failures": [without_places(name) for name in failures][:MOST_FAILURES], "commit": commit()}


def add(record):
    """Append a record to the file, and write the page anew."""
    from . import page
    with FILE.open("a") as file:
        print(json.dumps(record), file=file)
    page.write()
    print(f"Recorded: {record['command']}, {page.told(record['counts'])} "
          f"({FILE.relative_to(ROOT)}, {page.PAGE.relative_to(ROOT)})")


def load():
    """All records, the oldest first."""
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def described():
    """What the driver that the course uses here calls itself."""
    ended = subprocess.run([sys.executable, "-c", DESCRIBE], cwd=ROOT, capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])})
    if ended.returncode or not ended.stdout.strip():
        raise RuntimeError("no driver says what it is, so this run is not recorded:\n" + ended.stderr)
    return json.loads(ended.stdout)


def system():
    """Such as "Debian GNU/Linux 12 (bookworm)"."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def installed():
    """{package: version} of this environment."""
    return {re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower(): one.version for one in importlib.metadata.distributions()}


def locked():
    """{package: version} of requirements.txt, as far as it is for this Python and this machine."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / "requirements.txt").read_text().splitlines())
    pins = [Requirement(line) for line in lines if line]
    return {pin.name: next(iter(pin.specifier)).version for pin in pins if not pin.marker or pin.marker.evaluate()}


def commit():
    """The commit that was run, with a plus sign where files differ from it. COURSE_COMMIT says it where git cannot."""
    if os.environ.get("COURSE_COMMIT"):
        return os.environ["COURSE_COMMIT"][:9]
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    try:
        ours = [f":!{path.relative_to(ROOT)}" for path in (FILE, ROOT / "docs/runs.md", ROOT / "tests/peers/counts.json")]
        return git("rev-parse", "--short=9", "HEAD") + "+" * bool(git("status", "--porcelain", "--", ".", *ours))
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def without_places(text):
    """A text whose absolute paths are cut to their last part."""
    return re.sub(r"(?<![\w.])/(?:[\w.+-]+/)*([\w.+-]+)", r"\1", text)
