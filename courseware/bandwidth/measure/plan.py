"""Which points there are to measure, and which of them a machine has the memory for."""
import dataclasses

from course_lib.core.errors import WrongArgument

from .. import wording
from ..recording import EXPERIMENTS, LeftOut
from . import (
    access,
    copies,
    costs,
    growth,
    ladder,
    machine,
    managed_memory,
    overlap,
    reuse,
    translation,
    working_set,
)

MODULES = (copies, access, costs, growth, reuse, managed_memory, ladder, working_set, translation)
METHOD = {name: sentence for module in (*MODULES, overlap) for name, sentence in module.METHOD.items()}
VERIFIED = ("The data of every sample of copies, kernel and CPU access, growth, reuse, overlap and managed memory "
            "are compared with a pattern of that sample; a wrong word ends the measurement.")


@dataclasses.dataclass(frozen=True)
class Room:
    """How much memory measurements may take, in bytes: a quarter of what is free on the host, half on the device."""

    host: int
    device: int

    @classmethod
    def here(cls, device_free):
        """The Room of this machine, whose device has `device_free` bytes free."""
        return cls(machine.host_memory_free() // 4, device_free // 2)

    def why_not(self, job, x):
        """The sentence on why a point is left out; None where there is room for it."""
        for needed, room, whose in zip(job.needs(x), (self.host, self.device), ("host", "device")):
            if needed > room:
                share = "a quarter" if whose == "host" else "half"
                return (f"It needs {wording.size(needed)} of the {whose}'s memory, and {wording.size(room)} may be "
                        f"taken here: {share} of what is free.")
        return None


def jobs(effort, experiment=None, memory=None, what=None):
    """The jobs that fit what is given: each a name, several, or None for all that there are.

    Raises WrongArgument, with the names there are, for one that no job has.
    """
    fitting_jobs = [job for module in MODULES for job in module.jobs(effort)]
    for name, names in (("experiment", experiment), ("memory", memory), ("what", what)):
        there_are = dict.fromkeys(getattr(job, name) for job in fitting_jobs)
        if name == "experiment":
            there_are["overlap"] = None
        for value in as_names(names) or ():
            if value not in there_are:
                raise WrongArgument(f"nothing is measured with {name} {value!r}: there is {', '.join(there_are)}")
        if names is not None:
            fitting_jobs = [job for job in fitting_jobs if getattr(job, name) in as_names(names)]
    return fitting_jobs


def timelines(experiment=None, memory=None):
    """The kinds of host memory to make a timeline of."""
    if experiment is not None and "overlap" not in as_names(experiment):
        return []
    return [kind for kind in overlap.MEMORY if memory is None or kind in as_names(memory)]


def fitting(job, room):
    """(the xs of a job that there is room for, a LeftOut for each other)"""
    left_out = [LeftOut(x, why) for x in job.xs if (why := room.why_not(job, x))]
    without = {point.x for point in left_out}
    return [x for x in job.xs if x not in without], left_out


def as_names(names):
    """A name as a tuple of one; None stays None."""
    return (names,) if isinstance(names, str) else names


def method(experiments):
    """{experiment: sentence} of those that were done, and how data are verified."""
    return {name: METHOD[name] for name in (*EXPERIMENTS, "overlap") if name in experiments} | {"verified": VERIFIED}
