"""Exercises of "Inside the kernel": the way back to shared memory, and blocks turned round."""
from ...exercises.exercise import Case, Exercise
from . import harness

shared_address = Exercise(
    id="shared-address", name="source", kind="source", sandboxed=True, run=harness.shared_address,
    cases=harness.pointer_cases())

reverse_blocks = Exercise(
    id="reverse-blocks", name="source", kind="source", sandboxed=True, run=harness.reversed_blocks,
    cases=tuple(Case(f"{n} numbers in {grid} blocks of {block} threads", (grid, block, n), harness.RIGHT, hidden,
                     f"reverse<<<{grid}, {block}, {4 * block}>>>(x, {n})")
                for grid, block, n, hidden in ((2, 64, 128, False), (3, 96, 250, False), (1, 33, 20, True),
                                               (1, 64, 64, True), (4, 128, 511, True), (2, 100, 101, True))) + (
        Case("90 numbers in 2 blocks of 48 threads, and no more memory than theirs", (2, 48, 90, 0), harness.RIGHT, True,
             "reverse<<<2, 48, 192>>>(x, 90)"),))

EXERCISES = (shared_address, reverse_blocks)
