"""Exercises of "The way back": which memory an address is of."""
from ...exercises.exercise import Exercise
from . import harness

is_pinned = Exercise(id="is-pinned", name="is_pinned", sandboxed=True, run=harness.is_pinned, cases=harness.kinds_of_memory)

EXERCISES = (is_pinned,)
