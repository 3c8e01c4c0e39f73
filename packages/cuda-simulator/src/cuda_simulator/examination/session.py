"""Which launches are examined, and where their findings go.

A Session collects what the launches of a `with examine()` brought. With CUDA_SIMULATOR_EXAMINE=1 the process has one for all its
launches, which writes each finding to standard error when the kernel ends.
"""
import contextlib
import os
import sys
import threading

from ..libcuda.stand_in import inside
from ..libcuda.state import thread
from . import precedence
from .examiner import Examiner
from .findings import tell
from .names import kernel_name
from .sources import parameter_names, source_of
from .streams import StreamRaces

SWITCH, SEED = "CUDA_SIMULATOR_EXAMINE", "CUDA_SIMULATOR_EXAMINE_SEED"


class _Events:
    """How many accesses have been looked at in this process."""
    last = 0


events = _Events()


class Session:
    """The findings of some launches: `findings`, each mistake once, and how many launches were looked at.

    `sources` has the CUDA C++ of each kernel by its name, where this process compiled it: findings name lines of it.
    """

    def __init__(self, seed=1, tell=None):
        self.seed, self.launches, self.left_out, self.sources = seed, 0, 0, {}
        self._tell, self._by_key, self._lock = tell, {}, threading.Lock()
        self._streams = StreamRaces()

    @inside
    def begin(self):
        """From now on it is kept what comes before what."""
        precedence.keep(1)
        precedence.listeners.append(self.look)
        return self

    @inside
    def end(self):
        """No call belongs to it any more."""
        precedence.listeners.remove(self.look)
        precedence.keep(-1)
        self.look(at_end=True)

    def look(self, at_end=False):
        """The host has learned that something is done, or the session ends."""
        with self._lock:
            self._streams.look(at_end)
        self._keep()

    @property
    @inside
    def findings(self):
        """The Findings so far, in the order in which they were made, each mistake once."""
        with self._lock:
            return list(self._by_key.values())

    def examiner(self, function):
        """An Examiner for one launch; each launch has an order of its own, by the seed and its number."""
        with self._lock:
            self.launches += 1
            source = source_of(function.module.text)
            if source is not None:
                self.sources[kernel_name(function.name)] = source
            return Examiner(self.seed * 1000003 + self.launches, parameter_names(function), events.last)

    def note_launch(self, stamp, function, place):
        """A launch was given to a stream."""
        with self._lock:
            self._streams.touches.note_work(stamp, f"kernel {kernel_name(function.name)}", place)

    def hands_over(self):
        """A stream writes a value, for which the host may wait."""
        with self._lock:
            self._streams.touches.be_silent()

    def add(self, examiner, findings=(), stamp=None, site=None):
        """A launch has ended: what its examiner found, and the `findings` without one. stamp, site: when, and where, it was launched"""
        examiner.late_stores.show()
        events.last = max(events.last, examiner.event)
        with self._lock:
            self._streams.launch(examiner, stamp, site)
            self.left_out += examiner.report.left_out
        examiner.cells.give_back(examiner.event)
        self._keep([*examiner.report.findings(), *findings])

    def call(self, stamp, name, reads=(), writes=(), watched=False, verb=""):
        """A call of the host uses memory: see StreamRaces.call."""
        with self._lock:
            self._streams.call(stamp, name, reads, writes, watched, verb)
        self._keep()

    def add_other(self, finding):
        """Something that was seen beside the kernels and the calls."""
        self._keep([finding])

    def _keep(self, findings=()):
        def place(finding):
            return finding.kernel, finding.lines, finding.variable
        with self._lock:
            every = [*findings, *self._streams.take_findings()]
            # Whether a kernel comes to memory before or after a free that nothing orders it with is chance: the race is the finding.
            races = {place(finding) for finding in [*self._by_key.values(), *every] if finding.with_free}
            for finding in every:
                if finding.kind == "freed" and place(finding) in races:
                    continue
                key = finding.kind, finding.kernel, frozenset(finding.lines), finding.variable
                if key in self._by_key:
                    self._by_key[key].count += finding.count
                    continue
                self._by_key[key] = finding
                if self._tell is not None:
                    self._tell(finding)


@contextlib.contextmanager
def examine(seed=1):
    """Examine every kernel that this thread launches inside the block; the block's value is the Session.

    A launch only starts a kernel: synchronize before looking at the findings. Another `seed` is another order of warps and
    blocks, as a GPU might choose it.
    """
    before, thread.examination = thread.examination, Session(seed).begin()
    try:
        yield thread.examination
    finally:
        thread.examination.end()
        thread.examination = before


def _say(finding):
    print(f"finding: {finding}", file=sys.stderr, flush=True)
    tell(finding)


# Asked once, when the driver is attached: a launch that is not examined pays nothing for the question.
_of_process = Session(int(os.environ.get(SEED, "1")), _say).begin() if os.environ.get(SWITCH, "0") not in ("", "0") else None


def current_session():
    """The Session that a launch of this thread belongs to, or None."""
    return thread.examination or _of_process
