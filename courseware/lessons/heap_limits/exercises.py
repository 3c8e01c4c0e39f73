"""Exercises of "When the heap is full": how large the heap is, and a malloc that fails."""
from ...exercises.exercise import Case, Exercise
from . import harness

limit = Exercise(
    id="heap-limit", name="heap_of", sandboxed=True, run=harness.heap_of, cases=harness.limits)

FULL = 1 << 40      # more than any heap has
BYTES_AND_COUNT = "the first bytes of the blocks, and the count,"
allocate = Exercise(
    id="heap-exhausted", name="source", kind="source", sandboxed=True, run=harness.allocate,
    cases=(Case("two sizes of which none is too large", ((64, 32),), ("xx", 0), False, BYTES_AND_COUNT),
           Case("a size of 2**33 + 40 between two small ones", ((16, (1 << 33) + 40, 48),), ("x.x", 1),
                True, BYTES_AND_COUNT),
           Case("three sizes of which one is too large", ((16, FULL, 48),), ("x.x", 1), False, BYTES_AND_COUNT),
           Case("six sizes of which several are too large", ((FULL, 8, FULL, FULL, 100, 24),), (".x..xx", 3), True,
                BYTES_AND_COUNT),
           Case("three times 300 KiB, of which the rest of a heap has room for one", ((harness.ROOM,) * 3,), ("..x", 2), True,
                "the first bytes of the blocks, in any order, and the count,"),
           Case("twelve sizes that are all too large", ((FULL,) * 12,), ("." * 12, 12), True, BYTES_AND_COUNT)))

EXERCISES = (limit, allocate)
