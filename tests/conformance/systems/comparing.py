"""Where two systems answer otherwise.

A crash is like any error, on either side: both follow a wrong handle. What is marked `varies` differs from run to run or by the
allocator's choice, and says nothing of a system. Not here: how it is told (report.py, page.py).
"""
import dataclasses

from .. import recording
from ..asking import QUESTIONS


@dataclasses.dataclass
class Compared:
    """Two systems' answers: how many were compared, what differs, how many were not compared since only one has them or they vary."""

    count: int
    differences: list
    unshared: int
    varying: int


def compare(ours, theirs, simulated=False, only=None):
    """Compared, of two {question: answers}. What the simulated driver reports on purpose is excused where `theirs` are its own.

    only: names of questions, by default all that `theirs` have
    """
    result = Compared(0, [], 0, 0)
    for name in QUESTIONS if only is None else only:
        one, left, right = QUESTIONS[name], ours.get(name, {}), theirs.get(name, {})
        if not left or not right:
            result.unshared += len(right)
            continue
        count, found = recording.compare(one, left, right, ("varies", "stricter") if simulated else ("varies",))
        found = [each for each in found if simulated or not recording.alike(each.answered, each.recorded)]
        result.count += count
        result.differences += found
        result.unshared += len({label for label in right if not recording.left_out(right, label)} - left.keys())
        result.varying += sum(bool(one.excused(label, one.varies)) for label in right)
    return result
