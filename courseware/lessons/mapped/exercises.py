"""Exercises of "Mapped memory": how far an allocation reaches."""
from ...exercises.exercise import Case, Exercise
from . import harness

edges = Exercise(
    id="edges", name="edges", sandboxed=True, run=harness.edges,
    cases=(Case("byte 10 of 1000 bytes", (1000, 10), (0, 999), False, "edges(start + 10), less start"),
           Case("the first byte of 1000", (1000, 0), (0, 999), True, "edges(start), less start"),
           Case("the last byte of 1000", (1000, 999), (0, 999), True, "edges(start + 999), less start"),
           Case("byte 1234 of 3000 bytes", (3000, 1234), (0, 2999), True, "edges(start + 1234), less start"),
           Case("a single byte", (1, 0), (0, 0), True, "edges(start), less start"),
           Case("a byte with pages of other memory near it", (1000, 10, (9000, 9000)), (0, 999), True, "edges(start + 10), less start")))

EXERCISES = (edges,)
