"""Exercises of "Who comes first": three kernels whose numbers depend on an order that nobody promised."""
from ...exercises.exercise import Case, Exercise
from . import harness

find_the_race = Exercise(
    id="find-the-race", name="source", kind="source", sandboxed=True, run=harness.tried,
    cases=tuple(Case(f"the kernel `{name}`{where}", (name, grid, 64), harness.RIGHT, hidden, f"{name}<<<{shape}>>>(x{more})")
                for grid, hidden, where in ((4, False, ""), (7, True, ", with more threads"))
                for name, shape, more in (("reverse", f"{grid}, 64", ""), ("total", f"{grid}, 64", ", sum"),
                                          ("smooth", f"1, {64 * grid}", ""))))

EXERCISES = (find_the_race,)
