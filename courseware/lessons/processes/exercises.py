"""Exercises of "Several processes": how memory can be shared, and fetched."""
from ...exercises.exercise import Case, Exercise
from . import harness

ways_to_share = Exercise(
    id="ways-to-share", name="way_to_share", sandboxed=True, run=harness.way_to_share, cases=harness.kinds_of_memory)


def _received(description, seed, total, offset, count, hidden=True):
    expected = harness.numbers(seed, total)[offset // 4:offset // 4 + count].tolist()
    return Case(description, (seed, total, offset, count), expected, hidden, f"received(handle, {offset}, {count})")


received = Exercise(
    id="received", name="received", sandboxed=True, run=harness.received,
    cases=(_received("the first three numbers", 3, 10, 0, 3, False), _received("two numbers from byte 8 on", 3, 10, 8, 2, False),
           _received("a small allocation as a whole", 4, 5, 0, 5), _received("the last number of an allocation", 5, 16, 60, 1),
           _received("numbers in the middle of a large allocation", 6, 1 << 18, 400_000, 7),
           _received("an odd number of them", 7, 100, 36, 11)))

EXERCISES = (ways_to_share, received)
