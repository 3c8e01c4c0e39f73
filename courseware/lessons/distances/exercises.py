"""Exercises of "How far is it": a tile whose words lie in one bank."""
from ...exercises.exercise import Case, Exercise
from . import harness

one_bank = Exercise(
    id="one-bank", name="source", kind="source", sandboxed=True, run=harness.transposed,
    cases=tuple(Case(f"{aspect} with n = {n}", (aspect, n), expected, hidden, "they")
                for n, hidden in ((64, False), (96, True)) for aspect, expected in harness.WANTED.items()))

EXERCISES = (one_bank,)
