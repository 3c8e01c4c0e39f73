"""Exercises of "Memory that kernels allocate": where each block goes, and the staging copy."""
from ...exercises.exercise import Case, Exercise
from . import harness

offsets = Exercise(
    id="offsets", name="offsets", keeps=True,
    cases=(Case("three blocks", ([4, 11, 2],), [0, 4, 15, 17]),
           Case("three blocks of which one is empty", ([5, 0, 3],), [0, 5, 5, 8], True),
           Case("one block", ([7],), [0, 7], True), Case("no blocks at all", ([],), [0], True),
           Case("five blocks", ([1, 20, 300, 4000, 9],), [0, 1, 21, 321, 4321, 4330], True)),
    random_case=lambda source: ([source.choice([0, source.randrange(50)]) for _ in range(source.randrange(7))],))

STAGING = "the bytes of the staging memory, and 8 behind it,"
stage = Exercise(
    id="staging-kernel", name="source", kind="source", sandboxed=True, run=harness.stage,
    cases=(Case("blocks of 4, 11 and 2 bytes and 8 threads", (("abcd", "abcdefghijk", "ab"), 8),
                "abcdabcdefghijkab" + "." * 8, False,
                STAGING),
           Case("three blocks of other content and 4 threads", (("He\0p", "of", "kernels, brought out"), 4),
                "He\0pofkernels, brought out" + "." * 8, True, STAGING),
           Case("four blocks of which one is empty", (("one", "", "three", "f"), 32),
                "onethreef" + "." * 8, True, STAGING),
           Case("ten blocks and 4 threads", (tuple(f"block {n}, whole; " for n in range(10)), 4),
                "".join(f"block {n}, whole; " for n in range(10)) + "." * 8, True, STAGING),
           Case("the second of three groups, which is launched alone", (("one", "two!", "three"), 8, True),
                "...two!....." + "." * 8, True, STAGING),
           Case("one block and one thread", (("alone in the heap",), 1), "alone in the heap" + "." * 8, True, STAGING),
           Case("a block of 264 bytes and 32 threads", ((264,), 32), harness.SHARED, True, "the share of each thread")))

EXERCISES = (offsets, stage)
