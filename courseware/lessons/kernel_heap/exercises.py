"""Exercises of "Memory that kernels allocate": from node to node, and the staging copy."""
from ...exercises.exercise import Case, Exercise
from . import harness

FOUND = "the numbers in the nodes whose addresses are in `found`, in this order,"
walk = Exercise(
    id="walk", name="source", kind="source", sandboxed=True, run=harness.walk,
    cases=(Case("the list 1, 2, 4, 8", ((1, 2, 4, 8),), "1 2 4 8", False, FOUND),
           Case("a list of a single node", ((5,),), "5", True, FOUND),
           Case("a list without nodes", ((),), "", True, FOUND),
           Case("a list of seven other numbers", ((-3, 40, 1, 0, 112, 7, 20),), "-3 40 1 0 112 7 20", True, FOUND)))

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

EXERCISES = (walk, stage)
